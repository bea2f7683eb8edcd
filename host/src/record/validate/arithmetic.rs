//! Everything that follows from the raw trials.

use super::{Findings, check_number};
use crate::record::schema::{KatStatus, Record, Status};
use crate::record::statistics::Statistics;

/// Checks the statistics, the plan and the times of a record.
pub(super) fn check(record: &Record, findings: &mut Findings<'_>) {
    check_trials(record, findings);
    check_statistics(record, findings);
    check_plan(record, findings);
    let passed = record.kat == KatStatus::Pass;
    let why = format!("with kat {} it is", record.kat.name());
    findings.equal("kat_not_passed", record.kat_not_passed, !passed, &why);
    if record.ended_utc.instant() < record.started_utc.instant() {
        findings.add("ended_utc", "lies before started_utc");
    }
}

fn check_trials(record: &Record, findings: &mut Findings<'_>) {
    for (index, trial) in record.trials.iter().enumerate() {
        let key = |name| format!("trials[{index}].{name}");
        if trial.measurements == 0 {
            findings.add(key("measurements"), "is 0: a trial without a call");
        }
        // Written so that a NaN is a finding too.
        if !(trial.seconds.is_finite() && trial.seconds > 0.0) {
            let problem = format!("is {}: no time for a trial", trial.seconds);
            findings.add(key("seconds"), problem);
        }
    }
}

fn check_statistics(record: &Record, findings: &mut Findings<'_>) {
    let (stated, computed) = (Statistics::stated(record), Statistics::of_record(record));
    let why = "the trials give";
    findings.equal(
        "measurements",
        stated.measurements,
        computed.measurements,
        why,
    );
    findings.equal(
        "guide_100_measurements_met",
        stated.guide_100_measurements_met,
        computed.guide_100_measurements_met,
        why,
    );
    for ((key, stated), (_, computed)) in stated.by_key().into_iter().zip(computed.by_key()) {
        check_number(key, stated, computed, findings);
    }
}

/// A complete record has the trials that were planned.
fn check_plan(record: &Record, findings: &mut Findings<'_>) {
    if record.status != Status::Complete {
        return;
    }
    let trials = record.trials.len() as u64;
    let why = "a complete record has as many trials as planned:";
    findings.equal("trials", trials, record.plan.trials, why);
    for (index, trial) in record.trials.iter().enumerate() {
        findings.equal(
            &format!("trials[{index}].measurements"),
            trial.measurements,
            record.plan.iterations_per_trial,
            "plan.iterations_per_trial is",
        );
    }
}
