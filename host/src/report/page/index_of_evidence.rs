//! Section 7: the files that every figure follows from.

use std::cmp::Ordering;

use super::super::cell::Cell;
use super::super::evidence::{Candidate, Label, operation};
use super::super::model::{Block, Column, Section, Table, Text};
use super::or_nothing;
use crate::record::schema::Record;
use crate::record::store;
use crate::table::order;

/// Hexadecimal digits of a digest that are shown.
const SHOWN_DIGITS: usize = 16;

/// Section 7.
pub fn section(candidate: &Candidate) -> Section {
    let rows: Vec<Vec<Cell>> = candidate
        .labels
        .iter()
        .flat_map(|label| rows(candidate, label))
        .collect();
    let section = Section::new("7. Raw evidence index");
    if rows.is_empty() {
        return or_nothing(section, "There are no records.");
    }
    section
        .paragraph(
            Text::from("Paths are relative to the folder ")
                .and(Text::code(format!("{}/", candidate.system)))
                .and(
                    " of the run directory. Each record has its commands, its environment and its \
                     trials; ",
                )
                .and(Text::code("cargo host validate"))
                .and(" computes every figure from the trials again."),
        )
        .with([Block::Table(Table {
            caption: "Files".to_owned(),
            columns: vec![
                Column::name("instance"),
                Column::words("item"),
                Column::words("file"),
            ],
            rows,
        })])
}

fn rows(candidate: &Candidate, label: &Label) -> Vec<Vec<Cell>> {
    let row = |item: Text, path: String| {
        let file = Text::file(path.as_str(), format!("{}/{path}", candidate.system));
        vec![Cell::code(&label.name), item.into(), file.into()]
    };
    let mut rows = Vec::new();
    if let Some(record) = label.records.iter().find(|record| record.kat_log.is_some()) {
        let log = record.kat_log.clone().unwrap_or_default();
        let item = match &record.kat_log_sha256 {
            Some(digest) => Text::from("KAT log (sha256 ")
                .and(Text::code(format!("{}…", &digest.as_str()[..SHOWN_DIGITS])))
                .and(")"),
            None => Text::from("KAT log"),
        };
        rows.push(row(item, log));
    }
    let mut records: Vec<&Record> = label.records.iter().collect();
    records.sort_by(|a, b| by_name(&operation(a), &operation(b)));
    let path = |folder: &str, record: &Record| {
        format!("{folder}/{}/{}.json", candidate.id, store::stem(record))
    };
    for record in &records {
        let item = format!("timing {}", operation(record));
        rows.push(row(item.into(), path("records", record)));
    }
    let has_profile = |record: &&&Record| {
        let operation = operation(record);
        label.profiles.iter().any(|(name, _)| *name == operation)
    };
    for record in records.iter().filter(has_profile) {
        let item = format!("hash profile {}", operation(record));
        rows.push(row(item.into(), path("profile", record)));
    }
    rows
}

/// Files stand in the order of their names.
fn by_name(left: &str, right: &str) -> Ordering {
    order::natural(left, right)
}
