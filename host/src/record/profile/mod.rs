//! The profile of an operation: what part of its cost lies in which symmetric function.
//!
//! A profile stands beside a record, `profile/<candidate>/<label>__<operation>.json`, and has the
//! keys of the published data sets; what only this meter knows is under `meter`. [`assemble`] makes
//! one of what a session brought home, [`shares`] computes every fraction in it, [`passes`] tells
//! how far repetitions lie apart, and [`verdict`] sums up what the objects say.

mod assemble;
pub mod passes;
pub mod shares;
pub mod verdict;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

pub use assemble::Occasion;

use super::schema::{Record, Sha256, Unknown, UtcTime, nullable};
use catalogue::Symmetric;
use passes::Pass;
use verdict::Verdict;

/// The profile of one operation of one label on one system. Where it was taken in several passes,
/// everything but `meter.passes` and the spreads is of the pass that stands for all, see
/// [`passes::typical`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// All of the operation.
    pub total: Total,
    /// Its calls of symmetric functions, by shape.
    pub calls: Vec<Calls>,
    /// The part of each function, by its name.
    pub share: IndexMap<String, f64>,
    /// The part of all hash functions: neither the generator's nor a cipher's.
    pub hash_share: f64,
    /// How ticks were counted.
    pub meta: Meta,
    /// What only this meter knows; published profiles have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meter: Option<Meter>,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// All of an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Total {
    /// Times that it was performed.
    pub operations: u64,
    /// What all of them took, without what counting costs.
    pub ticks: u64,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Calls of one function with as many bits in and out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calls {
    /// The function's name.
    #[serde(rename = "fn")]
    pub function: String,
    /// Bits that went in.
    pub in_bits: u64,
    /// Bits that came out.
    pub out_bits: u64,
    /// Outermost calls: those that a counted function makes of another are a part of it.
    pub calls: u64,
    /// What they took, without what counting costs.
    pub ticks: u64,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// How ticks were counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// The counter.
    pub tick_source: String,
    /// Its frequency, where it has a fixed one that is known.
    #[serde(deserialize_with = "nullable")]
    pub tick_hz: Option<u64>,
    /// Calls of shapes for which there was no room among `calls`.
    pub overflow_calls: u64,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// What only this meter knows of a profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meter {
    /// Version of this program.
    pub version: String,
    /// The system that this was measured on.
    pub system: String,
    /// What one tick is.
    pub unit: String,
    /// The part of the generator.
    pub drng_share: f64,
    /// Greatest less least `hash_share` of all passes; null where there was one alone.
    #[serde(default)]
    pub hash_share_spread: Option<f64>,
    /// The same of `drng_share`.
    #[serde(default)]
    pub drng_share_spread: Option<f64>,
    /// Every pass, in order. All make the same calls: what differs between them is noise. Empty in
    /// profiles of earlier versions, which have one pass.
    #[serde(default)]
    pub passes: Vec<Pass>,
    /// The calls behind `meta.overflow_calls`, by function: they are in every share.
    pub overflow: Vec<Overflow>,
    /// What counting costs, all of which was taken off.
    pub counting: Counting,
    /// The image that counts, which is never the timed one.
    pub image: Image,
    /// The record of the same operation, whose first trial made the same calls.
    pub record: RecordKey,
    /// Which primitives the instance as a whole relies on; null where the question makes no sense.
    #[serde(deserialize_with = "nullable")]
    pub verdict: Option<Verdict>,
    /// What the objects say of them; null when nothing is known of the build.
    #[serde(deserialize_with = "nullable")]
    pub evidence: Option<Symmetric>,
    /// What is symmetric and on a way that no counter sees: a part of none of the shares.
    pub not_observable: Vec<String>,
    /// Digest of the whole profile but this key, see [`crate::record::digest`].
    pub digest: Sha256,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Calls of a function whose shapes were too many.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overflow {
    /// The function's name.
    #[serde(rename = "fn")]
    pub function: String,
    /// Outermost calls.
    pub calls: u64,
    /// What they took.
    pub ticks: u64,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// What counting costs, in ticks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counting {
    /// What all operations took with counting, net of empty calls.
    pub total_ticks: u64,
    /// The part in which calls were told apart, measured at every call.
    pub sorting_ticks: u64,
    /// The rest of a counter's cost, for each counted call.
    pub ticks_per_call: f64,
    /// The part of it that is inside of the counted call.
    pub ticks_inside: f64,
    /// A counter's cost for a call within a counted call.
    pub ticks_per_idle_call: f64,
    /// Calls within counted calls.
    pub idle_calls: u64,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// The image that counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Image {
    /// Its name in the image cache.
    pub name: String,
    /// SHA-256 of the ELF file.
    pub elf_sha256: Sha256,
    /// The linker, as it introduces itself.
    #[serde(deserialize_with = "nullable")]
    pub linker: Option<String>,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// By what a record is known again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordKey {
    /// When its measurement began.
    pub started_utc: UtcTime,
    /// The timed image.
    #[serde(deserialize_with = "nullable")]
    pub library_sha256: Option<Sha256>,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl RecordKey {
    /// The key of a record.
    pub fn of(record: &Record) -> Self {
        Self {
            started_utc: record.started_utc.clone(),
            library_sha256: record.library_sha256.clone(),
            unknown: Unknown::new(),
        }
    }
}

impl Profile {
    /// Whether it was made for this record as it is now.
    pub fn belongs_to(&self, record: &Record) -> bool {
        let meter = self.meter.as_ref();
        meter.is_some_and(|meter| meter.record == RecordKey::of(record))
    }
}
