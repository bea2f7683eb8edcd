//! A line on which requests come a second time, after the next one: as a hub or a network between
//! host and board may do.

use std::io::{self, Read, Write};

use fastrand::Rng;

/// The line.
pub struct LateLine<L> {
    line: L,
    rng: Rng,
    /// Part of the requests that come again.
    rate: f64,
    /// The request that is being written.
    current: Vec<u8>,
    /// What comes again after it.
    late: Option<Vec<u8>>,
}

impl<L> LateLine<L> {
    /// Lets this part of the requests come again.
    pub fn new(line: L, seed: u64, rate: f64) -> Self {
        Self {
            line,
            rng: Rng::with_seed(seed),
            rate,
            current: Vec::new(),
            late: None,
        }
    }
}

impl<L: Read> Read for LateLine<L> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.line.read(buffer)
    }
}

impl<L: Write> Write for LateLine<L> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.line.write(bytes)?;
        for byte in &bytes[..length] {
            self.current.push(*byte);
            // A zero stands on either side of a frame.
            if *byte == 0 && self.current.len() > 1 {
                if let Some(late) = self.late.take() {
                    self.line.write_all(&late)?;
                }
                let frame = std::mem::take(&mut self.current);
                self.late = (self.rng.f64() < self.rate).then_some(frame);
            }
        }
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.line.flush()
    }
}
