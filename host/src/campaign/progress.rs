//! How far things are: a bar on a terminal, plain lines elsewhere, nothing when it is to be quiet;
//! and all of it in the run directory's log.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, IsTerminal};
use std::iter::repeat;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use catalogue::FlagSet;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use miette::Report;

use super::journal::Journal;
use super::phase::Phase;
use super::settings::Selected;
use super::stopwatch::Stopwatch;
use crate::fitness::{Fitness, words};
use crate::measurement::{KatOutcome, Spoiled};
use crate::notice::{self, printable};
use crate::record::assemble::{Subject, kat_status};
use crate::record::read::ReadError;
use crate::record::run_files::BUILD;
use crate::record::schema::{FaultReport, Record};
use crate::session::LogLine;
use crate::table::format;

/// So many instances that a system cannot run are named one by one.
const NAMED: usize = 3;

/// What the bar shows: time, records, what is being done, what went wrong on the line, time left.
const TEMPLATE: &str = "{elapsed_precise} [{pos}/{len}] {wide_msg} {prefix} ETA {left}";

/// Tells people how far things are. Clones speak for the same command.
#[derive(Clone, Debug)]
pub struct Reporter {
    bar: ProgressBar,
    /// Whether lines are printed at all.
    speaks: bool,
    /// Whether the meter's log is passed on.
    log: bool,
    /// The system that is spoken of, and whether others are measured at the same time.
    system: Option<(String, bool)>,
    /// The log of the run directory.
    journal: Option<Arc<Journal>>,
    /// What went wrong on the lines so far.
    trouble: Arc<Mutex<Trouble>>,
    /// How long phases take.
    watch: Arc<Stopwatch>,
}

