//! Schema 2: the one definition of a record.
//!
//! The keys stand in the order of the published data sets, so that their tools read ours; what only
//! this meter knows stands under `meter`. Reading is strict about what is known and open to what is
//! not: a required key that is missing and a value that cannot be are errors that name the key, and
//! unknown keys are kept and written back. A number that was not measured is null.

mod document;
mod environment;
mod memory;
mod meter;
mod names;
mod origin;
mod text;
mod trouble;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

pub use document::document;
pub use environment::Environment;
pub use memory::{HeapSweep, LargestFrame, Memory, StaticMemory};
pub use meter::{Cold, Counter, EventCount, Inputs, Layout, Layouts, Meter, MeterTrial};
pub use names::{FlagSet, KatStatus, Status, TimingScope};
pub use origin::{Captured, Conditions, Emulator, Image, Moment, Output, Transport};
pub use text::{Format, Reading, SCHEMA, SchemaVersion, Sha256, UtcTime};
pub use trouble::{FaultReport, KatEvidence, SelfTest, StackProbe};

/// Keys that this program does not know.
pub type Unknown = Map<String, Value>;

/// Reads a value that may be null under a key that may not be missing.
///
/// serde takes a missing key for a null; a field that names this function is required.
pub(crate) fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

/// One operation of one label on one system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// Always 2.
    pub schema: SchemaVersion,
    /// Whether everything that was planned was measured.
    pub status: Status,
    /// The candidate's id.
    pub candidate: String,
    /// Name of this build of this instance, unique within the candidate.
    pub label: String,
    /// Parameter set, as its package names it.
    pub instance: String,
    /// `reference`, `optimized`, an instruction set, ...
    pub variant: String,
    /// The flag set that the C was compiled with.
    pub flags: FlagSet,
    /// `keygen`, `enc`, `dec`, `sign`, `verify`, `hash`, or a step of a key exchange.
    pub operation: String,
    /// Length of the input of a hash operation; 0 for others.
    pub input_bytes: u64,
    /// How often the operation was to be called.
    pub plan: Plan,
    /// Outcome of the known-answer test of this label.
    pub kat: KatStatus,
    /// Whether the outcome is anything but a pass.
    pub kat_not_passed: bool,
    /// Trials that were repeated because the clock fell during them.
    pub disturbed_retries: u64,
    /// The image or archive that was timed, by its cache name.
    #[serde(deserialize_with = "nullable")]
    pub library: Option<String>,
    /// SHA-256 of that file.
    #[serde(deserialize_with = "nullable")]
    pub library_sha256: Option<Sha256>,
    /// Log of the known-answer test, relative to the system's folder.
    #[serde(deserialize_with = "nullable")]
    pub kat_log: Option<String>,
    /// SHA-256 of that file.
    #[serde(deserialize_with = "nullable")]
    pub kat_log_sha256: Option<Sha256>,
    /// When the measurement started.
    pub started_utc: UtcTime,
    /// When it ended.
    pub ended_utc: UtcTime,
    /// Load of the host at the start, over 1, 5 and 15 minutes.
    #[serde(deserialize_with = "nullable")]
    pub load_average_start: Option<[f64; 3]>,
    /// Load of the host at the end.
    #[serde(deserialize_with = "nullable")]
    pub load_average_end: Option<[f64; 3]>,
    /// The machine.
    pub environment: Environment,
    /// The processes (or images) that were started for this record.
    pub processes: Vec<Process>,
    /// Loop totals, the source of every statistic below.
    pub trials: Vec<Trial>,
    /// Calls in all trials.
    pub measurements: u64,
    /// Whether these are the 100 that the assessment guide asks for.
    pub guide_100_measurements_met: bool,
    /// Time of one call, over all calls.
    #[serde(deserialize_with = "nullable")]
    pub mean_seconds: Option<f64>,
    /// Median of the trials' own means.
    #[serde(deserialize_with = "nullable")]
    pub median_trial_seconds: Option<f64>,
    /// Least of the trials' own means.
    #[serde(deserialize_with = "nullable")]
    pub min_trial_seconds: Option<f64>,
    /// Greatest of the trials' own means.
    #[serde(deserialize_with = "nullable")]
    pub max_trial_seconds: Option<f64>,
    /// Core clock cycles of one call, over all calls; null where no cycles were counted.
    #[serde(deserialize_with = "nullable")]
    pub mean_cycles: Option<f64>,
    /// Median of the trials' own means.
    #[serde(deserialize_with = "nullable")]
    pub median_trial_cycles: Option<f64>,
    /// Calls in a second.
    #[serde(deserialize_with = "nullable")]
    pub operations_per_second: Option<f64>,
    /// Input of a hash operation in 10^6 bytes a second; null for others.
    #[serde(rename = "throughput_MB_per_second", deserialize_with = "nullable")]
    pub throughput_megabytes_per_second: Option<f64>,
    /// Sizes that the instance claims.
    pub sizes: Sizes,
    /// Sizes and passes of a key exchange, by name.
    #[serde(deserialize_with = "nullable")]
    pub kex: Option<IndexMap<String, i64>>,
    /// The flags of the compiler, as one line.
    pub build_flags: String,
    /// Resident memory of the process before the operation.
    #[serde(deserialize_with = "nullable")]
    pub baseline_rss_bytes: Option<u64>,
    /// Most resident memory of the process.
    #[serde(deserialize_with = "nullable")]
    pub peak_rss_bytes: Option<u64>,
    /// What one bracket of the counter held; null when nothing was timed.
    #[serde(deserialize_with = "nullable")]
    pub timing_scope: Option<TimingScope>,
    /// What only this meter knows; published records have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meter: Option<Meter>,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl Record {
    /// Count of one call with its unit: core cycles, or what `meter` counted instead.
    ///
    /// `None` when nothing was counted.
    pub fn mean_count(&self) -> Option<(f64, wire::Unit)> {
        match (self.mean_cycles, &self.meter) {
            (Some(cycles), _) => Some((cycles, wire::Unit::Cycles)),
            (None, Some(meter)) => Some((meter.mean_count?, meter.counter.as_ref()?.unit)),
            (None, None) => None,
        }
    }

    /// Whether an emulator ran this, so that its times are virtual.
    pub fn is_emulated(&self) -> bool {
        let emulator = |meter: &Meter| meter.emulator.is_some();
        self.meter.as_ref().is_some_and(emulator)
    }

    /// Whether there is nothing to complain of: all measured, and no answer known to be wrong.
    pub fn is_clean(&self) -> bool {
        self.status == Status::Complete && self.kat.is_clean()
    }
}

