//! Words for people: what must not reach a terminal from a file or a meter, and the error output.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use catalogue::{Catalogue, CatalogueError};

use crate::explain::explain_one_of;

/// Says something and a line end, without what could steer a terminal. Nobody listening is no
/// error: what is measured is kept all the same.
pub fn line(words: impl Display) {
    drawn(printable_lines(&words.to_string()));
}

/// Says for each broken package what is wrong with it: its instances are missing from whatever is
/// listed or measured next.
pub fn broken_packages(catalogue: &Catalogue) {
    for package in catalogue.broken() {
        line(left_out(&package.folder, &package.error));
    }
}

fn left_out(folder: &Path, error: &CatalogueError) -> String {
    let thing = format!("package {} is left out", folder.display());
    explain_one_of(&thing, error).trim_end().to_owned()
}

/// Says something and a line end as it is: colours and frames of our own around parts that are
/// [`printable`].
pub fn drawn(words: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{words}");
}

/// The text with everything escaped that would move a terminal's cursor, change its state, start
/// another line or change the order in which characters are seen. Labels, reports of faults,
/// captured output and names of files come from whoever wrote a submission or a record.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, steers)
}

/// The same for text of several lines: its line ends and tabs stay.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| steers(c) && !matches!(c, '\n' | '\t'))
}

/// Whether a terminal does something else with a character than to show it where it stands: the
/// controls C0 (ESC, BEL, CR), DEL and C1 (CSI, OSC), the line separators, and the invisible ones
/// that change the order (Unicode UAX 9) or hide or tag what is there.
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

fn escaped(text: &str, must_go: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&must_go) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match must_go(c) {
            true => safe.extend(c.escape_default()),
            false => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_broken_package_is_named_with_its_problem_and_the_remedy() {
        let error = catalogue::CatalogueError::DuplicateId {
            id: "x".into(),
            file: "b/candidate.toml".into(),
            other: "a/candidate.toml".into(),
        };
        let text = super::left_out(std::path::Path::new("b"), &error);
        insta::assert_snapshot!(text, @r#"
        package b is left out: b/candidate.toml: id = "x" is taken by a/candidate.toml
        help: give one of them another id: names are used for files and commands
        "#);
    }

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_steers_a_terminal_is_shown_instead() {
        for (text, safe) in [
            ("\x1b[31mred", "\\u{1b}[31mred"),
            ("\u{9b}2J", "\\u{9b}2J"),
            ("bell\x07", "bell\\u{7}"),
            ("PASS\rFAIL", "PASS\\rFAIL"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("a\u{2066}b\u{2069}", "a\\u{2066}b\\u{2069}"),
            ("one\ntwo\tthree", "one\\ntwo\\tthree"),
            ("a\0b\x7f", "a\\u{0}b\\u{7f}"),
        ] {
            assert_eq!(printable(text), safe);
        }
        assert_eq!(printable_lines("one\ntwo\t\x1b"), "one\ntwo\t\\u{1b}");
    }

    #[test]
    fn every_script_is_shown_as_it_is() {
        for text in ["ML-KEM-768 ÷ µs –", "密码学", "אבג", "🙂"] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text));
        }
    }

    proptest! {
        #[test]
        fn nothing_that_steers_is_left(text in any::<String>()) {
            prop_assert!(!printable(&text).contains(steers));
            prop_assert!(!printable_lines(&text).contains(|c| steers(c) && c != '\n' && c != '\t'));
        }
    }
}
