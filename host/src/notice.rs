//! Words for people on the error output.

use std::fmt::Display;
use std::io::{self, Write};

/// Says something and a line end. Nobody listening is no error: what is measured is kept all the
/// same.
pub fn line(words: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{words}");
}
