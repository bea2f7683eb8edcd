//! A serial line to a board: found, taken for ourselves alone, and left as it was.

mod adapters;
mod error;
mod holders;
mod ports;

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::termios::{ControlModes, OptionalActions, tcgetattr, tcsetattr};
use serialport::{SerialPort, TTYPort};

pub use error::PortError;
pub use ports::{Port, Usb, list, only_adapter, words};

use super::TIMEOUT;
use crate::interrupt::{Interrupt, Urgency};

/// Rate of the line unless another is asked for: what the firmware of boards starts with.
pub const BAUD: u32 = 115_200;

/// How often a port that is not there is looked for.
const POLL: Duration = Duration::from_millis(50);

/// How long a port that has just come back may refuse: udev sets its group a moment later.
const SETTLING: Duration = Duration::from_secs(2);

/// A serial line that nobody else can open as long as it lives.
///
/// Opening it asserts DTR, which the kernel does unasked; nothing else moves DTR or RTS, also not
/// closing it: a board may be reset by either.
#[derive(Debug)]
pub struct SerialLine {
    port: TTYPort,
    name: PathBuf,
    _device: File,
}

impl SerialLine {
    /// Takes a port, eight bits without parity, at this rate in bits per second.
    ///
    /// # Errors
    ///
    /// Why not, and who has it.
    pub fn open(name: &Path, baud: u32) -> Result<Self, PortError> {
        // Plainly at first: the errors of the kernel say more than those of the library.
        let device = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags((OFlags::NOCTTY | OFlags::NONBLOCK).bits().cast_signed())
            .open(name)
            .map_err(|error| refused(name, error))?;
        let holders = holders::of(name);
        if !holders.is_empty() {
            return Err(PortError::Busy {
                port: name.to_owned(),
                holders,
            });
        }
        keep_signals(&device).map_err(|error| PortError::Unusable {
            port: name.to_owned(),
            source: error.into(),
        })?;
        let builder = serialport::new(name.to_string_lossy(), baud)
            .timeout(TIMEOUT)
            .preserve_dtr_on_open()
            .exclusive(true);
        let port = TTYPort::open(&builder).map_err(|error| match error.kind() {
            serialport::ErrorKind::NoDevice => PortError::Busy {
                port: name.to_owned(),
                holders: holders::of(name),
            },
            _ => PortError::Rate {
                port: name.to_owned(),
                baud,
                reason: error.to_string(),
            },
        })?;
        Ok(Self {
            port,
            name: name.to_owned(),
            _device: device,
        })
    }

    /// Takes a port as soon as it is there; one that was unplugged may come back.
    ///
    /// # Errors
    ///
    /// [`PortError::Missing`] when it does not come within this time, [`PortError::Interrupted`] on
    /// Ctrl-C, and why it cannot be taken.
    pub fn open_when_there(
        name: &Path,
        baud: u32,
        patience: Duration,
        interrupt: &Interrupt,
    ) -> Result<Self, PortError> {
        let until = Instant::now() + patience;
        let mut seen = None;
        loop {
            let error = match Self::open(name, baud) {
                Err(error) => error,
                opened => return opened,
            };
            let may_pass = match &error {
                PortError::Missing { .. } => {
                    seen = None;
                    true
                }
                // While it comes and goes there are moments in which it is there and useless, or
                // whatever looks for modems has it.
                PortError::Permission { .. }
                | PortError::Unusable { .. }
                | PortError::Busy { .. } => {
                    seen.get_or_insert_with(Instant::now).elapsed() < SETTLING
                }
                _ => false,
            };
            if interrupt.urgency() > Urgency::None {
                return Err(PortError::Interrupted);
            }
            if !may_pass || Instant::now() >= until {
                return Err(error);
            }
            thread::sleep(POLL);
        }
    }

    /// The name that it was opened by.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Changes the rate, once both sides have agreed on another one.
    ///
    /// # Errors
    ///
    /// When the port cannot do it; it stays at the rate that it has.
    pub fn set_baud(&mut self, baud: u32) -> Result<(), PortError> {
        let failed = |reason: serialport::Error| PortError::Rate {
            port: self.name.clone(),
            baud,
            reason: reason.to_string(),
        };
        // What was written must leave at the rate that it was written for.
        let _ = self.port.flush();
        self.port.set_baud_rate(baud).map_err(failed)
    }
}

impl Read for SerialLine {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.port.read(buffer)
    }
}

