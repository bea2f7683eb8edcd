//! What part of each operation lies in symmetric functions, and what a label relies on.

use comfy_table::{Cell as Drawn, CellAlignment, ContentArrangement, Table};
use indexmap::IndexMap;
use serde::Serialize;

use super::render::{NONE, STYLE};
use super::{format, order};
use crate::notice::printable;
use crate::record::profile::Profile;
use crate::record::profile::passes::{self, UNSTEADY};
use crate::record::profile::shares::{PARTS, Part, calls_per_operation, parts, unsteady};

/// Characters in a line of the last column.
const LINE: usize = 64;

/// Operations with their profiles.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Shares {
    /// One row for each operation on each system.
    pub rows: Vec<Row>,
    /// What each label relies on.
    pub verdicts: Vec<VerdictRow>,
    /// What a reader must know.
    pub notes: Vec<String>,
    /// How far passes lie apart at most where a share is marked for it.
    #[serde(skip)]
    unsteady: Option<f64>,
}

/// One operation on one system.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The candidate's id.
    pub candidate: String,
    /// The label.
    pub label: String,
    /// The operation, with the length of its input where it has one.
    pub operation: String,
    /// The system, with its run where there are several.
    pub system: String,
    /// The part of all hash functions, whoever's they are.
    pub hash_share: f64,
    /// The part of the interface's hash functions.
    pub iccs_hash_share: f64,
    /// The part of the generator; null where the profile does not tell it apart.
    pub drng_share: Option<f64>,
    /// The part of all other functions; null where none of these was counted.
    pub other_share: Option<f64>,
    /// Passes of which each share is the one in the middle.
    pub passes: usize,
    /// Greatest less least share of all passes: of the interface's hash functions, the generator,
    /// and all other functions; null where there was one pass alone.
    pub spread: [Option<f64>; 3],
    /// The three parts, as a table shows them.
    #[serde(skip)]
    parts: [Option<Part>; 3],
    /// The part of each function.
    pub share: IndexMap<String, f64>,
    /// Calls of each function in one operation.
    pub calls_per_operation: IndexMap<String, f64>,
}

/// What a label relies on, on one system.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerdictRow {
    /// The candidate's id.
    pub candidate: String,
    /// The label.
    pub label: String,
    /// The systems whose objects say so.
    pub systems: Vec<String>,
    /// `ICCS-only`, `mixed` or `bypass`; null for a hash function that is a primitive itself.
    pub verdict: Option<&'static str>,
    /// What it follows from.
    pub reason: Option<String>,
    /// What is a part of no share.
    pub not_observable: Vec<String>,
}

