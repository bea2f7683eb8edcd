//! What a reader must know before any figure: everything that is not as it should be.

use wire::{Category, CounterSource, Unit};

use super::super::evidence::{Candidate, Label, operation};
use super::super::model::Text;
use super::functional::kat;
use super::overhead::Exchange;
use crate::record::schema::{Captured, FlagSet, KatStatus, Record, Status};
use crate::record::statistics::GUIDE_MEASUREMENTS;
use crate::table::comparison::{BEFORE, DISTURBED, NOISY, trial_spread};
use crate::table::format;

/// Characters of a submission's own output that are shown.
const SHOWN_OUTPUT: usize = 160;

/// All warnings on a candidate: what concerns every figure first, then single labels and
/// operations.
pub fn warnings(candidate: &Candidate) -> Vec<Text> {
    let mut warnings = on_the_system(candidate);
    for label in &candidate.labels {
        warnings.extend(on_the_build(label));
        warnings.extend(on_the_exchange(label));
        warnings.extend(missing(label));
        warnings.extend(outdated(label));
    }
    for label in &candidate.labels {
        warnings.extend(on_the_operations(label));
    }
    warnings.extend(few_calls(candidate));
    warnings.extend(unlike_trials(candidate));
    warnings.extend(on_the_line(candidate));
    warnings
}

/// A warning with what it is about in front.
fn warning(about: &str, words: impl Into<Text>) -> Text {
    Text::strong(format!("{about}.")).and(" ").and(words)
}

fn on_the_system(candidate: &Candidate) -> Vec<Text> {
    let mut warnings: Vec<Text> = Vec::new();
    let mut once = |warning: Text| {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    };
    for meter in candidate
        .records()
        .filter_map(|record| record.meter.as_ref())
    {
        if let Some(emulator) = &meter.emulator {
            once(warning(
                "Emulated",
                format!(
                    "{} {} is the system. Counts are instructions and not cycles, times are \
                     virtual, and neither says how fast a real core is.",
                    emulator.name, emulator.version
                ),
            ));
        }
        match &meter.counter {
            Some(counter) if counter.source == CounterSource::Missing => {
                once(warning("No counts", counter.note.as_str()).and("."));
            }
            Some(counter) if counter.unit == Unit::Ticks => once(warning(
                "No cycles",
                "Counts are ticks of the time-stamp counter, which pass at a fixed rate whatever \
                 the clock of the core.",
            )),
            Some(counter) if counter.unit == Unit::TimerTicks => once(warning(
                "No cycles",
                "Counts are ticks of the generic timer, which pass at a fixed rate whatever the \
                 clock of the core.",
            )),
            Some(_) | None => {}
        }
        for problem in &meter.fitness {
            once(warning("Unfit host", problem.as_str()).and("."));
        }
    }
    warnings
}

fn on_the_build(label: &Label) -> Vec<Text> {
    let mut warnings = Vec::new();
    let name = || Text::code(&label.name);
    let status = kat(label);
    if let Some(status) = status.filter(|status| *status != KatStatus::Pass) {
        let mut words = name().and(": ").and(status.name());
        for reason in kat_reasons(label) {
            words = words.and("; ").and(reason);
        }
        let about = match status {
            KatStatus::BuildFail => "Not built",
            _ => "Known answers",
        };
        warnings.push(warning(about, words.and(".")));
    }
    let flags = label.records.first().map(|record| record.flags);
    if let Some(flags) = flags.filter(|flags| *flags != FlagSet::Guide) {
        let words = name()
            .and(" was compiled with the flags ")
            .and(Text::code(flags.name()))
            .and(", and not with the guide's.");
        warnings.push(warning("Other flags", words));
    }
    warnings
}

/// What is known of why known answers were not given.
fn kat_reasons(label: &Label) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    let evidence = |record: &Record| record.meter.as_ref()?.kat.clone();
    if let Some(evidence) = label.records.iter().find_map(evidence) {
        reasons.extend(evidence.first_difference);
        reasons.extend(evidence.reason);
    }
    let build = label.build.as_ref();
    reasons.extend(build.and_then(|build| build.entry.reason.clone()));
    reasons
}

fn on_the_exchange(label: &Label) -> Option<Text> {
    let exchange = Exchange::of(label)?;
    let (claimed, run) = (exchange.passes?, exchange.passes_run?);
    (claimed != run).then(|| {
        let words = format!(": {claimed} passes are claimed, and {run} were run.");
        warning("Passes", Text::code(&label.name).and(words))
    })
}

/// Operations that every scheme of this kind has, and of which there is no record.
fn missing(label: &Label) -> Option<Text> {
    if kat(label) == Some(KatStatus::BuildFail) {
        return None;
    }
    let category = label
        .category()
        .filter(|category| *category != Category::Hash)?;
    let passes = Exchange::of(label).and_then(|exchange| exchange.passes);
    let passes = passes
        .and_then(|passes| u32::try_from(passes).ok())
        .unwrap_or(0);
    let has = |name: &String| label.records.iter().any(|record| record.operation == *name);
    let operations = category.operations(passes);
    let missing: Vec<String> = operations
        .iter()
        .map(ToString::to_string)
        .filter(|name| !has(name))
        .collect();
    (!missing.is_empty()).then(|| {
        let words = Text::code(&label.name).and(": there is no record of ");
        warning("Incomplete", words.and(missing.join(", ")).and("."))
    })
}

/// Operations whose profile is of an earlier measurement.
fn outdated(label: &Label) -> Option<Text> {
    let operations = label.outdated_profiles.join(", ");
    (!operations.is_empty()).then(|| {
        let words =
            format!(" {operations}: measured again since the profile was made, which is left out.");
        warning("Profile", Text::code(&label.name).and(words))
    })
}

