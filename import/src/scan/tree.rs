//! The files of a package, and what their paths tell.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use catalogue::Language;

use super::source::Source;
use crate::error::ImportError;

/// Endings of files that are included and not compiled.
const HEADERS: [&str; 6] = ["h", "hh", "hpp", "hxx", "inc", "def"];

/// Folders that divide files by kind, and name nothing.
const GENERIC: [&str; 9] = [
    "include", "includes", "inc", "headers", "header", "src", "source", "sources", "api",
];

/// All files of a package by their path relative to it, those in C read.
#[derive(Debug, Default)]
pub struct Tree {
    root: PathBuf,
    files: BTreeMap<String, Option<Source>>,
    /// Paths by their last component.
    by_name: BTreeMap<String, Vec<String>>,
}

impl Tree {
    /// Reads what is in a folder that holds files and folders only.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, or `stop` says so.
    pub fn read(root: &Path, stop: &dyn Fn() -> bool) -> Result<Self, ImportError> {
        let mut tree = Self {
            root: root.to_owned(),
            ..Self::default()
        };
        let mut folders = vec![(root.to_owned(), String::new())];
        while let Some((folder, prefix)) = folders.pop() {
            for entry in fs::read_dir(&folder).map_err(ImportError::file("list", &folder))? {
                if stop() {
                    return Err(ImportError::Interrupted);
                }
                let entry = entry.map_err(ImportError::file("list", &folder))?;
                let path = entry.path();
                let name = entry.file_name();
                let relative = format!("{prefix}{}", name.to_string_lossy());
                if path.is_dir() {
                    folders.push((path, relative + "/"));
                    continue;
                }
                let source = if is_compiled(&relative) || is_header(&relative) {
                    let text = fs::read(&path).map_err(ImportError::file("read", &path))?;
                    Some(Source::parse(&text))
                } else {
                    None
                };
                tree.insert(relative, source);
            }
        }
        Ok(tree)
    }

    /// A tree of texts.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            let source = is_compiled(path) || is_header(path);
            let source = source.then(|| Source::parse(text.as_bytes()));
            tree.insert((*path).to_owned(), source);
        }
        tree
    }

    fn insert(&mut self, path: String, source: Option<Source>) {
        let paths = self.by_name.entry(file_name(&path).to_owned()).or_default();
        paths.push(path.clone());
        self.files.insert(path, source);
    }

    /// All paths, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Those below a folder.
    pub fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        self.paths().filter(move |path| is_below(path, folder))
    }

    /// Those whose last component is this.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &str> {
        let paths = self.by_name.get(name).into_iter().flatten();
        paths.map(String::as_str)
    }

    /// What a C file says.
    pub fn source(&self, path: &str) -> Option<&Source> {
        self.files.get(path)?.as_ref()
    }

    /// Whether there is such a file.
    pub fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// A file on this machine.
    pub fn file(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }
}

/// Whether a file is compiled by itself.
pub fn is_compiled(path: &str) -> bool {
    Language::of(Path::new(path)).is_some()
}

/// Whether a file is there to be included.
pub fn is_header(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| HEADERS.contains(&extension))
}

/// The folder of a file or folder; empty for the package's.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last component of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a path is below a folder, however deep.
pub fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// How many components two paths have in common from the top.
pub fn common(left: &str, right: &str) -> usize {
    let pairs = left.split('/').zip(right.split('/'));
    pairs.take_while(|(left, right)| left == right).count()
}

/// A folder without the components at its end that only divide files by kind.
pub fn lifted(folder: &str) -> &str {
    let mut folder = folder;
    while is_generic(folder) {
        folder = parent(folder);
    }
    folder
}

/// Whether a folder's name only says what kind of files it holds.
pub fn is_generic(folder: &str) -> bool {
    GENERIC.contains(&file_name(folder).to_lowercase().as_str())
}

/// A path relative to a folder, without `.` and `..`; `None` when it leaves the package.
pub fn normal(folder: &str, relative: &str) -> Option<String> {
    let mut components: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    if relative.starts_with('/') {
        return None;
    }
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                components.pop()?;
            }
            part => components.push(part),
        }
    }
    Some(components.join("/"))
}

/// `reference`, `optimized` or `additional`, and whether the path says so.
pub fn variant(path: &str) -> (&'static str, bool) {
    const WORDS: [(&str, &[&str]); 3] = [
        ("reference", &["reference", "参考"]),
        ("optimized", &["optimized", "optimised", "优化"]),
        ("additional", &["additional", "附加"]),
    ];
    for part in path.split('/') {
        let part = part.to_lowercase();
        let said: Vec<_> = WORDS
            .iter()
            .filter(|(_, words)| {
                let mut words = words.iter();
                words.any(|word| match word.is_ascii() {
                    true => part.starts_with(word),
                    false => part.contains(word),
                })
            })
            .collect();
        // A folder of both is divided further down.
        if let [(variant, _)] = said.as_slice() {
            return (variant, true);
        }
    }
    ("reference", false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paths_tell_the_variant() {
        for (path, expected) in [
            (
                "TRIKE/Reference_Implementation/TRIKE-2",
                ("reference", true),
            ),
            ("实现/参考实现 v1/A", ("reference", true)),
            ("参考实现与优化实现/优化实现/A", ("optimized", true)),
            ("x/Optimised implementation/A", ("optimized", true)),
            ("x/Additional/optimized_avx2/A", ("additional", true)),
            ("x/附加实现/A", ("additional", true)),
            ("x/ref/A", ("reference", false)),
        ] {
            assert_eq!(variant(path), expected, "{path}");
        }
    }

    #[test]
    fn folders_that_only_divide_are_lifted() {
        assert_eq!(lifted("a/TRIKE-2/src/include"), "a/TRIKE-2");
        assert_eq!(lifted("include"), "");
        assert_eq!(lifted("a/srcs"), "a/srcs");
    }

    proptest! {
        #[test]
        fn a_normal_path_stays_in_the_package(folder in "([a-c]|/){0,6}", path in "([a-c]|\\.\\./|\\./|/){0,8}") {
            if let Some(normal) = normal(&folder, &path) {
                prop_assert!(normal.split('/').all(|part| part != ".." && part != "."));
                prop_assert!(!normal.starts_with('/'));
            }
        }
    }
}
