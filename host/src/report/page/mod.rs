//! The page of one candidate on one system: the seven sections of the assessment guide.

mod basics;
mod functional;
mod index_of_evidence;
mod overhead;
mod performance;
mod resources;
mod symmetric;
mod warnings;

use super::evidence::{Candidate, Label, System, operation};
use super::model::{Block, Page, PagePath, Section, Table, Text};
use super::names;
use crate::record::schema::Record;

pub use functional::kat;
pub use overhead::sizes_table;
pub use performance::{count, seconds};
pub use resources::{heap, image_bytes, stack, submission_bytes};
pub use symmetric::{share, verdict};
pub use warnings::warnings;

use super::cell::Cell;
use super::model::Column;

/// Where the page of a candidate is.
pub fn path(system: &str, candidate: &str) -> PagePath {
    PagePath::new([system, candidate, "page"])
}

/// Makes the page of a candidate; `systems` are all that have one of the same candidate.
pub fn page(candidate: &Candidate, system: &System, systems: &[String]) -> Page {
    let name = match &candidate.name {
        Some(name) => format!("{} {name}", candidate.id),
        None => candidate.id.clone(),
    };
    let first = any_record(candidate, system);
    let machine = first.and_then(|record| record.environment.architecture.as_deref());
    let machine = machine.map_or("an unknown machine", names::architecture);
    let emulated = match first.is_some_and(Record::is_emulated) {
        true => ", emulated",
        false => "",
    };
    Page {
        path: path(&candidate.system, &candidate.id),
        title: format!(
            "{name} — performance on {machine} (system {}{emulated})",
            candidate.system
        ),
        candidate: Some(candidate.id.clone()),
        system: Some(candidate.system.clone()),
        trail: trail(candidate, systems),
        lead: lead(candidate),
        sections: vec![
            basics::information(candidate),
            basics::environment(candidate, system),
            functional::section(candidate),
            performance::section(candidate),
            resources::section(candidate),
            overhead::section(candidate),
            symmetric::section(candidate),
            index_of_evidence::section(candidate),
        ],
    }
}

/// A record that says what the system is: one of another candidate where nothing of this one was
/// measured, because nothing of it was built.
fn any_record<'a>(candidate: &'a Candidate, system: &'a System) -> Option<&'a Record> {
    let others = system.candidates.iter().flat_map(Candidate::records);
    candidate.records().chain(others).next()
}

fn trail(candidate: &Candidate, systems: &[String]) -> Vec<Text> {
    let others = systems
        .iter()
        .map(|system| match system == &candidate.system {
            true => Text::strong(system),
            false => Text::page(system, path(system, &candidate.id)),
        });
    vec![
        Text::page("Performance measurements", super::index::path()),
        Text::from(candidate.system.as_str()),
        Text::from(candidate.id.as_str())
            .and(" · system: ")
            .and(Text::join(others, " · ")),
    ]
}

fn lead(candidate: &Candidate) -> Vec<Block> {
    let mut lead = vec![Block::Paragraph(
        "An independent measurement in the order of the NICCS self-assessment guide, §3.5 (1) to \
         (7), and not the submitter's own assessment. Every figure follows from the records that \
         section 7 lists."
            .into(),
    )];
    let warnings = warnings(candidate);
    if !warnings.is_empty() {
        lead.push(Block::Warnings(warnings));
    }
    lead
}

/// The columns that say what a row is about, before others.
fn columns(more: impl IntoIterator<Item = Column>) -> Vec<Column> {
    let names = [Column::name("instance"), Column::name("operation")];
    names.into_iter().chain(more).collect()
}

/// A row for every record, which begins with its label and operation.
fn rows<'a>(
    labels: impl IntoIterator<Item = &'a Label>,
    cells: impl Fn(&'a Label, &'a Record) -> Option<Vec<Cell>>,
) -> Vec<Vec<Cell>> {
    let mut rows = Vec::new();
    for label in labels {
        for record in &label.records {
            let names = [Cell::code(&label.name), operation(record).into()];
            rows.extend(cells(label, record).map(|cells| names.into_iter().chain(cells).collect()));
        }
    }
    rows
}

/// A table without the columns that have nothing in them, and a sentence that names these; nothing
/// when there is no figure in it at all.
fn sparse(table: Table) -> Vec<Block> {
    if !table.has_figures() {
        return Vec::new();
    }
    let (table, left_out) = table.without_empty_columns();
    let mut blocks = vec![Block::Table(table)];
    if !left_out.is_empty() {
        let words = format!("Not available on this system: {}.", left_out.join("; "));
        blocks.push(Block::Paragraph(words.into()));
    }
    blocks
}

/// Labels in words.
fn code_list<'a>(names: impl IntoIterator<Item = &'a str>) -> Text {
    Text::join(names.into_iter().map(Text::code), ", ")
}

/// An empty section that says so.
fn or_nothing(section: Section, words: &str) -> Section {
    match section.blocks.is_empty() {
        true => section.paragraph(words),
        false => section,
    }
}
