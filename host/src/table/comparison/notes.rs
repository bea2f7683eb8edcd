//! What a reader of a comparison must know.

use std::collections::{BTreeMap, BTreeSet};

use super::{BEFORE, BEFORE_MEANING, Cell, Column, Heading, NAMED, Row, format, key};
use crate::ratio::{Against, Basis, Ratio};
use crate::record::schema::{FlagSet, KatStatus, Record, Status};

const VIRTUAL_TIME: &str = "The time of an emulated system is virtual: it follows from the number \
    of instructions and is not comparable with the time of a real core.";

const INSTRUCTIONS: &str =
    "A ratio of emulated systems is one of instruction counts, and not of speed.";

const INTERVALS: &str = "In brackets, where a ratio lies: all intervals here hold together with 95 %. \
    There is a verdict where the interval does not have 1 in it and the difference exceeds the noise, \
    which is how far trials lie apart, and layouts of the code where they were measured.";

/// Marks of ratios, and what they mean.
const ONE_INPUT: (&str, &str) = (
    "†",
    "Every call has the same input: the interval is of the machine's noise, and the ratio holds for \
     that input.",
);
const TRIALS: (&str, &str) = (
    "‡",
    "There are no single calls on one side: the interval is of the trials' noise, and nothing is \
     known of other inputs.",
);

/// The mark of a ratio whose interval is not one over inputs.
pub(crate) fn mark(ratio: &Ratio) -> &'static str {
    match (ratio.basis, ratio.distinct_inputs) {
        (Basis::Trials, _) => TRIALS.0,
        (Basis::Calls, Some(1)) => ONE_INPUT.0,
        _ => "",
    }
}

const TICKS: &str = "TSC ticks pass at a fixed rate, whatever the clock of the core: they are not \
    cycles.";

const EMULATED_TIME: &str = "An emulated process runs as fast as its emulator: its times and counts are \
    those of no core.";

const TIMER_TICKS: &str = "Timer ticks are those of an Arm core's generic timer, which pass at a \
    fixed rate, whatever the clock of the core: they are not cycles, and several cycles long.";

const NOISE: &str = "~ The slowest trial took more than 1.2 times as long as the fastest, with the \
    same inputs: the machine was disturbed, and the mean says little.";

const COLD: &str = "A cold call is one that finds caches and TLB empty and the branch predictor \
    thrashed: the median of a few, net of an empty call that is as cold, beside the mean of warm ones.";

const COLD_EMULATED: &str = "An emulator has no caches: what is cold there is cold in name, and the \
    count is that of instructions alone.";

const SPARSE: &str = "≥ A function that the operation can reach has a larger frame than the stack \
    that was seen, or one whose size is decided when it is called: what it did not write was not \
    seen.";

/// Everything, in the order in which it is read.
pub(super) fn notes(
    columns: &[Column],
    systems: &[Heading],
    rows: &[Row],
    yardstick: Option<&str>,
) -> Vec<String> {
    let mut notes = Vec::new();
    let mut cells = rows.iter().flat_map(|row| row.cells.iter().flatten());
    if cells.any(Cell::is_disturbed) {
        notes.push(NOISE.to_owned());
    }
    let mut cells = rows.iter().flat_map(|row| row.cells.iter().flatten());
    if cells.any(|cell| cell.stack_is_a_lower_bound) {
        notes.push(SPARSE.to_owned());
    }
    notes.extend(heap_before(systems, rows));
    let mut cells = rows.iter().flat_map(|row| row.cells.iter().flatten());
    if cells.any(|cell| cell.cold_count.is_some()) {
        notes.push(COLD.to_owned());
    }
    let mut cells = rows.iter().flat_map(|row| row.cells.iter().flatten());
    if cells.any(|cell| cell.cold_count.is_some() && cell.emulated) {
        notes.push(COLD_EMULATED.to_owned());
    }
    let records = || columns.iter().flat_map(|column| &column.records);
    let by_instructions = |record: &Record| {
        let counter = record.meter.as_ref().and_then(|it| it.counter.as_ref());
        counter.is_none_or(|counter| counter.unit == wire::Unit::Instructions)
    };
    let mut emulated = records().filter(|record| record.is_emulated());
    if emulated.clone().any(by_instructions) {
        notes.push(VIRTUAL_TIME.to_owned());
    }
    if emulated.any(|record| !by_instructions(record)) {
        notes.push(EMULATED_TIME.to_owned());
    }
    let divided = |system: &Heading| system.emulated && system.ratio_to.is_some();
    if systems.iter().any(divided) {
        notes.push(INSTRUCTIONS.to_owned());
    }
    notes.extend(notes_on_ratios(systems, rows, yardstick));
    let counts = columns.iter().flat_map(|column| &column.records);
    let units: Vec<_> = counts.filter_map(Record::mean_count).collect();
    for (clock, note) in [
        (wire::Unit::Ticks, TICKS),
        (wire::Unit::TimerTicks, TIMER_TICKS),
    ] {
        if units.iter().any(|(_, unit)| *unit == clock) {
            notes.push(note.to_owned());
        }
    }
    for column in columns {
        notes.extend(notes_on(column));
    }
    notes
}

