//! The files of a report: written, or compared with what is written.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use rayon::prelude::*;
use serde::Serialize;
use thiserror::Error;

use super::evidence::System;
use super::interactive;
use super::model::{Page, PagePath};
use super::render::{Format, Links, html, markdown};
use crate::record::store::{StoreError, write_whole};

/// The files of a report, by their paths in its folder.
pub type Files = BTreeMap<PathBuf, String>;

/// Characters of a differing line that are shown, around where it differs.
const SHOWN: usize = 120;

/// Draws pages; `run` is the way from the report's folder to the run directory, where its files
/// are linked.
pub fn draw(pages: &[Page], run: Option<&str>) -> Files {
    let draw = |(page, format): (&Page, Format)| {
        let links = Links {
            from: &page.path,
            run,
        };
        let text = match format {
            Format::Markdown => markdown::page(page, links),
            Format::Html => html::page(page, links),
        };
        (name(&page.path, format), text)
    };
    let each = pages.par_iter();
    let each = each.flat_map_iter(|page| Format::ALL.map(|format| (page, format)));
    each.map(draw).collect()
}

/// The interactive report, which is one file; `has_pages` says whether pages are beside it.
pub fn interactive(systems: &[System], has_pages: bool) -> Files {
    let name = name(&interactive::path(), Format::Html);
    Files::from([(name, interactive::document(systems, has_pages))])
}

/// The name of a page's file in the report's folder.
pub fn name(path: &PagePath, format: Format) -> PathBuf {
    let path: PathBuf = path.parts().iter().collect();
    // A dot in a candidate's name is no extension.
    let mut name = path.into_os_string();
    name.push(format!(".{}", format.extension()));
    name.into()
}

/// Writes them, each whole or not at all.
///
/// # Errors
///
/// When one cannot be written.
pub fn write(files: &Files, folder: &Path) -> Result<(), StoreError> {
    files
        .iter()
        .try_for_each(|(name, text)| write_whole(&folder.join(name), text.as_bytes()))
}

/// Where what is written first differs from what the records give.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Difference {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; 0 when the file as a whole is missing or too many.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            problem,
        } = self;
        match line {
            0 => write!(f, "{}: {problem}", file.display()),
            _ => write!(f, "{}, line {line}: {problem}", file.display()),
        }
    }
}

/// A file of a report cannot be read.
#[derive(Debug, Error, Diagnostic)]
#[error("cannot read {}", file.display())]
#[diagnostic(help("check the path and its permissions"))]
pub struct Unreadable {
    file: PathBuf,
    source: io::Error,
}

/// Compares what is written with these files, byte for byte; `None` when all are the same.
/// `all` says that these are all files of a report, so that others are too many.
///
/// # Errors
///
/// When one is there and cannot be read.
pub fn check(files: &Files, folder: &Path, all: bool) -> Result<Option<Difference>, Unreadable> {
    for (name, expected) in files {
        let file = folder.join(name);
        let found = match fs::read(&file) {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let problem = "it is missing".to_owned();
                return Ok(Some(Difference {
                    file,
                    line: 0,
                    problem,
                }));
            }
            Err(source) => return Err(Unreadable { file, source }),
        };
        if let Some((line, problem)) = difference(expected.as_bytes(), &found) {
            return Ok(Some(Difference {
                file,
                line,
                problem,
            }));
        }
    }
    match all {
        true => superfluous(files, folder),
        false => Ok(None),
    }
}

/// The first line, from 1, in which two texts differ, and how.
fn difference(expected: &[u8], found: &[u8]) -> Option<(usize, String)> {
    if expected == found {
        return None;
    }
    // Lines with their ends, so that a missing one at the very end differs too.
    let mut pairs = (
        expected.split_inclusive(|byte| *byte == b'\n'),
        found.split_inclusive(|byte| *byte == b'\n'),
    );
    for number in 1.. {
        match (pairs.0.next(), pairs.1.next()) {
            (left, right) if left == right && left.is_some() => {}
            (left, right) => return Some((number, in_words(left, right))),
        }
    }
    None
}

