//! The package's folder: it appears whole under its name, or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use catalogue::submission::{FOLDER, is_name};
use tempfile::TempDir;

use crate::REPORT;
use crate::error::ImportError;

/// An identity that is taken by what no folder holds.
const RESERVED: &str = "pqclean";

/// A folder in the making, which disappears with this value.
pub struct Draft {
    submissions: PathBuf,
    temporary: TempDir,
}

impl Draft {
    /// Makes one beside the imported packages.
    ///
    /// # Errors
    ///
    /// When there is nowhere to.
    pub fn new(root: &Path) -> Result<Self, ImportError> {
        let submissions = root.join(FOLDER);
        fs::create_dir_all(&submissions).map_err(ImportError::file("make", &submissions))?;
        let temporary = tempfile::Builder::new()
            .prefix(".import-")
            .tempdir_in(&submissions)
            .map_err(ImportError::file("make a folder in", &submissions))?;
        let draft = Self {
            submissions,
            temporary,
        };
        let folder = draft.folder();
        // The temporary folder is for its owner's eyes only; what is kept need not be.
        fs::create_dir(&folder).map_err(ImportError::file("make", &folder))?;
        Ok(draft)
    }

    /// Where the package is put together.
    pub fn folder(&self) -> PathBuf {
        self.temporary.path().join("new")
    }

    /// Moves the package into its place. What was imported before is put back when that fails.
    ///
    /// # Errors
    ///
    /// When the place is taken or the folder cannot be moved.
    pub fn publish(self, id: &str, force: bool) -> Result<PathBuf, ImportError> {
        free(&self.submissions, id, force)?;
        let folder = self.submissions.join(id);
        let old = self.temporary.path().join("old");
        let replaced = folder.exists();
        if replaced {
            fs::rename(&folder, &old).map_err(ImportError::file("move away", &folder))?;
        }
        if let Err(error) = fs::rename(self.folder(), &folder) {
            if replaced {
                fs::rename(&old, &folder).map_err(ImportError::file("put back", &folder))?;
            }
            return Err(ImportError::file("move the package to", &folder)(error));
        }
        let temporary = self.temporary.path().to_owned();
        self.temporary
            .close()
            .map_err(ImportError::file("remove", &temporary))?;
        Ok(folder)
    }
}

/// Sees that a package may be called so.
///
/// # Errors
///
/// When it may not.
pub fn check(root: &Path, id: &str, force: bool) -> Result<(), ImportError> {
    free(&root.join(FOLDER), id, force)
}

fn free(submissions: &Path, id: &str, force: bool) -> Result<(), ImportError> {
    if !is_name(id) {
        return Err(ImportError::Id { id: id.to_owned() });
    }
    let folder = submissions.join(id);
    let there = fs::symlink_metadata(&folder).is_ok();
    let imported = folder.join(REPORT).is_file();
    if id == RESERVED || (there && !imported) {
        return Err(ImportError::Ours { id: id.to_owned() });
    }
    if there && !force {
        return Err(ImportError::Exists { folder });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_imported_is_replaced_only_when_asked_and_what_was_not_never() {
        let root = tempfile::tempdir().unwrap();
        let import = |content: &str, force| {
            let draft = Draft::new(root.path()).unwrap();
            fs::write(draft.folder().join(REPORT), content).unwrap();
            draft.publish("a", force)
        };
        let folder = import("1", false).unwrap();
        let content = || fs::read_to_string(folder.join(REPORT)).unwrap();
        assert!(matches!(
            import("2", false),
            Err(ImportError::Exists { .. })
        ));
        assert_eq!(content(), "1");
        import("3", true).unwrap();
        assert_eq!(content(), "3");
        fs::remove_file(folder.join(REPORT)).unwrap();
        assert!(matches!(import("4", true), Err(ImportError::Ours { .. })));
        for id in ["pqclean", "../a", ".a", ""] {
            assert!(check(root.path(), id, true).is_err(), "{id}");
        }
        let names: Vec<_> = fs::read_dir(root.path().join(FOLDER)).unwrap().collect();
        assert_eq!(names.len(), 1, "{names:?}");
    }
}