impl Shares {
    /// Adds the profile of an operation.
    pub fn add(&mut self, [system, candidate, label, operation]: [&str; 4], profile: &Profile) {
        let meter = profile.meter.as_ref();
        let parts = parts(profile);
        let [hash, drng, other] = parts;
        // Published profiles may not tell the generator apart.
        let drng = drng.filter(|_| meter.is_some() || profile.share.contains_key(wire::DRNG));
        let unsteady = unsteady(profile);
        self.unsteady = [self.unsteady, unsteady]
            .into_iter()
            .flatten()
            .max_by(f64::total_cmp);
        self.rows.push(Row {
            candidate: candidate.to_owned(),
            label: label.to_owned(),
            operation: operation.to_owned(),
            system: system.to_owned(),
            hash_share: profile.hash_share,
            iccs_hash_share: hash.unwrap_or_default().share,
            drng_share: drng.map(|part| part.share),
            other_share: other.map(|part| part.share),
            passes: passes::of(profile).len().max(1),
            spread: parts.map(|part| part?.spread),
            parts: [hash, drng, other],
            share: profile.share.clone(),
            calls_per_operation: calls_per_operation(profile),
        });
        let Some(meter) = meter else { return };
        let verdict = meter.verdict.as_ref();
        self.add_verdict(VerdictRow {
            candidate: candidate.to_owned(),
            label: label.to_owned(),
            systems: vec![system.to_owned()],
            verdict: verdict.map(|it| it.verdict.name()),
            reason: verdict.map(|it| it.reason.clone()),
            not_observable: meter.not_observable.clone(),
        });
        if meter.unit == wire::Unit::Instructions.name() {
            let note = format!("On {system} a share is one of instructions, not of time.");
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Systems that agree share a row.
    fn add_verdict(&mut self, row: VerdictRow) {
        let same = self.verdicts.iter_mut().find(|other| {
            VerdictRow {
                systems: row.systems.clone(),
                ..(*other).clone()
            } == row
        });
        match same {
            Some(same) if same.systems.ends_with(&row.systems) => {}
            Some(same) => same.systems.extend(row.systems),
            None => self.verdicts.push(row),
        }
    }

    /// Puts rows in the order that people expect.
    pub fn sort(&mut self) {
        self.rows.sort_by(|a, b| {
            order::natural(&a.candidate, &b.candidate)
                .then_with(|| order::natural(&a.label, &b.label))
                .then_with(|| order::operations(&a.operation, &b.operation))
        });
        self.verdicts.sort_by(|a, b| {
            order::natural(&a.candidate, &b.candidate)
                .then_with(|| order::natural(&a.label, &b.label))
        });
    }
}

/// The table, the verdicts and the notes as text.
pub fn draw(shares: &Shares) -> String {
    let mut table = Table::new();
    let headings = ["label", "operation", "system"].into_iter().chain(PARTS);
    table
        .load_style(STYLE)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(headings.chain(["calls per operation (share)"]));
    let mut above = None;
    for row in &shares.rows {
        let label = format!("{}/{}", printable(&row.candidate), printable(&row.label));
        let shown = match above.replace(label.clone()) {
            Some(above) if above == label => String::new(),
            _ => label,
        };
        let number = |text: String| Drawn::new(text).set_alignment(CellAlignment::Right);
        let names = [
            Drawn::new(shown),
            Drawn::new(printable(&row.operation)),
            Drawn::new(printable(&row.system)),
        ];
        let shares = row.parts.map(|part| number(share(part)));
        let calls = [Drawn::new(calls(row))];
        table.add_row(names.into_iter().chain(shares).chain(calls));
    }
    let mut text = table.trim_fmt();
    for row in &shares.verdicts {
        text.push('\n');
        text.push_str(&printable(&verdict(row, shares)));
    }
    let unsteady = shares.unsteady.map(unsteady_in_words);
    for note in unsteady.iter().chain(&shares.notes) {
        text.push('\n');
        text.push_str(&printable(note));
    }
    text
}

/// A share, with a mark where the machine disturbed it.
fn share(part: Option<Part>) -> String {
    match part {
        None => NONE.to_owned(),
        Some(part) if part.is_unsteady() => format!("~ {}", format::share(part.share)),
        Some(part) => format::share(part.share),
    }
}

/// What the mark of a share means, where passes lie at most so far apart.
pub(crate) fn unsteady_in_words(apart: f64) -> String {
    format!(
        "~ Passes with the same calls lie more than {:.0} percentage points apart in this share, up \
         to {:.0}: the machine was disturbed. The pass in the middle is shown, which may be off by \
         as much.",
        UNSTEADY * 100.0,
        apart * 100.0
    )
}

/// Calls by function, those with the greatest part first.
fn calls(row: &Row) -> String {
    let share = |name: &String| row.share.get(name).copied().unwrap_or(0.0);
    let mut calls: Vec<(&String, &f64)> = row.calls_per_operation.iter().collect();
    calls.sort_by(|(a, _), (b, _)| share(b).total_cmp(&share(a)));
    let (mut text, mut line) = (String::new(), String::new());
    for (name, calls) in calls {
        let item = format!(
            "{} {} ({})",
            printable(name),
            format::general(*calls),
            format::share(share(name))
        );
        if !line.is_empty() && line.len() + item.len() > LINE {
            text += &format!("{line},\n");
            line.clear();
        }
        let comma = if line.is_empty() { "" } else { ", " };
        line += &format!("{comma}{item}");
    }
    match text + &line {
        none if none.is_empty() => NONE.to_owned(),
        text => text,
    }
}

/// A label's verdict in a line.
fn verdict(row: &VerdictRow, shares: &Shares) -> String {
    let mut text = format!("{}/{}", row.candidate, row.label);
    let all = shares
        .rows
        .iter()
        .filter(|other| (&other.candidate, &other.label) == (&row.candidate, &row.label));
    let mut systems = all.map(|other| &other.system);
    if systems.any(|system| !row.systems.contains(system)) {
        text += &format!(" on {}", row.systems.join(", "));
    }
    text += match (row.verdict, &row.reason) {
        (Some(verdict), Some(reason)) => format!(": {verdict} — {reason}"),
        _ => ": a hash function itself, of which there is no verdict".to_owned(),
    }
    .as_str();
    if !row.not_observable.is_empty() {
        text += &format!("; not observable: {}", row.not_observable.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::example::{profile, profile_in_passes};

    #[test]
    fn ours_and_published_ones() {
        let mut shares = Shares::default();
        let ours = profile(Some("ICCS-only"));
        shares.add(["qemu-virt", "kem-36", "TRIKE-2", "enc"], &ours);
        shares.add(["qemu-virt", "kem-36", "TRIKE-2", "keygen"], &ours);
        shares.add(["local", "kem-36", "TRIKE-2", "enc"], &ours);
        shares.add(["x86_1", "kem-36", "TRIKE-5", "enc"], &profile(None));
        shares.add(
            ["local", "kex-04", "A-1", "exchange"],
            &profile(Some("mixed")),
        );
        shares.sort();
        insta::assert_snapshot!(draw(&shares));
    }

    #[test]
    fn a_share_in_which_passes_lie_apart_is_marked() {
        let mut shares = Shares::default();
        let place = |operation| ["local", "kem-36", "TRIKE-2", operation];
        shares.add(place("keygen"), &profile_in_passes(&[160, 150, 161]));
        assert!(!draw(&shares).contains('~'));
        shares.add(place("enc"), &profile_in_passes(&[160, 150, 800]));
        let text = draw(&shares);
        assert_eq!(text.matches("~ 16%").count(), 1, "{text}");
        assert!(
            text.contains("up to 65: the machine was disturbed."),
            "{text}"
        );
        let row = serde_json::to_value(&shares.rows[0]).unwrap();
        assert_eq!(row["passes"], 3);
        assert!((row["spread"][1].as_f64().unwrap() - 0.011).abs() < 1e-12);
        assert!(row["other_share"].is_null());
    }
}
