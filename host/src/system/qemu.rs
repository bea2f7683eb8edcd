//! QEMU's `virt` machine with an emulated Arm core that counts instructions.

use std::path::Path;

use super::child::{Process, bound_to_us, words};
use super::{Emulator, Running, StartError, System, version};
use crate::line::PtyLine;

/// The system's name, and its board's.
pub const NAME: &str = "qemu-virt";

/// The emulator.
const PROGRAM: &str = "qemu-system-aarch64";

/// What makes the counts what they are.
///
/// One instruction is one nanosecond of virtual time (`shift=0`), so that counts repeat exactly.
/// With `sleep=off` virtual time jumps to the next timer when the core sleeps; without it, when a
/// timer fires would depend on the host.
const MACHINE: [&str; 8] = [
    "-M",
    "virt,gic-version=2",
    "-cpu",
    "cortex-a72",
    "-m",
    "1G",
    "-icount",
    "shift=0,sleep=off",
];

/// No devices beyond the machine's own: option ROMs may be missing, and a monitor has no user.
const QUIET: [&str; 5] = ["-nodefaults", "-display", "none", "-monitor", "none"];

/// QEMU's `virt` machine.
#[derive(Clone, Debug)]
pub struct Qemu {
    emulator: Emulator,
}

impl Qemu {
    /// Asks the installed QEMU for its version.
    ///
    /// # Errors
    ///
    /// When it is not installed, or does not say what it is.
    pub fn new() -> Result<Self, StartError> {
        let said = version::ask(PROGRAM, version::LIMIT)?;
        let first = said.lines().next().unwrap_or_default();
        let version = first
            .strip_prefix("QEMU emulator version ")
            .ok_or_else(|| StartError::StrangeProgram {
                program: PROGRAM.to_owned(),
                said: first.to_owned(),
            })?;
        Ok(Self {
            emulator: Emulator {
                name: PROGRAM.to_owned(),
                version: version.to_owned(),
                mode: MACHINE.join(" "),
            },
        })
    }
}

impl System for Qemu {
    fn name(&self) -> &str {
        NAME
    }

    fn board(&self) -> &str {
        NAME
    }

    fn wall_per_target(&self) -> f64 {
        20.0
    }

    fn usual_wall_per_target(&self) -> f64 {
        5.0
    }

    fn transport(&self) -> &'static str {
        "pty"
    }

    fn emulator(&self) -> Option<&Emulator> {
        Some(&self.emulator)
    }

    fn start(&self, elf: &Path) -> Result<Running, StartError> {
        let (line, slave) = PtyLine::open().map_err(StartError::Line)?;
        let mut command = bound_to_us(PROGRAM);
        command
            .args(MACHINE)
            .args(QUIET)
            .args(["-chardev", &format!("serial,id=uart,path={}", slave.path)])
            .args(["-serial", "chardev:uart"])
            .arg("-kernel")
            .arg(elf);
        let process = Process::start("QEMU", &mut command)?;
        Ok(Running {
            line: Box::new(line),
            life: Box::new(process),
            command: words(&command),
        })
    }
}
