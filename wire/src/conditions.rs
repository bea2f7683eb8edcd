//! What a board says of the conditions that it runs under.

use serde::{Deserialize, Serialize};

/// Conditions at one time; `None` for what the board does not tell.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// Temperature of the chip, in thousandths of a degree Celsius.
    pub temperature_millicelsius: Option<u32>,
    /// Whether something holds the core's clock down.
    pub throttled: Option<bool>,
    /// Frequency of the core's clock.
    pub clock_hz: Option<u64>,
}