impl Reporter {
    /// A reporter for a command; `log` passes the meter's log on.
    pub fn new(quiet: bool, log: bool) -> Self {
        let bar = ProgressBar::no_length();
        if quiet || !io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style.with_key("left", time_left));
        }
        Self {
            bar,
            speaks: !quiet,
            log,
            system: None,
            journal: None,
            trouble: Arc::default(),
            watch: Arc::default(),
        }
    }

    /// The same, which also keeps everything in the log of a run directory.
    pub fn logged(&self, run_directory: &Path) -> Self {
        Self {
            journal: Some(Arc::new(Journal::open(run_directory))),
            ..self.clone()
        }
    }

    /// The same for what is measured on one system, `beside` others or not.
    pub fn on(&self, system: &str, beside: bool) -> Self {
        Self {
            system: Some((system.to_owned(), beside)),
            ..self.clone()
        }
    }

    /// A line that stays.
    fn line(&self, words: &str) {
        self.note(words.trim_start());
        if self.speaks {
            self.bar.suspend(|| notice::line(printable(words)));
        }
    }

    /// A line about something of the system that is spoken of.
    fn of_system(&self, words: &str) {
        match &self.system {
            Some((system, true)) => self.line(&format!("  {system}: {words}")),
            _ => self.line(&format!("  {words}")),
        }
    }

    /// A line in the log alone.
    fn note(&self, words: &str) {
        if let Some(journal) = &self.journal {
            match &self.system {
                Some((system, _)) if !words.starts_with(&format!("{system}: ")) => {
                    journal.line(&format!("{system}: {words}"));
                }
                _ => journal.line(words),
            }
        }
    }

    /// Whether several systems are measured at the same time.
    pub fn speaks_of_several(&self) -> bool {
        matches!(self.system, Some((_, true)))
    }

    /// All this is to be measured.
    pub fn expect<'a>(&self, systems: impl Iterator<Item = &'a Selected<'a>>) {
        let all: usize = systems.map(operations).sum();
        self.bar.set_length(all as u64);
    }

    /// These instances are to be measured on this system.
    pub fn system(&self, name: &str, selected: &Selected) {
        let instances = &selected.available;
        let operations = operations(selected);
        self.line(&format!(
            "{name}: {}, {}",
            format::number_of(instances.len(), "instance"),
            format::number_of(operations, "operation")
        ));
        match &selected.unavailable[..] {
            few if few.len() <= NAMED => {
                for (instance, reason) in few {
                    self.line(&format!("  {}: BUILDFAIL ({reason})", instance.name()));
                }
            }
            many => self.line(&format!(
                "  {} are BUILDFAIL for what the system lacks, and {BUILD} says what",
                format::number_of(many.len(), "more instance")
            )),
        }
    }

    /// A system is taken as it is, fit or not.
    pub fn accepted(&self, fitness: &Fitness) {
        if let Some(warning) = words::warning(fitness) {
            self.line(&format!("  accepted: {warning}"));
        }
    }

    /// This is being done, in words where the phase alone does not say enough.
    pub fn doing(&self, phase: Phase, name: &str, detail: &str) {
        if let Some((system, _)) = &self.system {
            self.watch.begin(system, phase);
        }
        let words = match detail {
            "" => format!("{name}: {phase}"),
            detail => format!("{name}: {phase}: {detail}"),
        };
        self.note(&words);
        let words = match &self.system {
            Some((system, true)) => format!("{system}: {words}"),
            _ => words,
        };
        self.bar.set_message(printable(&words).into_owned());
        self.bar.tick();
    }

    /// What the phases on a system took on the wall.
    pub fn spent(&self, system: &str) -> BTreeMap<Phase, Duration> {
        self.watch.end(system)
    }

    /// So many records are there already.
    pub fn skipped(&self, records: usize) {
        self.bar.inc(records as u64);
    }

    /// A record cannot be read and will be measured anew.
    pub fn replaced(&self, why: &ReadError) {
        self.of_system(&format!("measuring anew: {why}"));
    }

    /// An instance did not build: its operations are done with.
    pub fn failed(&self, name: &str, operations: usize, reason: &str) {
        self.bar.inc(operations as u64);
        self.of_system(&format!("{name}: BUILDFAIL ({reason})"));
    }

    /// An instance is given up because its files cannot be kept or read.
    pub fn given_up(&self, name: &str, error: &Report) {
        let words: Vec<String> = error.chain().map(ToString::to_string).collect();
        self.of_system(&format!("{name}: failed: {}", words.join(": ")));
    }

    /// The known-answer test of an instance is over, or was `before` for the same image.
    pub fn known_answer(&self, name: &str, subject: &Subject, before: bool) {
        let outcome = subject.kat.as_ref();
        let status = kat_status(outcome).name();
        let flags = match subject.image.flag_set {
            FlagSet::Guide => String::new(),
            other => format!(
                " (with the flags {}: it does not build or pass with {})",
                other.name(),
                FlagSet::Guide.name()
            ),
        };
        let detail = outcome
            .and_then(KatOutcome::detail)
            .map_or_else(String::new, |detail| format!(": {detail}"));
        let when = if before { ", as computed before" } else { "" };
        self.of_system(&format!("{name}: KAT {status}{when}{flags}{detail}"));
        if let Some(KatOutcome::Spoiled(Spoiled::Faulted(faulted))) = outcome {
            for line in fault_lines(&faulted.report()) {
                self.line(&format!("    {line}"));
            }
        }
    }

    /// Records of an instance were set aside.
    pub fn set_aside(&self, name: &str, records: usize, why: &str) {
        if records > 0 {
            self.of_system(&format!(
                "{name}: {} {why}; what was there is kept as <record>.previous.json",
                format::number_of(records, "record")
            ));
        }
    }

    /// A system has records of instances that are not there any more.
    pub fn strangers(&self, name: &str, instances: &BTreeSet<String>) {
        if !instances.is_empty() {
            let names: Vec<&str> = instances.iter().map(String::as_str).collect();
            self.line(&format!(
                "{name}: the run directory has records of what is not there any more: {}",
                names.join(", ")
            ));
        }
    }

    /// What a system's records came to.
    pub fn tally(&self, name: &str, kept: usize, measured: usize) {
        let kept_words = format::number_of(kept, "record");
        match (kept, measured) {
            (0, _) => {}
            (_, 0) => self.line(&format!(
                "{name}: {kept_words} kept, nothing left to measure"
            )),
            _ => self.line(&format!("{name}: {kept_words} kept, {measured} measured")),
        }
        let spent = self.spent(name);
        if measured > 0 {
            let phases = spent
                .iter()
                .map(|(phase, time)| format!("{phase} {}", format::seconds(time.as_secs_f64())));
            let phases: Vec<String> = phases.collect();
            self.line(&format!("{name}: {}", phases.join(", ")));
        }
    }

    /// Something about an instance that its records do not show.
    pub fn remark(&self, name: &str, words: &str) {
        self.of_system(&format!("{name}: {words}"));
    }

    /// A record is complete.
    pub fn record(&self, name: &str, record: &Record) {
        self.bar.inc(1);
        let input = match record.input_bytes {
            0 => String::new(),
            bytes => format!(" of {bytes} bytes"),
        };
        let trouble = Trouble::of(record);
        let noted = match trouble.words() {
            words if words.is_empty() => words,
            words => format!("; {words}"),
        };
        self.of_system(&format!(
            "{name} {}{input}: {}{noted}",
            record.operation,
            result(record)
        ));
        let mut all = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        *all = all.and(trouble);
        self.bar.set_prefix(all.words());
        drop(all);
        let fault = record.meter.as_ref().and_then(|meter| meter.fault.as_ref());
        for line in fault.map_or_else(Vec::new, fault_lines) {
            self.line(&format!("    {line}"));
        }
    }

    /// A line of the meter's log.
    pub fn log(&self, line: &LogLine) {
        if self.log {
            self.line(&format!("  meter: {line}"));
        }
    }

    /// Nothing more will be said.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The time that is left if the operations to come take as long as those that are done, each; the
