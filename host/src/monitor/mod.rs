//! What goes over a line, for people: frames with their messages, the log, text, and damage.

mod hex;
mod words;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use wire::{Decoder, Frame, FrameError, MAX_FRAME};

pub use hex::dump;

use crate::capture::Kind as Chunk;
use crate::image::Elf;
use crate::session::{Log, LogLine};

/// Something that went over the line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// When it ended, since the beginning.
    pub seconds: f64,
    /// Which way it went.
    pub from: Side,
    /// What it is.
    pub kind: What,
    /// Number of the request and of the block, of a frame.
    pub number: Option<(u16, u16)>,
    /// Bytes on the line.
    pub bytes: usize,
    /// What it says.
    pub words: String,
}

/// An end of the line.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The board, the emulator or the process.
    Meter,
    /// This tool.
    Host,
}

/// What went over the line.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    /// A request.
    Request,
    /// A response.
    Response,
    /// The log of the meter.
    Log,
    /// The report of a fault.
    Fault,
    /// Text that is in no frame, as boot loaders write it.
    Text,
    /// Bytes that are neither.
    Damaged,
    /// A meter is started.
    Start,
}

impl std::fmt::Display for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            seconds,
            number,
            words,
            ..
        } = self;
        let arrow = match self.from {
            Side::Meter => '<',
            Side::Host => '>',
        };
        let what = match self.kind {
            What::Request => "request",
            What::Response => "response",
            What::Log => "log",
            What::Fault => "fault",
            What::Text => "text",
            What::Damaged => "damaged",
            What::Start => "start",
        };
        write!(f, "{seconds:12.6} {arrow} {what:8}")?;
        match number {
            Some((request, 0)) => write!(f, " {request:<7}")?,
            Some((request, block)) => write!(f, " {:<7}", format!("{request}.{block}"))?,
            None => write!(f, " {:7}", "")?,
        }
        let mut lines = words.lines();
        write!(f, " {}", lines.next().unwrap_or_default())?;
        for line in lines {
            write!(f, "\n{:32}{line}", "")?;
        }
        Ok(())
    }
}

/// Makes [`Entry`]s of bytes.
pub struct Listener {
    from_meter: Stream,
    from_host: Stream,
    elf: Option<Elf>,
    log: Log,
    lines: Arc<Mutex<Vec<LogLine>>>,
}

/// One direction.
#[derive(Default)]
struct Stream {
    /// What came since the last zero or line of text.
    pending: Vec<u8>,
}

/// What a stream found.
enum Found {
    Frame(Box<Frame>, usize),
    Text(String, usize),
    Damaged(FrameError, usize),
}

impl Listener {
    /// A listener that knows nothing but the protocol; with an image also the strings of its log and
    /// its functions.
    pub fn new(elf: Option<Elf>) -> Self {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let sink = {
            let lines = Arc::clone(&lines);
            Box::new(move |line| {
                let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                lines.push(line);
            })
        };
        Self {
            from_meter: Stream::default(),
            from_host: Stream::default(),
            log: match &elf {
                Some(elf) => elf.log(sink),
                None => Log::new(None, sink),
            },
            elf,
            lines,
        }
    }

    /// Takes a chunk of bytes, or a start, that came at this time since the beginning.
    pub fn take(&mut self, at: Duration, kind: Chunk, bytes: &[u8]) -> Vec<Entry> {
        let (side, stream) = match kind {
            Chunk::FromMeter => (Side::Meter, &mut self.from_meter),
            Chunk::ToMeter => (Side::Host, &mut self.from_host),
            Chunk::Start => {
                self.from_meter = Stream::default();
                self.from_host = Stream::default();
                return vec![Entry {
                    seconds: at.as_secs_f64(),
                    from: Side::Host,
                    kind: What::Start,
                    number: None,
                    bytes: 0,
                    words: String::from_utf8_lossy(bytes).into_owned(),
                }];
            }
        };
        let mut found = Vec::new();
        for byte in bytes {
            stream.push(*byte, &mut found);
        }
        found
            .into_iter()
            .map(|found| self.entry(at, side, found))
            .collect()
    }

    /// Nothing came for a while, or never will again: what is there of a line of text is shown.
    pub fn quiet(&mut self, at: Duration) -> Vec<Entry> {
        let mut found = Vec::new();
        self.from_meter.flush_text(&mut found);
        found
            .into_iter()
            .map(|found| self.entry(at, Side::Meter, found))
            .collect()
    }

