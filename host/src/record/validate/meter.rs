//! What this meter says twice, or says that follows from something else.

use wire::{CounterSource, Unit};

use super::{Findings, check_number, memory};
use crate::record::assemble::meta;
use crate::record::schema::{Counter, Meter, Reading, Record, Status};
use crate::record::statistics::{CoreClock, mean_count};

/// Checks the key `meter` against the rest of the record.
pub(super) fn check(record: &Record, meter: &Meter, findings: &mut Findings<'_>) {
    check_counts(record, meter, findings);
    if let Some(counter) = &meter.counter {
        check_counter(counter, meter, findings);
    }
    check_clock(record, findings);
    check_processes(record, meter, findings);
    check_state(record, meter, findings);
    if meter.image.elf_sha256 != record.library_sha256 {
        findings.add("meter.image.elf_sha256", "differs from library_sha256");
    }
    memory::check(&meter.memory, record.trials.len(), findings);
    check_fitness(record, meter, findings);
}

/// The trials in the counter's unit are the trials, and cycles are cycles only.
fn check_counts(record: &Record, meter: &Meter, findings: &mut Findings<'_>) {
    let (trials, counts) = (&record.trials, &meter.trials);
    let why = "the record's trials are";
    findings.equal("meter.trials", counts.len(), trials.len(), why);
    let unit = meter.counter.as_ref().map(|counter| counter.unit);
    for (index, (trial, count)) in trials.iter().zip(counts).enumerate() {
        let key = |name| format!("meter.trials[{index}].{name}");
        let why = "the record's trial has";
        findings.equal(
            &key("measurements"),
            count.measurements,
            trial.measurements,
            why,
        );
        findings.equal(&key("seconds"), count.seconds, trial.seconds, why);
        let cycles = match unit {
            Some(Unit::Cycles) => count.count.unwrap_or(0),
            _ => 0,
        };
        let why = match unit {
            Some(unit) => format!("the counter counts {}, so it must be", unit.name()),
            None => "there was no counter, so it must be".to_owned(),
        };
        let key = format!("trials[{index}].cycles");
        findings.equal(&key, trial.cycles, cycles, &why);
    }
    let computed = mean_count(counts);
    check_number("meter.mean_count", meter.mean_count, computed, findings);
}

fn check_counter(counter: &Counter, meter: &Meter, findings: &mut Findings<'_>) {
    findings.equal(
        "meter.counter.unit",
        counter.unit.name(),
        counter.source.unit().name(),
        "its source counts",
    );
    if (counter.source == CounterSource::Icount) != meter.emulator.is_some() {
        let problem = "instructions are counted in an emulator, and nothing else is";
        findings.add("meter.emulator", problem);
    }
}

fn check_clock(record: &Record, findings: &mut Findings<'_>) {
    let clock = CoreClock::of(&record.trials);
    let environment = &record.environment;
    for (key, stated, computed) in [
        (
            "environment.core_clock_hz",
            &environment.core_clock_hz,
            clock.map(|clock| clock.mean_hz),
        ),
        (
            "environment.core_clock_min_hz",
            &environment.core_clock_min_hz,
            clock.map(|clock| clock.min_hz),
        ),
        (
            "environment.core_clock_max_hz",
            &environment.core_clock_max_hz,
            clock.map(|clock| clock.max_hz),
        ),
        (
            "environment.core_clock_mhz",
            &environment.core_clock_mhz,
            clock.map(|clock| clock.mean_hz / 1e6),
        ),
    ] {
        let stated = stated.as_ref().and_then(Reading::number);
        // Whole numbers, so that there is nothing to round.
        let (stated, computed) = (stated, computed.map(f64::round));
        if stated != computed {
            let text = |value: Option<f64>| value.map_or("null".to_owned(), |it| it.to_string());
            let (stated, computed) = (text(stated), text(computed));
            findings.add(key, format!("is {stated}, but the trials give {computed}"));
        }
    }
}

/// The one process says of itself what the record says of it.
fn check_processes(record: &Record, meter: &Meter, findings: &mut Findings<'_>) {
    let retries = record
        .processes
        .iter()
        .fold(0, |sum: u64, it| sum.saturating_add(it.disturbed_retries));
    let why = "the processes give";
    findings.equal("disturbed_retries", record.disturbed_retries, retries, why);
    let run = record.processes.iter().flat_map(|process| &process.trials);
    if !run.eq(&record.trials) {
        findings.add("trials", "are not those that the processes ran");
    }
    let unit = meter.counter.as_ref().map(|counter| counter.unit);
    let expected = meta(record, &meter.version, unit);
    for (index, process) in record.processes.iter().enumerate() {
        let why = "from the rest of the record follows";
        for (name, expected) in &expected {
            let key = format!("processes[{index}].meta.{name}");
            match process.meta.get(name) {
                Some(stated) => findings.equal(&key, stated, expected, why),
                None => findings.add(key, "is missing"),
            }
        }
        let name = process
            .meta
            .keys()
            .find(|name| !expected.contains_key(*name));
        if let Some(name) = name {
            let problem = "is no key of a record of this program";
            findings.add(format!("processes[{index}].meta.{name}"), problem);
        }
        let key = format!("processes[{index}].stderr");
        let stated = &meter.output.stderr.beginning;
        findings.equal(
            &key,
            &process.stderr,
            stated,
            "meter.output.stderr.beginning is",
        );
    }
    if record.processes.len() != 1 {
        let problem = format!("are {}, but one image ran", record.processes.len());
        findings.add("processes", problem);
    }
}

/// What was accepted is named, and what the environment shows is among it.
fn check_fitness(record: &Record, meter: &Meter, findings: &mut Findings<'_>) {
    for (index, problem) in meter.fitness.iter().enumerate() {
        let key = format!("meter.fitness[{index}]");
        if problem.trim().is_empty() {
            findings.add(key, "is empty: what was the problem?");
        } else if meter.fitness[..index].contains(problem) {
            findings.add(key, "is there twice");
        }
    }
    let virtual_machine = record.environment.virtualized == Some(Reading::Switch(true));
    if virtual_machine && meter.emulator.is_none() && meter.fitness.is_empty() {
        let problem = "is empty, and the environment says that it is a virtual machine";
        findings.add("meter.fitness", problem);
    }
}

/// A record is complete, or it says why it is not.
fn check_state(record: &Record, meter: &Meter, findings: &mut Findings<'_>) {
    match (record.status, &meter.reason) {
        (Status::Complete, Some(_)) => {
            findings.add("meter.reason", "a complete record has no reason not to be");
        }
        (Status::FailedOrPartial, None) => {
            findings.add("meter.reason", "is null: why is the record not complete?");
        }
        _ => {}
    }
    if record.status == Status::Complete && meter.fault.is_some() {
        findings.add("meter.fault", "a complete record has no fault");
    }
    let status = record
        .processes
        .first()
        .map(|process| process.status.as_str());
    let fits = match status {
        Some("ok") => meter.fault.is_none(),
        Some("fault") => record.status != Status::Complete && meter.fault.is_some(),
        Some("failed" | "timeout" | "vanished" | "nonsense") => record.status != Status::Complete,
        _ => false,
    };
    if !fits {
        let problem = format!("is {status:?}, which does not fit the rest of the record");
        findings.add("processes[0].status", problem);
    }
}