/// cheapest come first, so that it grows.
fn time_left(state: &ProgressState, text: &mut dyn fmt::Write) {
    // A text that cannot be written to is shown to nobody.
    let _ = match state.pos() {
        0 => text.write_str("unknown"),
        _ => write!(text, "{:#}", HumanDuration(state.eta())),
    };
}

/// Operations of the instances that a system can run, as far as they are known.
fn operations(selected: &Selected) -> usize {
    let instances = selected.available.iter();
    instances
        .map(|instance| super::work::operations(instance, None).len())
        .sum()
}

/// What went wrong on a line, or had to be measured again, and cost time and no number.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
struct Trouble {
    /// Requests that were sent again, and blocks that were asked for again.
    retries: u64,
    /// Runs of bytes that were no frame.
    bad_frames: u64,
    /// Trials that were repeated because the clock fell.
    disturbed: u64,
}

impl Trouble {
    fn of(record: &Record) -> Self {
        let transport = record.meter.as_ref().map(|meter| &meter.transport);
        Self {
            retries: transport.map_or(0, |it| it.retries + it.lost_frames),
            bad_frames: transport.map_or(0, |it| it.bad_frames),
            disturbed: record.disturbed_retries,
        }
    }

    fn and(self, more: Self) -> Self {
        Self {
            retries: self.retries + more.retries,
            bad_frames: self.bad_frames + more.bad_frames,
            disturbed: self.disturbed + more.disturbed,
        }
    }

