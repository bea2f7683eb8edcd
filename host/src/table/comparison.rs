//! Records of several systems, or of several runs, next to each other.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{format, order};
use crate::ratio::{self, Against, Basis, Ratio};
use crate::record::run_files::NotBuilt;
use crate::record::schema::{FlagSet, KatStatus, Record, Status};
use crate::record::statistics::median_count;
use crate::record::store;

/// The records of one system in one run, under the name that a reader knows it by.
#[derive(Clone, Debug)]
pub struct Column {
    /// The system, with its run where there are several.
    pub name: String,
    /// The system alone.
    pub system: String,
    /// Its records, in any order.
    pub records: Vec<Record>,
}

impl Column {
    /// One of its records as a side of a ratio.
    fn side<'a>(&'a self, record: &'a Record) -> ratio::Side<'a> {
        ratio::Side {
            name: &self.name,
            system: &self.system,
            record,
        }
    }
}

/// Systems side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The systems, in the order of every row's cells.
    pub systems: Vec<Heading>,
    /// One row for each operation.
    pub rows: Vec<Row>,
    /// With which probability all intervals of the ratios hold the truth.
    pub confidence: f64,
    /// Instances without records because they were not built.
    pub not_built: Vec<NotBuilt>,
    /// What a reader must know.
    pub notes: Vec<String>,
}

/// What all records of a system have in common.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Heading {
    /// The system's name.
    pub name: String,
    /// The unit of its counts; null when they differ or nothing was counted.
    pub unit: Option<&'static str>,
    /// The unit as people see it.
    #[serde(skip)]
    pub unit_heading: Option<&'static str>,
    /// Whether an emulator is the system, so that its times are virtual.
    pub emulated: bool,
    /// The system that its costs are divided by: the first column of the same system, or else the
    /// first of real ones or of emulated ones; null for that one itself.
    pub ratio_to: Option<String>,
}

/// One operation on all systems.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The candidate's id.
    pub candidate: String,
    /// The label.
    pub label: String,
    /// The operation, with the length of its input where it has one.
    pub operation: String,
    /// What each system measured; null where it did not.
    pub cells: Vec<Option<Cell>>,
    /// What each system's cost is, divided by that of its `ratio_to`, and how sure that is; null
    /// for that system itself, and where either measured nothing.
    pub ratios: Vec<Option<Against>>,
}

/// One operation on one system.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Count of one call, on average.
    pub mean_count: Option<f64>,
    /// Unit of that count.
    pub unit: Option<&'static str>,
    /// The unit as people see it.
    #[serde(skip)]
    pub unit_heading: Option<&'static str>,
    /// Count of one call that finds everything cold: the median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cold_count: Option<f64>,
    /// Instructions in a core clock cycle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ipc: Option<f64>,
    /// Time of one call, on average, on the system's own clock.
    pub mean_seconds: Option<f64>,
    /// Input in 10^6 bytes a second, of a hash function.
    pub throughput_megabytes_per_second: Option<f64>,
    /// Whether that clock is an emulator's.
    pub emulated: bool,
    /// Stack of one call.
    pub stack_bytes: Option<u64>,
    /// Whether it may be more.
    pub stack_is_a_lower_bound: bool,
    /// Most heap in use at a time.
    pub heap_peak_bytes: Option<u64>,
    /// Outcome of the known-answer test.
    pub kat: &'static str,
    /// Whether nothing is known to be wrong with its answers.
    #[serde(skip)]
    pub kat_is_clean: bool,
    /// The slowest trial's time divided by the fastest one's: trials repeat the same inputs, so
    /// that what is above 1 is noise of the machine.
    pub trial_spread: Option<f64>,
    /// Calls in all trials.
    pub measurements: u64,
    /// Whether everything that was planned was measured.
    pub complete: bool,
}

/// How much slower the slowest trial may be than the fastest.
pub(crate) const DISTURBED: f64 = 1.2;

/// So many instances that a system cannot run for the same reason are named one by one.
const NAMED: usize = 3;

pub(crate) type Key = (String, String, String);

