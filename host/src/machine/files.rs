//! Small files of the kernel.

use std::fs;
use std::path::{Path, PathBuf};

/// The files below a root, which is `/` but in tests.
#[derive(Clone, Debug)]
pub struct Files(PathBuf);

impl Files {
    /// The files below this folder.
    pub fn below(root: &Path) -> Self {
        Self(root.to_owned())
    }

    /// The files of this machine.
    pub fn of_this_machine() -> Self {
        Self::below(Path::new("/"))
    }

    /// The path of a file.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Whether something of this name is there.
    pub fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// The content without the line feed, or the final zero of a device-tree string; `None` for
    /// what is empty or cannot be read.
    pub fn text(&self, name: &str) -> Option<String> {
        let text = fs::read_to_string(self.path(name)).ok()?;
        let text = text.trim_matches(|c: char| c == '\0' || c.is_whitespace());
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// A number, which may be negative.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.text(name)?.parse().ok()
    }

    /// Names in a folder, in order; none when it cannot be read.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).into_iter().flatten();
        let mut names: Vec<String> = entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort();
        names
    }
}

#[cfg(test)]
pub(crate) mod fake {
    //! A machine that is made of files in a folder.

    use super::*;

    /// The folder, which goes with this value.
    pub struct Machine(tempfile::TempDir);

    impl Machine {
        /// A machine that says nothing of itself.
        pub fn new() -> Self {
            Self(tempfile::tempdir().expect("a folder"))
        }

        /// Writes a file.
        pub fn file(&self, name: &str, content: &str) {
            let path = self.0.path().join(name);
            fs::create_dir_all(path.parent().expect("has a folder")).expect("created");
            fs::write(path, content).expect("written");
        }

        /// The same, as what is begun with.
        pub fn with(self, name: &str, content: &str) -> Self {
            self.file(name, content);
            self
        }

        /// Its files.
        pub fn files(&self) -> Files {
            Files::below(self.0.path())
        }
    }
}