    /// What there is of it; nothing where all is well.
    fn words(self) -> String {
        let each = [
            (self.retries, "request repeated", "requests repeated"),
            (self.bad_frames, "bad frame", "bad frames"),
            (self.disturbed, "trial repeated", "trials repeated"),
        ];
        let there = each.iter().filter(|(number, ..)| *number > 0);
        let words = there.map(|(number, one, several)| match number {
            1 => format!("1 {one}"),
            number => format!("{number} {several}"),
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

/// The mean of a record with its unit, or why there is none.
fn result(record: &Record) -> String {
    let meter = record.meter.as_ref();
    if let Some(reason) = meter.and_then(|meter| meter.reason.as_ref()) {
        return format!("failed: {reason}");
    }
    let unit = meter.and_then(|meter| Some(meter.counter.as_ref()?.unit.heading()));
    match (meter.and_then(|meter| meter.mean_count), unit) {
        (Some(mean), Some(unit)) => {
            format!(
                "{} {unit} (n = {})",
                format::count(mean),
                record.measurements
            )
        }
        _ => format!("no count (n = {})", record.measurements),
    }
}

/// What a person wants to know of a fault beyond the one line: by which calls it came about, what
/// the processor or the kernel said, and what is done next.
fn fault_lines(fault: &FaultReport) -> Vec<String> {
    let mut lines = Vec::new();
    let place = fault.backtrace.iter().take(SHOWN_CALLS);
    let heads = ["at", "called by"].into_iter().chain(repeat("         "));
    lines.extend(
        heads
            .zip(place)
            .map(|(head, place)| format!("{head} {place}")),
    );
    match fault.backtrace.len().saturating_sub(SHOWN_CALLS) {
        0 => {}
        more => lines.push(format!("          and {more} more, which the record names")),
    }
    let address =
        |name: &str, value: &Option<String>| value.as_ref().map(|value| format!("{name} {value}"));
    let particulars = [
        fault.class.clone(),
        address("instruction", &fault.address),
        address("data address", &fault.data_address),
        address("stack pointer", &fault.stack_pointer),
    ];
    lines.push(
        particulars
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", "),
    );
    lines.push("the meter is ended, and a new one is started for what comes next".to_owned());
    lines
}

/// Calls of a backtrace that are shown.
const SHOWN_CALLS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::schema::Unknown;

    #[test]
    fn trouble_on_the_line_is_counted_and_told() {
        let mut record = crate::record::example::record();
        record.disturbed_retries = 0;
        let transport = &mut record.meter.as_mut().unwrap().transport;
        (
            transport.retries,
            transport.lost_frames,
            transport.bad_frames,
        ) = (0, 0, 0);
        assert_eq!(Trouble::of(&record).words(), "");
        let transport = &mut record.meter.as_mut().unwrap().transport;
        (
            transport.retries,
            transport.lost_frames,
            transport.bad_frames,
        ) = (1, 2, 1);
        let once = Trouble::of(&record);
        assert_eq!(once.words(), "3 requests repeated, 1 bad frame");
        record.disturbed_retries = 1;
        assert_eq!(
            once.and(Trouble::of(&record)).words(),
            "6 requests repeated, 2 bad frames, 1 trial repeated"
        );
    }

    #[test]
    fn a_fault_is_told_so_that_a_person_can_act() {
        let calls = (1..=10).map(|n| format!("f{n} (a.c:{n})"));
        let fault = FaultReport {
            kind: "stack overflow".into(),
            class: Some("data abort: translation fault at level 3, write".into()),
            address: Some("0x40201000".into()),
            data_address: Some("0x7f7ffff0".into()),
            stack_pointer: Some("0x7f7ffff0".into()),
            function: Some("f1".into()),
            file: Some("a.c".into()),
            line: Some(1),
            backtrace: calls.collect(),
            message: None,
            unknown: Unknown::new(),
        };
        insta::assert_snapshot!(fault_lines(&fault).join("\n"), @"
        at f1 (a.c:1)
        called by f2 (a.c:2)
                  f3 (a.c:3)
                  f4 (a.c:4)
                  f5 (a.c:5)
                  f6 (a.c:6)
                  f7 (a.c:7)
                  f8 (a.c:8)
                  and 2 more, which the record names
        data abort: translation fault at level 3, write, instruction 0x40201000, data address 0x7f7ffff0, stack pointer 0x7f7ffff0
        the meter is ended, and a new one is started for what comes next
        ");
    }
}
