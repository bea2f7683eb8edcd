//! What a package's own build files tell the compiler: hints, never applied by themselves.

use std::collections::BTreeSet;
use std::fs;

use super::tree::{Tree, file_name};
use crate::error::ImportError;

/// Build files that are longer are no build files.
const LONGEST: u64 = 1 << 20;

/// An option in a build file.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Hint {
    /// The file.
    pub file: String,
    /// Where in it, from 1.
    pub line: usize,
    /// `-DNAME=VALUE`, `-mavx2`.
    pub option: String,
}

impl Hint {
    /// The macro and its value, if it is one of `-D`.
    pub fn define(&self) -> Option<&str> {
        self.option.strip_prefix("-D")
    }
}

/// Whether a file tells how to build.
fn is_build_file(path: &str) -> bool {
    let name = file_name(path).to_lowercase();
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    name.contains("makefile")
        || name == "cmakelists.txt"
        || matches!(
            extension,
            Some("mk" | "mak" | "cmake" | "sh" | "bat" | "cmd" | "ps1")
        )
}

/// All options of all build files.
///
/// # Errors
///
/// When a file cannot be read.
pub fn hints(tree: &Tree) -> Result<BTreeSet<Hint>, ImportError> {
    let mut hints = BTreeSet::new();
    for path in tree.paths().filter(|path| is_build_file(path)) {
        let file = tree.file(path);
        let metadata = fs::metadata(&file).map_err(ImportError::file("read", &file))?;
        if metadata.len() > LONGEST {
            continue;
        }
        let text = fs::read(&file).map_err(ImportError::file("read", &file))?;
        hints.extend(options(path, &String::from_utf8_lossy(&text)));
    }
    Ok(hints)
}

fn options(path: &str, text: &str) -> BTreeSet<Hint> {
    let mut hints = BTreeSet::new();
    for (line, content) in (1..).zip(text.lines()) {
        let content = content
            .split_once('#')
            .map_or(content, |(before, _)| before);
        let mut words = content.split(|c: char| c.is_whitespace() || "();,'`&|".contains(c));
        let mut definitions = false;
        while let Some(word) = words.next() {
            // CFLAGS=-DX and "-DX"
            let word = word.trim_start_matches('"');
            let word = word.rsplit_once("=-").map_or(word, |(_, option)| {
                // The dash is the option's first character.
                word.get(word.len() - option.len() - 1..).unwrap_or(word)
            });
            definitions |= word.ends_with("compile_definitions");
            let option = match word.strip_prefix("-D") {
                Some("") => words.next().map(|name| format!("-D{name}")),
                Some(_) => Some(word.to_owned()),
                None if word.starts_with("-m") => Some(word.to_owned()),
                None if definitions && word.bytes().any(|b| b == b'=') => Some(format!("-D{word}")),
                None => None,
            };
            if let Some(option) = option.map(clean).filter(|option| is_option(option)) {
                hints.insert(Hint {
                    file: path.to_owned(),
                    line,
                    option,
                });
            }
        }
    }
    hints
}

/// Without the quotes of a shell: `NAME=\"VALUE\"` means the value with its quotes.
fn clean(option: String) -> String {
    let mut option = option.replace("\\\"", "\"");
    // One that was opened before the option.
    if option.ends_with('"') && option.matches('"').count() % 2 == 1 {
        option.pop();
    }
    option
}

fn is_option(option: &str) -> bool {
    let printable = !option.chars().any(|c| c.is_control() || c == '`');
    let name = option
        .strip_prefix("-D")
        .or_else(|| option.strip_prefix("-m"));
    printable
        && option.len() <= 200
        && name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Vec<String> {
        let hints = options("Makefile", text).into_iter();
        hints
            .map(|hint| format!("{}:{}", hint.line, hint.option))
            .collect()
    }

    #[test]
    fn options_are_found_however_they_are_written() {
        let text = "CFLAGS=-DLEVEL=2 -O3 -mavx2 # -DNO\n\
                    gcc -D MODE -DNAME=\\\"A-1\\\" \"-DQ\" $(DEFS) -D$(X)\n\
                    target_compile_definitions(a PRIVATE K=3)\nadd_definitions(-DZ)\n";
        assert_eq!(
            found(text),
            [
                "1:-DLEVEL=2",
                "1:-mavx2",
                "2:-DMODE",
                "2:-DNAME=\"A-1\"",
                "2:-DQ",
                "3:-DK=3",
                "4:-DZ"
            ]
        );
    }

    #[test]
    fn build_files_are_known_by_name() {
        for path in [
            "Makefile",
            "a/makefile.unix",
            "CMakeLists.txt",
            "a/b.mk",
            "run.SH",
        ] {
            assert!(is_build_file(path), "{path}");
        }
        assert!(!is_build_file("README.md"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([-DmM=\"'\\\\ \n#()é]|compile_definitions){0,60}") {
            options("x", &text);
        }
    }
}
