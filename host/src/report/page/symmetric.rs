//! The section on symmetric primitives: which an instance uses, and what they cost.

use std::collections::BTreeSet;

use super::super::cell::Cell;
use super::super::evidence::{Candidate, DRNG, Label, Profile};
use super::super::model::{Block, Column, Section, Table, Text};
use super::{code_list, columns};

/// What names of source files say of symmetric primitives in them.
const PRIMITIVES: [&str; 12] = [
    "fips202", "keccak", "sha3", "shake", "sha2", "sha5", "aes", "chacha", "salsa", "blake",
    "ascon", "sm4",
];

/// The section.
pub fn section(candidate: &Candidate) -> Section {
    let labels: Vec<&Label> = candidate.labels.iter().collect();
    let section = Section::new("Symmetric primitives").paragraph(
        Text::from("Verdict: ")
            .and(Text::strong(verdict(&labels).words()))
            .and(evidence(&labels)),
    );
    let rows: Vec<Vec<Cell>> = labels.iter().flat_map(|label| rows_of(label)).collect();
    if rows.is_empty() {
        return section.paragraph(
            "No profile was made on this system: shares of the ICCS functions are not available.",
        );
    }
    section
        .paragraph(
            "Share of each operation in the ICCS hash functions and in the ICCS generator of \
             random bytes, from an image of its own in which their calls are counted and timed. \
             What an instance computes without these functions is in neither.",
        )
        .with([Block::Table(Table {
            caption: "Shares of the ICCS functions".to_owned(),
            columns: columns([
                Column::figures("pseudohash/XOF/sm3"),
                Column::figures("DRNG"),
                Column::words("calls per operation"),
            ]),
            rows,
        })])
}

fn rows_of(label: &Label) -> Vec<Vec<Cell>> {
    let row = |(operation, profile): &(String, Profile)| {
        let calls = profile.calls_per_operation();
        let calls: Vec<String> = calls
            .into_iter()
            .map(|(function, calls)| format!("{function} {}", Cell::PerCall(calls).text().plain()))
            .collect();
        vec![
            Cell::code(&label.name),
            operation.as_str().into(),
            Cell::Share(profile.hash_share),
            Cell::Share(profile.generator_share()),
            match calls.is_empty() {
                true => "none".into(),
                false => calls.join(", ").into(),
            },
        ]
    };
    label.profiles.iter().map(row).collect()
}

/// Whose symmetric primitives are used.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// Those of the programme's interface alone.
    IccsOnly,
    /// Those and others.
    Mixed,
    /// Others, or none at all.
    Bypass,
    /// Nobody has looked.
    Unknown,
}

impl Verdict {
    /// As the published pages write it.
    pub fn words(self) -> &'static str {
        match self {
            Self::IccsOnly => "ICCS-only",
            Self::Mixed => "mixed",
            Self::Bypass => "bypass",
            Self::Unknown => "not available",
        }
    }
}

/// The verdict on some labels: from the calls that their profiles counted, and from the names of
/// the files that were compiled into them.
pub fn verdict(labels: &[&Label]) -> Verdict {
    if labels.iter().all(|label| label.profiles.is_empty()) {
        return Verdict::Unknown;
    }
    match (called(labels).is_empty(), primitives(labels).is_empty()) {
        (false, true) => Verdict::IccsOnly,
        (false, false) => Verdict::Mixed,
        (true, _) => Verdict::Bypass,
    }
}

/// What the verdict rests on.
fn evidence(labels: &[&Label]) -> Text {
    let called = called(labels);
    let words = match (called.is_empty(), verdict(labels)) {
        (_, Verdict::Unknown) => Text::from(". No profile tells which functions were called"),
        (true, _) => Text::from(". No ICCS hash function was called"),
        (false, _) => Text::from(". Called: ").and(code_list(called)),
    };
    let primitives = primitives(labels);
    let compiled = match primitives.is_empty() {
        true => Text::from("; no compiled file has the name of another primitive."),
        false => Text::from("; compiled, by the names of files: ")
            .and(code_list(primitives.iter().map(String::as_str)))
            .and("."),
    };
    match command_lines(labels).next() {
        Some(_) => words.and(compiled),
        None => words.and("; which files were compiled is not known."),
    }
}

