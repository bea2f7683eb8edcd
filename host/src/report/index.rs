//! The report's first page: what was measured, and where to read of it.

use super::cell::Cell;
use super::evidence::{CATEGORIES, Candidate, System};
use super::model::{Block, Column, Page, PagePath, Section, Table, Text};
use super::unit::Units;
use super::{names, page, summary};
use crate::record::schema::{KatStatus, Record, Status};

/// Where the first page is.
pub fn path() -> PagePath {
    PagePath::new(["index"])
}

/// Makes the first page.
pub fn page(systems: &[System]) -> Page {
    Page {
        path: path(),
        title: "Performance measurements".to_owned(),
        candidate: None,
        system: None,
        trail: Vec::new(),
        lead: vec![Block::Paragraph(
            Text::from(
                "A page for each candidate on each system, and a summary for each category. \
                 Everything in one place, in plots and in tables to sort and filter: ",
            )
            .and(Text::html("interactive report", super::interactive::path()))
            .and("."),
        )],
        sections: systems.iter().map(section).collect(),
    }
}

fn section(system: &System) -> Section {
    let summaries = CATEGORIES.into_iter().filter_map(|category| {
        let mut candidates = system.candidates.iter();
        candidates
            .any(|candidate| candidate.labels_of(category).next().is_some())
            .then(|| {
                let path = summary::path(&system.name, category);
                Text::from("Summary: ").and(Text::page(names::plural(category), path))
            })
    });
    let records = system.candidates.iter().flat_map(Candidate::records);
    let counts = Text::from(format!("Counts: {}", Units::of(records).heading()));
    let table = Table {
        caption: format!("Candidates on {}", system.name),
        columns: vec![
            Column::name("candidate"),
            Column::words("name"),
            Column::words("categories"),
            Column::figures("instances"),
            Column::figures("KAT PASS"),
            Column::figures("complete records"),
            Column::figures("warnings"),
        ],
        rows: system.candidates.iter().map(row).collect(),
    };
    Section::new(&format!("System {}", system.name)).with([
        Block::List([counts].into_iter().chain(summaries).collect()),
        Block::Table(table),
    ])
}

fn row(candidate: &Candidate) -> Vec<Cell> {
    let categories = candidate.categories();
    let categories: Vec<&str> = categories.into_iter().map(names::plural).collect();
    let labels = candidate.labels.len();
    let passed = candidate
        .labels
        .iter()
        .filter(|label| page::kat(label) == Some(KatStatus::Pass));
    let complete = |record: &&Record| record.status == Status::Complete;
    let (complete, records) = (
        candidate.records().filter(complete).count(),
        candidate.records().count(),
    );
    vec![
        Text::page(&candidate.id, page::path(&candidate.system, &candidate.id)).into(),
        Cell::of(candidate.name.as_deref(), Cell::from),
        match categories.is_empty() {
            true => Cell::NotAvailable,
            false => categories.join(", ").into(),
        },
        Cell::Bytes(labels as u64),
        format!("{} of {labels}", passed.count()).into(),
        format!("{complete} of {records}").into(),
        Cell::Bytes(page::warnings(candidate).len() as u64),
    ]
}
