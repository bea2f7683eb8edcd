//! Machines of QEMU's with an emulated Arm core that counts instructions.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::NamedTempFile;

use super::child::{Output, Process, bound_to_us, words};
use super::{Description, Emulator, Life, Running, StartError, System, version};
use crate::image::flatten;
use crate::line::PtyLine;

/// How an image gets into a machine.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Loaded {
    /// QEMU puts the segments of the ELF file where they belong.
    Elf,
    /// As the board's own firmware would load it.
    Flat,
}

/// A machine, with everything that makes its counts what they are.
#[derive(Clone, Copy, Debug)]
struct Machine {
    /// The system's name. It begins with `qemu-`: no count of it may be filed under the name of the
    /// board that it imitates.
    name: &'static str,
    /// Name of the board.
    board: &'static str,
    /// The emulator.
    program: &'static str,
    /// Machine, core and counting mode.
    arguments: &'static [&'static str],
    loaded: Loaded,
}

/// One instruction is one nanosecond of virtual time (`shift=0`), so that counts repeat exactly.
/// With `sleep=off` virtual time jumps to the next timer when the core sleeps; without it, when a
/// timer fires would depend on the host.
const COUNTING: &str = "shift=0,sleep=off";

/// The machines; the first one is the default.
const MACHINES: [Machine; 2] = [
    Machine {
        name: "qemu-virt",
        board: "qemu-virt",
        program: "qemu-system-aarch64",
        arguments: &[
            "-M",
            "virt,gic-version=2",
            "-cpu",
            "cortex-a72",
            "-m",
            "1G",
            "-icount",
            COUNTING,
        ],
        loaded: Loaded::Elf,
    },
    Machine {
        name: "qemu-raspi3b",
        board: "rpi3",
        program: "qemu-system-aarch64",
        // The meter says goodbye with a reset, as on the board. Core and memory are the only ones
        // that this machine can have, named for the record.
        arguments: &[
            "-M",
            "raspi3b",
            "-cpu",
            "cortex-a53",
            "-m",
            "1G",
            "-icount",
            COUNTING,
            "-no-reboot",
        ],
        loaded: Loaded::Flat,
    },
];

/// Name of the default machine.
pub const NAME: &str = MACHINES[0].name;

/// No devices beyond the machine's own: option ROMs may be missing, and a monitor has no user.
const QUIET: [&str; 5] = ["-nodefaults", "-display", "none", "-monitor", "none"];

/// A machine of QEMU's.
#[derive(Clone, Debug)]
pub struct Qemu {
    machine: Machine,
    arguments: Vec<String>,
    description: Description,
}

impl Qemu {
    /// Asks the installed QEMU for its version; `None` when there is no machine of this name.
    ///
    /// # Errors
    ///
    /// When it is not installed, or does not say what it is.
    pub fn named(name: &str) -> Option<Result<Self, StartError>> {
        let machine = MACHINES.iter().find(|machine| machine.name == name)?;
        Some(Self::new(*machine))
    }

    fn new(machine: Machine) -> Result<Self, StartError> {
        let program = machine.program;
        let said = version::ask(program, version::LIMIT)?;
        let first = said.lines().next().unwrap_or_default();
        let version = first
            .strip_prefix("QEMU emulator version ")
            .ok_or_else(|| StartError::StrangeProgram {
                program: program.to_owned(),
                said: first.to_owned(),
            })?;
        Ok(Self {
            machine,
            arguments: machine.arguments.iter().map(|&word| word.into()).collect(),
            description: Description {
                wall_per_target: 20.0,
                usual_wall_per_target: 5.0,
                emulator: Some(Emulator {
                    name: program.to_owned(),
                    version: version.to_owned(),
                    mode: machine.arguments.join(" "),
                }),
                ..Description::new(machine.name, machine.board, "pty")
            },
        })
    }

    /// The same with another argument behind an option such as `-cpu`: for tests of what an image
    /// must run on beside the machine that is measured.
    pub fn with(mut self, option: &str, value: &str) -> Self {
        let at = self.arguments.iter().position(|word| word == option);
        match at.and_then(|at| self.arguments.get_mut(at + 1)) {
            Some(present) => value.clone_into(present),
            None => self.arguments.extend([option, value].map(str::to_owned)),
        }
        if let Some(emulator) = &mut self.description.emulator {
            emulator.mode = self.arguments.join(" ");
        }
        self
    }
}

/// Name of the board of the machine of this name.
pub fn board_of(name: &str) -> Option<&'static str> {
    let machine = MACHINES.iter().find(|machine| machine.name == name)?;
    Some(machine.board)
}

/// Name of a machine that is this board.
pub fn for_board(board: &str) -> Option<&'static str> {
    let machine = MACHINES.iter().find(|machine| machine.board == board)?;
    Some(machine.name)
}

/// Names of all machines.
pub fn names() -> impl Iterator<Item = &'static str> {
    MACHINES.iter().map(|machine| machine.name)
}

impl System for Qemu {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, elf: &Path) -> Result<Running, StartError> {
        let (kernel, path) = match self.machine.loaded {
            Loaded::Elf => (None, elf.to_owned()),
            Loaded::Flat => {
                let (file, path) = flat_file(elf)?;
                (Some(file), path)
            }
        };
        let (line, slave) = PtyLine::open().map_err(StartError::Line)?;
        let mut command = bound_to_us(self.machine.program);
        command
            .args(&self.arguments)
            .args(QUIET)
            .args(["-chardev", &format!("serial,id=uart,path={}", slave.path)])
            .args(["-serial", "chardev:uart"])
            .arg("-kernel")
            .arg(path);
        let process = Process::start("QEMU", &mut command)?;
        Ok(Running {
            line: Box::new(line),
            life: Box::new(Emulated {
                process,
                _kernel: kernel,
            }),
            command: words(&command),
        })
    }
}

/// A temporary file with the flat image of an ELF file.
fn flat_file(elf: &Path) -> Result<(NamedTempFile, PathBuf), StartError> {
    let unreadable = |source| StartError::Image {
        path: elf.to_owned(),
        source,
    };
    let flat = flatten(&fs::read(elf).map_err(unreadable)?)?;
    let write = || {
        let mut file = NamedTempFile::with_suffix(".img")?;
        file.write_all(&flat.bytes)?;
        file.flush()?;
        Ok(file)
    };
    let file = write().map_err(unreadable)?;
    let path = file.path().to_owned();
    Ok((file, path))
}

/// The emulator, and the file that it may still have to read.
struct Emulated {
    process: Process,
    _kernel: Option<NamedTempFile>,
}

impl Life for Emulated {
    fn ended(&mut self) -> Option<String> {
        self.process.ended()
    }

    fn exit_code(&mut self) -> Option<i64> {
        self.process.exit_code()
    }

    fn output(&mut self) -> Output {
        self.process.output()
    }

    fn stop(&mut self, grace: Duration) {
        self.process.stop(grace);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emulated_machine_never_bears_the_name_of_a_real_board() {
        for machine in MACHINES {
            assert!(machine.name.starts_with("qemu-"), "{}", machine.name);
            let board = catalogue::board(machine.board).unwrap();
            let is_flat = machine.loaded == Loaded::Flat;
            assert_eq!(board.flat_image.is_some(), is_flat, "{}", machine.name);
            assert_eq!(for_board(machine.board), Some(machine.name));
            assert_eq!(board_of(machine.name), Some(machine.board));
        }
        assert_eq!(board_of("rpi3"), None);
    }
}
