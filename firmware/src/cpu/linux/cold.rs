//! Making everything cold, as far as a process can: the branch predictor thrashed, caches and TLB
//! filled with something else.

use std::fs;
use std::path::Path;
use std::ptr::{self, NonNull};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous};
use wire::Purge;

use crate::board;
use crate::cpu::{flush, predictor};

/// Bytes of a cache line, or less.
const LINE: usize = 64;

/// What is taken for the last-level cache where the kernel does not tell its size: more than most
/// processors have.
const ASSUMED_LAST_LEVEL: u64 = 64 << 20;

/// The longest buffer, for machines that show a cache which many guests share: what is beyond half
/// of it stays partly warm there, and the record has both numbers.
const LONGEST_BUFFER: u64 = 2 << 30;

/// Where the kernel describes the caches of the first processor.
const CACHES: &str = "/sys/devices/system/cpu/cpu0/cache";

/// Fills caches and TLB.
pub struct Chiller {
    buffer: NonNull<u8>,
    bytes: usize,
    last_level_bytes: Option<u64>,
    round: u8,
}

impl Chiller {
    /// Takes a buffer of twice the size of the last-level cache; `None` without the memory for it.
    pub fn new() -> Option<Self> {
        let last_level_bytes = last_level_bytes(Path::new(CACHES));
        let assumed = last_level_bytes.unwrap_or(ASSUMED_LAST_LEVEL);
        let bytes = (2 * assumed).min(LONGEST_BUFFER) as usize;
        Some(Self {
            buffer: map(bytes)?,
            bytes,
            last_level_bytes,
            round: 0,
        })
    }

    /// Makes everything cold.
    pub fn chill(&mut self) {
        predictor::thrash();
        // What is written differs from what was there, so that no write can be left out.
        self.round = self.round.wrapping_add(1);
        for offset in (0..self.bytes).step_by(LINE) {
            // SAFETY: inside the mapping, which is used for nothing else.
            unsafe { self.buffer.add(offset).write_volatile(self.round) };
        }
        for (begin, end) in board::code_and_stack() {
            for address in (begin..end).step_by(LINE) {
                // SAFETY: the address is mapped.
                unsafe { flush::line(address) };
            }
        }
        flush::finish();
    }

    /// What one chill does to caches and TLB.
    pub fn purge(&self) -> Purge {
        let flushed = board::code_and_stack();
        let lines = flushed.map(|(begin, end)| (begin..end).step_by(LINE).len() as u64);
        Purge::Thrash {
            bytes: self.bytes as u64,
            last_level_bytes: self.last_level_bytes,
            flushed_lines: lines.iter().sum(),
        }
    }
}

/// Maps a buffer in small pages: few large ones would leave most of the TLB alone.
fn map(bytes: usize) -> Option<NonNull<u8>> {
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new mapping, wherever the kernel finds room.
    let start = unsafe { mmap_anonymous(ptr::null_mut(), bytes, protection, MapFlags::PRIVATE) };
    let start = start.ok()?;
    // SAFETY: the mapping just made; a kernel without large pages refuses, and needs no advice.
    let _ = unsafe { madvise(start, bytes, Advice::LinuxNoHugepage) };
    NonNull::new(start.cast())
}

/// Size of the cache of the highest level, from a folder with one of `index0`, `index1`, ... for
/// each cache (Linux's Documentation/ABI/testing/sysfs-devices-system-cpu).
fn last_level_bytes(folder: &Path) -> Option<u64> {
    let caches = fs::read_dir(folder).ok()?.flatten();
    let described = caches.filter_map(|entry| {
        let read = |name| fs::read_to_string(entry.path().join(name)).ok();
        let level: u32 = read("level")?.trim().parse().ok()?;
        let size = read("size")?;
        let kibibytes: u64 = size.trim().strip_suffix('K')?.parse().ok()?;
        Some((level, kibibytes << 10))
    });
    described.max().map(|(_, bytes)| bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_level_is_the_highest() {
        let folder = std::env::temp_dir().join(format!("caches-{}", std::process::id()));
        for (index, (level, size)) in [("1", "48K"), ("3", "25600K"), ("2", "1280K")]
            .iter()
            .enumerate()
        {
            let cache = folder.join(format!("index{index}"));
            fs::create_dir_all(&cache).unwrap();
            fs::write(cache.join("level"), format!("{level}\n")).unwrap();
            fs::write(cache.join("size"), format!("{size}\n")).unwrap();
        }
        assert_eq!(last_level_bytes(&folder), Some(25_600 << 10));
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(last_level_bytes(&folder), None);
    }

    #[test]
    fn every_line_of_the_buffer_is_written_anew_by_each_chill() {
        let bytes = 1 << 20;
        let buffer = map(bytes).unwrap();
        let mut chiller = Chiller {
            buffer,
            bytes,
            last_level_bytes: Some(bytes as u64 / 2),
            round: 0,
        };
        for round in 1..3 {
            chiller.chill();
            for offset in (0..bytes).step_by(LINE) {
                // SAFETY: inside the mapping.
                assert_eq!(unsafe { buffer.add(offset).read_volatile() }, round);
            }
        }
    }
}
