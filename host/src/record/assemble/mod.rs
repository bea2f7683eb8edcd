//! Makes a record of what a session measured.
//!
//! A [`Subject`] is what all operations of one image have in common, an [`Occasion`] is what
//! happened around one of them, and [`Outcome`] is the measurement, or why there is none. An
//! operation without a measurement becomes a record too, so that it cannot be overlooked.

mod meter;
mod passes;
mod process;
mod subject;
mod trouble;

use indexmap::IndexMap;
use wire::{Operation, Unit};

use super::digest::seal;
use super::schema::{
    Environment, KatStatus, Plan, Reading, Record, SchemaVersion, Sha256, Sizes, Status,
    TimingScope, Trial, Unknown,
};
use super::statistics::{CoreClock, Statistics};
use crate::measurement::{self, Measurement, Unfinished};

pub use meter::emulator;
pub(super) use meter::{KEPT_BYTES, stack_method};
pub(super) use process::{MEASURED_BY, meta};
pub use subject::{ImageFacts, Occasion, Subject};
pub use trouble::{kat_evidence, kat_status};

/// The measurement of one operation, or why it did not come to its end.
pub type Outcome = Result<Measurement, Unfinished>;

/// What was measured, be it all or not.
fn measured(outcome: &Outcome) -> Option<&Measurement> {
    match outcome {
        Ok(measurement) => Some(measurement),
        Err(unfinished) => unfinished.kept.as_ref(),
    }
}

impl Record {
    /// Makes the record of one operation.
    ///
    /// `plan` is what was to be done, [`super::plan::CALIBRATION`] when the calibration failed.
    pub fn assemble(
        subject: &Subject,
        occasion: &Occasion,
        operation: Operation,
        plan: &measurement::Plan,
        outcome: &Outcome,
    ) -> Self {
        let unit = subject.hello.as_ref().map(|h| h.counter.source.unit());
        let measured = measured(outcome).map_or(&[][..], |measurement| &measurement.trials);
        let trials: Vec<Trial> = measured.iter().map(|t| trial(t, unit)).collect();
        let statistics = Statistics::of(&trials, hashed_bytes(operation));
        let reason = trouble::reason(trials.len(), plan.trials as usize, outcome);
        let kat = trouble::kat_status(subject.kat.as_ref());
        let mut record = Self {
            schema: SchemaVersion,
            status: match reason {
                None => Status::Complete,
                Some(_) => Status::FailedOrPartial,
            },
            candidate: subject.candidate.clone(),
            label: subject.label.clone(),
            instance: subject.instance.clone(),
            variant: subject.variant.clone(),
            flags: subject.image.flag_set.into(),
            operation: match operation {
                Operation::Hash(_) => "hash".to_owned(),
                other => other.to_string(),
            },
            input_bytes: operation.input_bytes().into(),
            plan: planned(plan, occasion.timeout_seconds),
            kat,
            kat_not_passed: kat != KatStatus::Pass,
            disturbed_retries: occasion.disturbed_retries,
            library: Some(subject.image.name.clone()),
            library_sha256: Some(Sha256::from_bytes(&subject.image.elf_sha256)),
            kat_log: subject.kat_log.as_ref().map(|(path, _)| path.clone()),
            kat_log_sha256: subject.kat_log.as_ref().map(|(_, digest)| digest.clone()),
            started_utc: occasion.started.clone(),
            ended_utc: occasion.ended.clone(),
            load_average_start: occasion.load_start,
            load_average_end: occasion.load_end,
            environment: environment(subject, &trials),
            processes: Vec::new(),
            trials,
            measurements: statistics.measurements,
            guide_100_measurements_met: statistics.guide_100_measurements_met,
            mean_seconds: statistics.mean_seconds,
            median_trial_seconds: statistics.median_trial_seconds,
            min_trial_seconds: statistics.min_trial_seconds,
            max_trial_seconds: statistics.max_trial_seconds,
            mean_cycles: statistics.mean_cycles,
            median_trial_cycles: statistics.median_trial_cycles,
            operations_per_second: statistics.operations_per_second,
            throughput_megabytes_per_second: statistics.throughput_megabytes_per_second,
            sizes: sizes(&subject.sizes, operation),
            kex: Some(exchange(subject).unwrap_or_default()),
            build_flags: subject.image.flag_set.flags().join(" "),
            baseline_rss_bytes: None,
            peak_rss_bytes: None,
            timing_scope: Some(if operation.is_step() {
                TimingScope::PerCallStep
            } else {
                TimingScope::Loop
            }),
            meter: Some(meter::meter(subject, occasion, outcome, reason)),
            unknown: Unknown::new(),
        };
        record.processes = vec![process::process(&record, occasion, unit, outcome)];
        seal(&mut record);
        record
    }
}

