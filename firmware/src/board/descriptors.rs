//! The line of a process to the host: a socket that it inherits, or its standard streams.

use std::fs::File;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::OnceLock;

use embedded_io::ErrorKind;
use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::stdio::{dup2_stdin, dup2_stdout};

use crate::board::{Line, power_off};

/// Environment variable with the number of the inherited socket, or [`STANDARD`].
const LINE_VARIABLE: &str = "NGCC_METER_FD";

/// The line is standard input and output, as over ssh.
const STANDARD: &str = "stdio";

/// Both directions of the line.
pub struct Descriptors {
    input: File,
    output: File,
}

/// The line, once it is taken over.
static LINE: OnceLock<Descriptors> = OnceLock::new();

/// The process that the host started. Others that a submission forks share the line, and have no
/// business on it.
static PROCESS: OnceLock<u32> = OnceLock::new();

impl Descriptors {
    /// The line that the environment names; `None` without one.
    pub fn named() -> Option<std::io::Result<Self>> {
        match std::env::var(LINE_VARIABLE).ok()?.as_str() {
            STANDARD => Some(Self::standard()),
            number => Some(Self::inherited(number.parse().ok()?)),
        }
    }

    /// The inherited socket.
    fn inherited(number: i32) -> std::io::Result<Self> {
        // SAFETY: the host tool passed this socket on to us alone.
        let line = UnixStream::from(unsafe { OwnedFd::from_raw_fd(number) });
        // A number that is no socket is noticed here and not in the middle of a measurement.
        line.local_addr()?;
        let output = OwnedFd::from(line.try_clone()?).into();
        Ok(Self {
            input: OwnedFd::from(line).into(),
            output,
        })
    }

    /// Standard input and output. The submission reads nothing and prints among the errors instead: the
    /// two have only these three streams in common with the host. The process ends with whoever keeps
    /// the connection, however long a call takes.
    fn standard() -> std::io::Result<Self> {
        let line = Self {
            input: std::io::stdin().as_fd().try_clone_to_owned()?.into(),
            output: std::io::stdout().as_fd().try_clone_to_owned()?.into(),
        };
        dup2_stdin(File::open("/dev/null")?)?;
        dup2_stdout(std::io::stderr())?;
        set_parent_process_death_signal(Some(Signal::KILL))?;
        Ok(line)
    }

    /// Makes it the one line of this process.
    pub fn take_over(self) -> std::io::Result<()> {
        let _ = PROCESS.set(std::process::id());
        LINE.set(self)
            .map_err(|_| std::io::Error::other("started twice"))
    }
}

/// The line to the host.
pub struct HostLine(&'static Descriptors);

/// A handle on the line.
pub fn line() -> HostLine {
    HostLine(LINE.get().expect("prepared before anything else"))
}

/// Ends a process that a submission forked before it says anything in the meter's name.
fn end_if_forked() {
    if PROCESS.get() != Some(&std::process::id()) {
        power_off(None)
    }
}

impl embedded_io::ErrorType for HostLine {
    type Error = std::io::Error;
}

impl embedded_io::Read for HostLine {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Self::Error> {
        end_if_forked();
        std::io::Read::read(&mut &self.0.input, buffer)
    }
}

impl embedded_io::Write for HostLine {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Self::Error> {
        end_if_forked();
        std::io::Write::write(&mut &self.0.output, bytes)
    }

    fn flush(&mut self) -> Result<(), Self::Error> {
        std::io::Write::flush(&mut &self.0.output)
    }
}

impl Line for HostLine {
    fn is_gone(error: ErrorKind) -> bool {
        // A socket has no transient errors but interruption, after which reading goes on.
        !matches!(error, ErrorKind::Interrupted)
    }
}
