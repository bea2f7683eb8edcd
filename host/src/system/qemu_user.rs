//! QEMU's emulation of Linux user mode: the meter for another Arm machine runs here as a process, to
//! find out whether it works there. Its counts and times are the emulator's.

use std::path::Path;

use super::child::bound_to_us;
use super::local::start_process;
use super::{Description, Emulator, Running, StartError, System, version};

/// The system's name.
pub const NAME: &str = "qemu-user";

/// The board that its images are built for.
pub const BOARD: &str = "linux-aarch64";

/// The emulator.
pub(super) const PROGRAM: &str = "qemu-aarch64";

/// The core, as `qemu-virt` has it, and the loader and the C library that Debian's cross compiler
/// brings.
const MODE: [&str; 4] = ["-cpu", "cortex-a72", "-L", "/usr/aarch64-linux-gnu"];

/// Environment variable that tells the meter that there are no filters of system calls.
const UNCONFINED_VARIABLE: &str = "NGCC_METER_UNCONFINED";

/// A process of an emulated Arm machine.
#[derive(Clone, Debug)]
pub struct QemuUser {
    description: Description,
}

impl QemuUser {
    /// Asks the installed QEMU for its version.
    ///
    /// # Errors
    ///
    /// When it is not installed, or does not say what it is.
    pub fn new() -> Result<Self, StartError> {
        let said = version::ask(PROGRAM, version::LIMIT)?;
        let first = said.lines().next().unwrap_or_default();
        let version = first.strip_prefix("qemu-aarch64 version ").ok_or_else(|| {
            StartError::StrangeProgram {
                program: PROGRAM.to_owned(),
                said: first.to_owned(),
            }
        })?;
        Ok(Self {
            description: Description {
                emulator: Some(Emulator {
                    name: PROGRAM.to_owned(),
                    version: version.to_owned(),
                    mode: MODE.join(" "),
                }),
                ..Description::new(NAME, BOARD, "socket")
            },
        })
    }
}

impl System for QemuUser {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, elf: &Path) -> Result<Running, StartError> {
        let mut command = bound_to_us(PROGRAM);
        command.args(MODE).arg(elf).env(UNCONFINED_VARIABLE, "1");
        start_process(command)
    }
}
