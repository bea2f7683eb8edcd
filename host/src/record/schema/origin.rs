//! What ran, on what and over what line, under `meter`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Sha256, Unknown, nullable};

/// The image that ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Image {
    /// SHA-256 of the ELF file.
    #[serde(deserialize_with = "nullable")]
    pub elf_sha256: Option<Sha256>,
    /// The linker's build id, in hexadecimal.
    #[serde(deserialize_with = "nullable")]
    pub build_id: Option<String>,
    /// Flags of the C compiler.
    pub flags: Vec<String>,
    /// Complete command lines that compiled the submission.
    pub command_lines: Vec<String>,
    /// The C compiler, as it introduces itself.
    #[serde(deserialize_with = "nullable")]
    pub compiler: Option<String>,
    /// The linker, as it introduces itself.
    #[serde(deserialize_with = "nullable")]
    pub linker: Option<String>,
    /// The C library.
    #[serde(deserialize_with = "nullable")]
    pub libc: Option<String>,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Whether a key that older records do not have can be left out.
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What happened on the line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Transport {
    /// What carries the bytes.
    pub kind: String,
    /// Frames that arrived whole.
    pub frames: u64,
    /// Runs of bytes that were no frame.
    pub bad_frames: u64,
    /// Blocks of results that had to be asked for again.
    pub lost_frames: u64,
    /// Requests that had to be sent again.
    pub retries: u64,
    /// How often the line broke, and everything was measured again over a new one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost_lines: u64,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// An emulator, whose times are virtual.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Emulator {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// How it keeps time.
    pub mode: String,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// State of a board before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conditions {
    /// Before the first trial.
    pub before: Moment,
    /// After the last.
    pub after: Moment,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// State of a board at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Moment {
    /// Temperature of the chip.
    #[serde(deserialize_with = "nullable")]
    pub temperature_c: Option<f64>,
    /// Whether the clock was held down.
    #[serde(deserialize_with = "nullable")]
    pub throttled: Option<bool>,
    /// Clock of the core.
    #[serde(deserialize_with = "nullable")]
    pub clock_hz: Option<u64>,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// What the submission printed.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Output {
    /// On its standard output.
    pub stdout: Captured,
    /// On its standard error.
    pub stderr: Captured,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// The beginning of a stream, and its length.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Captured {
    /// The first bytes as text; what is not UTF-8 is replaced.
    pub beginning: String,
    /// Bytes in all.
    pub length_bytes: u64,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}
