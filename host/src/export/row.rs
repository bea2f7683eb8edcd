//! One operation on one system, as a flat row.

use serde::Serialize;

use crate::record::schema::{FlagSet, KatStatus, Record, StaticMemory, Status};
use crate::record::statistics::{TrialCounts, median_count};
use crate::record::store;

/// The main figures of one record; null is what was not measured.
///
/// The keys have the names of the record's own, and the same meaning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The system, with its run where there are several.
    pub system: String,
    /// The candidate's id.
    pub candidate: String,
    /// The label.
    pub label: String,
    /// The parameter set.
    pub instance: String,
    /// Which implementation it is.
    pub variant: String,
    /// The operation; one of a hash function with the length of its input.
    pub operation: String,
    /// That length.
    pub input_bytes: u64,
    /// Whether everything that was planned was measured.
    pub status: Status,
    /// Why not, in words.
    pub reason: Option<String>,
    /// Outcome of the known-answer test.
    pub kat: KatStatus,
    /// The flag set.
    pub flags: FlagSet,
    /// Calls in all trials.
    pub measurements: u64,
    /// Number of trials.
    pub trials: u64,
    /// What is counted: `cycles`, `instructions` or `ticks`, which are never the same thing.
    pub count_unit: Option<&'static str>,
    /// The unit as people see it.
    #[serde(skip)]
    pub unit_heading: Option<&'static str>,
    /// Count of one call, over all calls.
    pub mean_count: Option<f64>,
    /// Median of the trials' own means.
    pub median_trial_count: Option<f64>,
    /// Least of them.
    pub min_trial_count: Option<f64>,
    /// Greatest of them.
    pub max_trial_count: Option<f64>,
    /// Median count of a call that finds everything cold.
    pub cold_median_count: Option<f64>,
    /// Instructions in a core clock cycle.
    pub ipc: Option<f64>,
    /// Whether an emulator is the system, so that its times are virtual.
    pub emulated: bool,
    /// Time of one call, over all calls.
    pub mean_seconds: Option<f64>,
    /// Median of the trials' own means.
    pub median_trial_seconds: Option<f64>,
    /// Least of them.
    pub min_trial_seconds: Option<f64>,
    /// Greatest of them.
    pub max_trial_seconds: Option<f64>,
    /// Calls in a second.
    pub operations_per_second: Option<f64>,
    /// Input of a hash operation in 10^6 bytes a second.
    #[serde(rename = "throughput_MB_per_second")]
    pub throughput_megabytes_per_second: Option<f64>,
    /// Public key.
    pub pk_bytes: Option<u64>,
    /// Secret key.
    pub sk_bytes: Option<u64>,
    /// Ciphertext.
    pub ct_bytes: Option<u64>,
    /// Shared secret.
    pub ss_bytes: Option<u64>,
    /// Longest signature.
    pub signature_bytes: Option<u64>,
    /// Digest.
    pub digest_bytes: Option<u64>,
    /// All messages of a key exchange.
    pub kex_total_msg_bytes: Option<i64>,
    /// Stack of one call.
    pub stack_bytes: Option<u64>,
    /// Whether it may be more; null where there is no figure.
    pub stack_is_a_lower_bound: Option<bool>,
    /// Most heap in use at a time.
    pub heap_peak_bytes: Option<u64>,
    /// Number of allocations.
    pub heap_allocations: Option<u64>,
    /// What one call leaves in use.
    pub heap_leaked_bytes: Option<u64>,
    /// Resident memory of the process before the operation.
    pub baseline_rss_bytes: Option<u64>,
    /// Most resident memory of the process.
    pub peak_rss_bytes: Option<u64>,
    /// Code of the submission.
    pub text_bytes: Option<u64>,
    /// Its constants.
    pub rodata_bytes: Option<u64>,
    /// Its variables with an initial value.
    pub data_bytes: Option<u64>,
    /// Its variables that start as zero.
    pub bss_bytes: Option<u64>,
    /// What the system lacked and was told to do without.
    pub fitness: Vec<String>,
    /// When the measurement started.
    pub started_utc: String,
    /// SHA-256 of what was timed.
    pub library_sha256: Option<String>,
}

