//! The other end of a serial port: a pseudo terminal, and what a test lets a board do there.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// The place of a board: a port by a lasting name.
pub struct Socket {
    folder: tempfile::TempDir,
}

impl Socket {
    /// Nothing is plugged in.
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// The name of the port, whatever is plugged in.
    pub fn port(&self) -> PathBuf {
        self.folder.path().join("usb-board")
    }

    /// Plugs a board in, in place of the one before; its end of the line comes back. Dropping that
    /// unplugs it.
    pub fn plug_in(&self) -> File {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let board = openpt(flags).unwrap();
        grantpt(&board).unwrap();
        unlockpt(&board).unwrap();
        let device = ptsname(&board, Vec::new()).unwrap();
        let name = self.folder.path().join("new");
        symlink(Path::new(device.to_str().unwrap()), &name).unwrap();
        fs::rename(name, self.port()).unwrap();
        board.into()
    }
}
