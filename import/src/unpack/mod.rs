//! Unpacks a package that may be hostile: everything is refused that no honest one has, sizes are
//! counted while they stream, and nothing is ever written outside the given folder.

mod folder;
mod left_out;
mod name;
mod sink;
mod tape;
mod zipped;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

pub use name::Encoding;

use crate::error::{ImportError, Refusal};
use sink::{Archive, Sink};

/// How much a package may be.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of all files together.
    pub total_bytes: u64,
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Files and folders, those of archives in archives included.
    pub entries: u64,
    /// Times that something may be larger than it was packed.
    pub ratio: u64,
    /// Bytes up to which that does not matter.
    pub ratio_free_bytes: u64,
    /// Archives within each other, the outermost included.
    pub depth: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            total_bytes: 1 << 30,
            file_bytes: 100 << 20,
            entries: 20_000,
            ratio: 200,
            ratio_free_bytes: 1 << 20,
            depth: 3,
        }
    }
}

/// What came out of a package.
#[derive(Clone, Debug, Default)]
pub struct Unpacked {
    /// How many files were written.
    pub files: u64,
    /// Their bytes, and those of archives that were unpacked in turn.
    pub bytes: u64,
    /// How names were written.
    pub encodings: BTreeSet<Encoding>,
    /// Archives that were found inside and unpacked, and into which folder.
    pub inner_archives: Vec<(String, String)>,
    /// Files that were not written.
    pub left_out: Vec<LeftOut>,
}

/// A file that was not written.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LeftOut {
    /// Its path in the package.
    pub path: String,
    /// Why.
    pub why: String,
}

/// Unpacks or copies `package` into `folder`, which is there and empty.
///
/// # Errors
///
/// When the package is refused or damaged, a file cannot be written, or `stop` says so. The folder
/// then holds an unfinished part of it.
pub fn unpack(
    package: &Path,
    folder: &Path,
    limits: &Limits,
    stop: &dyn Fn() -> bool,
) -> Result<Unpacked, ImportError> {
    let mut sink = Sink::new(folder, limits, stop);
    let outer = Archive {
        name: package.display().to_string(),
        prefix: String::new(),
        size: None,
        written: 0,
    };
    let kind = fs::metadata(package).map_err(ImportError::file("read", package))?;
    let outer_name = outer.name.clone();
    if kind.is_dir() {
        folder::copy(package, outer, &mut sink)?;
    } else {
        archive(package, outer, &mut sink)?;
    }
    inner_archives(&outer_name, u64::from(!kind.is_dir()) + 1, &mut sink)?;
    Ok(sink.finish())
}

/// Whether a file is taken for an archive that is to be unpacked too.
fn is_archive_name(path: &str) -> bool {
    let path = path.to_lowercase();
    [".zip", ".tar.gz", ".tgz"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// Unpacks what has been found since, each into a folder of its own name, and removes it.
fn inner_archives(outer: &str, depth: u64, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    for path in std::mem::take(&mut sink.archives) {
        let file = sink.folder().join(&path);
        let inner = Archive {
            name: format!("{outer}/{path}"),
            prefix: free_folder(sink.folder(), &path) + "/",
            size: None,
            written: 0,
        };
        let limit = sink.limits().depth;
        if depth > limit {
            return Err(inner.refused(&path, Refusal::Depth(limit)));
        }
        let name = inner.name.clone();
        let into = inner.prefix.trim_end_matches('/').to_owned();
        sink.make_folder(&inner, &into)?;
        archive(&file, inner, sink)?;
        fs::remove_file(&file).map_err(ImportError::file("remove", &file))?;
        sink.unpacked.files -= 1;
        sink.unpacked.inner_archives.push((path, into));
        inner_archives(&name, depth + 1, sink)?;
    }
    Ok(())
}

/// A folder that is not there yet, called like the archive.
fn free_folder(folder: &Path, archive: &str) -> String {
    let lower = archive.to_lowercase();
    let end = [".tar.gz", ".tgz", ".zip"]
        .into_iter()
        .find(|end| lower.ends_with(end));
    // Lower case may have another length, but not that of these ASCII endings.
    let length = archive.len() - end.map_or(0, str::len);
    let stem = archive.get(..length).unwrap_or(archive);
    let mut name = stem.to_owned();
    let mut number = 2;
    while name.is_empty() || name.ends_with('/') || folder.join(&name).exists() {
        name = format!("{stem}-{number}");
        number += 1;
    }
    name
}

/// Unpacks one archive.
fn archive(file: &Path, mut archive: Archive, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let mut reader = File::open(file).map_err(ImportError::file("read", file))?;
    let metadata = reader.metadata().map_err(ImportError::file("read", file))?;
    archive.size = Some(metadata.len());
    let mut beginning = Vec::new();
    let opened = reader.by_ref().take(4).read_to_end(&mut beginning);
    opened.map_err(ImportError::file("read", file))?;
    match beginning.as_slice() {
        b"PK\x03\x04" | b"PK\x05\x06" => zipped::unpack(file, archive, sink),
        [0x1f, 0x8b, ..] => tape::unpack(file, archive, sink),
        _ => Err(ImportError::Format {
            archive: archive.name,
        }),
    }
}
