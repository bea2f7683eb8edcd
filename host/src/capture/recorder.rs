//! Writes what goes over a line into a capture.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{CaptureError, Header, Kind, MAGIC, Start};
use crate::line::Line;
use crate::record::schema::UtcTime;
use crate::session::hexadecimal;
use crate::system::{Description, Running, StartError, System};

/// What a capture is called until it is known that it is wanted.
const UNFINISHED: &str = "part";

/// A capture that is being written. Clones write into the same file.
///
/// The file is made with the first chunk. A measurement does not fail for a capture: what goes
/// wrong with the file is told at the end.
#[derive(Clone, Debug)]
pub struct Recorder(Arc<Mutex<Recording>>);

#[derive(Debug)]
struct Recording {
    path: PathBuf,
    header: Header,
    file: Option<BufWriter<File>>,
    last: Instant,
    failed: Option<CaptureError>,
}

impl Recorder {
    /// A capture that is to become this file.
    pub fn new(path: PathBuf, header: Header) -> Self {
        Self(Arc::new(Mutex::new(Recording {
            path,
            header,
            file: None,
            last: Instant::now(),
            failed: None,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, Recording> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A meter is started.
    pub fn start(&self, elf: &Path) {
        let start = Start {
            image: elf.to_owned(),
            elf_sha256: digest_of(elf).unwrap_or_default(),
            started: UtcTime::now(),
        };
        self.take(Kind::Start, &json(&start));
    }

    /// Bytes went over the line.
    pub fn take(&self, kind: Kind, bytes: &[u8]) {
        self.lock().take(kind, bytes);
    }

    /// Ends the capture: the file gets its name, or is removed. Whether there is one comes back.
    ///
    /// # Errors
    ///
    /// What went wrong with the file.
    pub fn finish(&self, keep: bool) -> Result<bool, CaptureError> {
        let mut recording = self.lock();
        let file = recording.file.take();
        if let Some(error) = recording.failed.take() {
            return Err(error);
        }
        let Some(mut file) = file else {
            return Ok(false);
        };
        let path = &recording.path;
        let written = match keep {
            true => file
                .flush()
                .and_then(|()| fs::rename(unfinished(path), path)),
            false => fs::remove_file(unfinished(path)),
        };
        written.map_err(|source| CaptureError::File {
            verb: "keep",
            path: path.clone(),
            source,
        })?;
        Ok(keep)
    }
}

impl Recording {
    fn take(&mut self, kind: Kind, bytes: &[u8]) {
        if self.failed.is_some() {
            return;
        }
        let now = Instant::now();
        let since = now.duration_since(self.last);
        let written = match &mut self.file {
            Some(file) => Ok(file),
            None => open(&self.path, &self.header).map(|file| self.file.insert(file)),
        }
        .and_then(|file| {
            file.write_all(&[kind.byte()])?;
            number(file, u64::try_from(since.as_micros()).unwrap_or(u64::MAX))?;
            number(file, bytes.len() as u64)?;
            file.write_all(bytes)
        });
        self.last = now;
        if let Err(source) = written {
            self.failed = Some(CaptureError::File {
                verb: "write",
                path: self.path.clone(),
                source,
            });
        }
    }
}

fn unfinished(path: &Path) -> PathBuf {
    path.with_added_extension(UNFINISHED)
}

fn open(path: &Path, header: &Header) -> io::Result<BufWriter<File>> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = BufWriter::new(File::create(unfinished(path))?);
    writeln!(file, "{MAGIC}")?;
    file.write_all(&json(header))?;
    file.write_all(b"\n")?;
    Ok(file)
}

fn json<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("texts and numbers are JSON")
}

/// A number as LEB128: seven bits in a byte, the lowest first, each byte but the last with its
/// highest bit set.
fn number(file: &mut impl Write, mut number: u64) -> io::Result<()> {
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            return file.write_all(&[low]);
        }
        file.write_all(&[low | 0x80])?;
    }
}

/// SHA-256 of a file, in hexadecimal.
pub(super) fn digest_of(file: &Path) -> Option<String> {
    let bytes = fs::read(file).ok()?;
    Some(hexadecimal(&Sha256::digest(bytes)))
}

/// A line that is recorded.
struct RecordedLine {
    line: Box<dyn Line>,
    recorder: Recorder,
}

impl Read for RecordedLine {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.line.read(buffer)?;
        if length > 0 {
            self.recorder.take(Kind::FromMeter, &buffer[..length]);
        }
        Ok(length)
    }
}

impl Write for RecordedLine {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.line.write(bytes)?;
        self.recorder.take(Kind::ToMeter, &bytes[..length]);
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.line.flush()
    }
}

/// A system whose lines are recorded.
pub struct Recorded<'a> {
    system: &'a dyn System,
    recorder: Recorder,
}

impl<'a> Recorded<'a> {
    /// Records the lines of a system.
    pub fn new(system: &'a dyn System, recorder: &Recorder) -> Self {
        Self {
            system,
            recorder: recorder.clone(),
        }
    }
}

impl System for Recorded<'_> {
    fn description(&self) -> &Description {
        self.system.description()
    }

    fn start(&self, elf: &Path) -> Result<Running, StartError> {
        let running = self.system.start(elf)?;
        self.recorder.start(elf);
        Ok(Running {
            line: Box::new(RecordedLine {
                line: running.line,
                recorder: self.recorder.clone(),
            }),
            ..running
        })
    }
}