impl Write for SerialLine {
    /// Writes one byte: the port is in blocking mode, and that it can be written to promises room
    /// for no more. Requests are short.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.port.write(&bytes[..bytes.len().min(1)])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Lets DTR and RTS stay as they are when the port is closed (termios(3), HUPCL).
fn keep_signals(device: &File) -> rustix::io::Result<()> {
    let mut settings = tcgetattr(device)?;
    settings.control_modes.remove(ControlModes::HUPCL);
    tcsetattr(device, OptionalActions::Now, &settings)
}

/// What the kernel's refusal means.
fn refused(name: &Path, source: io::Error) -> PortError {
    let port = name.to_owned();
    match source.kind() {
        ErrorKind::NotFound => PortError::Missing { port },
        ErrorKind::PermissionDenied => PortError::Permission {
            group: group_of(name),
            port,
        },
        _ if source.raw_os_error() == Some(Errno::BUSY.raw_os_error()) => PortError::Busy {
            holders: holders::of(name),
            port,
        },
        // The device is listed, but what it stood for has gone.
        _ if [Errno::NXIO, Errno::NODEV, Errno::IO]
            .iter()
            .any(|errno| source.raw_os_error() == Some(errno.raw_os_error())) =>
        {
            PortError::Missing { port }
        }
        _ => PortError::Unusable { port, source },
    }
}

/// Name of the group that a device belongs to; its number where it has no name.
fn group_of(device: &Path) -> String {
    let Ok(metadata) = fs::metadata(device) else {
        return "dialout".to_owned();
    };
    let groups = fs::read_to_string("/etc/group").unwrap_or_default();
    group_name(&groups, metadata.gid()).unwrap_or_else(|| metadata.gid().to_string())
}

/// The name of a group in the text of `/etc/group`.
fn group_name(groups: &str, number: u32) -> Option<String> {
    groups.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, _, id) = (fields.next()?, fields.next()?, fields.next()?);
        (id.parse() == Ok(number)).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::{Reading, read, write};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use std::os::unix::fs::symlink;
    use std::process::{Command, Stdio};

    /// A pseudo terminal whose other end nobody has open: a board and the port that leads to it.
    fn board() -> (File, PathBuf) {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let board = openpt(flags).unwrap();
        grantpt(&board).unwrap();
        unlockpt(&board).unwrap();
        let name = ptsname(&board, Vec::new()).unwrap();
        (board.into(), name.into_string().unwrap().into())
    }

    fn open(name: &Path) -> Result<SerialLine, PortError> {
        SerialLine::open(name, BAUD)
    }

    #[test]
    fn every_byte_passes_both_ways_at_any_rate() {
        let (mut board, name) = board();
        let mut line = open(&name).unwrap();
        let all: Vec<u8> = (0..=255).collect();
        board.write_all(&all).unwrap();
        let mut received = Vec::new();
        while received.len() < all.len() {
            let mut buffer = [0; 100];
            match read(&mut line, &mut buffer) {
                Reading::Bytes(length) => received.extend_from_slice(&buffer[..length]),
                other => panic!("{other:?} after {} bytes", received.len()),
            }
        }
        assert_eq!(received, all);
        line.set_baud(921_600).unwrap();
        assert_eq!(line.port.baud_rate().unwrap(), 921_600);
        assert_eq!(write(&mut line, &all), Ok(true));
        let mut received = [0; 256];
        board.read_exact(&mut received).unwrap();
        assert_eq!(received.to_vec(), all);
    }

    #[test]
    fn a_port_that_another_program_has_is_refused_with_its_name() {
        let (_board, name) = board();
        let held = fs::File::open(&name).unwrap();
        let mut other = Command::new("sleep")
            .arg("1000")
            .stdin(Stdio::from(held))
            .spawn()
            .unwrap();
        let error = open(&name).err();
        other.kill().unwrap();
        other.wait().unwrap();
        let words = error.unwrap().to_string();
        assert!(words.contains("is in use by sleep (process"), "{words}");
        open(&name).unwrap();
    }

    #[test]
    fn a_port_is_taken_once() {
        let (_board, name) = board();
        let first = open(&name).unwrap();
        assert!(matches!(open(&name), Err(PortError::Busy { .. })));
        drop(first);
        open(&name).unwrap();
    }

    #[test]
    fn what_is_no_port_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        assert!(matches!(open(&file), Err(PortError::Missing { .. })));
        fs::write(&file, "").unwrap();
        assert!(matches!(open(&file), Err(PortError::Unusable { .. })));
        let denied = refused(&file, ErrorKind::PermissionDenied.into());
        let PortError::Permission { group, .. } = denied else {
            panic!("{denied:?}");
        };
        assert!(!group.is_empty());
        let groups = "root:x:0:\ndialout:x:20:alice,bob\n";
        assert_eq!(group_name(groups, 20).as_deref(), Some("dialout"));
        assert_eq!(group_name(groups, 7), None);
    }

    #[test]
    fn an_unplugged_port_is_closed_and_waited_for_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let by_id = folder.path().join("usb-cable");
        let (board_1, name) = board();
        symlink(&name, &by_id).unwrap();
        let mut line = open(&by_id).unwrap();
        assert_eq!(read(&mut line, &mut [0; 8]), Reading::Nothing);
        drop(board_1);
        assert!(matches!(read(&mut line, &mut [0; 8]), Reading::Closed(_)));
        drop(line);
        fs::remove_file(&by_id).unwrap();

        let interrupt = Interrupt::new();
        let wait = |patience| SerialLine::open_when_there(&by_id, BAUD, patience, &interrupt);
        let missing = wait(Duration::ZERO);
        assert!(matches!(missing, Err(PortError::Missing { .. })));
        let (mut board_2, name) = board();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| wait(Duration::from_secs(60)));
            symlink(&name, &by_id).unwrap();
            let mut line = waiting.join().unwrap().unwrap();
            board_2.write_all(b"back").unwrap();
            assert_eq!(read(&mut line, &mut [0; 8]), Reading::Bytes(4));
        });
        interrupt.press();
        fs::remove_file(&by_id).unwrap();
        let ended = wait(Duration::from_secs(60));
        assert!(matches!(ended, Err(PortError::Interrupted)));
    }
}
