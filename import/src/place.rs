//! The package's folder: it appears whole under its name, or not at all.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use catalogue::submission::{FILE, FOLDER, is_name};
use tempfile::TempDir;

use crate::REPORT;
use crate::error::ImportError;
use crate::leftover;

/// An identity that is taken by what no folder holds.
const RESERVED: &str = "pqclean";

/// Name of the `candidate.toml` that was in the place of an import's.
const PREVIOUS: &str = "candidate.toml.previous";

/// A folder in the making, which disappears with this value.
pub struct Draft {
    submissions: PathBuf,
    temporary: TempDir,
    /// Tells other imports that this one is at work.
    _lock: Option<File>,
    /// What was done for imports that were killed.
    notes: Vec<String>,
}

/// A package in its place.
#[derive(Debug)]
pub struct Published {
    /// Its folder.
    pub folder: PathBuf,
    /// What happened to packages that were there before, for people.
    pub notes: Vec<String>,
}

impl Draft {
    /// Makes one beside the imported packages, after cleaning up behind imports that were killed.
    ///
    /// # Errors
    ///
    /// When there is nowhere to.
    pub fn new(root: &Path) -> Result<Self, ImportError> {
        let submissions = root.join(FOLDER);
        fs::create_dir_all(&submissions).map_err(ImportError::file("make", &submissions))?;
        // Nobody else looks for leftovers before this draft is locked. Where a file system knows no
        // locks, nobody looks at all.
        let alone = leftover::wait(&submissions);
        let notes = match alone {
            Some(_) => leftover::clean(&submissions),
            None => Vec::new(),
        };
        let temporary = tempfile::Builder::new()
            .prefix(leftover::PREFIX)
            .tempdir_in(&submissions)
            .map_err(ImportError::file("make a folder in", &submissions))?;
        let draft = Self {
            _lock: leftover::take(temporary.path()),
            submissions,
            temporary,
            notes,
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

    /// Moves the package into its place. What was imported before is put back when that fails; its
    /// `candidate.toml` is kept beside the new one when it says something else.
    ///
    /// # Errors
    ///
    /// When the place is taken or the folder cannot be moved.
    pub fn publish(mut self, id: &str, force: bool) -> Result<Published, ImportError> {
        free(&self.submissions, id, force)?;
        let folder = self.submissions.join(id);
        let replaced = folder.exists();
        let aside = self.temporary.path().join(leftover::ASIDE);
        // Its name goes with it, so that whoever finds it knows where it belongs.
        let old = aside.join(id);
        if replaced {
            let kept = keep_previous(&folder, &self.folder())?;
            self.notes.extend(kept);
            fs::create_dir(&aside).map_err(ImportError::file("make", &aside))?;
            fs::rename(&folder, &old).map_err(ImportError::file("move away", &folder))?;
        }
        if let Err(error) = fs::rename(self.folder(), &folder) {
            if replaced && let Err(error) = fs::rename(&old, &folder) {
                // The only copy must not go with the draft; the next import tries again.
                let _ = self.temporary.keep();
                return Err(ImportError::file("put back", &folder)(error));
            }
            return Err(ImportError::file("move the package to", &folder)(error));
        }
        let temporary = self.temporary.path().to_owned();
        self.temporary
            .close()
            .map_err(ImportError::file("remove", &temporary))?;
        Ok(Published {
            folder,
            notes: self.notes,
        })
    }
}

/// Keeps the `candidate.toml` of a package that is replaced when somebody has corrected it, that
/// is, when its text is not the new one; returns what is to be said of it. Whatever was kept before
/// stays: each has a number of its own.
fn keep_previous(old: &Path, new: &Path) -> Result<Option<String>, ImportError> {
    let there = |file: &Path| match file.is_file() {
        true => fs::read(file)
            .map(Some)
            .map_err(ImportError::file("read", file)),
        false => Ok(None),
    };
    let mut kept: Vec<Vec<u8>> = Vec::new();
    while let Some(text) = there(&numbered(old, PREVIOUS, kept.len() + 1))? {
        kept.push(text);
    }
    let corrected = there(&old.join(FILE))?;
    let corrected = match corrected == there(&new.join(FILE))? {
        true => None,
        false => corrected.filter(|text| !kept.contains(text)),
    };
    let is_new = corrected.is_some();
    kept.extend(corrected);
    for (number, text) in (1..).zip(&kept) {
        let file = numbered(new, PREVIOUS, number);
        fs::write(&file, text).map_err(ImportError::file("write", &file))?;
    }
    Ok(is_new.then(|| {
        format!(
            "the {FILE} that was there says something else; it is kept as {}",
            numbered(old, PREVIOUS, kept.len()).display()
        )
    }))
}

/// The file of this name, or with a number from 2 on.
fn numbered(folder: &Path, name: &str, number: usize) -> PathBuf {
    folder.join(match number {
        1 => name.to_owned(),
        number => format!("{name}-{number}"),
    })
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
        let folder = import("1", false).unwrap().folder;
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

    #[test]
    fn a_corrected_candidate_file_outlives_the_next_imports() {
        let root = tempfile::tempdir().unwrap();
        let import = |text: &str| {
            let draft = Draft::new(root.path()).unwrap();
            fs::write(draft.folder().join(REPORT), "").unwrap();
            fs::write(draft.folder().join(FILE), text).unwrap();
            draft.publish("a", true).unwrap()
        };
        let Published { folder, notes } = import("1");
        assert!(notes.is_empty());
        assert!(import("1").notes.is_empty());
        assert!(!folder.join(PREVIOUS).exists());
        fs::write(folder.join(FILE), "corrected").unwrap();
        let notes = import("1").notes;
        assert!(
            matches!(notes.as_slice(), [note] if note.contains(PREVIOUS)),
            "{notes:?}"
        );
        let previous = || fs::read_to_string(folder.join(PREVIOUS)).unwrap();
        assert_eq!(previous(), "corrected");
        assert!(import("1").notes.is_empty());
        assert_eq!(previous(), "corrected");
        fs::write(folder.join(FILE), "corrected again").unwrap();
        let notes = import("1").notes;
        assert!(
            matches!(notes.as_slice(), [note] if note.ends_with("/a/candidate.toml.previous-2")),
            "{notes:?}"
        );
        assert_eq!(previous(), "corrected");
        let second = || fs::read_to_string(folder.join("candidate.toml.previous-2")).unwrap();
        assert_eq!(second(), "corrected again");
        // The import's own is no correction that would have to be kept twice.
        import("2");
        import("1");
        import("2");
        assert_eq!(second(), "corrected again");
        assert!(!folder.join("candidate.toml.previous-5").exists());
    }

    #[test]
    fn an_import_cleans_up_behind_one_that_was_killed_and_leaves_one_at_work() {
        let root = tempfile::tempdir().unwrap();
        let submissions = root.path().join(FOLDER);
        let at_work = Draft::new(root.path()).unwrap();
        let killed = submissions.join(".import-killed");
        fs::create_dir_all(killed.join("new")).unwrap();
        let draft = Draft::new(root.path()).unwrap();
        assert!(!killed.exists());
        assert!(at_work.folder().exists() && draft.folder().exists());
        assert!(draft.notes.is_empty());
    }
}
