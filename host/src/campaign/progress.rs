//! How far things are: a bar on a terminal, plain lines elsewhere, nothing when it is to be quiet.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::iter::repeat;

use catalogue::FlagSet;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use miette::Report;

use super::settings::Selected;
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

/// Tells people how far things are. Clones speak for the same command.
#[derive(Clone, Debug)]
pub struct Reporter {
    bar: ProgressBar,
    /// Whether lines are printed at all.
    speaks: bool,
    /// Whether the meter's log is passed on.
    log: bool,
}

impl Reporter {
    /// A reporter for a command; `log` passes the meter's log on.
    pub fn new(quiet: bool, log: bool) -> Self {
        let bar = ProgressBar::no_length();
        if quiet || !io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let style =
            ProgressStyle::with_template("{elapsed_precise} [{pos}/{len}] {wide_msg} {eta}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Self {
            bar,
            speaks: !quiet,
            log,
        }
    }

    /// A line that stays.
    fn line(&self, words: &str) {
        if self.speaks {
            self.bar.suspend(|| notice::line(printable(words)));
        }
    }

    /// These instances are to be measured on this system.
    pub fn system(&self, name: &str, selected: &Selected) {
        let instances = &selected.available;
        let operations: usize = instances
            .iter()
            .map(|instance| super::work::operations(instance, None).len())
            .sum();
        let known = self.bar.length().unwrap_or(0);
        self.bar.set_length(known + operations as u64);
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

    /// This is being done.
    pub fn doing(&self, name: &str, what: &str) {
        self.bar
            .set_message(printable(&format!("{name}: {what}")).into_owned());
        self.bar.tick();
    }

    /// So many records are there already.
    pub fn skipped(&self, records: usize) {
        self.bar.inc(records as u64);
    }

    /// A record cannot be read and will be measured anew.
    pub fn replaced(&self, why: &ReadError) {
        self.line(&format!("  measuring anew: {why}"));
    }

    /// An instance did not build: its operations are done with.
    pub fn failed(&self, name: &str, operations: usize, reason: &str) {
        self.bar.inc(operations as u64);
        self.line(&format!("  {name}: BUILDFAIL ({reason})"));
    }

    /// An instance is given up because its files cannot be kept or read.
    pub fn given_up(&self, name: &str, error: &Report) {
        let words: Vec<String> = error.chain().map(ToString::to_string).collect();
        self.line(&format!("  {name}: failed: {}", words.join(": ")));
    }

    /// The known-answer test of an instance is over.
    pub fn known_answer(&self, name: &str, subject: &Subject) {
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
        self.line(&format!("  {name}: KAT {status}{flags}{detail}"));
        if let Some(KatOutcome::Spoiled(Spoiled::Faulted(faulted))) = outcome {
            for line in fault_lines(&faulted.report()) {
                self.line(&format!("    {line}"));
            }
        }
    }

    /// Records of an instance were set aside.
    pub fn set_aside(&self, name: &str, records: usize, why: &str) {
        if records > 0 {
            self.line(&format!(
                "  {name}: {} {why}; what was there is kept as <record>.previous.json",
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
    }

    /// Something about an instance that its records do not show.
    pub fn remark(&self, name: &str, words: &str) {
        self.line(&format!("  {name}: {words}"));
    }

    /// A record is complete.
    pub fn record(&self, name: &str, record: &Record) {
        self.bar.inc(1);
        let input = match record.input_bytes {
            0 => String::new(),
            bytes => format!(" of {bytes} bytes"),
        };
        self.line(&format!(
            "  {name} {}{input}: {}",
            record.operation,
            result(record)
        ));
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