/// How often an operation was to be called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// Calls in one trial.
    pub iterations_per_trial: u64,
    /// Untimed calls before each trial.
    pub warmups: u64,
    /// Number of trials.
    pub trials: u64,
    /// Whether each trial had a process of its own.
    pub separate_processes: bool,
    /// Time that all of it was expected to take.
    #[serde(rename = "estimated_s")]
    pub estimated_seconds: f64,
    /// Deadline of one process on the wall.
    #[serde(rename = "timeout_per_process_s")]
    pub timeout_per_process_seconds: f64,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// One bracket around a loop of calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trial {
    /// Calls inside the bracket.
    pub measurements: u64,
    /// Time of all of them, on the target's clock.
    pub seconds: f64,
    /// Core clock cycles of all of them; 0 where there are none.
    pub cycles: u64,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Sizes in bytes that an instance claims; 0 where its category has no such thing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sizes {
    /// Input of a hash operation.
    #[serde(deserialize_with = "nullable")]
    pub input_bytes: Option<u64>,
    /// Public key.
    #[serde(deserialize_with = "nullable")]
    pub pk_bytes: Option<u64>,
    /// Secret key.
    #[serde(deserialize_with = "nullable")]
    pub sk_bytes: Option<u64>,
    /// Ciphertext.
    #[serde(deserialize_with = "nullable")]
    pub ct_bytes: Option<u64>,
    /// Shared secret.
    #[serde(deserialize_with = "nullable")]
    pub ss_bytes: Option<u64>,
    /// Longest signature.
    #[serde(deserialize_with = "nullable")]
    pub signature_bytes: Option<u64>,
    /// Digest.
    #[serde(deserialize_with = "nullable")]
    pub digest_bytes: Option<u64>,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl Sizes {
    /// The sizes by their keys.
    pub fn by_key(&self) -> [(&'static str, Option<u64>); 7] {
        [
            ("input_bytes", self.input_bytes),
            ("pk_bytes", self.pk_bytes),
            ("sk_bytes", self.sk_bytes),
            ("ct_bytes", self.ct_bytes),
            ("ss_bytes", self.ss_bytes),
            ("signature_bytes", self.signature_bytes),
            ("digest_bytes", self.digest_bytes),
        ]
    }
}

/// One process, or one start of an image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    /// `ok`, or how it failed.
    pub status: String,
    /// How it exited; null when it was stopped or has no such thing.
    #[serde(deserialize_with = "nullable")]
    pub exit_code: Option<i64>,
    /// What it said of itself.
    pub meta: IndexMap<String, String>,
    /// The trials that it ran.
    pub trials: Vec<Trial>,
    /// The beginning of what it wrote to its standard error.
    pub stderr: String,
    /// The command that started it.
    pub command: Vec<String>,
    /// Time from start to end on the wall.
    #[serde(rename = "wall_s")]
    pub wall_seconds: f64,
    /// Trials that were repeated because the clock fell during them.
    pub disturbed_retries: u64,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

#[cfg(test)]
mod tests;
