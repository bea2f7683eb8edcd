//! Machines that a meter can run on: how to start an image there and what line leads to it.

mod child;
mod error;
mod local;
mod qemu;
mod qemu_user;
mod ssh;
mod version;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use child::{Captured, Output, Process};
pub use error::StartError;
pub use local::Local;
pub use qemu::Qemu;
pub use qemu_user::QemuUser;
pub use ssh::{Destination, Ssh};

use crate::capture::Replayed;
use crate::line::Line;
use crate::machine::Remote;

/// What is known of a system before anything runs on it.
#[derive(Clone, Debug)]
pub struct Description {
    /// The name in commands, folders and records.
    pub name: String,
    /// Name of the board that its images are built for.
    pub board: String,
    /// Wall-clock seconds for one second on the target's clock, at first.
    pub wall_per_target: f64,
    /// The same as it usually is; 1 where the target's clock is the wall's.
    pub usual_wall_per_target: f64,
    /// Kind of line, as records name it.
    pub transport: &'static str,
    /// What emulates the machine, if anything does.
    pub emulator: Option<Emulator>,
    /// Whether other work on this machine changes what is counted, so that the system is measured
    /// with nothing beside it. It does not where a board or an emulator counts for itself.
    pub needs_quiet: bool,
    /// The machine, where it is another than this one and no emulator's.
    pub remote: Option<Arc<Remote>>,
}

impl Description {
    /// A real machine whose clock is the wall's, behind a line of this kind; it may be disturbed.
    pub fn new(name: &str, board: &str, transport: &'static str) -> Self {
        Self {
            name: name.to_owned(),
            board: board.to_owned(),
            wall_per_target: 2.0,
            usual_wall_per_target: 1.0,
            transport,
            emulator: None,
            needs_quiet: false,
            remote: None,
        }
    }
}

/// One machine in one configuration.
///
/// A system around another one, such as one whose line is recorded, has the other's description: all
/// of it, whatever is added to it.
pub trait System: Send + Sync {
    /// What is known of it.
    fn description(&self) -> &Description;

    /// See [`Description::name`].
    fn name(&self) -> &str {
        &self.description().name
    }

    /// See [`Description::board`].
    fn board(&self) -> &str {
        &self.description().board
    }

    /// See [`Description::wall_per_target`].
    fn wall_per_target(&self) -> f64 {
        self.description().wall_per_target
    }

    /// See [`Description::usual_wall_per_target`].
    fn usual_wall_per_target(&self) -> f64 {
        self.description().usual_wall_per_target
    }

    /// See [`Description::transport`].
    fn transport(&self) -> &'static str {
        self.description().transport
    }

    /// See [`Description::emulator`].
    fn emulator(&self) -> Option<&Emulator> {
        self.description().emulator.as_ref()
    }

    /// See [`Description::needs_quiet`].
    fn needs_quiet(&self) -> bool {
        self.description().needs_quiet
    }

    /// See [`Description::remote`].
    fn remote(&self) -> Option<&Remote> {
        self.description().remote.as_deref()
    }

    /// Starts an image.
    ///
    /// # Errors
    ///
    /// What is missing on this machine, and how to get it.
    fn start(&self, elf: &Path) -> Result<Running, StartError>;
}

/// What emulates a machine.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct Emulator {
    /// Its name.
    pub name: String,
    /// Its version, in its own words.
    pub version: String,
    /// Machine, core and counting mode: what makes its counts what they are.
    pub mode: String,
}

impl Emulator {
    /// Whether it emulates processes and no machine.
    pub fn is_of_user_mode(&self) -> bool {
        self.name == qemu_user::PROGRAM
    }
}

/// A meter that was started.
pub struct Running {
    /// The line to it.
    pub line: Box<dyn Line>,
    /// What holds it alive.
    pub life: Box<dyn Life>,
    /// The command that started it; empty when none did.
    pub command: Vec<String>,
}

/// The life of a meter: a process, or a board that cannot be asked.
pub trait Life: Send {
    /// How it ended, once it has.
    fn ended(&mut self) -> Option<String>;

    /// Its exit code, once it has ended and if it has one: a signal's number is negative.
    fn exit_code(&mut self) -> Option<i64>;

    /// What it wrote to its standard output and error so far; everything, once it has ended.
    fn output(&mut self) -> Output;

    /// Ends it, if it does not end by itself within `grace`.
    fn stop(&mut self, grace: Duration);
}

/// The system of this name, which is at this destination or, without one, here.
///
/// # Errors
///
/// See [`find`] and [`Ssh::connect`].
pub fn find_at(
    name: &str,
    destination: Option<&Destination>,
) -> Result<Box<dyn System>, StartError> {
    match destination {
        Some(destination) => Ok(Box::new(Ssh::connect(name, destination)?)),
        None => find(name),
    }
}

/// The system of this name.
///
/// # Errors
///
/// When there is none, or this machine cannot run it.
pub fn find(name: &str) -> Result<Box<dyn System>, StartError> {
    if let Some(qemu) = Qemu::named(name) {
        return Ok(Box::new(qemu?));
    }
    if name == qemu_user::NAME {
        return Ok(Box::new(QemuUser::new()?));
    }
    if let Some(local) = Local::named(name) {
        return Ok(Box::new(local));
    }
    if let Some(replayed) = Replayed::named(name) {
        return Ok(Box::new(replayed?));
    }
    Err(unknown(name))
}

/// Name of the board that a system is, whether or not it can be started now.
///
/// # Errors
///
/// When there is no such system.
pub fn board_of(name: &str) -> Result<&'static str, StartError> {
    if let Some(board) = qemu::board_of(name) {
        Ok(board)
    } else if name == qemu_user::NAME {
        Ok(qemu_user::BOARD)
    } else if Local::named(name).is_some() {
        Ok(local::BOARD)
    } else {
        Err(unknown(name))
    }
}

/// Name of the system that images for this board run on when none is named.
///
/// # Errors
///
/// When there is none.
pub fn name_for_board(board: &str) -> Result<String, StartError> {
    if board == local::BOARD {
        return Ok(Local::default_name());
    }
    if board == qemu_user::BOARD {
        return Ok(qemu_user::NAME.to_owned());
    }
    qemu::for_board(board)
        .map(str::to_owned)
        .ok_or_else(|| StartError::NoSystem {
            board: board.to_owned(),
            known: known(),
        })
}

/// All systems, this machine under its default name.
pub fn known() -> Vec<String> {
    let emulated = qemu::names().map(str::to_owned);
    let process = [qemu_user::NAME.to_owned(), Local::default_name()];
    emulated.chain(process).collect()
}

fn unknown(name: &str) -> StartError {
    if local::is_published(name) {
        return StartError::PublishedSystem {
            name: name.to_owned(),
            own: Local::default_name(),
        };
    }
    StartError::UnknownSystem {
        name: name.to_owned(),
        known: known(),
    }
}

/// The system that runs images for Linux on another Arm machine where there is none.
pub const EMULATED_LINUX: &str = qemu_user::NAME;

/// The systems that a campaign uses when none is named: an emulated Arm board and this machine.
pub fn default_names() -> [String; 2] {
    [qemu::NAME.to_owned(), Local::default_name()]
}
