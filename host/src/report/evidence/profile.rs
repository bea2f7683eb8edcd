//! The profile of one operation: its calls of symmetric functions, and what the objects say of them.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::Deserialize;

use crate::record::schema::{Record, Sha256, UtcTime};

/// The function that generates random bytes, and what its kin begins with.
const DRNG: &str = "drng";

/// The hash functions of the programme's interface.
const ICCS_HASHES: [&str; 3] = ["sm3hash", "pseudohash", "pseudoXOF"];

/// What a profile file holds; keys that are not known are passed over.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Profile {
    /// All calls of the operation together.
    pub total: Total,
    /// Calls of symmetric functions, by function and lengths.
    pub calls: Vec<Calls>,
    /// The part of the operation's ticks that was spent in each function.
    pub share: IndexMap<String, f64>,
    /// The part of all hash functions.
    pub hash_share: f64,
    /// What only this meter knows; published profiles have none.
    pub meter: Option<MeterPart>,
}

/// All calls of an operation.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Total {
    /// How often the operation was called.
    pub operations: u64,
}

/// Calls of one function.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Calls {
    /// `sm3hash`, `pseudohash`, `pseudoXOF`, `drng`, or another function that was counted.
    #[serde(rename = "fn")]
    pub function: String,
    /// Number of calls.
    pub calls: u64,
}

/// What only this meter knows of a profile.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
pub struct MeterPart {
    /// Calls of lengths for which there was no room among the others.
    pub overflow: Vec<Calls>,
    /// Whose primitives the instance relies on; null where the question makes no sense.
    pub verdict: Option<Verdict>,
    /// What is symmetric and a part of no share.
    pub not_observable: Vec<String>,
    /// The record of the same operation.
    pub record: Option<RecordKey>,
}

/// Whose symmetric primitives an instance relies on.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
pub struct Verdict {
    /// `ICCS-only`, `mixed` or `bypass`.
    pub verdict: String,
    /// What it follows from.
    pub reason: String,
}

/// By what a record is known again.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct RecordKey {
    /// When its measurement began.
    pub started_utc: UtcTime,
    /// The timed image.
    pub library_sha256: Option<Sha256>,
}

impl Profile {
    /// Calls of each function in one call of the operation, by name, generator first: the order of
    /// the published pages.
    pub fn calls_per_operation(&self) -> Vec<(&str, f64)> {
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        let overflow = self.meter.iter().flat_map(|meter| &meter.overflow);
        for calls in self.calls.iter().chain(overflow) {
            let sum = sums.entry(&calls.function).or_default();
            *sum = sum.saturating_add(calls.calls);
        }
        let operations = self.total.operations as f64;
        let mut means: Vec<(&str, f64)> = sums
            .into_iter()
            .filter(|(_, calls)| *calls > 0 && operations > 0.0)
            .map(|(function, calls)| (function, calls as f64 / operations))
            .collect();
        means.sort_by_key(|(function, _)| !is_generator(function));
        means
    }

    /// The part of the operation in the interface's hash functions.
    pub fn iccs_share(&self) -> f64 {
        self.sum(&is_iccs_hash).unwrap_or(0.0)
    }

    /// The part of the operation in its generator of random bytes.
    pub fn generator_share(&self) -> f64 {
        self.sum(&is_generator).unwrap_or(0.0)
    }

    /// The part of the operation in other functions; `None` where no such function was counted.
    pub fn other_share(&self) -> Option<f64> {
        self.sum(&|name| !is_iccs_hash(name) && !is_generator(name))
    }

    fn sum(&self, wanted: &dyn Fn(&str) -> bool) -> Option<f64> {
        let shares = self.share.iter().filter(|(name, _)| wanted(name));
        shares
            .map(|(_, share)| *share)
            .reduce(|sum, share| sum + share)
    }

    /// Whether it may have been made for this record as it is now: a published one does not say.
    pub fn belongs_to(&self, record: &Record) -> bool {
        let key = self.meter.as_ref().and_then(|meter| meter.record.as_ref());
        key.is_none_or(|key| {
            key.started_utc == record.started_utc && key.library_sha256 == record.library_sha256
        })
    }
}

/// Whether a name is that of one of the interface's hash functions.
pub fn is_iccs_hash(name: &str) -> bool {
    ICCS_HASHES.contains(&name)
}

fn is_generator(name: &str) -> bool {
    name.starts_with(DRNG)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::example;

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
        assert_eq!(
            (profile.iccs_share(), profile.generator_share()),
            (0.03, 0.05)
        );
        assert_eq!(profile.other_share(), None);
        assert!(profile.belongs_to(&example::record()));
    }

    #[test]
    fn what_only_this_meter_knows_is_read_where_it_is() {
        let text = r#"{
            "total": {"operations": 2}, "calls": [{"fn": "shake256", "calls": 2}],
            "share": {"shake256": 0.5, "drng_init": 0.125}, "hash_share": 0.5,
            "meter": {
                "overflow": [{"fn": "shake256", "calls": 6, "ticks": 9}],
                "verdict": {"verdict": "bypass", "reason": "Keccak in fips202.c"},
                "record": {"started_utc": "2026-11-30T12:00:01+00:00", "library_sha256": null}
            }
        }"#;
        let profile: Profile = serde_json::from_str(text).expect("readable");
        assert_eq!(profile.calls_per_operation(), [("shake256", 4.0)]);
        assert_eq!(
            (profile.iccs_share(), profile.generator_share()),
            (0.0, 0.125)
        );
        assert_eq!(profile.other_share(), Some(0.5));
        assert!(!profile.belongs_to(&example::record()));
    }
}
