//! This machine: the meter as a Linux process, reached over a socket that it inherits.

use std::env::consts::ARCH;
use std::path::Path;
use std::process::Command;

use command_fds::{CommandFdExt, FdMapping};

use super::child::{Process, bound_to_us, words};
use super::{Description, Running, StartError, System};
use crate::line::socket_pair;

/// The board's name.
pub const BOARD: &str = "linux";

/// Environment variable that names the meter's end of the socket.
const DESCRIPTOR_VARIABLE: &str = "NGCC_METER_FD";

/// The meter's end of the socket: standard input, output and error stay the candidate's.
const DESCRIPTOR: i32 = 3;

/// This machine under a name that tells it from others.
#[derive(Clone, Debug)]
pub struct Local {
    description: Description,
}

impl Local {
    /// The machine under this name, which must start with its architecture.
    pub fn named(name: &str) -> Option<Self> {
        let suffix = name.strip_prefix(architecture())?.strip_prefix('_')?;
        (is_word(suffix) && !is_published(name)).then(|| Self {
            description: Description {
                needs_quiet: true,
                ..Description::new(name, BOARD, "socket")
            },
        })
    }

    /// The name when none is given.
    pub fn default_name() -> String {
        format!("{}_local", architecture())
    }
}

/// Whether this can follow the architecture in a system's name.
pub(super) fn is_word(suffix: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !suffix.is_empty() && suffix.chars().all(is_letter)
}

/// Whether a name is that of a published system: an architecture with a number.
pub(super) fn is_published(name: &str) -> bool {
    let parts = name.split_once('_');
    parts.is_some_and(|(architecture, number)| {
        (matches!(architecture, "x86" | "arm") || architecture == self::architecture())
            && !number.is_empty()
            && number.chars().all(|c| c.is_ascii_digit())
    })
}

/// The architecture as system names spell it.
fn architecture() -> &'static str {
    match ARCH {
        "x86_64" => "x86",
        "aarch64" => "arm",
        other => other,
    }
}

impl System for Local {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, elf: &Path) -> Result<Running, StartError> {
        start_process(bound_to_us(&elf.to_string_lossy()))
    }
}

/// Starts a meter that inherits a socket.
pub(super) fn start_process(mut command: Command) -> Result<Running, StartError> {
    let (line, theirs) = socket_pair().map_err(StartError::Line)?;
    command.env(DESCRIPTOR_VARIABLE, DESCRIPTOR.to_string());
    command
        .fd_mappings(vec![FdMapping {
            parent_fd: theirs.into(),
            child_fd: DESCRIPTOR,
        }])
        .expect("one descriptor cannot collide with itself");
    let process = Process::start("the meter", &mut command)?;
    let words = words(&command);
    // The command owns our copy of the meter's end: with it gone, the end of the process is the
    // end of the line.
    drop(command);
    Ok(Running {
        line: Box::new(line),
        life: Box::new(process),
        command: words,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_names_and_other_architectures_are_not_this_machine() {
        let name = |suffix: &str| format!("{}_{suffix}", architecture());
        assert!(Local::named(&Local::default_name()).is_some());
        assert!(Local::named(&name("desk-2")).is_some());
        for bad in [name("1"), name(""), name("a/b"), name("a b")] {
            assert!(Local::named(&bad).is_none(), "{bad}");
        }
        for name in ["x86_1", "arm_1", "arm_12"] {
            assert!(is_published(name) && Local::named(name).is_none(), "{name}");
        }
        for name in ["x86_", "x86_a1", "x86", "qemu-virt"] {
            assert!(!is_published(name), "{name}");
        }
        assert!(Local::named("mips_local").is_none());
        assert!(Local::named("qemu-virt").is_none());
    }
}
