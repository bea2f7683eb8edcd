//! What went wrong, and what proves that the rest did not, under `meter`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Sha256, Unknown, nullable};

/// What ended the meter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FaultReport {
    /// Kind of event: `stack overflow`, `null access`, `exception`, ...
    pub kind: String,
    /// The processor's or kernel's own word for it: exception syndrome or signal.
    #[serde(deserialize_with = "nullable")]
    pub class: Option<String>,
    /// The instruction at fault, in hexadecimal.
    #[serde(deserialize_with = "nullable")]
    pub address: Option<String>,
    /// The data address at fault, in hexadecimal, where the event has one.
    #[serde(deserialize_with = "nullable")]
    pub data_address: Option<String>,
    /// The stack pointer, in hexadecimal.
    #[serde(deserialize_with = "nullable")]
    pub stack_pointer: Option<String>,
    /// The innermost function of the submission, or the function at fault where there is none.
    #[serde(deserialize_with = "nullable")]
    pub function: Option<String>,
    /// Its source file.
    #[serde(deserialize_with = "nullable")]
    pub file: Option<String>,
    /// The line in it.
    #[serde(deserialize_with = "nullable")]
    pub line: Option<u32>,
    /// The place of the fault and the calls that led there, innermost first: `function (file:line)`
    /// where it is known, an address where not.
    pub backtrace: Vec<String>,
    /// A panic's or an assertion's own words.
    #[serde(deserialize_with = "nullable")]
    pub message: Option<String>,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// What the known-answer test computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KatEvidence {
    /// SHA-256 of the answers; null when the test did not get that far.
    #[serde(deserialize_with = "nullable")]
    pub computed_sha256: Option<Sha256>,
    /// The published digest, where it is another.
    #[serde(deserialize_with = "nullable")]
    pub expected_sha256: Option<String>,
    /// Where the answers differ first, in words, as far as that is known.
    #[serde(deserialize_with = "nullable")]
    pub first_difference: Option<String>,
    /// Why there are no answers, in words.
    #[serde(deserialize_with = "nullable")]
    pub reason: Option<String>,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// What the meter measured at boot on functions of known behaviour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelfTest {
    /// Functions of known stack use.
    pub stack: Vec<StackProbe>,
    /// Instructions of a sled of known length.
    pub sled_instructions: u64,
    /// Count of the sled, net of the empty call.
    pub sled_count: u64,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Known and measured stack use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StackProbe {
    /// Bytes that the function uses.
    pub used_bytes: u64,
    /// Bytes that the meter found.
    pub measured_bytes: u64,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}
