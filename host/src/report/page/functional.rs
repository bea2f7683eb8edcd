//! Section 3: the known-answer tests.

use super::super::cell::Cell;
use super::super::evidence::{Candidate, Label};
use super::super::model::{Block, Column, Section, Table};
use crate::record::schema::{FlagSet, KatStatus};

/// Section 3.
pub fn section(candidate: &Candidate) -> Section {
    let rows = candidate.labels.iter().map(|label| {
        let flags = flags(label).map(FlagSet::name);
        let kat = kat(label).map(KatStatus::name);
        vec![
            Cell::code(&label.name),
            Cell::of(flags, Cell::from),
            Cell::of(kat, Cell::from),
        ]
    });
    let table = Table {
        caption: "Known-answer tests".to_owned(),
        columns: vec![
            Column::name("instance"),
            Column::words("build flags"),
            Column::words("KAT"),
        ],
        rows: rows.collect(),
    };
    Section::new("3. Functional testing (KAT)")
        .paragraph(
            "The known answers of every image were computed and compared with the published ones \
             before it was timed.",
        )
        .with([Block::Table(table)])
}

/// The flag set that a label was compiled with.
fn flags(label: &Label) -> Option<FlagSet> {
    let of_record = label.records.first().map(|record| record.flags);
    of_record.or_else(|| label.build.as_ref()?.entry.flags)
}

/// The outcome of a label's known-answer test.
pub fn kat(label: &Label) -> Option<KatStatus> {
    let of_record = label.records.first().map(|record| record.kat);
    of_record.or_else(|| Some(label.build.as_ref()?.entry.kat))
}