/// Core cycles are cycles; whatever else a counter counts is under `meter`.
fn trial(trial: &measurement::Trial, unit: Option<Unit>) -> Trial {
    Trial {
        measurements: trial.calls.into(),
        seconds: seconds(trial.nanoseconds),
        cycles: match unit {
            Some(Unit::Cycles) => trial.count,
            _ => 0,
        },
        unknown: Unknown::new(),
    }
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

fn planned(plan: &measurement::Plan, timeout_seconds: f64) -> Plan {
    Plan {
        iterations_per_trial: plan.calls_per_trial.into(),
        warmups: plan.warmups.into(),
        trials: plan.trials.into(),
        // One image serves all trials and puts itself back to the same state before each.
        separate_processes: false,
        estimated_seconds: plan.estimated_seconds,
        timeout_per_process_seconds: timeout_seconds,
        unknown: Unknown::new(),
    }
}

/// Length of what is hashed, which makes a throughput of a time.
fn hashed_bytes(operation: Operation) -> Option<u64> {
    match operation {
        Operation::Hash(bytes) => Some(bytes.into()),
        _ => None,
    }
}

/// Sizes, passes and messages of a key exchange, by the published names.
fn exchange(subject: &Subject) -> Option<IndexMap<String, i64>> {
    let sizes = &subject.sizes;
    let messages = subject.messages.as_ref()?;
    let mut keys = IndexMap::from([
        ("kex_passes".to_owned(), i64::from(sizes.passes)),
        ("kex_passes_run".to_owned(), messages.len() as i64),
        ("kex_pk_bytes".to_owned(), sizes.public_key.into()),
        ("kex_sk_bytes".to_owned(), sizes.secret_key.into()),
    ]);
    for (number, bytes) in (1..).zip(messages) {
        keys.insert(format!("kex_msg{number}_bytes"), i64::from(*bytes));
    }
    let total: i64 = messages.iter().copied().map(i64::from).sum();
    keys.insert("kex_total_msg_bytes".to_owned(), total);
    keys.insert("kex_ss_bytes".to_owned(), sizes.shared_secret.into());
    Some(keys)
}

fn sizes(sizes: &wire::Sizes, operation: Operation) -> Sizes {
    Sizes {
        input_bytes: Some(operation.input_bytes().into()),
        pk_bytes: Some(sizes.public_key.into()),
        sk_bytes: Some(sizes.secret_key.into()),
        ct_bytes: Some(sizes.ciphertext.into()),
        ss_bytes: Some(sizes.shared_secret.into()),
        signature_bytes: Some(sizes.signature.into()),
        digest_bytes: Some(sizes.digest.into()),
        unknown: Unknown::new(),
    }
}

fn environment(subject: &Subject, trials: &[Trial]) -> Environment {
    let clock = CoreClock::of(trials);
    let hertz = |value: f64| Reading::from(value.round() as u64);
    Environment {
        compiler: subject.image.compiler(),
        core_clock_hz: clock.map(|clock| hertz(clock.mean_hz)),
        core_clock_min_hz: clock.map(|clock| hertz(clock.min_hz)),
        core_clock_max_hz: clock.map(|clock| hertz(clock.max_hz)),
        core_clock_mhz: clock.map(|clock| hertz(clock.mean_hz / 1e6)),
        ..subject.environment.clone()
    }
}

#[cfg(test)]
mod tests;
