//! Bytes between the host and a meter: a serial port, a pseudo terminal, a socket, and decorators
//! around them.

mod noise;
mod pace;
mod pty;
pub mod serial;
mod socket;

use std::io::{ErrorKind, Read, Write};
use std::time::Duration;

pub use noise::{Noise, NoisyLine, STANDSTILL};
pub use pace::{Load, PacedLine};
pub use pty::{PtyLine, SlaveEnd};
pub use socket::{SocketLine, socket_pair};

/// How long one read or write on a line waits at most, so that whoever uses it can look at clocks
/// and at Ctrl-C in between.
pub const TIMEOUT: Duration = Duration::from_millis(50);

/// A line to a meter.
///
/// A read that brings nothing within [`TIMEOUT`] fails with `TimedOut` or `WouldBlock`; one that
/// returns 0 bytes says that the line is closed.
pub trait Line: Read + Write + Send {}

impl<T: Read + Write + Send> Line for T {}

/// What one attempt to read from a line brought.
#[derive(Debug, Eq, PartialEq)]
pub enum Reading {
    /// So many bytes, at least one.
    Bytes(usize),
    /// Nothing yet.
    Nothing,
    /// Nothing ever again, and why.
    Closed(String),
}

/// Reads once, and sorts what the operating system calls an error into what it means here.
pub fn read(line: &mut dyn Line, buffer: &mut [u8]) -> Reading {
    match line.read(buffer) {
        Ok(0) => Reading::Closed("the line is closed".into()),
        Ok(length) => Reading::Bytes(length),
        Err(error) if is_temporary(error.kind()) => Reading::Nothing,
        Err(error) => Reading::Closed(format!("the line failed: {error}")),
    }
}

/// Writes these bytes; `Ok(false)` when the other side does not take them in time, which may leave
/// a part of them on the line.
///
/// # Errors
///
/// Why the line cannot be written to at all any more.
pub fn write(line: &mut dyn Line, mut bytes: &[u8]) -> Result<bool, String> {
    while !bytes.is_empty() {
        match line.write(bytes) {
            Ok(0) => return Err("the line is closed".into()),
            Ok(length) => bytes = &bytes[length..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if is_temporary(error.kind()) => return Ok(false),
            Err(error) => return Err(format!("the line failed: {error}")),
        }
    }
    Ok(true)
}

fn is_temporary(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted
    )
}
