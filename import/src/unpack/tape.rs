//! Tar archives behind gzip, read from front to end.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use tar::EntryType;

use super::name::{self, Encoding};
use super::sink::{Archive, Sink};
use crate::error::{ImportError, Refusal};

/// Bytes that headers and padding may take beside the files.
const OVERHEAD: u64 = 64 << 20;
/// The longest extension record; real ones hold one path.
const LONGEST_EXTENSION: u64 = 1 << 16;

/// Unpacks an archive.
///
/// # Errors
///
/// When an entry is refused or cannot be read.
pub fn unpack(file: &Path, mut archive: Archive, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let packed = File::open(file).map_err(ImportError::file("read", file))?;
    let limits = sink.limits().clone();
    let exceeded = Cell::new(None);
    let metered = Metered {
        inner: MultiGzDecoder::new(BufReader::new(packed)),
        count: 0,
        total: limits.total_bytes.saturating_add(OVERHEAD),
        // Headers and padding compress better than files.
        most: archive
            .size
            .map(|size| size.saturating_mul(limits.ratio))
            .map_or(u64::MAX, |most| {
                most.max(limits.ratio_free_bytes.saturating_add(OVERHEAD))
            }),
        refusals: (
            Refusal::Total(limits.total_bytes),
            Refusal::Ratio(limits.ratio),
        ),
        exceeded: &exceeded,
    };
    let mut tape = tar::Archive::new(metered);
    let mut previous = String::new();
    let result = entries(&mut tape, &mut archive, sink, &mut previous).and_then(|()| {
        // To the end, where the checksum is.
        io::copy(&mut tape.into_inner(), &mut io::sink())
            .map(drop)
            .map_err(|error| archive.damaged(&previous, error))
    });
    match exceeded.take() {
        Some(refusal) => Err(archive.refused(&previous, refusal)),
        None => result,
    }
}

fn entries<R: Read>(
    tape: &mut tar::Archive<R>,
    archive: &mut Archive,
    sink: &mut Sink<'_>,
    previous: &mut String,
) -> Result<(), ImportError> {
    let damaged = |archive: &Archive, at: &str, error| archive.damaged(at, error);
    let listed = tape
        .entries()
        .map_err(|error| damaged(archive, previous, error))?;
    // Extensions are read here, where their length is bounded.
    let mut long_name: Option<Vec<u8>> = None;
    for entry in listed.raw(true) {
        let mut entry = entry.map_err(|error| damaged(archive, previous, error))?;
        let kind = entry.header().entry_type();
        let header_name = entry.header().path_bytes().into_owned();
        let shown = name::shown(long_name.as_deref().unwrap_or(&header_name));
        let refused = |refusal| archive.refused(&shown, refusal);
        match kind {
            EntryType::GNULongName => {
                let mut name = extension(&mut entry, archive, &shown)?;
                while name.last() == Some(&0) {
                    name.pop();
                }
                name::bounded(&name).map_err(refused)?;
                long_name = Some(name);
                continue;
            }
            EntryType::XHeader | EntryType::XGlobalHeader => {
                let records = extension(&mut entry, archive, &shown)?;
                let path = pax_path(&records, sink.limits().file_bytes).map_err(refused)?;
                if kind == EntryType::XHeader {
                    long_name = path.or(long_name);
                } else if path.is_some() {
                    return Err(refused(Refusal::Duplicate));
                }
                continue;
            }
            EntryType::Regular | EntryType::Continuous | EntryType::Directory => {}
            EntryType::Link | EntryType::Symlink | EntryType::GNULongLink => {
                return Err(refused(Refusal::Link));
            }
            _ => return Err(refused(Refusal::Special)),
        }
        let raw = long_name.take().unwrap_or(header_name);
        name::bounded(&raw).map_err(refused)?;
        let encoding = Encoding::of([raw.as_slice()].into_iter());
        *previous = name::shown(&raw);
        let Some(path) = sink.entry(archive, &raw, encoding)? else {
            continue;
        };
        // Old archives mark folders by their name only.
        if kind == EntryType::Directory || raw.ends_with(b"/") {
            sink.make_folder(archive, &path)?;
        } else if !sink.leaves_out(&path) {
            sink.file(archive, &path, &mut entry, None)?;
        }
    }
    Ok(())
}

fn extension(
    entry: &mut impl Read,
    archive: &Archive,
    shown: &str,
) -> Result<Vec<u8>, ImportError> {
    let mut content = Vec::new();
    let mut bounded = entry.take(LONGEST_EXTENSION + 1);
    let read = bounded.read_to_end(&mut content);
    read.map_err(|error| archive.damaged(shown, error))?;
    if content.len() as u64 > LONGEST_EXTENSION {
        return Err(archive.refused(shown, Refusal::Name));
    }
    Ok(content)
}

/// The path among the records `<length> <key>=<value>` of a pax header.
fn pax_path(records: &[u8], largest: u64) -> Result<Option<Vec<u8>>, Refusal> {
    let mut path = None;
    for record in tar::PaxExtensions::new(records) {
        let record = record.map_err(|_| Refusal::Name)?;
        match record.key_bytes() {
            b"path" => {
                name::bounded(record.value_bytes())?;
                path = Some(record.value_bytes().to_vec());
            }
            // Sizes beyond the header's field are far beyond the limit, and sparse files are
            // a way of saying so.
            b"size" => return Err(Refusal::File(largest)),
            key if key.starts_with(b"GNU.sparse") => return Err(Refusal::Special),
            _ => {}
        }
    }
    Ok(path)
}

/// Counts what comes out of a stream, whatever it is, and ends it where that is too much.
struct Metered<'a, R> {
    inner: R,
    count: u64,
    total: u64,
    most: u64,
    refusals: (Refusal, Refusal),
    exceeded: &'a Cell<Option<Refusal>>,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count += count as u64;
        let refusal = if self.count > self.total {
            Some(self.refusals.0)
        } else if self.count > self.most {
            Some(self.refusals.1)
        } else {
            None
        };
        if let Some(refusal) = refusal {
            self.exceeded.set(Some(refusal));
            return Err(io::Error::other("more than the limit"));
        }
        Ok(count)
    }
}