/// The ICCS hash functions that were called.
fn called<'a>(labels: &[&'a Label]) -> BTreeSet<&'a str> {
    let profiles = labels.iter().flat_map(|label| &label.profiles);
    let calls = profiles.flat_map(|(_, profile)| profile.calls_per_operation());
    calls
        .map(|(function, _)| function)
        .filter(|function| *function != DRNG)
        .collect()
}

/// Compiled files whose names are those of symmetric primitives.
fn primitives(labels: &[&Label]) -> BTreeSet<String> {
    let words = command_lines(labels).flat_map(|line| line.split_whitespace());
    words
        .filter_map(|word| {
            let word = word.trim_matches('\'');
            let name = word.rsplit('/').next()?;
            let (stem, extension) = name.rsplit_once('.')?;
            let is_source = ["c", "cc", "cpp", "S", "s"].contains(&extension);
            let stem = stem.to_ascii_lowercase();
            let is_primitive = PRIMITIVES.iter().any(|primitive| stem.contains(primitive));
            (is_source && is_primitive).then(|| name.to_owned())
        })
        .collect()
}

fn command_lines<'a>(labels: &'a [&Label]) -> impl Iterator<Item = &'a str> {
    labels.iter().flat_map(|label| {
        let built = label
            .build
            .as_ref()
            .and_then(|build| build.command_lines.as_ref());
        let meters = label
            .records
            .iter()
            .filter_map(|record| record.meter.as_ref());
        let recorded = meters.flat_map(|meter| &meter.image.command_lines);
        built
            .into_iter()
            .flatten()
            .chain(recorded)
            .map(String::as_str)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::example;

    fn label(function: Option<&str>, source: &str) -> Label {
        let mut record = example::record();
        let meter = record.meter.as_mut().expect("ours");
        meter.image.command_lines = vec![format!("gcc -O2 -c $TREE/{source}")];
        let profile = function.map(|function| {
            let text = format!(
                r#"{{"total": {{"operations": 1}}, "share": {{}}, "hash_share": 0,
                "calls": [{{"fn": "{function}", "calls": 2}}, {{"fn": "drng", "calls": 1}}]}}"#
            );
            let profile = serde_json::from_str(&text).expect("a profile");
            ("dec".to_owned(), profile)
        });
        Label {
            records: vec![record],
            profiles: profile.into_iter().collect(),
            ..Label::default()
        }
    }

    #[test]
    fn the_verdict_follows_from_calls_and_files() {
        for (function, source, expected) in [
            (Some("pseudohash"), "kem.c", Verdict::IccsOnly),
            (Some("sm3hash"), "common/fips202.c", Verdict::Mixed),
            (Some("drng"), "common/fips202.c", Verdict::Bypass),
            (Some("drng"), "kem.c", Verdict::Bypass),
            (None, "kem.c", Verdict::Unknown),
        ] {
            let label = label(function, source);
            assert_eq!(verdict(&[&label]), expected, "{function:?} {source}");
        }
    }

    #[test]
    fn the_evidence_is_named() {
        let mixed = label(Some("sm3hash"), "common/fips202.c");
        let words = evidence(&[&mixed]).plain();
        assert_eq!(
            words,
            ". Called: sm3hash; compiled, by the names of files: fips202.c."
        );
        let mut unknown = label(Some("drng"), "kem.c");
        unknown.records.clear();
        let words = evidence(&[&unknown]).plain();
        assert_eq!(
            words,
            ". No ICCS hash function was called; which files were compiled is not known."
        );
    }
}
