//! What imports that were killed leave behind, and how it is told from one that is at work.
//!
//! An import holds a lock on its temporary folder, which ends with its process however that ends.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use catalogue::submission::{Candidate, FILE, is_name};

/// What the name of an import's temporary folder begins with.
pub const PREFIX: &str = ".import-";

/// The folder in it that holds the package which is being replaced, under its name.
pub const ASIDE: &str = "old";

/// Locks a folder when nobody else has, as long as the returned file is kept; `None` also where
/// the file system knows no locks.
pub fn take(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    file.try_lock().ok().map(|()| file)
}

/// The same, after waiting for whoever has it.
pub fn wait(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    file.lock().ok().map(|()| file)
}

/// Removes what killed imports left in the folder of packages, and puts packages back that they had
/// moved away; returns what is to be said of those. What cannot be removed or put back stays: it
/// hinders no import.
pub fn clean(submissions: &Path) -> Vec<String> {
    let mut notes = Vec::new();
    let Ok(entries) = fs::read_dir(submissions) else {
        return notes;
    };
    for entry in entries.flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_folder || !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        let folder = entry.path();
        let Some(_lock) = take(&folder) else {
            continue;
        };
        if put_back(submissions, &folder.join(ASIDE), &mut notes) {
            let _ = fs::remove_dir_all(&folder);
        }
    }
    notes
}

/// Puts the package back that was moved aside, unless another is in its place; returns whether
/// nothing that is still needed is left.
fn put_back(submissions: &Path, aside: &Path, notes: &mut Vec<String>) -> bool {
    if fs::symlink_metadata(aside).is_err() {
        return true;
    }
    let Some(packages) = moved_aside(aside) else {
        return false;
    };
    packages.into_iter().all(|(id, package)| {
        let place = submissions.join(&id);
        if fs::symlink_metadata(&place).is_ok() {
            return true;
        }
        let moved = fs::rename(&package, &place).is_ok();
        if moved {
            notes.push(format!(
                "{id} is back in its place: an import that replaced it was killed"
            ));
        }
        moved
    })
}

/// The packages that were moved aside, each with its name; `None` when that cannot be found out.
fn moved_aside(aside: &Path) -> Option<Vec<(String, PathBuf)>> {
    // Earlier versions moved the package itself to this place, without its name.
    let file = aside.join(FILE);
    if file.is_file() {
        let id = Candidate::read(&file).ok()?.id;
        return Some(vec![(id, aside.to_owned())]);
    }
    let entries = fs::read_dir(aside).ok()?;
    entries
        .map(|entry| {
            let entry = entry.ok()?;
            let id = entry.file_name().into_string().ok()?;
            is_name(&id).then(|| (id, entry.path()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANDIDATE: &str = "id = \"x\"\nname = \"X\"\ncategory = \"kem\"\n";

    fn write(file: &Path, text: &str) {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    #[test]
    fn the_only_copy_of_a_package_is_put_back_before_the_rest_goes() {
        for package in ["old/x", "old"] {
            let folder = tempfile::tempdir().unwrap();
            let killed = folder.path().join(".import-1");
            write(&killed.join(package).join(FILE), CANDIDATE);
            write(&killed.join("new").join(FILE), "");
            let notes = clean(folder.path());
            assert_eq!(notes.len(), 1, "{notes:?}");
            let text = fs::read_to_string(folder.path().join("x").join(FILE));
            assert_eq!(text.unwrap(), CANDIDATE);
            assert!(!killed.exists());
        }
    }

    #[test]
    fn a_package_in_its_place_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join("x").join(FILE), "new");
        write(&folder.path().join(".import-1/old/x").join(FILE), CANDIDATE);
        assert!(clean(folder.path()).is_empty());
        let text = fs::read_to_string(folder.path().join("x").join(FILE));
        assert_eq!(text.unwrap(), "new");
        assert!(!folder.path().join(".import-1").exists());
    }

    #[test]
    fn what_is_at_work_or_of_unknown_name_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at_work = folder.path().join(".import-1");
        write(&at_work.join("new").join(FILE), "");
        let nameless = folder.path().join(".import-2");
        write(&nameless.join(ASIDE).join(FILE), "id = ");
        let lock = take(&at_work).unwrap();
        assert!(clean(folder.path()).is_empty());
        assert!(at_work.exists() && nameless.exists());
        drop(lock);
        clean(folder.path());
        assert!(!at_work.exists() && nameless.exists());
    }
}
