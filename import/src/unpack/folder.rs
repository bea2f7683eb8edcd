//! Copies a folder under the same rules as an archive; a link in it is never followed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::name::{self, Encoding};
use super::sink::{Archive, Sink};
use crate::error::{ImportError, Refusal};

/// A file or folder with its path relative to the folder, as the file system writes it.
struct Found {
    path: PathBuf,
    relative: Vec<u8>,
    folder: bool,
}

/// Copies everything.
///
/// # Errors
///
/// When something in it is refused or cannot be read.
pub fn copy(package: &Path, mut archive: Archive, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let mut found = Vec::new();
    walk(package, Vec::new(), &archive, sink, &mut found)?;
    let names = found.iter().map(|found| found.relative.as_slice());
    let encoding = Encoding::of(names);
    for Found {
        path,
        relative,
        folder,
    } in found
    {
        let Some(target) = sink.entry(&archive, &relative, encoding)? else {
            continue;
        };
        if folder {
            sink.make_folder(&archive, &target)?;
        } else if !sink.leaves_out(&target) {
            let mut content = File::open(&path).map_err(ImportError::file("read", &path))?;
            sink.file(&mut archive, &target, &mut content, None)?;
        }
    }
    Ok(())
}

fn walk(
    folder: &Path,
    prefix: Vec<u8>,
    archive: &Archive,
    sink: &Sink<'_>,
    found: &mut Vec<Found>,
) -> Result<(), ImportError> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(ImportError::file("list", folder))? {
        entries.push(entry.map_err(ImportError::file("list", folder))?);
        sink.announce(archive, (found.len() + entries.len()) as u64)?;
    }
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        sink.proceed()?;
        let path = entry.path();
        let mut relative = prefix.clone();
        relative.extend(entry.file_name().as_encoded_bytes());
        let refused = |refusal| archive.refused(&name::shown(&relative), refusal);
        name::bounded(&relative).map_err(refused)?;
        // Of the entry itself, not of what a link leads to.
        let kind = entry
            .file_type()
            .map_err(ImportError::file("read", &path))?;
        if kind.is_symlink() {
            return Err(refused(Refusal::Link));
        }
        if !kind.is_dir() && !kind.is_file() {
            return Err(refused(Refusal::Special));
        }
        // A repository's history is not worth counting.
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let mut inside = relative.clone();
        found.push(Found {
            path: path.clone(),
            relative,
            folder: kind.is_dir() && !hidden,
        });
        if kind.is_dir() && !hidden {
            inside.push(b'/');
            walk(&path, inside, archive, sink, found)?;
        }
    }
    Ok(())
}
