//! What a record says of memory, under `meter`.

use serde::{Deserialize, Serialize};

use super::{Unknown, nullable};

/// Memory of one call; null is what was not measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Stack below the call.
    #[serde(deserialize_with = "nullable")]
    pub stack_bytes: Option<u64>,
    /// How that was found.
    #[serde(deserialize_with = "nullable")]
    pub stack_method: Option<String>,
    /// The 64-bit word that the stack was painted with, in hexadecimal.
    #[serde(deserialize_with = "nullable")]
    pub stack_pattern: Option<String>,
    /// Stack that the operation could have used.
    #[serde(deserialize_with = "nullable")]
    pub stack_available_bytes: Option<u64>,
    /// Most heap in use at a time.
    #[serde(deserialize_with = "nullable")]
    pub heap_peak_bytes: Option<u64>,
    /// Number of allocations.
    #[serde(deserialize_with = "nullable")]
    pub heap_allocations: Option<u64>,
    /// Largest allocation.
    #[serde(deserialize_with = "nullable")]
    pub heap_largest_bytes: Option<u64>,
    /// What was never freed.
    #[serde(deserialize_with = "nullable")]
    pub heap_leaked_bytes: Option<u64>,
    /// Sections of the submission's own objects.
    #[serde(rename = "static", deserialize_with = "nullable")]
    pub static_memory: Option<StaticMemory>,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Sections of the submission's own objects, as linked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StaticMemory {
    /// Code.
    pub text_bytes: u64,
    /// Constants.
    pub rodata_bytes: u64,
    /// Variables with an initial value.
    pub data_bytes: u64,
    /// Variables that start as zero.
    pub bss_bytes: u64,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}
