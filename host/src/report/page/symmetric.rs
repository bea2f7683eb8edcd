//! The section on symmetric primitives: whose an instance uses, and what they cost.

use std::collections::BTreeSet;

use super::super::cell::Cell;
use super::super::evidence::{Candidate, Label};
use super::super::model::{Block, Column, Section, Table, Text};
use super::{code_list, columns};
use crate::record::profile::shares::{
    PARTS, Part, calls_per_operation, is_generator, is_iccs_hash, parts, unsteady,
};
use crate::record::profile::{Meter, Profile};
use crate::record::schema::Record;
use crate::table::comparison::NOISY;
use crate::table::shares::unsteady_in_words;

/// The section.
pub fn section(candidate: &Candidate) -> Section {
    let section = Section::new("Symmetric primitives");
    let rows: Vec<Vec<Cell>> = candidate.labels.iter().flat_map(rows).collect();
    if rows.is_empty() {
        return section.paragraph(
            "Verdict: not available. No profile was made on this system, so that neither the \
             functions that are called nor their shares are known.",
        );
    }
    let unit = match candidate.records().any(Record::is_emulated) {
        true => " Shares are of instructions and not of time.",
        false => "",
    };
    let table = Table {
        caption: "Shares of symmetric functions".to_owned(),
        columns: columns(
            PARTS
                .map(Column::figures)
                .into_iter()
                .chain([Column::words("calls per operation")]),
        ),
        rows,
    };
    // Published profiles count nothing but the interface's own functions.
    let (table, _) = table.without_empty_columns();
    section
        .with([Block::List(verdicts(candidate))])
        .paragraph(format!(
            "Share of each operation in the ICCS hash functions and in the ICCS generator of \
             random bytes, from an image of its own in which their calls are counted and \
             timed.{unit}"
        ))
        .with([Block::Table(table)])
        .with(disturbed(candidate).map(|note| Block::Paragraph(note.into())))
}

/// One of the parts of an operation, with a mark where the machine disturbed it.
pub fn share(part: Option<Part>) -> Cell {
    Cell::of(part, |part| {
        Cell::Share(part.share).marked_if(part.is_unsteady(), NOISY)
    })
}

/// What the mark of a share means, where there is one.
fn disturbed(candidate: &Candidate) -> Option<String> {
    let profiles = candidate.labels.iter().flat_map(|label| &label.profiles);
    let apart = profiles.filter_map(|(_, profile)| unsteady(profile));
    apart.max_by(f64::total_cmp).map(unsteady_in_words)
}

fn rows(label: &Label) -> Vec<Vec<Cell>> {
    let row = |(operation, profile): &(String, Profile)| {
        let calls: Vec<String> = calls(profile)
            .into_iter()
            .map(|(function, calls)| format!("{function} {}", Cell::PerCall(calls).text().plain()))
            .collect();
        let mut cells = vec![Cell::code(&label.name), operation.as_str().into()];
        cells.extend(parts(profile).map(share));
        cells.push(match calls.is_empty() {
            true => "none".into(),
            false => calls.join(", ").into(),
        });
        cells
    };
    label.profiles.iter().map(row).collect()
}

/// What is known of a label's primitives, in words that labels may share.
fn verdicts(candidate: &Candidate) -> Vec<Text> {
    let mut grouped: Vec<(Text, Vec<&str>)> = Vec::new();
    for label in &candidate.labels {
        let words = words(label);
        match grouped.iter_mut().find(|(other, _)| *other == words) {
            Some((_, labels)) => labels.push(&label.name),
            None => grouped.push((words, vec![&label.name])),
        }
    }
    let sentence = |(words, labels)| code_list(labels).and(": ").and(words);
    grouped.into_iter().map(sentence).collect()
}

fn words(label: &Label) -> Text {
    let Some(meter) = of_the_meter(label) else {
        let called = called(label);
        return match (label.profiles.is_empty(), called.is_empty()) {
            (true, _) => "verdict not available: there is no profile.".into(),
            (false, true) => "verdict not available: no ICCS hash function was called, and \
                nothing is known of other primitives."
                .into(),
            (false, false) => Text::from("verdict not available: ")
                .and(code_list(called.iter().map(String::as_str)))
                .and(" called, and nothing is known of other primitives."),
        };
    };
    let words = match &meter.verdict {
        Some(verdict) => {
            Text::strong(verdict.verdict.name()).and(format!(" — {}.", verdict.reason))
        }
        None => "no verdict: it is a symmetric primitive itself.".into(),
    };
    match meter.not_observable.is_empty() {
        true => words,
        false => words.and(format!(
            " Not observable, and in no share: {}.",
            meter.not_observable.join("; ")
        )),
    }
}

/// What the objects of a label say of its primitives.
fn of_the_meter(label: &Label) -> Option<&Meter> {
    let mut profiles = label.profiles.iter();
    profiles.find_map(|(_, profile)| profile.meter.as_ref())
}

/// The verdict on a label in a word, where there is one.
pub fn verdict(label: &Label) -> Option<&'static str> {
    let verdict = of_the_meter(label)?.verdict.as_ref()?;
    Some(verdict.verdict.name())
}

/// The ICCS hash functions that were called.
fn called(label: &Label) -> BTreeSet<String> {
    let profiles = label.profiles.iter();
    let calls = profiles.flat_map(|(_, profile)| calls(profile));
    let names = calls.map(|(function, _)| function);
    names.filter(|function| is_iccs_hash(function)).collect()
}

/// Calls of each function in one call of the operation, generator first: the order of the published
/// pages. A function that was never called is left out.
fn calls(profile: &Profile) -> Vec<(String, f64)> {
    let mut calls: Vec<(String, f64)> = calls_per_operation(profile)
        .into_iter()
        .filter(|(_, calls)| *calls > 0.0)
        .collect();
    calls.sort_by_key(|(function, _)| !is_generator(function));
    calls
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::example::profile;

    fn label(profile: Profile) -> Label {
        Label {
            profiles: vec![("dec".to_owned(), profile)],
            ..Label::default()
        }
    }

    #[test]
    fn the_verdict_is_that_of_the_objects() {
        let mixed = label(profile(Some("mixed")));
        assert_eq!(verdict(&mixed), Some("mixed"));
        assert_eq!(
            words(&mixed).plain(),
            "mixed — pseudohash. Not observable, and in no share: ChaCha in rng.c."
        );
        let mut primitive = profile(Some("mixed"));
        primitive.meter.as_mut().expect("ours").verdict = None;
        let hash = label(primitive);
        assert_eq!(verdict(&hash), None);
        assert!(words(&hash).plain().starts_with("no verdict"));
    }

    #[test]
    fn calls_alone_are_no_verdict() {
        let published = label(profile(None));
        assert_eq!(verdict(&published), None);
        assert_eq!(
            words(&published).plain(),
            "verdict not available: pseudohash called, and nothing is known of other primitives."
        );
        let mut generator = profile(None);
        generator.calls.retain(|calls| calls.function == "drng");
        let silent = label(generator);
        assert!(words(&silent).plain().contains("no ICCS hash function"));
    }

    #[test]
    fn calls_are_means_with_the_generator_first() {
        let calls = calls(&profile(None));
        let expected = [("drng", 267.0), ("pseudohash", 2.0)];
        assert_eq!(
            calls,
            expected.map(|(name, calls)| (name.to_owned(), calls))
        );
    }
}
