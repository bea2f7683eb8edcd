//! What a reader must know of single figures and of all: a few words beside a figure, and above all
//! of them what these words mean.

use std::collections::BTreeMap;

use wire::{CounterSource, Unit};

use super::rows::{Row, instances};
use crate::record::schema::{FlagSet, KatStatus, Record, Status};
use crate::record::statistics::GUIDE_MEASUREMENTS;
use crate::report::model::Text;
use crate::report::page;
use crate::table::comparison::{DISTURBED, NOISY, is_disturbed};
use crate::table::format::number_of;

/// What can be said of a figure, the gravest first.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Note {
    /// Not everything was measured.
    Failed,
    /// Nothing was counted.
    NoCounts,
    /// An emulator is the system.
    Emulated,
    /// Ticks of a clock stand for cycles.
    NoCycles,
    /// The system lacked something and was taken nevertheless.
    Unfit,
    /// Fewer calls than the guide asks for.
    FewCalls,
    /// The trials took unlike times.
    Unlike,
    /// The clock fell during trials.
    Disturbed,
    /// The board held its clock down.
    Throttled,
    /// Other flags than the guide's.
    Flags,
    /// There is something to know of the memory.
    Memory,
}

impl Note {
    /// Every one.
    const ALL: [Self; 11] = [
        Self::Failed,
        Self::NoCounts,
        Self::Emulated,
        Self::NoCycles,
        Self::Unfit,
        Self::FewCalls,
        Self::Unlike,
        Self::Disturbed,
        Self::Throttled,
        Self::Flags,
        Self::Memory,
    ];

    /// As it stands beside a figure.
    pub fn words(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::NoCounts => "no counts",
            Self::Emulated => "emulated",
            Self::NoCycles => "no cycles",
            Self::Unfit => "unfit host",
            Self::FewCalls => "n < 100",
            Self::Unlike => "unlike trials",
            Self::Disturbed => "disturbed",
            Self::Throttled => "throttled",
            Self::Flags => "other flags",
            Self::Memory => "memory",
        }
    }

    /// What that means.
    fn meaning(self) -> String {
        match self {
            Self::Failed => "not everything that was planned was measured".to_owned(),
            Self::NoCounts => "the system has no counter".to_owned(),
            Self::Emulated => "an emulator is the system: counts are instructions and not cycles, \
                times are virtual, and neither says how fast a real core is"
                .to_owned(),
            Self::NoCycles => "counts are ticks of the time-stamp counter or of the generic \
                timer, which pass at a fixed rate whatever the clock of the core"
                .to_owned(),
            Self::Unfit => "the system lacks something for a trustworthy measurement, and was \
                taken as it is"
                .to_owned(),
            Self::FewCalls => format!("fewer calls than the guide's {GUIDE_MEASUREMENTS}"),
            Self::Unlike => format!(
                "the mean is marked with {NOISY}: the slowest trial took more than {DISTURBED} times as long as the fastest, with \
                 the same inputs, so that it says little"
            ),
            Self::Disturbed => "trials were repeated because the clock fell during them".to_owned(),
            Self::Throttled => "the board held its clock down".to_owned(),
            Self::Flags => "the submission was not compiled with the guide's flags".to_owned(),
            Self::Memory => "there is something to know of stack or heap, which the candidate's \
                page tells"
                .to_owned(),
        }
    }

    fn concerns(self, record: &Record) -> bool {
        let meter = record.meter.as_ref();
        let counter = meter.and_then(|meter| meter.counter.as_ref());
        match self {
            Self::Failed => record.status != Status::Complete,
            Self::NoCounts => {
                counter.is_some_and(|counter| counter.source == CounterSource::Missing)
            }
            Self::Emulated => record.is_emulated(),
            Self::NoCycles => counter.is_some_and(|counter| {
                matches!(counter.unit, Unit::Ticks | Unit::TimerTicks)
                    && counter.source != CounterSource::Missing
            }),
            Self::Unfit => meter.is_some_and(|meter| !meter.fitness.is_empty()),
            Self::FewCalls => record.measurements > 0 && !record.guide_100_measurements_met,
            Self::Unlike => is_disturbed(record),
            Self::Disturbed => record.disturbed_retries > 0,
            Self::Throttled => {
                let conditions = meter.and_then(|meter| meter.conditions.as_ref());
                conditions.is_some_and(|conditions| {
                    [&conditions.before, &conditions.after]
                        .iter()
                        .any(|moment| moment.throttled == Some(true))
                })
            }
            Self::Flags => record.flags != FlagSet::Guide,
            Self::Memory => meter.is_some_and(|meter| {
                !meter.memory.marks.is_empty() || meter.memory.heap_before_and_peak().is_some()
            }),
        }
    }
}

