//! Zip archives: entries as the central directory lists them, one at a time.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use zip::result::ZipError;
use zip::unstable::read::ZipIterable;
use zip::{CompressionMethod, ZipReadOptions};

use super::name::{self, Encoding};
use super::sink::{Archive, Sink};
use crate::error::{ImportError, Refusal};

/// The bits of a Unix mode that say what an entry is.
const KIND: u32 = 0o170_000;
const FILE: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;

/// Unpacks an archive.
///
/// # Errors
///
/// When an entry is refused or cannot be read.
pub fn unpack(file: &Path, mut archive: Archive, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let open = || File::open(file).map(BufReader::new);
    let directory = open().map_err(ImportError::file("read", file))?;
    let mut entries = ZipIterable::try_new(directory, zip::read::Config::default())
        .map_err(|error| archive.damaged("", in_words(&error)))?;
    sink.announce(&archive, entries.len() as u64)?;
    let names = names(&mut entries, &archive, sink)?;
    let encoding = Encoding::of(names.iter().map(Vec::as_slice));

    let content = open().map_err(ImportError::file("read", file))?;
    let mut contents = entries
        .files_with_reader(content, ZipReadOptions::new())
        .map_err(|error| archive.damaged("", error))?;
    let mut previous = String::new();
    for name in &names {
        let Some(path) = sink.entry(&archive, name, encoding)? else {
            let skipped = contents.next().transpose();
            skipped.map_err(|error| archive.damaged(&previous, error))?;
            continue;
        };
        let mut entry = match contents.next() {
            Some(Ok(entry)) => entry,
            Some(Err(error)) => return Err(archive.damaged(&path, error)),
            None => return Err(archive.damaged(&path, "the directory ends early")),
        };
        if name.ends_with(b"/") {
            sink.make_folder(&archive, &path)?;
        } else if !sink.leaves_out(&path) {
            let packed = entry.compressed_size();
            sink.file(&mut archive, &path, &mut entry, Some(packed))?;
        }
        previous = path;
    }
    Ok(())
}

/// What is wrong with an archive, in words that say what to expect of it.
fn in_words(error: &ZipError) -> String {
    match error {
        ZipError::InvalidArchive(problem) if problem.contains("EOCD") => {
            "the list of its files, which stands at its end, is missing: it may be cut short"
                .to_owned()
        }
        error => error.to_string(),
    }
}

/// The names of all entries, none of which is of a kind that is refused.
fn names(
    entries: &mut ZipIterable<BufReader<File>>,
    archive: &Archive,
    sink: &Sink<'_>,
) -> Result<Vec<Vec<u8>>, ImportError> {
    let limits = sink.limits();
    let mut names: Vec<Vec<u8>> = Vec::new();
    let mut total = 0_u64;
    let listed = entries.files();
    for entry in listed.map_err(|error: ZipError| archive.damaged("", error))? {
        sink.proceed()?;
        let previous = names
            .last()
            .map(|name| name::shown(name))
            .unwrap_or_default();
        let entry = entry.map_err(|error| archive.damaged(&previous, error))?;
        let name = entry.name_raw();
        total = total.saturating_add(entry.size());
        let refusal = if let Err(refusal) = name::bounded(name) {
            Some(refusal)
        } else if entry.encrypted() {
            Some(Refusal::Encrypted)
        } else if entry.size() > limits.file_bytes {
            // What is announced is believed when it is too much, never when it is little.
            Some(Refusal::File(limits.file_bytes))
        } else if total > limits.total_bytes {
            Some(Refusal::Total(limits.total_bytes))
        } else {
            match entry.compression() {
                CompressionMethod::Stored | CompressionMethod::Deflated => {
                    kind(entry.external_attributes() >> 16)
                }
                _ => Some(Refusal::Method),
            }
        };
        if let Some(refusal) = refusal {
            return Err(archive.refused(&name::shown(name), refusal));
        }
        names.push(name.to_vec());
    }
    Ok(names)
}

/// What is wrong with an entry of this Unix mode; one without a kind is what its name says.
fn kind(mode: u32) -> Option<Refusal> {
    match mode & KIND {
        0 | FILE | FOLDER => None,
        LINK => Some(Refusal::Link),
        _ => Some(Refusal::Special),
    }
}
