//! How a meter makes caches, TLB and branch predictor cold.

use serde::{Deserialize, Serialize};

/// What is done before each cold call, and what it took when it was done once.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct ColdSequence {
    /// How caches and TLB are emptied.
    pub purge: Purge,
    /// Conditional branches of the block that thrashes the predictor, as often as it is run.
    pub branches: u64,
    /// What the meter's counter advanced by during the sequence.
    pub count: u64,
    /// Time of the sequence on the target's clock.
    pub nanoseconds: u64,
    /// Count of one empty call right behind the sequence; taken off every cold sample.
    pub overhead: u64,
}

/// How caches and TLB are emptied.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub enum Purge {
    /// Every line of every level is cleaned and invalidated by set and way; then all of the
    /// instruction caches and of the TLB are invalidated.
    SetWay {
        /// Levels that hold data.
        levels: u32,
        /// Lines, in all levels together.
        lines: u64,
    },
    /// All pages of a buffer are written, line by line, so that nothing else stays in the caches
    /// and the TLB; then the lines of code and stack are flushed by their addresses.
    Thrash {
        /// Length of the buffer.
        bytes: u64,
        /// Size of the last-level cache; `None` where the system does not say.
        last_level_bytes: Option<u64>,
        /// Lines that are flushed.
        flushed_lines: u64,
    },
}
