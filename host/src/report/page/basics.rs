//! Sections 1 and 2: what was measured, and where.

use jiff::Timestamp;
use wire::CounterSource;

use super::super::cell::Cell;
use super::super::evidence::{Candidate, System};
use super::super::model::{Block, Column, Section, Table, Text};
use super::super::{names, unit};
use super::{any_record, code_list};
use crate::record::schema::{Counter, Environment, Meter, Reading, Record};
use crate::table::format;

/// Section 1.
pub fn information(candidate: &Candidate) -> Section {
    let mut facts: Vec<Text> = candidate
        .categories()
        .into_iter()
        .map(|category| Text::from("Category: ").and(names::function(category)))
        .collect();
    let name = candidate.name.as_deref().unwrap_or(&candidate.id);
    facts.push(Text::from("Algorithm: ").and(name));
    let versions = distinct(candidate.records().map(|record| record.variant.as_str()));
    if !versions.is_empty() {
        facts.push(format!("Implementation versions measured: {}", versions.join(", ")).into());
    }
    let labels = candidate.labels.iter().map(|label| label.name.as_str());
    facts.push(Text::from("Parameter sets: ").and(code_list(labels)));
    let meters = candidate
        .records()
        .filter_map(|record| record.meter.as_ref());
    let meters = distinct(meters.map(|meter| meter.version.as_str()));
    if !meters.is_empty() {
        facts.push(format!("Measured by: ngcc-meter {}", meters.join(", ")).into());
    }
    Section::new("1. Basic information").with([Block::List(facts)])
}

/// Section 2.
pub fn environment(candidate: &Candidate, system: &System) -> Section {
    let section = Section::new("2. Assessment environment");
    let Some(record) = any_record(candidate, system) else {
        return section.paragraph("Nothing was measured.");
    };
    let environment = &record.environment;
    let mut rows = vec![
        ("processor", processor(environment)),
        ("clock", clock(environment)),
        (
            "memory",
            number(environment.memory_total_kib.as_ref()).map(format::mebibytes),
        ),
        (
            "OS / kernel",
            joined([environment.os.clone(), environment.kernel.clone()], " / "),
        ),
        (
            "compiler / build tool",
            joined(
                [environment.compiler.clone(), environment.cmake.clone()],
                " / ",
            ),
        ),
        (
            "campaign start / end (UTC)",
            system
                .period
                .map(|(start, end)| format!("{} / {}", utc(start), utc(end))),
        ),
    ];
    if let Some(meter) = &record.meter {
        rows.extend(of_the_meter(meter));
    }
    let cells = rows.into_iter().map(|(item, value)| {
        let value = Cell::of(value, Cell::from);
        vec![Cell::from(item), value]
    });
    let table = Table {
        caption: "Assessment environment".to_owned(),
        columns: vec![Column::name("item"), Column::words("value")],
        rows: cells.collect(),
    };
    let section = section.with([Block::Table(table)]);
    match candidate.records().all(|other| same_machine(record, other)) {
        true => section,
        false => section.paragraph(
            "The records do not all describe the same machine: the table is that of the first.",
        ),
    }
}

/// What only this meter tells of a system.
fn of_the_meter(meter: &Meter) -> Vec<(&'static str, Option<String>)> {
    let counted = |counter: &&Counter| counter.source != CounterSource::Missing;
    let counter = meter.counter.as_ref().filter(counted).map(|counter| {
        let unit = unit::words(counter.unit);
        let frequency = counter
            .frequency_hz
            .map(|hertz| format::gigahertz(hertz as f64));
        let frequency = frequency.map_or(String::new(), |words| format!(" at {words}"));
        let (source, overhead) = (counter.source.name(), counter.overhead);
        format!("{source}: {unit}{frequency}; an empty call counts {overhead}")
    });
    let image = &meter.image;
    let mut rows = vec![
        ("counter", counter),
        ("board", Some(meter.board.clone())),
        (
            "C library / linker",
            joined([image.libc.clone(), image.linker.clone()], " / "),
        ),
    ];
    if let Some(emulator) = &meter.emulator {
        let words = format!("{} {}, {}", emulator.name, emulator.version, emulator.mode);
        rows.push(("emulator", Some(words)));
    }
    rows
}

fn same_machine(record: &Record, other: &Record) -> bool {
    let of = |record: &Record| {
        let environment = &record.environment;
        let (model, kernel) = (environment.cpu_model.clone(), environment.kernel.clone());
        (
            model,
            kernel,
            environment.hostname.clone(),
            environment.compiler.clone(),
        )
    };
    of(record) == of(other)
}

fn processor(environment: &Environment) -> Option<String> {
    let model = environment.cpu_model.clone()?;
    Some(match &environment.cpu_number {
        Some(number) => format!("{model} (CPU {number}, one core)"),
        None => format!("{model} (one core)"),
    })
}

/// What is known of the clock and of what could change it.
fn clock(environment: &Environment) -> Option<String> {
    let khz = number(environment.cpufreq_max_khz.as_ref());
    let measured = number(environment.core_clock_hz.as_ref());
    let switch = |name: &str, on: Option<bool>| {
        on.map(|on| format!("{name} {}", if on { "on" } else { "off" }))
    };
    let is = |reading: &Option<Reading>, value: f64| {
        number(reading.as_ref()).map(|number| number == value)
    };
    let turbo = is(&environment.intel_pstate_no_turbo, 0.0);
    let turbo = turbo.or_else(|| is(&environment.cpufreq_boost, 1.0));
    let threads = match environment.smt_control.as_deref() {
        Some("on") => Some(true),
        Some("off" | "forceoff" | "notsupported" | "notimplemented") => Some(false),
        _ => None,
    };
    let governor = environment.cpufreq_governor.as_ref();
    joined(
        [
            khz.map(|khz| format!("max {}", format::gigahertz(khz * 1e3))),
            measured
                .filter(|_| khz.is_none())
                .map(|hertz| format!("measured {}", format::gigahertz(hertz))),
            governor.map(|governor| format!("governor {governor}")),
            switch("turbo", turbo),
            switch("SMT", threads),
        ],
        ", ",
    )
}

fn number(reading: Option<&Reading>) -> Option<f64> {
    reading.and_then(Reading::number)
}

/// What there is, with something in between; `None` when there is nothing.
fn joined(parts: impl IntoIterator<Item = Option<String>>, between: &str) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(between))
}

fn utc(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S").to_string()
}

/// Each once, in the order of their first appearance.
fn distinct<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for word in words {
        if !found.contains(&word) {
            found.push(word);
        }
    }
    found
}