impl Row {
    /// The row of a record of a system of this name.
    pub fn of(system: &str, record: &Record) -> Self {
        let count = record.mean_count();
        let trials = TrialCounts::of_record(record);
        let meter = record.meter.as_ref();
        let memory = meter.map(|meter| &meter.memory);
        let sections = memory.and_then(|memory| memory.static_memory.as_ref());
        let section = |bytes: fn(&StaticMemory) -> u64| sections.map(bytes);
        let stem = store::stem(record);
        let operation = stem.strip_prefix(&record.label).unwrap_or(&stem);
        let kex = record.kex.as_ref();
        Self {
            system: system.to_owned(),
            candidate: record.candidate.clone(),
            label: record.label.clone(),
            instance: record.instance.clone(),
            variant: record.variant.clone(),
            operation: operation.trim_start_matches('_').to_owned(),
            input_bytes: record.input_bytes,
            status: record.status,
            reason: meter.and_then(|meter| meter.reason.clone()),
            kat: record.kat,
            flags: record.flags,
            measurements: record.measurements,
            trials: record.trials.len() as u64,
            count_unit: count.map(|(_, unit)| unit.name()),
            unit_heading: count.map(|(_, unit)| unit.heading()),
            mean_count: count.map(|(count, _)| count),
            median_trial_count: trials.map(|trials| trials.median),
            min_trial_count: trials.map(|trials| trials.min),
            max_trial_count: trials.map(|trials| trials.max),
            cold_median_count: meter
                .and_then(|meter| meter.cold.as_ref())
                .and_then(|cold| median_count(&cold.samples)),
            ipc: meter.and_then(|meter| meter.ipc),
            emulated: record.is_emulated(),
            mean_seconds: record.mean_seconds,
            median_trial_seconds: record.median_trial_seconds,
            min_trial_seconds: record.min_trial_seconds,
            max_trial_seconds: record.max_trial_seconds,
            operations_per_second: record.operations_per_second,
            throughput_megabytes_per_second: record.throughput_megabytes_per_second,
            pk_bytes: record.sizes.pk_bytes,
            sk_bytes: record.sizes.sk_bytes,
            ct_bytes: record.sizes.ct_bytes,
            ss_bytes: record.sizes.ss_bytes,
            signature_bytes: record.sizes.signature_bytes,
            digest_bytes: record.sizes.digest_bytes,
            kex_total_msg_bytes: kex.and_then(|kex| kex.get("kex_total_msg_bytes").copied()),
            stack_bytes: memory.and_then(|memory| memory.stack_bytes),
            stack_is_a_lower_bound: memory
                .filter(|memory| memory.stack_bytes.is_some())
                .map(|memory| memory.stack_is_a_lower_bound()),
            heap_peak_bytes: memory.and_then(|memory| memory.heap_peak_bytes),
            heap_allocations: memory.and_then(|memory| memory.heap_allocations),
            heap_leaked_bytes: memory.and_then(|memory| memory.heap_leaked_bytes),
            baseline_rss_bytes: record.baseline_rss_bytes,
            peak_rss_bytes: record.peak_rss_bytes,
            text_bytes: section(|sections| sections.text_bytes),
            rodata_bytes: section(|sections| sections.rodata_bytes),
            data_bytes: section(|sections| sections.data_bytes),
            bss_bytes: section(|sections| sections.bss_bytes),
            fitness: meter.map(|meter| meter.fitness.clone()).unwrap_or_default(),
            started_utc: String::from(record.started_utc.clone()),
            library_sha256: record.library_sha256.as_ref().map(ToString::to_string),
        }
    }
}
