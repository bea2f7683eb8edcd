//! Why a session could not bring home what was asked.

use miette::Diagnostic;
use thiserror::Error;

use super::hello::Mismatch;
use crate::line::serial::PortError;
use crate::measurement::Spoiled;
use crate::system::StartError;

/// Why a session has no answer.
#[derive(Debug, Error, Diagnostic)]
pub enum SessionError {
    /// The target did something; belongs into the record. Whether it can be asked on is
    /// [`Spoiled::meter_is_well`].
    #[error("{0}")]
    #[diagnostic(help(
        "restart the meter and go on with the next operation; the record says what happened"
    ))]
    Spoiled(Spoiled),
    /// The user wants an end at once.
    #[error("interrupted")]
    Interrupted,
    /// The meter is not the one that was expected, or cannot be trusted.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Mismatch(#[from] Mismatch),
    /// The meter cannot do what was asked, by its own words.
    #[error("the meter refused {request}: {reason}")]
    #[diagnostic(help(
        "this image was built without it, or the host asked out of turn; rebuild the image from this source tree"
    ))]
    Refused {
        /// What was asked.
        request: String,
        /// The meter's reason.
        reason: String,
    },
    /// The meter could not be started.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Start(StartError),
}

impl From<StartError> for SessionError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Port(PortError::Interrupted) => Self::Interrupted,
            error => Self::Start(error),
        }
    }
}

impl From<Spoiled> for SessionError {
    fn from(spoiled: Spoiled) -> Self {
        Self::Spoiled(spoiled)
    }
}

/// Parts what the target did, which is recorded, from what ends the command.
///
/// # Errors
///
/// Every error that is not the target's doing.
pub fn keep_spoiled<T>(
    result: Result<T, SessionError>,
) -> Result<Result<T, Spoiled>, SessionError> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(SessionError::Spoiled(spoiled)) => Ok(Err(spoiled)),
        Err(error) => Err(error),
    }
}
