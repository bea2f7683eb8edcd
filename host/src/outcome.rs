//! How a command ends, and the exit code that says so.

use std::process::ExitCode;

/// How a command ended that did what it was asked.
///
/// A command that could not is an error, and exits with 2.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd)]
pub enum Outcome {
    /// Everything is clean.
    Clean,
    /// Done, but something is not clean: a KAT, a failed record, a regression.
    NotClean,
    /// A deadline passed.
    Deadline,
    /// The user interrupted.
    Interrupted,
    /// The firmware faulted.
    Faulted,
}

/// Exit code of a usage or tool error.
pub const ERROR: u8 = 2;

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Clean => 0,
            Outcome::NotClean => 1,
            Outcome::Deadline => 124,
            Outcome::Interrupted => 130,
            Outcome::Faulted => 134,
        })
    }
}