    fn entry(&mut self, at: Duration, from: Side, found: Found) -> Entry {
        let (kind, number, bytes, words) = match found {
            Found::Text(text, bytes) => (What::Text, None, bytes, text),
            Found::Damaged(error, bytes) => {
                (What::Damaged, None, bytes, words::damage(error, bytes))
            }
            Found::Frame(frame, bytes) => {
                let number = Some((frame.request, frame.block));
                match frame.kind {
                    wire::Kind::Request => (What::Request, number, bytes, words::request(&frame)),
                    wire::Kind::Response => {
                        (What::Response, number, bytes, words::response(&frame))
                    }
                    wire::Kind::Log => (What::Log, None, bytes, self.logged(&frame)),
                    wire::Kind::Fault => {
                        let words = words::fault(&frame, self.elf.as_ref());
                        (What::Fault, number, bytes, words)
                    }
                }
            }
        };
        Entry {
            seconds: at.as_secs_f64(),
            from,
            kind,
            number,
            bytes,
            words,
        }
    }

    fn logged(&mut self, frame: &Frame) -> String {
        self.log.take(frame.payload());
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<String> = lines.drain(..).map(|line| line.to_string()).collect();
        lines.join("\n")
    }
}

impl Stream {
    fn push(&mut self, byte: u8, found: &mut Vec<Found>) {
        match byte {
            0 if self.pending.is_empty() => {}
            0 => {
                let bytes = std::mem::take(&mut self.pending);
                if is_text(&bytes) {
                    found.extend(text(&bytes));
                    return;
                }
                let mut decoder = Decoder::new();
                let ended = bytes.iter().chain([&0]).filter_map(|b| decoder.push(*b));
                // With its two zeros.
                let length = bytes.len() + 2;
                found.extend(ended.map(|result| match result {
                    Ok(frame) => Found::Frame(Box::new(frame), length),
                    Err(error) => Found::Damaged(error, bytes.len()),
                }));
            }
            b'\n' if is_text(&self.pending) => {
                let bytes = std::mem::take(&mut self.pending);
                found.extend(text(&bytes));
            }
            _ => {
                self.pending.push(byte);
                if self.pending.len() > MAX_FRAME {
                    found.push(Found::Damaged(FrameError::TooLong, self.pending.len()));
                    self.pending.clear();
                }
            }
        }
    }

    fn flush_text(&mut self, found: &mut Vec<Found>) {
        if !self.pending.is_empty() && is_text(&self.pending) {
            found.extend(text(&std::mem::take(&mut self.pending)));
        }
    }
}

/// Whether bytes are text. No frame is: its second or third byte is the protocol's version.
fn is_text(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .all(|byte| byte.is_ascii_graphic() || b" \t\r\n\x1b".contains(byte))
}

/// The text, if it is more than an empty line.
fn text(bytes: &[u8]) -> Option<Found> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end();
    (!text.is_empty()).then(|| Found::Text(text.to_owned(), bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::{Kind, Order, Request, Response, encode, encode_bytes};

    #[test]
    fn everything_on_a_line_is_shown_as_what_it_is() {
        let order = Order {
            deadline_nanoseconds: Some(1_500_000_000),
            request: Request::Kat,
        };
        let request = encode(Kind::Request, 3, 0, &order).unwrap();
        let mut damaged = encode(Kind::Response, 3, 0, &Response::Released).unwrap();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0x10;
        let block = wire::SampleBlock {
            total: 700,
            first: 320,
            differences: (0..320).collect(),
        };
        let from_meter = [
            b"U-Boot 2024.01\r\n\r\nHit any key".to_vec(),
            encode_bytes(Kind::Log, 0, 0, b"ready: x\x1b[2J\nmore")
                .unwrap()
                .to_vec(),
            encode(Kind::Response, 3, 0, &Response::Expect { nanoseconds: 7 })
                .unwrap()
                .to_vec(),
            damaged.to_vec(),
            encode(Kind::Response, 3, 1, &Response::Samples(block))
                .unwrap()
                .to_vec(),
            b"=> ".to_vec(),
        ]
        .concat();
        let mut listener = Listener::new(None);
        let at = Duration::from_millis(1500);
        let mut entries = listener.take(Duration::ZERO, Chunk::ToMeter, &request);
        // However they are cut.
        for piece in from_meter.chunks(7) {
            entries.extend(listener.take(at, Chunk::FromMeter, piece));
        }
        entries.extend(listener.quiet(at));
        let lines: Vec<String> = entries.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        0.000000 > request  3       Kat within 1.5s
        1.500000 < text             U-Boot 2024.01
        1.500000 < text             Hit any key
        1.500000 < log              ready: x\u{1b}[2J
                                    more
        1.500000 < response 3       Expect { nanoseconds: 7 }
        1.500000 < damaged          14 bytes, their checksum is wrong
        1.500000 < response 3.1     samples 320..640 of 700
        1.500000 < text             =>
        ");
    }

    #[test]
    fn noise_without_end_is_damage_and_does_not_fill_the_memory() {
        let mut listener = Listener::new(None);
        let entries = listener.take(Duration::ZERO, Chunk::FromMeter, &[0xff; 3 * MAX_FRAME]);
        assert_eq!(entries.len(), 2);
        assert!(entries.iter().all(|entry| entry.kind == What::Damaged));
    }
}
