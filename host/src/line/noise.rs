//! A line with a fault: flips, drops, repeats, invents and delays bytes, and may break altogether.
//!
//! For tests and drills. The same seed and the same bytes give the same damage, however the bytes
//! are cut into reads and writes.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;

/// How bad a line is. Rates are probabilities per byte, for each direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Noise {
    /// Seed of the damage.
    pub seed: u64,
    /// One bit of the byte flips.
    pub flip: f64,
    /// The byte is lost.
    pub drop: f64,
    /// The byte arrives twice.
    pub duplicate: f64,
    /// A byte that nobody sent follows, every other time a zero, where frames end.
    pub inject: f64,
    /// Nothing arrives at the host for [`STANDSTILL`] before the byte.
    pub delay: f64,
    /// Most bytes that arrive at the host at once; any number, when it is 0.
    pub split: usize,
    /// The line closes after so many bytes have arrived at the host.
    pub cut_after: Option<u64>,
}

/// How long a delay is.
pub const STANDSTILL: Duration = Duration::from_millis(20);

impl Noise {
    /// Every kind of damage at this rate, and no delay.
    pub fn everything(seed: u64, rate: f64) -> Self {
        Self {
            seed,
            flip: rate,
            drop: rate,
            duplicate: rate,
            inject: rate,
            delay: 0.0,
            split: 0,
            cut_after: None,
        }
    }

    /// What becomes of one byte.
    fn damage(&self, rng: &mut Rng, byte: u8, mut emit: impl FnMut(u8)) {
        // Each kind draws for each byte, whether or not another one struck: so the damage depends
        // on the position alone.
        let [flip, drop, duplicate, inject] =
            [self.flip, self.drop, self.duplicate, self.inject].map(|rate| rng.f64() < rate);
        let bit = 1 << rng.u8(0..8);
        let invented = if rng.bool() { 0 } else { rng.u8(..) };
        let byte = if flip { byte ^ bit } else { byte };
        if !drop {
            emit(byte);
            if duplicate {
                emit(byte);
            }
        }
        if inject {
            emit(invented);
        }
    }
}

/// A line that loses and invents bytes in both directions.
#[derive(Debug)]
pub struct NoisyLine<L> {
    line: L,
    noise: Noise,
    incoming: Rng,
    outgoing: Rng,
    ready: VecDeque<u8>,
    /// Places among what is ready before which the line stands still, the first one first.
    delays: VecDeque<usize>,
    /// Until when it does.
    still: Option<Instant>,
    arrived: u64,
}

impl<L> NoisyLine<L> {
    /// Puts this noise on a line.
    pub fn new(line: L, noise: Noise) -> Self {
        Self {
            line,
            noise,
            incoming: Rng::with_seed(noise.seed),
            outgoing: Rng::with_seed(!noise.seed),
            ready: VecDeque::new(),
            delays: VecDeque::new(),
            still: None,
            arrived: 0,
        }
    }
}

impl<L> NoisyLine<L> {
    /// Whether nothing arrives now.
    fn stands_still(&mut self) -> bool {
        if self.delays.front() == Some(&0) {
            self.delays.pop_front();
            self.still = Some(Instant::now() + STANDSTILL);
        }
        self.still.is_some_and(|until| Instant::now() < until)
    }
}

impl<L: Read> Read for NoisyLine<L> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self
            .noise
            .cut_after
            .map_or(u64::MAX, |limit| limit.saturating_sub(self.arrived));
        if left == 0 {
            return Ok(0);
        }
        if self.ready.is_empty() {
            let mut raw = [0; 1024];
            let length = self.line.read(&mut raw)?;
            if length == 0 {
                return Ok(0);
            }
            for byte in &raw[..length] {
                if self.incoming.f64() < self.noise.delay {
                    self.delays.push_back(self.ready.len());
                }
                self.noise
                    .damage(&mut self.incoming, *byte, |byte| self.ready.push_back(byte));
            }
        }
        if self.stands_still() {
            thread::sleep(Duration::from_millis(1));
            return Err(io::ErrorKind::TimedOut.into());
        }
        let most = match self.noise.split {
            0 => buffer.len(),
            split => split.min(buffer.len()),
        };
        let most = self.delays.front().map_or(most, |next| most.min(*next));
        let length = (self.ready.len().min(most) as u64).min(left) as usize;
        if length == 0 {
            // Everything that arrived was lost: silence, not the end of the line.
            return Err(io::ErrorKind::TimedOut.into());
        }
        for (slot, byte) in buffer.iter_mut().zip(self.ready.drain(..length)) {
            *slot = byte;
        }
        for place in &mut self.delays {
            *place -= length;
        }
        self.arrived += length as u64;
        Ok(length)
    }
}

