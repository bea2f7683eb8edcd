//! What can go wrong while a machine is set up.

use std::io;
use std::path::Path;

use miette::Diagnostic;
use thiserror::Error;

/// Why one step failed; others go on.
#[derive(Clone, Debug, Eq, PartialEq, Error)]
#[error("{0}")]
pub struct StepError(String);

impl StepError {
    /// A failure in these words.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// A file or folder that could not be written.
    pub fn writing(path: &Path, error: &io::Error) -> Self {
        Self(format!("cannot write {}: {error}", path.display()))
    }
}

/// Why the machine is not set up.
#[derive(Debug, Diagnostic, Error)]
pub enum SetupError {
    /// Something is missing, and nobody is there to agree to its installation.
    #[error("this machine lacks {missing}, and nobody can be asked whether to install it")]
    #[diagnostic(help("run `cargo host setup --yes` to do what is listed above"))]
    NobodyToAsk {
        /// What is missing, in words.
        missing: String,
    },
    /// The user does not want it.
    #[error("nothing was changed; this machine still lacks {missing}")]
    #[diagnostic(help("run `cargo host setup` again when it may be installed"))]
    Declined {
        /// What is missing, in words.
        missing: String,
    },
    /// Ctrl-C.
    #[error("the setup was interrupted")]
    #[diagnostic(help("run it again: it goes on where it was"))]
    Interrupted,
    /// Everything was tried, and something is still missing.
    #[error("this machine still lacks {missing}{failures}")]
    #[diagnostic(help("{remedies}"))]
    Incomplete {
        /// What is missing, in words.
        missing: String,
        /// What failed on the way, one line each.
        failures: String,
        /// What the user can do, one line each.
        remedies: String,
    },
}
