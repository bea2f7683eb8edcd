//! A pseudo terminal: the host keeps the master, an emulator opens the slave by its name.

use std::io::{self, Read, Write};

use serialport::{SerialPort, TTYPort};

use super::TIMEOUT;

/// The host's end of a pseudo terminal in raw mode.
///
/// The host makes the pair itself, because QEMU's own pty back-end polls once a second for a
/// reader and drops what is sent before it sees one.
#[derive(Debug)]
pub struct PtyLine {
    master: TTYPort,
    /// Never used after the start, and held until the end. As long as one handle of the slave is
    /// open, its last close by the emulator does not hang the terminal up, and what the emulator
    /// wrote before it ended can still be read: after a hang-up, serialport gives an error and
    /// drops the rest. That the emulator ended is seen from the process, not from the line.
    _slave: TTYPort,
}

/// Where the emulator finds its end.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SlaveEnd {
    /// Path of the device.
    pub path: String,
}

impl PtyLine {
    /// Makes a pseudo terminal in raw mode.
    ///
    /// # Errors
    ///
    /// When the system has none left or refuses.
    pub fn open() -> io::Result<(Self, SlaveEnd)> {
        let (master, slave) = TTYPort::pair()?;
        // The clones are close-on-exec, which the originals are not: no child may hold this line.
        let mut master = master.try_clone_native()?;
        let slave = slave.try_clone_native()?;
        master.set_timeout(TIMEOUT)?;
        let path = slave
            .name()
            .ok_or_else(|| io::Error::other("the pseudo terminal has no name"))?;
        let line = Self {
            master,
            _slave: slave,
        };
        Ok((line, SlaveEnd { path }))
    }
}

impl Read for PtyLine {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.master.read(buffer)
    }
}

impl Write for PtyLine {
    /// Writes one byte: the terminal is in blocking mode, and that it can be written to promises
    /// room for no more. Requests are short.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.master.write(&bytes[..bytes.len().min(1)])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::{Reading, read, write};
    use std::fs::OpenOptions;
    use std::time::{Duration, Instant};

    /// Every byte value, as binary frames have them.
    fn all_bytes() -> Vec<u8> {
        (0..=255).collect()
    }

    #[test]
    fn every_byte_passes_both_ways_unchanged() {
        let (mut line, slave) = PtyLine::open().unwrap();
        let mut device = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&slave.path)
            .unwrap();
        device.write_all(&all_bytes()).unwrap();
        let mut received = Vec::new();
        while received.len() < 256 {
            let mut buffer = [0; 100];
            match read(&mut line, &mut buffer) {
                Reading::Bytes(length) => received.extend_from_slice(&buffer[..length]),
                other => panic!("{other:?} after {} bytes", received.len()),
            }
        }
        assert_eq!(received, all_bytes());

        assert_eq!(write(&mut line, &all_bytes()), Ok(true));
        let mut received = [0; 256];
        device.read_exact(&mut received).unwrap();
        assert_eq!(received.to_vec(), all_bytes());
    }

    #[test]
    fn what_was_written_before_the_other_side_closed_is_not_lost() {
        let (mut line, slave) = PtyLine::open().unwrap();
        let mut device = OpenOptions::new().write(true).open(&slave.path).unwrap();
        device.write_all(&[7; 747]).unwrap();
        drop(device);
        let mut received = 0;
        let mut buffer = [0; 64];
        while let Reading::Bytes(length) = read(&mut line, &mut buffer) {
            received += length;
        }
        assert_eq!(received, 747);
    }

    #[test]
    fn silence_is_nothing_and_ends_soon() {
        let (mut line, _slave) = PtyLine::open().unwrap();
        let started = Instant::now();
        assert_eq!(read(&mut line, &mut [0; 8]), Reading::Nothing);
        assert!(started.elapsed() < Duration::from_secs(2));
    }

    #[test]
    fn writing_to_nobody_ends_instead_of_blocking() {
        let (mut line, _slave) = PtyLine::open().unwrap();
        let started = Instant::now();
        assert_eq!(write(&mut line, &vec![1; 1 << 20]), Ok(false));
        assert!(started.elapsed() < Duration::from_secs(10));
    }
}
