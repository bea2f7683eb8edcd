//! The list of processes, which for this meter has one entry: the image that ran.

use indexmap::IndexMap;
use wire::Unit;

use super::{Occasion, Outcome, trouble};
use crate::record::schema::{Process, Record, TimingScope, Unknown};

/// Key of a process's `meta` that names this program: such a record must have a `meter`.
pub(in crate::record) const MEASURED_BY: &str = "measured_by";

/// The one process of ours, as the published records describe theirs.
pub(super) fn process(
    record: &Record,
    occasion: &Occasion,
    unit: Option<Unit>,
    outcome: &Outcome,
) -> Process {
    Process {
        status: trouble::process_status(outcome).to_owned(),
        exit_code: occasion.exit_code,
        meta: meta(record, env!("CARGO_PKG_VERSION"), unit),
        trials: record.trials.clone(),
        stderr: super::meter::captured(&occasion.output.stderr).beginning,
        command: occasion.command.clone(),
        wall_seconds: occasion.wall_seconds,
        disturbed_retries: occasion.disturbed_retries,
        unknown: Unknown::new(),
    }
}

/// What the process says of itself: all of it follows from the rest of the record, the version of
/// this program and the unit of its counter.
pub(in crate::record) fn meta(
    record: &Record,
    version: &str,
    unit: Option<Unit>,
) -> IndexMap<String, String> {
    let yes_or_no = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let sizes = &record.sizes;
    let mut meta = IndexMap::from([
        ("id".to_owned(), record.candidate.clone()),
        ("instance".to_owned(), record.instance.clone()),
        ("variant".to_owned(), record.variant.clone()),
        ("operation".to_owned(), record.operation.clone()),
        ("build_flags".to_owned(), record.build_flags.clone()),
    ]);
    for (key, value) in sizes.by_key() {
        if let Some(value) = value {
            meta.insert(key.to_owned(), value.to_string());
        }
    }
    let scope = record.timing_scope.map_or("none", TimingScope::name);
    for (key, value) in [
        ("mode", "timing".to_owned()),
        (
            "cpu_cycles_available",
            yes_or_no(unit == Some(Unit::Cycles)),
        ),
        ("timing_scope", scope.to_owned()),
        ("warmups", record.plan.warmups.to_string()),
        ("measurement_count", record.measurements.to_string()),
        (
            "guide_100_measurements",
            yes_or_no(record.guide_100_measurements_met),
        ),
        (MEASURED_BY, format!("ngcc-meter {version}")),
    ] {
        meta.insert(key.to_owned(), value);
    }
    meta
}