/// Puts systems side by side.
pub fn compare(columns: &[Column]) -> Comparison {
    let mut found: BTreeMap<Key, Vec<Option<&Record>>> = BTreeMap::new();
    for (index, column) in columns.iter().enumerate() {
        for record in &column.records {
            let records = found.entry(key(record)).or_default();
            records.resize(columns.len(), None);
            records[index] = Some(record);
        }
    }
    let mut systems: Vec<Heading> = columns.iter().map(heading).collect();
    let references: Vec<Option<usize>> = (0..systems.len())
        .map(|index| reference(columns, &systems, index))
        .collect();
    for (index, reference) in references.iter().enumerate() {
        systems[index].ratio_to = reference.map(|reference| systems[reference].name.clone());
    }
    let mut found: Vec<(Key, Vec<Option<&Record>>)> = found.into_iter().collect();
    found.sort_by(|((candidate, label, operation), _), (other, _)| {
        order::natural(candidate, &other.0)
            .then_with(|| order::natural(label, &other.1))
            .then_with(|| order::operations(operation, &other.2))
    });
    let ratios = ratios(columns, &references, &found);
    let rows = found.into_iter().zip(ratios);
    let rows: Vec<Row> = rows
        .map(|(((candidate, label, operation), records), ratios)| Row {
            candidate,
            label,
            operation,
            cells: records.into_iter().map(|it| it.map(cell)).collect(),
            ratios,
        })
        .collect();
    Comparison {
        notes: notes(columns, &systems, &rows),
        systems,
        rows,
        confidence: ratio::CONFIDENCE,
        not_built: Vec::new(),
    }
}

/// What tells a record from the others of its system: candidate, label, and operation with the
/// length of its input.
pub(crate) fn key(record: &Record) -> Key {
    let stem = store::stem(record);
    let operation = stem.strip_prefix(&record.label).unwrap_or(&stem);
    let operation = operation.trim_start_matches('_').to_owned();
    (record.candidate.clone(), record.label.clone(), operation)
}

fn cell(record: &Record) -> Cell {
    let count = record.mean_count();
    let meter = record.meter.as_ref();
    Cell {
        mean_count: count.map(|(count, _)| count),
        unit: count.map(|(_, unit)| unit.name()),
        unit_heading: count.map(|(_, unit)| unit.heading()),
        cold_count: meter
            .and_then(|meter| meter.cold.as_ref())
            .and_then(|cold| median_count(&cold.samples)),
        ipc: meter.and_then(|meter| meter.ipc),
        mean_seconds: record.mean_seconds,
        throughput_megabytes_per_second: record.throughput_megabytes_per_second,
        emulated: record.is_emulated(),
        stack_bytes: meter.and_then(|meter| meter.memory.stack_bytes),
        stack_is_a_lower_bound: meter.is_some_and(|meter| meter.memory.stack_is_a_lower_bound()),
        heap_peak_bytes: meter.and_then(|meter| meter.memory.heap_peak_bytes),
        kat: record.kat.name(),
        kat_is_clean: record.kat.is_clean(),
        trial_spread: trial_spread(record),
        measurements: record.measurements,
        complete: record.status == Status::Complete,
    }
}

pub(crate) fn trial_spread(record: &Record) -> Option<f64> {
    let spread = record.max_trial_seconds? / record.min_trial_seconds?;
    spread.is_finite().then_some(spread)
}

impl Cell {
    /// Whether the machine disturbed the measurement so much that its mean says little.
    pub fn is_disturbed(&self) -> bool {
        self.trial_spread.is_some_and(|spread| spread > DISTURBED)
    }
}

fn heading(column: &Column) -> Heading {
    let mut units = column.records.iter().filter_map(Record::mean_count);
    let first = units.next().map(|(_, unit)| unit);
    let common = first.filter(|first| units.all(|(_, unit)| unit == *first));
    Heading {
        name: column.name.clone(),
        unit: common.map(wire::Unit::name),
        unit_heading: common.map(wire::Unit::heading),
        emulated: column.records.iter().any(Record::is_emulated),
        ratio_to: None,
    }
}

/// What a column is divided by; `None` when that is this one.
fn reference(columns: &[Column], systems: &[Heading], index: usize) -> Option<usize> {
    let same = |other: &Column| other.system == columns[index].system;
    let earlier = columns[..index].iter().position(same);
    let alike = |other: &Heading| other.emulated == systems[index].emulated;
    let first = earlier.or_else(|| systems.iter().position(alike))?;
    (first != index).then_some(first)
}