impl<L: Write> Write for NoisyLine<L> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut damaged = Vec::with_capacity(bytes.len());
        for byte in bytes {
            self.noise
                .damage(&mut self.outgoing, *byte, |byte| damaged.push(byte));
        }
        self.line.write_all(&damaged)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.line.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(line: impl Read, chunk: usize) -> Vec<u8> {
        let mut line = line;
        let mut all = Vec::new();
        let mut buffer = vec![0; chunk];
        loop {
            match line.read(&mut buffer) {
                Ok(0) => return all,
                Ok(length) => all.extend_from_slice(&buffer[..length]),
                Err(error) => assert_eq!(error.kind(), io::ErrorKind::TimedOut),
            }
        }
    }

    #[test]
    fn no_noise_changes_nothing() {
        let bytes: Vec<u8> = (0..5000).map(|n| n as u8).collect();
        let line = NoisyLine::new(&bytes[..], Noise::default());
        assert_eq!(read_all(line, 100), bytes);
    }

    #[test]
    fn damage_repeats_with_the_seed_and_not_with_the_chunks() {
        let bytes = vec![0x55; 100_000];
        let noise = Noise::everything(1, 1e-2);
        let first = read_all(NoisyLine::new(&bytes[..], noise), 7);
        let again = read_all(NoisyLine::new(&bytes[..], noise), 4096);
        assert_eq!(first, again);
        assert_ne!(first, bytes);
        let other = Noise { seed: 2, ..noise };
        assert_ne!(first, read_all(NoisyLine::new(&bytes[..], other), 7));
    }

    #[test]
    fn rates_are_kept() {
        let bytes = vec![0x55; 1_000_000];
        let only = |noise| read_all(NoisyLine::new(&bytes[..], noise), 4096);
        let flipped = only(Noise {
            flip: 1e-2,
            ..Noise::default()
        });
        let changed = flipped.iter().filter(|byte| **byte != 0x55).count();
        assert!((9_000..11_000).contains(&changed), "{changed} flipped");
        let dropped = only(Noise {
            drop: 1e-2,
            ..Noise::default()
        });
        assert!((989_000..991_000).contains(&dropped.len()));
        let grown = only(Noise {
            duplicate: 1e-2,
            inject: 1e-2,
            ..Noise::default()
        });
        assert!((1_018_000..1_022_000).contains(&grown.len()));
    }

    #[test]
    fn delays_and_pieces_change_no_byte() {
        let bytes: Vec<u8> = (0..5000).map(|n| n as u8).collect();
        let noise = Noise {
            delay: 1e-3,
            split: 3,
            ..Noise::default()
        };
        let started = Instant::now();
        assert_eq!(read_all(NoisyLine::new(&bytes[..], noise), 100), bytes);
        assert!(started.elapsed() >= STANDSTILL);
    }

    #[test]
    fn a_cut_line_ends_exactly_there() {
        let noise = Noise {
            cut_after: Some(123),
            ..Noise::default()
        };
        assert_eq!(
            read_all(NoisyLine::new(&[1; 500][..], noise), 50).len(),
            123
        );
    }

    #[test]
    fn what_is_written_is_damaged_too() {
        let mut line = NoisyLine::new(Vec::new(), Noise::everything(3, 1e-2));
        line.write_all(&[0x55; 10_000]).unwrap();
        assert_ne!(line.line, [0x55; 10_000]);
    }
}
