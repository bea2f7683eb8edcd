//! What a campaign that was killed was just writing.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::record::store::{StoreError, is_draft};

/// Folders between a run directory and its files at most: system, kind, candidate.
const DEPTH: u32 = 3;

/// Removes the drafts of files that never got their names. Only whoever keeps all other campaigns
/// out of the run directory may do so.
///
/// # Errors
///
/// When a folder cannot be read or a draft not removed.
pub fn remove(run_directory: &Path) -> Result<(), StoreError> {
    remove_below(run_directory, DEPTH)
}

fn remove_below(folder: &Path, depth: u32) -> Result<(), StoreError> {
    let failed = |verb, path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::Path { verb, path, source }
    };
    let entries = fs::read_dir(folder).map_err(failed("read", folder))?;
    let paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    for path in paths {
        // A link may lead anywhere.
        if depth > 0 && path.is_dir() && !path.is_symlink() {
            remove_below(&path, depth - 1)?;
        } else if is_draft(&path) {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(failed("remove", &path)(error));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drafts_go_and_everything_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let candidate = folder.path().join("a/records/x");
        fs::create_dir_all(&candidate).unwrap();
        let files = [
            folder.path().join(".tmpAb3.tmp"),
            candidate.join(".tmpX.tmp"),
            candidate.join("A__enc.json"),
            folder.path().join("notes.tmp"),
        ];
        for file in &files {
            fs::write(file, "").unwrap();
        }
        remove(folder.path()).unwrap();
        let left: Vec<bool> = files.iter().map(|file| file.exists()).collect();
        assert_eq!(left, [false, false, true, true]);
    }
}