/// What concerns single operations of a label; what is the same for several is said once.
fn on_the_operations(label: &Label) -> Vec<Text> {
    let mut grouped: Vec<(&str, Text, Vec<String>)> = Vec::new();
    for record in &label.records {
        for (about, words) in on_the_operation(record) {
            let mut known = grouped.iter_mut();
            match known.find(|(other, text, _)| *other == about && *text == words) {
                Some((_, _, operations)) => operations.push(operation(record)),
                None => grouped.push((about, words, vec![operation(record)])),
            }
        }
    }
    let sentence = |(about, words, operations): (&str, Text, Vec<String>)| {
        let place = format!(" {}: ", operations.join(", "));
        warning(about, Text::code(&label.name).and(place).and(words))
    };
    grouped.into_iter().map(sentence).collect()
}

/// What is not as it should be with one operation, and the kind of it.
fn on_the_operation(record: &Record) -> Vec<(&'static str, Text)> {
    let mut found: Vec<(&str, Text)> = Vec::new();
    let meter = record.meter.as_ref();
    if record.status != Status::Complete {
        let reason = meter.and_then(|meter| meter.reason.as_deref());
        let reason = reason.unwrap_or("not everything that was planned was measured");
        found.push(("Failed", format!("{reason}.").into()));
    }
    if record.disturbed_retries > 0 {
        let words = format!(
            "{} trials were repeated because the clock fell during them.",
            record.disturbed_retries
        );
        found.push(("Disturbed", words.into()));
    }
    if let Some(meter) = meter {
        let conditions = meter.conditions.iter();
        let moments = conditions.flat_map(|conditions| [&conditions.before, &conditions.after]);
        if moments
            .into_iter()
            .any(|moment| moment.throttled == Some(true))
        {
            found.push(("Throttled", "the board held its clock down.".into()));
        }
        for mark in &meter.memory.marks {
            found.push(("Memory", format!("{mark}.").into()));
        }
        if let Some((before, peak)) = meter.memory.heap_before_and_peak() {
            let words = format!(
                "{BEFORE} of the {peak} bytes of heap at the peak {before} were in use before the \
                 call: what the set-up left or lost, or an earlier step handed on."
            );
            found.push(("Memory", words.into()));
        }
        let output = &meter.output;
        for (stream, captured) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            found.extend(printed(stream, captured).map(|words| ("Output", words)));
        }
    }
    found
}

/// What a submission printed.
fn printed(stream: &str, captured: &Captured) -> Option<Text> {
    (captured.length_bytes > 0).then(|| {
        let shown: String = captured.beginning.chars().take(SHOWN_OUTPUT).collect();
        let words = format!("{} bytes on {stream}, which begin ", captured.length_bytes);
        Text::from(words).and(Text::code(shown)).and(".")
    })
}

fn few_calls(candidate: &Candidate) -> Option<Text> {
    let calls = |record: &Record| {
        let few = record.measurements > 0 && !record.guide_100_measurements_met;
        few.then(|| record.measurements.to_string())
    };
    let places = places(candidate, calls)?;
    let words = format!("Fewer than the guide's {GUIDE_MEASUREMENTS}: ");
    Some(warning("Few calls", Text::from(words).and(places).and(".")))
}

/// Operations whose trials, which repeat the same inputs, took unlike times.
fn unlike_trials(candidate: &Candidate) -> Option<Text> {
    let factor = |record: &Record| {
        let spread = trial_spread(record).filter(|spread| *spread > DISTURBED)?;
        Some(format::general(spread))
    };
    let places = places(candidate, factor)?;
    let words = format!(
        "{NOISY} The slowest trial took more than {DISTURBED} times as long as the fastest, with the \
         same inputs, so that the mean says little: "
    );
    Some(warning("Disturbed", Text::from(words).and(places).and(".")))
}

/// The operations of which there is something to say, with that in brackets; `None` where there
/// are none.
fn places(candidate: &Candidate, what: impl Fn(&Record) -> Option<String>) -> Option<Text> {
    let of_label = |label: &Label| {
        let records = label.records.iter();
        let places: Vec<String> = records
            .filter_map(|record| Some(format!("{} ({})", operation(record), what(record)?)))
            .collect();
        let words = format!(" {}", places.join(", "));
        (!places.is_empty()).then(|| Text::code(&label.name).and(words))
    };
    let labels: Vec<Text> = candidate.labels.iter().filter_map(of_label).collect();
    (!labels.is_empty()).then(|| Text::join(labels, "; "))
}

/// Damage on the line, in all records together.
fn on_the_line(candidate: &Candidate) -> Option<Text> {
    let transports = candidate
        .records()
        .filter_map(|record| record.meter.as_ref());
    let (mut bad, mut lost, mut retries, mut lines) = (0u64, 0u64, 0u64, 0u64);
    for transport in transports.map(|meter| &meter.transport) {
        bad = bad.saturating_add(transport.bad_frames);
        lost = lost.saturating_add(transport.lost_frames);
        retries = retries.saturating_add(transport.retries);
        lines = lines.saturating_add(transport.lost_lines);
    }
    let broke = match lines {
        0 => String::new(),
        lines => format!("; the line broke {lines} times, and what was lost was measured again"),
    };
    [bad, lost, retries, lines]
        .iter()
        .any(|number| *number > 0)
        .then(|| {
            let words = format!(
                "{bad} frames arrived damaged, {lost} blocks and {retries} requests were asked for \
                 again{broke}. That costs time and changes no figure."
            );
            warning("Line", words)
        })
}
