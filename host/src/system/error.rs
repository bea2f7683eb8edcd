//! Why a meter could not be started.

use std::io;
use std::path::PathBuf;

use miette::Diagnostic;
use thiserror::Error;

use crate::capture::CaptureError;
use crate::image::FlatError;
use crate::line::serial::PortError;

/// Why a meter could not be started.
#[derive(Debug, Error, Diagnostic)]
pub enum StartError {
    /// No such system.
    #[error("there is no system `{name}`")]
    #[diagnostic(help("systems of this machine: {}", known.join(", ")))]
    UnknownSystem {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The name of a system whose records are published.
    #[error("`{name}` is a published system, and no name for this machine")]
    #[diagnostic(help(
        "measure as {own}; \
         `cargo host import <folder> --system {name} --run-dir <dir>` takes in published records"
    ))]
    PublishedSystem {
        /// What was asked for.
        name: String,
        /// What this machine is called otherwise.
        own: String,
    },
    /// No name for a machine that is reached over ssh.
    #[error("`{name}` is no name for an Arm machine that is reached over ssh")]
    #[diagnostic(help(
        "call it arm_<name>, such as arm_lab; a published name such as arm_1 is for the machine that \
         `systems.toml` in the project's folder binds to it, with a line such as \
         {name} = \"user@host\""
    ))]
    NoRemoteName {
        /// What was asked for.
        name: String,
    },
    /// ssh is missing.
    #[error("`{program}` cannot be run: {source}")]
    #[diagnostic(help("install it: Debian's package openssh-client"))]
    MissingSsh {
        /// Its name.
        program: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// A machine cannot be reached, or is not what it should be.
    #[error("{destination} cannot be measured on over ssh: {said}")]
    #[diagnostic(help("{remedy}"))]
    Unreachable {
        /// Where to.
        destination: String,
        /// What ssh or the machine said.
        said: String,
        /// What to do.
        remedy: String,
    },
    /// A program is missing.
    #[error("`{program}` cannot be run: {source}")]
    #[diagnostic(help("`cargo host setup` installs it"))]
    MissingProgram {
        /// Its name.
        program: String,
        /// The system's error.
        source: io::Error,
    },
    /// A program says nothing useful about itself.
    #[error("`{program} --version` says {said:?}")]
    #[diagnostic(help(
        "is this the program that its name promises? `cargo host setup` installs it"
    ))]
    StrangeProgram {
        /// Its name.
        program: String,
        /// What it said.
        said: String,
    },
    /// A program does not answer the question for its version.
    #[error("`{program} --version` gives no version: {reason}")]
    #[diagnostic(help(
        "run it by hand: is it the program that its name promises? `cargo host setup` installs it"
    ))]
    NoVersion {
        /// Its name.
        program: String,
        /// What it did instead.
        reason: String,
    },
    /// The image is no flat one.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Flat(#[from] FlatError),
    /// The image cannot be read, or not be copied into a temporary file.
    #[error("cannot make a flat image of {path}: {source}", path = path.display())]
    #[diagnostic(help("is the file there, and room for a copy of it in {}?", std::env::temp_dir().display()))]
    Image {
        /// The ELF file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// No system here is this board.
    #[error("the image is for the board {board}, and no system here is one")]
    #[diagnostic(help("systems are: {}", known.join(", ")))]
    NoSystem {
        /// The board.
        board: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The board's port cannot be taken.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Port(#[from] PortError),
    /// The capture cannot be played.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Capture(#[from] CaptureError),
    /// The line could not be made.
    #[error("cannot make a line to the meter: {0}")]
    #[diagnostic(help("are there pseudo terminals (/dev/pts) and free file descriptors?"))]
    Line(#[source] io::Error),
    /// The process could not be started.
    #[error("cannot start {what}: {source}")]
    #[diagnostic(help("is the file there, executable, and built for this machine?"))]
    Spawn {
        /// What was to be started.
        what: String,
        /// The system's error.
        source: io::Error,
    },
}
