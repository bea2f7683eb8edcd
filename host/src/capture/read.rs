//! Reads captures.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{CaptureError, Header, Kind, MAGIC, Start};

/// One chunk.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Chunk {
    /// When, since the beginning of the capture.
    pub at: Duration,
    /// What.
    pub kind: Kind,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A capture.
#[derive(Clone, Debug, PartialEq)]
pub struct Capture {
    /// The file.
    pub path: PathBuf,
    /// Where it is from.
    pub header: Header,
    /// What came over the line.
    pub chunks: Vec<Chunk>,
    /// Whether the file ends in the middle of a chunk.
    pub is_cut: bool,
}

/// What came over the line of one meter.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording<'a> {
    /// Which meter.
    pub start: Start,
    /// The bytes in both directions.
    pub chunks: &'a [Chunk],
}

impl Capture {
    /// Reads a capture.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is none.
    pub fn read(path: &Path) -> Result<Self, CaptureError> {
        let bytes = fs::read(path).map_err(|source| CaptureError::File {
            verb: "read",
            path: path.to_owned(),
            source,
        })?;
        let wrong = |reason: String| CaptureError::Format {
            path: path.to_owned(),
            reason,
        };
        let (first, rest) = line(&bytes);
        if first != MAGIC.as_bytes() {
            return Err(wrong(format!("its first line is not `{MAGIC}`")));
        }
        let (header, mut rest) = line(rest);
        let header = serde_json::from_slice(header)
            .map_err(|error| wrong(format!("its header cannot be read: {error}")))?;
        let mut chunks = Vec::new();
        let mut at = Duration::ZERO;
        while let Some((since, kind, bytes)) = chunk(&mut rest) {
            let Some(kind) = Kind::of_byte(kind) else {
                return Err(wrong(format!(
                    "chunk {} is of an unknown kind, {kind:#04x}",
                    chunks.len() + 1
                )));
            };
            at = at.saturating_add(Duration::from_micros(since));
            chunks.push(Chunk { at, kind, bytes });
        }
        Ok(Self {
            path: path.to_owned(),
            header,
            chunks,
            is_cut: !rest.is_empty(),
        })
    }

    /// The meters that were recorded, one after the other; bytes before the first start are
    /// nobody's.
    pub fn recordings(&self) -> Vec<Recording<'_>> {
        let starts = self.chunks.iter().enumerate();
        let starts = starts.filter(|(_, chunk)| chunk.kind == Kind::Start);
        starts
            .filter_map(|(place, chunk)| {
                let after = &self.chunks[place + 1..];
                let next = after.iter().position(|chunk| chunk.kind == Kind::Start);
                Some(Recording {
                    start: serde_json::from_slice(&chunk.bytes).ok()?,
                    chunks: &after[..next.unwrap_or(after.len())],
                })
            })
            .collect()
    }
}

/// The first line, and what follows it.
fn line(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, &[]),
    }
}

/// Takes one chunk off: microseconds, kind and bytes; `None` when there is no whole one.
fn chunk(rest: &mut &[u8]) -> Option<(u64, u8, Vec<u8>)> {
    let mut ahead = *rest;
    let (kind, after) = ahead.split_first()?;
    ahead = after;
    let since = number(&mut ahead)?;
    let length = usize::try_from(number(&mut ahead)?).ok()?;
    let (bytes, after) = ahead.split_at_checked(length)?;
    *rest = after;
    Some((since, *kind, bytes.to_vec()))
}

/// Takes a number off that is written as LEB128.
fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..u64::BITS).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Recorder;
    use proptest::prelude::*;

    fn header() -> Header {
        Header {
            format: "chunks".into(),
            tool_version: "0".into(),
            protocol: 1,
            schema: 2,
            system: "qemu-virt".into(),
            board: "qemu-virt".into(),
            transport: "pty".into(),
            emulator: None,
            wall_per_target: 20.0,
            usual_wall_per_target: 5.0,
        }
    }

    fn kinds() -> impl Strategy<Value = Kind> {
        prop_oneof![Just(Kind::FromMeter), Just(Kind::ToMeter)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn what_is_recorded_is_read_and_a_cut_file_gives_what_is_whole(
            sent in proptest::collection::vec((kinds(), proptest::collection::vec(any::<u8>(), 0..300)), 1..20),
            cut: prop::sample::Index,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("x/y.capture");
            let recorder = Recorder::new(path.clone(), header());
            for (kind, bytes) in &sent {
                recorder.take(*kind, bytes);
            }
            prop_assert!(recorder.finish(true).unwrap());
            let capture = Capture::read(&path).unwrap();
            let of = |capture: &Capture| -> Vec<(Kind, Vec<u8>)> {
                capture.chunks.iter().map(|chunk| (chunk.kind, chunk.bytes.clone())).collect()
            };
            prop_assert_eq!(of(&capture), sent.clone());
            prop_assert_eq!(&capture.header, &header());
            prop_assert!(!capture.is_cut);

            let whole = fs::read(&path).unwrap();
            let text = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0 + 1;
            fs::write(&path, &whole[..text + cut.index(whole.len() - text)]).unwrap();
            let cut = of(&Capture::read(&path).unwrap());
            prop_assert!(cut.len() < sent.len());
            prop_assert_eq!(&cut[..], &sent[..cut.len()]);
        }
    }

    #[test]
    fn a_capture_that_nobody_wants_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.capture");
        let recorder = Recorder::new(path.clone(), header());
        assert!(!recorder.finish(true).unwrap());
        recorder.take(Kind::ToMeter, b"x");
        assert!(!recorder.finish(false).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_no_capture_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.capture");
        for (text, words) in [
            ("", "its first line is not"),
            ("ngcc-meter capture 1\n{}\n", "its header cannot be read"),
        ] {
            fs::write(&path, text).unwrap();
            let error = Capture::read(&path).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
