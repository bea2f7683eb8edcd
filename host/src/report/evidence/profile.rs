//! The profile of one operation: its calls of the programme's symmetric functions.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::Deserialize;

/// The function that generates random bytes, which is no hash.
pub const DRNG: &str = "drng";

/// What a profile file holds; keys that are not known are passed over.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Profile {
    /// All calls of the operation together.
    pub total: Total,
    /// Calls of symmetric functions, by function and lengths.
    pub calls: Vec<Calls>,
    /// The part of the operation's ticks that was spent in each function.
    pub share: IndexMap<String, f64>,
    /// The part that was spent in all of them but the generator of random bytes.
    pub hash_share: f64,
}

/// All calls of an operation.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Total {
    /// How often the operation was called.
    pub operations: u64,
}

/// Calls of one function with the same lengths.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Calls {
    /// `sm3hash`, `pseudohash`, `pseudoXOF` or `drng`.
    #[serde(rename = "fn")]
    pub function: String,
    /// Number of calls.
    pub calls: u64,
}

impl Profile {
    /// Calls of each function in one call of the operation, by name, generator first: the order of
    /// the published pages.
    pub fn calls_per_operation(&self) -> Vec<(&str, f64)> {
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        for calls in &self.calls {
            let sum = sums.entry(&calls.function).or_default();
            *sum = sum.saturating_add(calls.calls);
        }
        let operations = self.total.operations as f64;
        let mut means: Vec<(&str, f64)> = sums
            .into_iter()
            .filter(|(_, calls)| *calls > 0 && operations > 0.0)
            .map(|(function, calls)| (function, calls as f64 / operations))
            .collect();
        means.sort_by_key(|(function, _)| *function != DRNG);
        means
    }

    /// The part of the operation that was spent in generating random bytes.
    pub fn generator_share(&self) -> f64 {
        self.share.get(DRNG).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_form_is_read_and_added_up() {
        let text = r#"{
            "total": {"operations": 4, "ticks": 1000},
            "calls": [
                {"fn": "pseudohash", "in_bits": 8, "out_bits": 512, "calls": 2, "ticks": 10},
                {"fn": "pseudohash", "in_bits": 16, "out_bits": 512, "calls": 4, "ticks": 20},
                {"fn": "drng", "in_bits": 0, "out_bits": 64, "calls": 444, "ticks": 30},
                {"fn": "sm3hash", "in_bits": 0, "out_bits": 256, "calls": 0, "ticks": 0}
            ],
            "share": {"pseudohash": 0.03, "drng": 0.05}, "hash_share": 0.03,
            "meta": {"tick_source": "tsc", "tick_hz": 2000000000, "overflow_calls": 0}, "more": 1
        }"#;
        let profile: Profile = serde_json::from_str(text).expect("readable");
        assert_eq!(
            profile.calls_per_operation(),
            [("drng", 111.0), ("pseudohash", 1.5)]
        );
        assert_eq!(profile.generator_share(), 0.05);
    }
}
