//! What a record of ours says in one place and another place decides.

use wire::{CounterSource, Event, Operation};

use super::Findings;
use crate::measurement::Trial;
use crate::record::assemble::KEPT_BYTES;
use crate::record::schema::{Captured, Meter, MeterTrial, Record, Status, TimingScope};
use crate::session::plausible::contradiction;

/// How far the time-stamp counter and the clock may be apart: a part of the time, and seconds in
/// which the process may have waited between reading the two.
const TICKS_AND_TIME: (f64, f64) = (0.01, 0.01);

/// Checks everything that is decided elsewhere in the record.
pub(super) fn check(record: &Record, meter: &Meter, findings: &mut Findings<'_>) {
    check_operation(record, findings);
    check_exchange(record, findings);
    check_build(record, meter, findings);
    check_samples(record, meter, findings);
    check_counts(record, meter, findings);
    check_events(meter, findings);
    for (name, stream) in [
        ("stdout", &meter.output.stdout),
        ("stderr", &meter.output.stderr),
    ] {
        check_stream(name, stream, findings);
    }
}

/// The operation as its own name has it; none of that of a hash, which lacks its length.
fn operation(record: &Record) -> Option<Operation> {
    match record.operation.as_str() {
        "hash" => Some(Operation::Hash(record.input_bytes.try_into().ok()?)),
        name => name.parse().ok(),
    }
}

fn check_operation(record: &Record, findings: &mut Findings<'_>) {
    let Some(operation) = operation(record) else {
        return findings.add("operation", "is none of this program's");
    };
    let why = "the operation has";
    let bytes = u64::from(operation.input_bytes());
    findings.equal("input_bytes", record.input_bytes, bytes, why);
    if let Some(stated) = record.sizes.input_bytes {
        findings.equal("sizes.input_bytes", stated, bytes, why);
    }
    let expected = match operation.is_step() {
        true => TimingScope::PerCallStep,
        false => TimingScope::Loop,
    };
    let stated = record.timing_scope.map_or("null", TimingScope::name);
    findings.equal("timing_scope", stated, expected.name(), why);
    if record.plan.separate_processes {
        findings.add("plan.separate_processes", "is true, but one image ran");
    }
    for (key, bytes) in [
        ("baseline_rss_bytes", record.baseline_rss_bytes),
        ("peak_rss_bytes", record.peak_rss_bytes),
    ] {
        if bytes.is_some() {
            findings.add(key, "is a number, but this program measures none");
        }
    }
    let repetitions = record.plan.trials.saturating_mul(2);
    if record.disturbed_retries > repetitions {
        let problem = format!("is more than twice for each trial, {repetitions}");
        findings.add("disturbed_retries", problem);
    }
    if operation.is_step() && record.disturbed_retries > 0 {
        findings.add("disturbed_retries", "is not 0, but no step is repeated");
    }
}