/// Where heap was in use before the call, and how much.
fn heap_before(systems: &[Heading], rows: &[Row]) -> Option<String> {
    let mut places = Vec::new();
    for row in rows {
        for (system, cell) in systems.iter().zip(&row.cells) {
            let cell = cell.as_ref().filter(|cell| cell.has_heap_before());
            let bytes = cell.and_then(|it| it.heap_live_before_bytes.zip(it.heap_peak_bytes));
            if let Some((before, peak)) = bytes {
                places.push(format!(
                    "{}, {}/{} {}: {before} of {peak} bytes",
                    system.name, row.candidate, row.label, row.operation
                ));
            }
        }
    }
    let places = match places.as_slice() {
        [] => return None,
        few if few.len() <= NAMED => few.join("; "),
        many => format::number_of(many.len(), "operation"),
    };
    Some(format!("{BEFORE} {BEFORE_MEANING} {places}."))
}

/// What the ratios are, and why some are none.
fn notes_on_ratios(systems: &[Heading], rows: &[Row], yardstick: Option<&str>) -> Vec<String> {
    let mut notes = Vec::new();
    let against = rows
        .iter()
        .flat_map(|row| row.ratios.iter().chain(&row.by_yardstick));
    let against = against.flatten();
    let ratios: Vec<&Ratio> = against.filter_map(Against::ratio).collect();
    if ratios.iter().any(|ratio| ratio.interval.is_some()) {
        notes.push(INTERVALS.to_owned());
    }
    for (sign, meaning) in [ONE_INPUT, TRIALS] {
        if ratios.iter().any(|ratio| mark(ratio) == sign) {
            notes.push(format!("{sign} {meaning}"));
        }
    }
    for (index, system) in systems.iter().enumerate() {
        let to = system.ratio_to.as_deref().unwrap_or_default();
        notes.extend(without_ratio(&system.name, to, rows, |row| {
            row.ratios.get(index)
        }));
        let by = yardstick.unwrap_or_default();
        notes.extend(without_ratio(&system.name, by, rows, |row| {
            row.by_yardstick.get(index)
        }));
    }
    notes
}

/// Why some ratios of a column are none; operations with the same reason in one line.
fn without_ratio<'a>(
    name: &str,
    to: &str,
    rows: &'a [Row],
    cell: impl Fn(&'a Row) -> Option<&'a Option<Against>>,
) -> Vec<String> {
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in rows {
        if let Some(Some(Against::NotAvailable { not_available })) = cell(row) {
            let place = format!("{}/{} {}", row.candidate, row.label, row.operation);
            reasons.entry(not_available).or_default().push(place);
        }
    }
    let line = |(reason, places): (&str, Vec<String>)| {
        let places = match places.as_slice() {
            few if few.len() <= NAMED => few.join(", "),
            many => format::number_of(many.len(), "operation"),
        };
        format!("{name} ÷ {to}, {places}: not available: {reason}.")
    };
    reasons.into_iter().map(line).collect()
}

/// What made a system unfit when any of its records was measured.
fn problems(column: &Column) -> Vec<&str> {
    let mut problems = Vec::new();
    let meters = column.records.iter().filter_map(|it| it.meter.as_ref());
    for problem in meters.flat_map(|meter| &meter.fitness) {
        if !problems.contains(&problem.as_str()) {
            problems.push(problem);
        }
    }
    problems
}

/// What is not as it should be on one system.
fn notes_on(column: &Column) -> Vec<String> {
    let mut notes = Vec::new();
    let problems = problems(column);
    if !problems.is_empty() {
        notes.push(format!(
            "{} was not fit for a trustworthy measurement: {}.",
            column.name,
            problems.join("; ")
        ));
    }
    for record in &column.records {
        let meter = record.meter.as_ref();
        let (candidate, label, operation) = key(record);
        let place = format!("{}, {candidate}/{label} {operation}", column.name);
        if record.status != Status::Complete {
            let reason = meter.and_then(|meter| meter.reason.as_deref());
            let reason = reason.unwrap_or("not complete");
            notes.push(format!("{place}: {reason}."));
        }
        let sweeps = meter.map_or(&[][..], |meter| &meter.memory.heap_sweeps);
        if !sweeps.is_empty() {
            let times: u64 = sweeps.iter().map(|sweep| sweep.times).sum();
            notes.push(format!(
                "{place} leaks: what it had lost was freed {times} times between calls."
            ));
        }
        let evidence = meter.and_then(|meter| meter.kat.as_ref());
        let words = evidence.and_then(|kat| kat.first_difference.as_deref());
        if let (KatStatus::Mismatch, Some(words)) = (record.kat, words) {
            // All operations of an instance have the one test.
            let note = format!(
                "{}, {candidate}/{label}: wrong answers, {words}.",
                column.name
            );
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes.extend(other_flags(column));
    notes
}

/// Which labels were not compiled as the guide asks.
fn other_flags(column: &Column) -> Vec<String> {
    let mut labels: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for record in &column.records {
        if record.flags != FlagSet::Guide {
            let label = format!("{}/{}", record.candidate, record.label);
            labels.entry(record.flags.name()).or_default().insert(label);
        }
    }
    let in_words = |(flags, labels): (&str, BTreeSet<String>)| {
        let labels = labels.into_iter().collect::<Vec<_>>().join(", ");
        format!(
            "{}, compiled with the flags {flags}: {labels}.",
            column.name
        )
    };
    labels.into_iter().map(in_words).collect()
}
