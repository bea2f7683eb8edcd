//! `kat.sha256`: the canonical digests of a candidate's published known-answer texts.
//!
//! A line is `<sha256> <mode> <label>/<file name>`; the mode says what of the text is digested.

use std::fs;
use std::path::Path;

use wire::{Category, KatFile};

use crate::{CatalogueError, sha256_from_hexadecimal};

/// Name of the file in `kat/<id>/`.
pub const FILE: &str = "kat.sha256";

/// What of a text is digested.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Mode {
    /// All lines.
    Strict,
    /// All lines but those whose name ends in `_Len`.
    NoLengths,
    /// All lines of this many records.
    FirstRecords(u32),
}

impl std::fmt::Display for Mode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Strict => f.write_str("strict"),
            Self::NoLengths => f.write_str("nolen"),
            Self::FirstRecords(count) => write!(f, "strict:{count}"),
        }
    }
}

/// One line: what one file of one label must be.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Expected {
    /// The canonical digest.
    pub sha256: [u8; 32],
    /// What is digested.
    pub mode: Mode,
    /// The label.
    pub label: String,
    /// The file's name.
    pub file_name: String,
}

/// The name of a known-answer file of an instance.
pub fn file_name(file: KatFile, category: Category, instance: &str) -> String {
    match file {
        KatFile::Records => format!("KAT_{}_{instance}.txt", category.name().to_uppercase()),
        KatFile::Hash(hash) => format!("{}_{instance}.txt", hash.stem()),
    }
}

/// Reads a manifest; there is none where the candidate is not a known one.
///
/// # Errors
///
/// When the file cannot be read, a line is not one or two are for one file; the problem names the
/// line.
pub fn read(file: &Path) -> Result<Vec<Expected>, CatalogueError> {
    let lines = read_numbered(file)?;
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}

/// The same, each line with its number.
pub(super) fn read_numbered(file: &Path) -> Result<Vec<(usize, Expected)>, CatalogueError> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text.map_err(CatalogueError::file("read", file))?,
    };
    parse_numbered(&text).map_err(|problem| CatalogueError::Manifest {
        file: file.to_owned(),
        problem,
    })
}

/// The lines of a manifest, or what is wrong with the first that is not one.
pub fn parse(text: &str) -> Result<Vec<Expected>, String> {
    let lines = parse_numbered(text)?;
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}

fn parse_numbered(text: &str) -> Result<Vec<(usize, Expected)>, String> {
    let mut lines: Vec<(usize, Expected)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let read = expected(line).ok_or_else(|| {
            format!("line {number} is not `<sha256> <mode> <label>/<file name>`: {line:?}")
        })?;
        if read.mode == Mode::FirstRecords(0) {
            return Err(format!(
                "line {number}: strict:0 is the digest of no record at all: {line:?}"
            ));
        }
        let mut others = lines.iter();
        let same =
            |other: &Expected| (&other.label, &other.file_name) == (&read.label, &read.file_name);
        if let Some((first, _)) = others.find(|(_, other)| same(other)) {
            return Err(format!(
                "line {number} is for {}/{} as line {first} is",
                read.label, read.file_name
            ));
        }
        lines.push((number, read));
    }
    Ok(lines)
}

fn expected(line: &str) -> Option<Expected> {
    let mut words = line.split_whitespace();
    let (digest, mode, path) = (words.next()?, words.next()?, words.next()?);
    let (label, file_name) = path.split_once('/')?;
    let mode = match mode {
        "strict" => Mode::Strict,
        "nolen" => Mode::NoLengths,
        other => Mode::FirstRecords(other.strip_prefix("strict:")?.parse().ok()?),
    };
    words.next().is_none().then_some(())?;
    Some(Expected {
        sha256: sha256_from_hexadecimal(digest)?,
        mode,
        label: label.to_owned(),
        file_name: file_name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_published_form_is_read() {
        let text = format!(
            "{} strict TRIKE-2/KAT_KEM_TRIKE-2.txt\n\n{} strict:3 a/b.txt\n",
            "a5".repeat(32),
            "0F".repeat(32)
        );
        let lines = parse(&text).unwrap();
        assert_eq!(lines[0].sha256, [0xa5; 32]);
        assert_eq!(
            lines[0].file_name,
            file_name(KatFile::Records, Category::Kem, "TRIKE-2")
        );
        assert_eq!(lines[1].mode, Mode::FirstRecords(3));
        assert_eq!(lines[1].mode.to_string(), "strict:3");
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        for line in ["x", "00 strict a/b", "strict", "é strict a/b"] {
            assert!(parse(&format!("\n{line}")).unwrap_err().contains("line 2"));
        }
    }

    #[test]
    fn a_file_has_one_digest_and_that_of_some_record() {
        let digest = "00".repeat(32);
        let error = parse(&format!("{digest} strict:0 a/b")).unwrap_err();
        assert!(error.contains("line 1: strict:0"), "{error}");
        let twice = format!("{digest} strict a/b\n{digest} strict a/c\n{digest} nolen a/b");
        assert_eq!(parse(&twice).unwrap_err(), "line 3 is for a/b as line 1 is");
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in ".{0,300}") {
            let _ = parse(&text);
        }
    }
}
