//! A line that keeps a copy of every byte read, to be replayed later.

use std::io::{self, Read, Write};

/// Copies what is read from a line into a sink, such as a file.
#[derive(Debug)]
pub struct Capture<L, S> {
    line: L,
    sink: S,
}

impl<L, S> Capture<L, S> {
    /// Around this line, into this sink.
    pub fn new(line: L, sink: S) -> Self {
        Self { line, sink }
    }
}

impl<L: Read, S: Write> Read for Capture<L, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.line.read(buffer)?;
        self.sink
            .write_all(&buffer[..length])
            .map_err(|error| io::Error::other(format!("cannot write the capture: {error}")))?;
        Ok(length)
    }
}

impl<L: Write, S> Write for Capture<L, S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.line.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copy_is_what_was_read() {
        let mut copy = Vec::new();
        let mut line = Capture::new(&b"0123456789"[..], &mut copy);
        let mut buffer = [0; 4];
        while line.read(&mut buffer).unwrap() > 0 {}
        assert_eq!(copy, b"0123456789");
    }
}