/// What is to be said of a record.
pub fn notes(record: &Record) -> impl Iterator<Item = Note> {
    Note::ALL.into_iter().filter(|note| note.concerns(record))
}

/// What is to be said before all figures.
pub fn warnings(rows: &[Row]) -> Vec<Text> {
    let mut warnings: Vec<Text> = known_answers(rows).into_iter().collect();
    let records = || rows.iter().filter_map(|row| row.record);
    let mut numbers: BTreeMap<Note, usize> = BTreeMap::new();
    for note in records().flat_map(notes) {
        *numbers.entry(note).or_default() += 1;
    }
    let all = records().count();
    for (note, number) in numbers {
        let mut words = format!(
            " ({number} of {}): {}",
            number_of(all, "record"),
            note.meaning()
        );
        if note == Note::Unfit {
            words = format!("{words}: {}", findings(rows).join("; "));
        }
        warnings.push(Text::strong(note.words()).and(words).and("."));
    }
    warnings
}

/// Outcomes of known-answer tests that are no pass, with the number of instances.
fn known_answers(rows: &[Row]) -> Option<Text> {
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut all = 0;
    for rows in instances(rows) {
        all += 1;
        match page::kat(rows[0].label) {
            Some(KatStatus::Pass) => {}
            outcome => {
                *outcomes
                    .entry(outcome.map_or("unknown", KatStatus::name))
                    .or_default() += 1
            }
        }
    }
    (!outcomes.is_empty()).then(|| {
        let words: Vec<String> = outcomes
            .iter()
            .map(|(outcome, number)| format!("{outcome} {number}"))
            .collect();
        let words = format!(
            " did not pass, of {}: {}.",
            number_of(all, "instance"),
            words.join(", ")
        );
        Text::strong("Known-answer tests").and(words)
    })
}

/// What systems lack, each once.
fn findings(rows: &[Row]) -> Vec<String> {
    let mut findings: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        let meter = row.record.and_then(|record| record.meter.as_ref());
        for problem in meter.iter().flat_map(|meter| &meter.fitness) {
            let finding = (row.system.name.as_str(), problem.as_str());
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
    }
    let words = |(system, problem)| format!("{system}, {problem}");
    findings.into_iter().map(words).collect()
}

#[cfg(test)]
mod tests {
    use super::super::rows::rows;
    use super::*;
    use crate::report::tests::examples;

    fn plain(systems: &[crate::report::evidence::System]) -> Vec<String> {
        warnings(&rows(systems)).iter().map(Text::plain).collect()
    }

    #[test]
    fn what_honesty_asks_for_is_said_before_all_figures() {
        let mut system = examples::all();
        let record = &mut system.candidates[0].labels[0].records[2];
        record.measurements = 35;
        record.guide_100_measurements_met = false;
        let warnings = plain(&[system]).join("\n");
        for words in [
            "Known-answer tests did not pass, of 5 instances: BUILDFAIL 1, NOKAT 1.",
            "failed (1 of 15 records): not everything",
            "emulated (7 of 15 records): an emulator is the system",
            "no cycles (3 of 15 records): counts are ticks",
            "bench, the host is a virtual machine.",
            "n < 100 (1 of 15 records): fewer calls than the guide's 100.",
            "other flags (3 of 15 records)",
        ] {
            assert!(
                warnings.contains(words),
                "{words} is missing from\n{warnings}"
            );
        }
    }

    #[test]
    fn where_all_is_well_nothing_is_said() {
        let mut system = examples::kem();
        system.candidates[0].labels.truncate(1);
        system.candidates[0].labels[0].records.truncate(1);
        assert_eq!(plain(&[system]), Vec::<String>::new());
    }
}