/// How two lines differ, the first of which is expected; a missing one is `None`. Of long ones it
/// shows what is around their first difference, and its column.
fn in_words(expected: Option<&[u8]>, found: Option<&[u8]>) -> String {
    let text = |line: Option<&[u8]>| line.map(|it| String::from_utf8_lossy(it).into_owned());
    let (expected, found) = (text(expected), text(found));
    let mut pairs = expected
        .iter()
        .flat_map(|it| it.chars())
        .zip(found.iter().flat_map(|it| it.chars()));
    let same = pairs.by_ref().take_while(|(a, b)| a == b).count();
    let words = |line: Option<&String>| match line {
        Some(line) => format!("`{}`", shown(line.trim_end_matches('\n'), same)),
        None => "nothing".to_owned(),
    };
    let long = |line: &Option<String>| line.as_ref().is_some_and(|it| it.chars().count() > SHOWN);
    let place = match long(&expected) || long(&found) {
        true => format!(" from column {} on", same + 1),
        false => String::new(),
    };
    let (found, expected) = (words(found.as_ref()), words(expected.as_ref()));
    format!("it has {found}{place}, and the records give {expected}")
}

/// A part of a line with the character of this index in its first half.
fn shown(line: &str, index: usize) -> String {
    let length = line.chars().count();
    let start = match length > SHOWN {
        true => index.saturating_sub(SHOWN / 2).min(length),
        false => 0,
    };
    let part: String = line.chars().skip(start).take(SHOWN).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if start + SHOWN < length { "…" } else { "" };
    format!("{before}{part}{after}")
}

/// The first file that looks like one of a report and belongs to none of these.
fn superfluous(files: &Files, folder: &Path) -> Result<Option<Difference>, Unreadable> {
    let mut folders = vec![folder.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let error = |source| Unreadable {
            file: folder.clone(),
            source,
        };
        for entry in fs::read_dir(&folder).map_err(error)? {
            let entry = entry.map_err(error)?;
            // Nothing is followed out of the folder.
            if entry.file_type().map_err(error)?.is_dir() {
                folders.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    let ours = |path: &Path| {
        let format = path.extension().and_then(|extension| extension.to_str());
        Format::ALL
            .iter()
            .any(|known| format == Some(known.extension()))
    };
    let superfluous = found.into_iter().find(|path| {
        let name = path.strip_prefix(folder).unwrap_or(path);
        ours(name) && !files.contains_key(name)
    });
    Ok(superfluous.map(|file| Difference {
        file,
        line: 0,
        problem: "no record gives it: delete it, or restore the records that did".to_owned(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Files {
        let page = |name: &str, text: &str| (PathBuf::from(name), text.to_owned());
        Files::from([page("a/page.md", "one\ntwo\n"), page("index.html", "x\n")])
    }

    #[test]
    fn what_was_written_is_the_same_until_it_is_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let check = |files: &Files| check(files, folder.path(), true).expect("readable");
        let missing = check(&files()).expect("nothing is there");
        assert!(
            missing.to_string().ends_with("a/page.md: it is missing"),
            "{missing}"
        );

        write(&files(), folder.path()).expect("written");
        assert_eq!(check(&files()), None);

        let page = folder.path().join("a/page.md");
        for (text, expected) in [
            ("one\n2\n", "line 2: it has `2`, and the records give `two`"),
            (
                "one\ntwo",
                "line 2: it has `two`, and the records give `two`",
            ),
            (
                "one\n",
                "line 2: it has nothing, and the records give `two`",
            ),
            (
                "one\ntwo\nx",
                "line 3: it has `x`, and the records give nothing",
            ),
        ] {
            fs::write(&page, text).expect("written");
            let difference = check(&files()).expect("changed");
            let words = format!("{}, {expected}", page.display());
            assert_eq!(difference.to_string(), words);
        }
    }

    #[test]
    fn a_difference_far_on_in_a_long_line_is_shown_with_its_column() {
        let line = |word: &str| format!("{}{word}{}\n", "a".repeat(500), "z".repeat(500));
        let (number, problem) =
            difference(line("new").as_bytes(), line("old").as_bytes()).expect("they differ");
        assert_eq!(number, 1);
        let part = |word: &str| format!("`…{}{word}{}…`", "a".repeat(60), "z".repeat(57));
        let (old, new) = (part("old"), part("new"));
        assert_eq!(
            problem,
            format!("it has {old} from column 501 on, and the records give {new}")
        );
    }

    #[test]
    fn a_page_of_no_records_is_too_many_unless_only_some_are_compared() {
        let folder = tempfile::tempdir().expect("a folder");
        write(&files(), folder.path()).expect("written");
        fs::write(folder.path().join("notes.txt"), "mine").expect("written");
        assert_eq!(
            check(&files(), folder.path(), true).expect("readable"),
            None
        );
        fs::write(folder.path().join("a/old.html"), "x").expect("written");
        let found = check(&files(), folder.path(), true).expect("readable");
        let found = found.expect("too many").to_string();
        assert!(found.contains("a/old.html: no record gives it"), "{found}");
        assert_eq!(
            check(&files(), folder.path(), false).expect("readable"),
            None
        );
    }
}
