//! Records of several systems, or of several runs, next to each other.

mod notes;
mod ratios;

use std::collections::BTreeMap;

use serde::Serialize;

pub(crate) use self::notes::mark;
use super::{format, order};
use crate::ratio::{self, Against};
use crate::record::run_files::NotBuilt;
use crate::record::schema::{Record, Status};
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
    /// The label by which each system is divided once more; null where none was asked for.
    pub yardstick: Option<String>,
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
    /// What each system's cost is, divided by that of the same operation of the yardstick on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_yardstick: Vec<Option<Against>>,
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
    /// Most heap in use at a time, with what was in use before the call.
    pub heap_peak_bytes: Option<u64>,
    /// The part of it that was in use before the call.
    pub heap_live_before_bytes: Option<u64>,
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

/// Marks a figure of which a disturbed machine leaves little.
pub(crate) const NOISY: &str = "~";

/// Marks a peak of the heap of which a part was in use before the call.
pub(crate) const BEFORE: &str = "§";

/// What that mark means.
pub(crate) const BEFORE_MEANING: &str = "A part of this heap was in use before the call: what the \
    set-up left or lost, or an earlier step of an exchange handed on. The operation needs it \
    nevertheless.";

/// How much slower the slowest trial may be than the fastest.
pub(crate) const DISTURBED: f64 = 1.2;

/// So many instances that a system cannot run for the same reason are named one by one.
const NAMED: usize = 3;

pub(crate) type Key = (String, String, String);

/// Puts systems side by side.
pub fn compare(columns: &[Column]) -> Comparison {
    compare_with(columns, None)
}

/// The same, and every operation divided by that of a yardstick, `<candidate>/<label>`, on the same
/// system: numbers without a unit, which can stand beside those of any other system.
pub fn compare_with(columns: &[Column], yardstick: Option<&str>) -> Comparison {
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
        .map(|index| ratios::reference(columns, &systems, index))
        .collect();
    for (index, reference) in references.iter().enumerate() {
        systems[index].ratio_to = reference.map(|reference| systems[reference].name.clone());
    }
    let mut found: Vec<ratios::Found> = found.into_iter().collect();
    found.sort_by(|((candidate, label, operation), _), (other, _)| {
        order::natural(candidate, &other.0)
            .then_with(|| order::natural(label, &other.1))
            .then_with(|| order::operations(operation, &other.2))
    });
    let ratios = ratios::of_columns(columns, &references, &found);
    let by_yardstick = match yardstick {
        Some(yardstick) => ratios::by_yardstick(columns, yardstick, &found),
        None => vec![Vec::new(); found.len()],
    };
    let rows = found.into_iter().zip(ratios).zip(by_yardstick);
    let rows: Vec<Row> = rows
        .map(
            |((((candidate, label, operation), records), ratios), by_yardstick)| Row {
                candidate,
                label,
                operation,
                cells: records.into_iter().map(|it| it.map(cell)).collect(),
                ratios,
                by_yardstick,
            },
        )
        .collect();
    Comparison {
        notes: notes::notes(columns, &systems, &rows, yardstick),
        yardstick: yardstick.map(str::to_owned),
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
        heap_live_before_bytes: meter.and_then(|meter| meter.memory.heap_live_before_bytes),
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

/// Whether the machine disturbed the measurement so much that its means say little.
pub(crate) fn is_disturbed(record: &Record) -> bool {
    trial_spread(record).is_some_and(|spread| spread > DISTURBED)
}

impl Cell {
    /// Whether a part of the heap was in use before the call.
    pub fn has_heap_before(&self) -> bool {
        self.heap_live_before_bytes.is_some_and(|bytes| bytes > 0)
    }

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
