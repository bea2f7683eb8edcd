//! The instances of our packages.

use crate::{AnswerError, Scheme, akex, iccs, rogues, sha3, standards, x25519};

/// A parameter set of a package, with the scheme that answers for it.
pub struct Instance {
    /// The name, which is the label as well.
    pub name: &'static str,
    /// What computes its answers.
    pub scheme: Scheme,
}

impl Instance {
    pub(crate) fn new(name: &'static str, scheme: Scheme) -> Self {
        Self { name, scheme }
    }
}

/// The packages whose answers are computed here, each a folder of `submissions` and of `kat`.
pub const PACKAGES: [&str; 6] = ["akex", "iccs", "rogues", "sha3", "standards", "x25519"];

/// The instances of a package that have a known-answer text.
///
/// # Errors
///
/// [`AnswerError::UnknownPackage`] lists the names there are.
pub fn package(name: &str) -> Result<Vec<Instance>, AnswerError> {
    Ok(match name {
        "akex" => akex::instances(),
        "iccs" => iccs::instances(),
        "rogues" => rogues::instances(),
        "sha3" => sha3::instances(),
        "standards" => standards::instances(),
        "x25519" => x25519::instances(),
        other => {
            return Err(AnswerError::UnknownPackage {
                name: other.to_owned(),
                known: PACKAGES.join(", "),
            });
        }
    })
}
