//! An error for people: what went wrong, why, and the remedy.

use std::error::Error;
use std::fmt::{self, Display, Write};
use std::io::{self, IsTerminal};

use miette::{Diagnostic, GraphicalReportHandler};

use crate::notice::printable_lines;

/// An error in words: drawn on a terminal, plain lines elsewhere. Nothing in it steers a terminal
/// but our own colours.
pub fn explain(error: &dyn Diagnostic) -> String {
    let harmless = Harmless::of(error);
    let mut text = String::new();
    if io::stderr().is_terminal()
        && GraphicalReportHandler::new()
            .render_report(&mut text, &harmless)
            .is_ok()
    {
        return text;
    }
    plain(&harmless)
}

/// What is wrong with one of several things, while the others go on: plain lines that begin with
/// the thing's name.
pub fn explain_one_of(thing: &str, error: &dyn Diagnostic) -> String {
    lines(&printable_lines(thing), &Harmless::of(error))
}

/// `error:`, `caused by:` and `help:`, each on lines of its own.
fn plain(error: &Harmless) -> String {
    lines("error", error)
}

fn lines(beginning: &str, error: &Harmless) -> String {
    let mut text = format!("{beginning}: {error}\n");
    let mut shown = &error.words;
    let mut cause = error.cause.as_deref();
    while let Some(inner) = cause {
        // Many errors repeat their cause in their own words.
        if !shown.contains(&inner.words) {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "caused by: {inner}");
        }
        shown = &inner.words;
        cause = inner.cause.as_deref();
    }
    if let Some(help) = &error.help {
        let _ = writeln!(text, "help: {help}");
    }
    text
}

/// An error whose words may quote a submission, a record or a program, made fit for a terminal.
#[derive(Debug)]
struct Harmless {
    words: String,
    help: Option<String>,
    cause: Option<Box<Self>>,
}

impl Harmless {
    fn of(error: &dyn Diagnostic) -> Self {
        Self {
            help: error
                .help()
                .map(|help| printable_lines(&help.to_string()).into_owned()),
            ..Self::of_cause(error.to_string(), error.source())
        }
    }

    fn of_cause(words: String, cause: Option<&dyn Error>) -> Self {
        Self {
            words: printable_lines(&words).into_owned(),
            help: None,
            cause: cause.map(|inner| Box::new(Self::of_cause(inner.to_string(), inner.source()))),
        }
    }
}

impl Display for Harmless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl Error for Harmless {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.cause.as_deref()?)
    }
}

impl Diagnostic for Harmless {
    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(self.help.as_deref()?))
    }
}

#[cfg(test)]
mod tests {
    use thiserror::Error;

    use super::*;

    #[derive(Debug, Error, Diagnostic)]
    #[error("cannot measure: {source}")]
    #[diagnostic(help("plug it in{}", end))]
    struct Example {
        source: io::Error,
        end: &'static str,
    }

    #[test]
    fn plain_errors_say_what_why_and_the_remedy_once() {
        let error = Example {
            source: io::Error::other("no board"),
            end: "",
        };
        assert_eq!(
            plain(&Harmless::of(&error)),
            "error: cannot measure: no board\nhelp: plug it in\n"
        );
    }

    #[test]
    fn foreign_words_steer_no_terminal() {
        let error = Example {
            source: io::Error::other("\x1b]0;title\x07"),
            end: "\x1b[2J\nnext",
        };
        let error = Harmless::of(&error);
        let text = plain(&error);
        assert_eq!(
            text,
            "error: cannot measure: \\u{1b}]0;title\\u{7}\nhelp: plug it in\\u{1b}[2J\nnext\n"
        );
        let mut drawn = String::new();
        let theme = miette::GraphicalTheme::unicode_nocolor();
        GraphicalReportHandler::new_themed(theme)
            .render_report(&mut drawn, &error)
            .unwrap();
        assert!(drawn.contains("title\\u{7}"), "{drawn}");
        assert!(!drawn.contains('\x1b'), "{drawn}");
    }
}
