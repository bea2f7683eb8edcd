//! Writes the manifest of a package, or one of its known-answer texts.

use std::io::{self, Write};
use std::process::ExitCode;

use kat::text::TextSink;

const USAGE: &str = "\
Usage: answers <package>                the package's manifest, kat/<package>/kat.sha256
       answers <package> <label>/<file> one of its known-answer texts";

/// Writes text to a buffer that takes everything.
struct Text(Vec<u8>);

impl TextSink for Text {
    fn text(&mut self, piece: &[u8]) {
        self.0.extend_from_slice(piece);
    }
}

fn main() -> miette::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut text = Text(Vec::new());
    match arguments.as_slice() {
        [package] if !package.starts_with('-') => {
            text.text(answers::manifest(package, |_| true)?.as_bytes());
        }
        [package, path] => answers::write_file(package, path, &mut text)?,
        _ => {
            eprintln!("{USAGE}\n\nPackages: {}", answers::PACKAGES.join(", "));
            return Ok(ExitCode::from(2));
        }
    }
    // A reader that has seen enough is no error.
    match io::stdout().write_all(&text.0) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(miette::miette!("cannot write the text: {error}"))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}
