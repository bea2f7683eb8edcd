//! Results on standard output.

use std::io::{self, ErrorKind, Write};

use miette::{IntoDiagnostic, WrapErr};
use serde::Serialize;

/// Prints a value as JSON.
///
/// # Errors
///
/// When standard output cannot be written.
pub fn json<T: Serialize>(value: &T) -> miette::Result<()> {
    let text = serde_json::to_string_pretty(value)
        .into_diagnostic()
        .wrap_err("cannot express the result as JSON")?;
    self::text(&text)
}

/// Prints text and a line end. A reader that has seen enough, such as `head`, is no error.
///
/// # Errors
///
/// When standard output cannot be written.
pub fn text(text: &str) -> miette::Result<()> {
    match writeln!(io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).into_diagnostic().wrap_err("cannot print")
        }
        _ => Ok(()),
    }
}