/// Sizes, passes and messages of a key exchange.
fn check_exchange(record: &Record, findings: &mut Findings<'_>) {
    let Some(kex) = record.kex.as_ref().filter(|kex| !kex.is_empty()) else {
        return;
    };
    let is_message = |key: &str| {
        let number = key
            .strip_prefix("kex_msg")
            .and_then(|rest| rest.strip_suffix("_bytes"));
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    let messages = || kex.iter().filter(|(key, _)| is_message(key));
    let size = |bytes: Option<u64>| bytes.and_then(|bytes| i64::try_from(bytes).ok());
    for (name, expected) in [
        ("kex_passes_run", i64::try_from(messages().count()).ok()),
        (
            "kex_total_msg_bytes",
            Some(messages().fold(0, |sum: i64, (_, bytes)| sum.saturating_add(*bytes))),
        ),
        ("kex_pk_bytes", size(record.sizes.pk_bytes)),
        ("kex_sk_bytes", size(record.sizes.sk_bytes)),
        ("kex_ss_bytes", size(record.sizes.ss_bytes)),
    ] {
        let (stated, key) = (kex.get(name), format!("kex.{name}"));
        match (stated, expected) {
            (Some(stated), Some(expected)) => {
                findings.equal(&key, *stated, expected, "from the other sizes follows");
            }
            (None, _) => findings.add(key, "is missing"),
            (Some(_), None) => {}
        }
    }
}

fn check_build(record: &Record, meter: &Meter, findings: &mut Findings<'_>) {
    let flags = meter.image.flags.join(" ");
    let why = "meter.image.flags are";
    findings.equal("build_flags", &record.build_flags, &flags, why);
    let compiler = |compiler: &Option<String>| compiler.clone().unwrap_or("null".to_owned());
    findings.equal(
        "environment.compiler",
        compiler(&record.environment.compiler),
        compiler(&meter.image.compiler),
        "meter.image.compiler is",
    );
}

/// A complete record has one sample for each call of a trial, where anything counts.
fn check_samples(record: &Record, meter: &Meter, findings: &mut Findings<'_>) {
    let source = meter.counter.as_ref().map(|counter| counter.source);
    let counts = source.is_some_and(|source| source != CounterSource::Missing);
    let calls = record.plan.iterations_per_trial;
    let lengths: Vec<u64> = meter.samples.iter().map(|it| it.len() as u64).collect();
    let fits = match (counts, record.status) {
        (false, _) => lengths.is_empty(),
        (true, Status::Complete) => lengths == [calls],
        (true, Status::FailedOrPartial) => lengths.is_empty() || lengths == [calls],
    };
    if !fits {
        let problem = match counts {
            true => format!("has {lengths:?} samples, and a trial has {calls} calls"),
            false => "is not empty, but there is no counter".to_owned(),
        };
        findings.add("meter.samples", problem);
    }
    for (index, trial) in meter.trials.iter().enumerate() {
        if trial.count.is_some() != counts {
            let problem = match counts {
                true => "is null, but there is a counter",
                false => "is a number, but there is no counter",
            };
            findings.add(format!("meter.trials[{index}].count"), problem);
        }
    }
}

/// Counter and clock of the same calls.
fn check_counts(record: &Record, meter: &Meter, findings: &mut Findings<'_>) {
    let Some(counter) = &meter.counter else {
        return;
    };
    let is_step = operation(record).is_some_and(Operation::is_step);
    for (index, trial) in meter.trials.iter().enumerate() {
        let key = format!("meter.trials[{index}].count");
        let number = index as u64 + 1;
        let mut sweeps = meter.memory.heap_sweeps.iter();
        let sweeps = sweeps
            .find(|sweep| sweep.trial == number)
            .map_or(0, |it| it.times);
        if let Some(measured) = measured(trial, sweeps)
            && let Some(problem) = contradiction(&measured, counter.source, is_step)
        {
            findings.add(key.clone(), format!("gives {problem}"));
        }
        let rate = counter
            .frequency_hz
            .filter(|_| counter.source == CounterSource::Tsc);
        if let (Some(count), Some(rate)) = (trial.count, rate) {
            let ticked = count as f64 / rate as f64;
            let (part, wait) = TICKS_AND_TIME;
            if (ticked - trial.seconds).abs() > part * trial.seconds + wait {
                let problem = format!(
                    "gives {ticked} s at {rate} ticks a second, but the clock {} s",
                    trial.seconds
                );
                findings.add(key, problem);
            }
        }
    }
}

/// A trial as the session saw it.
fn measured(trial: &MeterTrial, sweeps: u64) -> Option<Trial> {
    Some(Trial {
        calls: trial.measurements.try_into().ok()?,
        count: trial.count?,
        nanoseconds: (trial.seconds * 1e9).round() as u64,
        sweeps: wire::Sweeps {
            count: sweeps.try_into().ok()?,
            ..wire::Sweeps::default()
        },
    })
}

fn check_events(meter: &Meter, findings: &mut Findings<'_>) {
    let names = meter.events.iter().flat_map(|events| events.keys());
    for name in names {
        if !Event::ALL.iter().any(|event| event.name() == name) {
            findings.add(
                format!("meter.events.{name}"),
                "is no event of this program",
            );
        }
    }
}

/// What is kept of a stream is all of it, or its beginning.
fn check_stream(name: &str, stream: &Captured, findings: &mut Findings<'_>) {
    let kept = stream.beginning.len() as u64;
    // What is not UTF-8 was replaced by something longer.
    let is_whole = !stream.beginning.contains(char::REPLACEMENT_CHARACTER);
    let is_short = kept < KEPT_BYTES as u64;
    let key = format!("meter.output.{name}.length_bytes");
    if is_whole && is_short {
        findings.equal(&key, stream.length_bytes, kept, "there are");
    } else if is_whole && stream.length_bytes < kept {
        let problem = format!(
            "is {}, less than the {kept} that are here",
            stream.length_bytes
        );
        findings.add(key, problem);
    }
}
