//! A flat image: what a boot loader that knows no ELF puts into memory.

use std::ops::Range;

use miette::Diagnostic;
use object::elf::PT_LOAD;
use object::read::elf::{ElfFile, FileHeader, ProgramHeader};
use object::{Endian, FileKind};
use thiserror::Error;

/// Bytes of a flat image at most: more than any board of ours gives to an image.
const LIMIT: u64 = 1 << 30;

/// Bytes from an address on, entered at the first one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Flat {
    /// The address of the first byte.
    pub address: u64,
    /// What is loaded; what begins as zeros behind it is the image's own business.
    pub bytes: Vec<u8>,
    /// All memory that the image takes, with what begins as zeros.
    pub memory: Range<u64>,
}

/// Why an ELF file cannot be flattened.
#[derive(Debug, Error, Diagnostic)]
#[error("the image cannot be flattened for a boot loader: {reason}")]
#[diagnostic(help("is this an ELF file that `cargo build -p firmware` linked for a board?"))]
pub struct FlatError {
    reason: String,
}

/// A segment that is loaded.
struct Segment<'data> {
    address: u64,
    memory_bytes: u64,
    bytes: &'data [u8],
}

/// Flattens an ELF file.
///
/// # Errors
///
/// Why it cannot be one run of bytes that is entered at its first one.
pub fn flatten(elf: &[u8]) -> Result<Flat, FlatError> {
    let parsed = match FileKind::parse(elf) {
        Ok(FileKind::Elf32) => segments::<object::elf::FileHeader32<object::Endianness>>(elf),
        Ok(FileKind::Elf64) => segments::<object::elf::FileHeader64<object::Endianness>>(elf),
        _ => Err("it is no ELF file".to_owned()),
    };
    parsed
        .and_then(|(entry, segments)| join(entry, segments))
        .map_err(|reason| FlatError { reason })
}

/// The entry address, and the segments that are loaded.
fn segments<H: FileHeader>(elf: &[u8]) -> Result<(u64, Vec<Segment<'_>>), String>
where
    H::Endian: Endian,
{
    let words = |error: object::Error| error.to_string();
    let file = ElfFile::<H>::parse(elf).map_err(words)?;
    let endian = file.endian();
    let segments = file
        .elf_program_headers()
        .iter()
        .filter(|header| header.p_type(endian) == PT_LOAD)
        .map(|header| {
            let bytes = header
                .data(endian, elf)
                .map_err(|()| "a segment lies outside the file".to_owned())?;
            Ok(Segment {
                // Where a loader puts it, which is not where the program sees it if it maps memory.
                address: header.p_paddr(endian).into(),
                memory_bytes: header.p_memsz(endian).into(),
                bytes,
            })
        })
        .collect::<Result<_, String>>()?;
    Ok((file.elf_header().e_entry(endian).into(), segments))
}

fn join(entry: u64, mut segments: Vec<Segment>) -> Result<Flat, String> {
    segments.sort_by_key(|segment| segment.address);
    let mut loaded = segments.iter().filter(|segment| !segment.bytes.is_empty());
    let first = loaded.next().ok_or("it has nothing to load")?;
    let (begin, mut end) = (first.address, first.address);
    let mut bytes = Vec::new();
    for segment in &segments {
        if segment.address < end {
            return Err(format!("its segments overlap at {:#x}", segment.address));
        }
        end = segment
            .address
            .checked_add(segment.memory_bytes.max(segment.bytes.len() as u64))
            .filter(|end| end - begin <= LIMIT)
            .ok_or_else(|| format!("from {begin:#x} on it reaches beyond {LIMIT:#x} bytes"))?;
        if !segment.bytes.is_empty() {
            bytes.resize((segment.address - begin) as usize, 0);
            bytes.extend_from_slice(segment.bytes);
        }
    }
    if entry != begin {
        return Err(format!(
            "it is entered at {entry:#x}, and its first byte is at {begin:#x}"
        ));
    }
    Ok(Flat {
        address: begin,
        bytes,
        memory: begin..end,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn segment(address: u64, bytes: &[u8], memory_bytes: u64) -> Segment<'_> {
        Segment {
            address,
            memory_bytes,
            bytes,
        }
    }

    #[test]
    fn gaps_are_filled_and_trailing_zeros_left_out() {
        let segments = vec![
            segment(0x80010, &[3, 4], 0x100),
            segment(0x80000, &[1, 2], 2),
        ];
        let flat = join(0x80000, segments).unwrap();
        assert_eq!((flat.address, flat.memory), (0x80000, 0x80000..0x80110));
        assert_eq!(flat.bytes[..2], [1, 2]);
        assert_eq!(flat.bytes[2..0x10], [0; 14]);
        assert_eq!(flat.bytes[0x10..], [3, 4]);
    }

    #[test]
    fn what_cannot_be_flat_is_refused() {
        let reason = |entry, segments| join(entry, segments).unwrap_err();
        assert!(reason(0, vec![]).contains("nothing to load"));
        let other = reason(4, vec![segment(0, &[0; 8], 8)]);
        assert!(other.contains("entered at 0x4"), "{other}");
        let overlap = reason(0, vec![segment(0, &[1; 8], 8), segment(4, &[1], 1)]);
        assert!(overlap.contains("overlap at 0x4"), "{overlap}");
        let far = reason(0, vec![segment(0, &[1], 1), segment(1 << 40, &[1], 1)]);
        assert!(far.contains("beyond"), "{far}");
        assert!(flatten(b"\x7fELF").is_err());
    }

    proptest! {
        #[test]
        fn no_file_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = flatten(&bytes);
            let _ = flatten(&[b"\x7fELF\x02\x01\x01", &bytes[..]].concat());
        }
    }
}
