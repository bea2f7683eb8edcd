//! Results on standard output.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write as _};

use miette::{IntoDiagnostic, WrapErr};
use serde::Serialize;

use crate::notice::{printable_lines, steers};

/// Characters in a line of the terminal that standard output is; `None` where it is none, and
/// lines may have any length.
pub fn width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    // A terminal that does not know its width says 0.
    (size.ws_col > 0).then_some(size.ws_col.into())
}

/// Prints a value as JSON.
///
/// # Errors
///
/// When standard output cannot be written.
pub fn json<T: Serialize>(value: &T) -> miette::Result<()> {
    print(&json_text(value)?)
}

/// Prints a value as JSON on a line of its own, one of many.
///
/// # Errors
///
/// When standard output cannot be written.
pub fn json_line<T: Serialize>(value: &T) -> miette::Result<()> {
    let text = serde_json::to_string(value)
        .into_diagnostic()
        .wrap_err("cannot express the result as JSON")?;
    print(&escaped_json(&text))
}

/// A value as the JSON that [`json`] prints.
///
/// # Errors
///
/// When JSON cannot hold it.
pub fn json_text<T: Serialize>(value: &T) -> miette::Result<String> {
    let text = serde_json::to_string_pretty(value)
        .into_diagnostic()
        .wrap_err("cannot express the result as JSON")?;
    Ok(escaped_json(&text))
}

/// JSON of the same value in which nothing steers a terminal: such a character stands in a string
/// only, where its escape sequence means the same.
fn escaped_json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) && c != '\n' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String cannot fail.
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Prints text and a line end, without what could steer a terminal.
///
/// # Errors
///
/// When standard output cannot be written.
pub fn text(text: &str) -> miette::Result<()> {
    print(&printable_lines(text))
}

/// Prints text as it is, for programs; nothing in it steers a terminal.
///
/// # Errors
///
/// When standard output cannot be written.
pub fn exact(text: &str) -> miette::Result<()> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).into_diagnostic().wrap_err("cannot print")
        }
        _ => Ok(()),
    }
}

/// A reader that has seen enough, such as `head`, is no error.
fn print(text: &str) -> miette::Result<()> {
    exact(&format!("{text}\n"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    proptest! {
        #[test]
        fn json_means_the_same_and_steers_no_terminal(name in any::<String>(), c in any::<char>()) {
            let value = json!({ "name": format!("{name}\u{202e}\u{9b}\u{7f}\u{e0041}{c}") });
            let text = serde_json::to_string_pretty(&value).unwrap();
            let safe = escaped_json(&text);
            prop_assert!(!safe.contains(|c| steers(c) && c != '\n'));
            prop_assert_eq!(serde_json::from_str::<Value>(&safe).unwrap(), value);
        }
    }
}
