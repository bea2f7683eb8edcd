//! A line that is no faster than a serial one: ten bits for each byte, at a rate.

use std::io::{self, Read, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Line, Reading, TIMEOUT};

/// Bits on the line for a byte of eight: one starts it, and one stops it.
const BITS_PER_BYTE: u32 = 10;

/// Bytes that are taken from the meter at once: the line's own buffer, as UARTs have it.
const BUFFER: usize = 64;

/// A read that takes less found what was there before it.
const GLANCE: Duration = Duration::from_micros(200);

/// A line at a rate.
pub struct PacedLine {
    incoming: Receiver<Vec<u8>>,
    outgoing: Sender<Vec<u8>>,
    rest: Vec<u8>,
    load: Load,
}

/// How much of a line is used by what comes from the meter. Clones are of the same line.
#[derive(Clone, Debug)]
pub struct Load {
    baud: u32,
    streams: Arc<Mutex<Streams>>,
}

/// What came between two requests, each.
#[derive(Debug, Default)]
struct Streams {
    current: Stream,
    /// The longest one so far.
    longest: Stream,
}

#[derive(Clone, Copy, Debug, Default)]
struct Stream {
    bytes: u64,
    /// Beginning of the first byte, and end of the last one.
    span: Option<(Instant, Instant)>,
}

impl Load {
    /// Of the longest answer since this was asked last: the part of the time between its first byte
    /// and its last in which the line was not idle. `None` when nothing came.
    pub fn take(&self) -> Option<f64> {
        let mut streams = self.lock();
        streams.turn();
        let Stream { bytes, span } = std::mem::take(&mut *streams).longest;
        let (first, last) = span?;
        let needed = bits(bytes) / f64::from(self.baud);
        Some(needed / (last - first).as_secs_f64())
    }

    fn lock(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long so many bytes take.
    fn duration(&self, bytes: usize) -> Duration {
        Duration::from_secs_f64(bits(bytes as u64) / f64::from(self.baud))
    }
}

impl Streams {
    /// It is the host's turn: what comes next is another answer.
    fn turn(&mut self) {
        let ended = std::mem::take(&mut self.current);
        if ended.bytes > self.longest.bytes {
            self.longest = ended;
        }
    }
}

fn bits(bytes: u64) -> f64 {
    bytes as f64 * f64::from(BITS_PER_BYTE)
}

impl PacedLine {
    /// Limits a line to this rate in bits per second.
    pub fn new(line: Box<dyn Line>, baud: u32) -> Self {
        // The meter waits while the host does not read.
        let (sender, incoming) = mpsc::sync_channel(1);
        let (outgoing, requests) = mpsc::channel();
        let load = Load {
            baud,
            streams: Arc::default(),
        };
        let limiter = Limiter {
            line,
            load: load.clone(),
            free: Instant::now(),
        };
        thread::spawn(move || limiter.run(&sender, &requests));
        Self {
            incoming,
            outgoing,
            rest: Vec::new(),
            load,
        }
    }

    /// How much of the line is used.
    pub fn load(&self) -> Load {
        self.load.clone()
    }
}

/// The thread between both ends.
struct Limiter {
    line: Box<dyn Line>,
    load: Load,
    /// When the last byte has passed.
    free: Instant,
}

impl Limiter {
    /// Passes bytes on until either end is closed.
    fn run(mut self, incoming: &SyncSender<Vec<u8>>, requests: &Receiver<Vec<u8>>) {
        let mut buffer = [0; BUFFER];
        loop {
            while let Ok(request) = requests.try_recv() {
                self.load.lock().turn();
                thread::sleep(self.load.duration(request.len()));
                if super::write(&mut *self.line, &request).is_err() {
                    return;
                }
            }
            let looked = Instant::now();
            match super::read(&mut *self.line, &mut buffer) {
                Reading::Bytes(length) => {
                    self.pass(length, looked.elapsed() < GLANCE);
                    if incoming.send(buffer[..length].to_vec()).is_err() {
                        return;
                    }
                }
                Reading::Nothing => {}
                Reading::Closed(_) => return,
            }
        }
    }

    /// Waits until so many bytes are over. Where they were waiting, the line was not idle before,
    /// however late this thread was woken.
    fn pass(&mut self, bytes: usize, were_waiting: bool) {
        let now = Instant::now();
        let mut streams = self.load.lock();
        let begin = match streams.current.span {
            Some(_) if were_waiting => self.free,
            _ => self.free.max(now),
        };
        self.free = begin + self.load.duration(bytes);
        let stream = &mut streams.current;
        stream.bytes += bytes as u64;
        let first = stream.span.map_or(begin, |(first, _)| first);
        stream.span = Some((first, self.free));
        drop(streams);
        thread::sleep(self.free.saturating_duration_since(now));
    }
}

impl Read for PacedLine {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            self.rest = match self.incoming.recv_timeout(TIMEOUT) {
                Ok(bytes) => bytes,
                Err(RecvTimeoutError::Timeout) => return Err(io::ErrorKind::TimedOut.into()),
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            };
        }
        let length = self.rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&self.rest[..length]);
        self.rest.drain(..length);
        Ok(length)
    }
}

impl Write for PacedLine {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.outgoing.send(bytes.to_vec()) {
            Ok(()) => Ok(bytes.len()),
            Err(_) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::{read, socket_pair, write};

    #[test]
    fn bytes_take_the_time_of_their_bits_and_none_is_lost() {
        let (ours, mut theirs) = socket_pair().unwrap();
        let mut line = PacedLine::new(Box::new(ours), 100_000);
        let sent: Vec<u8> = (0..2000).map(|n| n as u8).collect();
        let started = Instant::now();
        theirs.write_all(&sent).unwrap();
        let mut received = Vec::new();
        while received.len() < sent.len() {
            let mut buffer = [0; 100];
            match read(&mut line, &mut buffer) {
                Reading::Bytes(length) => received.extend_from_slice(&buffer[..length]),
                other => panic!("{other:?}"),
            }
        }
        // Two thousand bytes of ten bits.
        assert!(started.elapsed() >= Duration::from_millis(199));
        assert_eq!(received, sent);
        let load = line.load().take().unwrap();
        assert!(load <= 1.0 + 1e-9, "{load}");
        assert_eq!(line.load().take(), None);

        assert_eq!(write(&mut line, b"back"), Ok(true));
        let mut back = [0; 4];
        theirs.read_exact(&mut back).unwrap();
        assert_eq!(&back, b"back");
        drop(theirs);
        let closed = (0..100).find_map(|_| match read(&mut line, &mut [0; 8]) {
            Reading::Closed(reason) => Some(reason),
            _ => None,
        });
        assert!(closed.is_some());
    }
}