/// The ratios of all rows, judged together.
fn ratios(
    columns: &[Column],
    references: &[Option<usize>],
    rows: &[(Key, Vec<Option<&Record>>)],
) -> Vec<Vec<Option<Against>>> {
    let one = |records: &[Option<&Record>], index: usize| {
        let base = references[index]?;
        Some(ratio::ratio(
            columns[index].side(records[index]?),
            columns[base].side(records[base]?),
        ))
    };
    let found: Vec<Vec<_>> = rows
        .iter()
        .map(|(_, records)| (0..columns.len()).map(|index| one(records, index)).collect())
        .collect();
    let there = found.iter().flatten().flatten();
    let there = there.filter_map(|ratio| ratio.as_ref().ok().cloned());
    let mut judged = ratio::judge(there.collect()).into_iter();
    let mut against = |found| match found {
        Ok(_) => judged.next().map(Against::Ratio),
        Err(not_available) => Some(Against::NotAvailable { not_available }),
    };
    let mut row = |row: Vec<Option<Result<_, _>>>| -> Vec<Option<Against>> {
        let cells = row.into_iter();
        cells.map(|cell| cell.and_then(&mut against)).collect()
    };
    found.into_iter().map(&mut row).collect()
}

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

const NOISE: &str = "~ The slowest trial took more than 1.2 times as long as the fastest, with the \
    same inputs: the machine was disturbed, and the mean says little.";

const SPARSE: &str = "≥ A function that the operation can reach has a larger frame than the stack \
    that was seen, or one whose size is decided when it is called: what it did not write was not \
    seen.";

fn notes(columns: &[Column], systems: &[Heading], rows: &[Row]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut cells = rows.iter().flat_map(|row| row.cells.iter().flatten());
    if cells.any(Cell::is_disturbed) {
        notes.push(NOISE.to_owned());
    }
    let mut cells = rows.iter().flat_map(|row| row.cells.iter().flatten());
    if cells.any(|cell| cell.stack_is_a_lower_bound) {
        notes.push(SPARSE.to_owned());
    }
    if systems.iter().any(|system| system.emulated) {
        notes.push(VIRTUAL_TIME.to_owned());
    }
    let divided = |system: &Heading| system.emulated && system.ratio_to.is_some();
    if systems.iter().any(divided) {
        notes.push(INSTRUCTIONS.to_owned());
    }
    notes.extend(notes_on_ratios(systems, rows));
    let counts = columns.iter().flat_map(|column| &column.records);
    let mut units = counts.filter_map(Record::mean_count);
    if units.any(|(_, unit)| unit == wire::Unit::Ticks) {
        notes.push(TICKS.to_owned());
    }
    for column in columns {
        notes.extend(notes_on(column));
    }
    notes
}

/// What the ratios are, and why some are none.
fn notes_on_ratios(systems: &[Heading], rows: &[Row]) -> Vec<String> {
    let mut notes = Vec::new();
    let against = rows.iter().flat_map(|row| row.ratios.iter().flatten());
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
        let Some(to) = &system.ratio_to else { continue };
        let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for row in rows {
            if let Some(Against::NotAvailable { not_available }) = &row.ratios[index] {
                let place = format!("{}/{} {}", row.candidate, row.label, row.operation);
                reasons.entry(not_available).or_default().push(place);
            }
        }
        notes.extend(reasons.into_iter().map(|(reason, places)| {
            let places = match places.as_slice() {
                few if few.len() <= NAMED => few.join(", "),
                many => format::number_of(many.len(), "operation"),
            };
            format!("{} ÷ {to}, {places}: not available: {reason}.", system.name)
        }));
    }
    notes
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

/// The words for instances that were not built: what is wrong with each, and how many each system
/// cannot run for what it lacks.
pub fn not_built_in_words(not_built: &[NotBuilt]) -> Vec<String> {
    let mut words = Vec::new();
    let mut lacks: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for NotBuilt {
        system,
        name,
        reason,
        unavailable,
    } in not_built
    {
        if *unavailable {
            lacks.entry((system, reason)).or_default().push(name);
        } else {
            words.push(format!("{system}, {name}: BUILDFAIL: {reason}."));
        }
    }
    words.extend(lacks.into_iter().map(|((system, reason), names)| {
        let which = match names.as_slice() {
            few if few.len() <= NAMED => few.join(", "),
            many => format::number_of(many.len(), "instance"),
        };
        format!("{system}, {which}: BUILDFAIL for what the system lacks: {reason}.")
    }));
    words
}
