//! What the tables and plots of the interactive report are about: one row for each operation of
//! each instance on each system, in one order that all of them keep.

use std::fmt;

use wire::Category;

use crate::record::profile::Profile;
use crate::record::schema::Record;
use crate::report::evidence::{CATEGORIES, Candidate, Label, System, operation};
use crate::report::names;

/// One operation of one instance on one system, or an instance of which nothing was measured.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// Its place among all rows, by which tables and plots refer to it.
    pub number: usize,
    /// The system.
    pub system: &'a System,
    /// The candidate.
    pub candidate: &'a Candidate,
    /// The instance.
    pub label: &'a Label,
    /// What kind of scheme it is, where that is known.
    pub category: Option<Category>,
    /// What was measured; `None` where nothing was.
    pub record: Option<&'a Record>,
    /// The operation; empty where nothing was measured.
    pub operation: String,
}

impl Row<'_> {
    /// The category in words.
    pub fn category_name(&self) -> &'static str {
        self.category.map_or("unknown", names::plural)
    }

    /// The profile of the operation.
    pub fn profile(&self) -> Option<&Profile> {
        let mut profiles = self.label.profiles.iter();
        let (_, profile) = profiles.find(|(operation, _)| *operation == self.operation)?;
        Some(profile)
    }

    /// The name of the instance within all candidates.
    pub fn name(&self) -> String {
        format!("{}/{}", self.candidate.id, self.label.name)
    }
}

/// All rows: by category, system, candidate with the yardsticks first, label and operation.
pub fn rows(systems: &[System]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for system in systems {
        for candidate in &system.candidates {
            for label in &candidate.labels {
                rows.extend(of_label(system, candidate, label));
            }
        }
    }
    let rank = |category: Option<Category>| {
        let place = |category| CATEGORIES.iter().position(|known| *known == category);
        category.and_then(place).unwrap_or(CATEGORIES.len())
    };
    let is_yardstick = |row: &Row| names::is_yardstick(&row.candidate.id, row.label);
    let place = |row: &Row| {
        let mut places = systems.iter();
        places.position(|system| std::ptr::eq(system, row.system))
    };
    // What is equal stays in the order of the evidence.
    rows.sort_by_cached_key(|row| (rank(row.category), place(row), !is_yardstick(row)));
    for (number, row) in rows.iter_mut().enumerate() {
        row.number = number;
    }
    rows
}

fn of_label<'a>(
    system: &'a System,
    candidate: &'a Candidate,
    label: &'a Label,
) -> impl Iterator<Item = Row<'a>> {
    let category = label.category();
    let row = move |record: Option<&'a Record>| Row {
        number: 0,
        system,
        candidate,
        label,
        category,
        record,
        operation: record.map(operation).unwrap_or_default(),
    };
    let nothing = label.records.is_empty().then(|| row(None));
    nothing
        .into_iter()
        .chain(label.records.iter().map(move |record| row(Some(record))))
}

/// The rows of each category on each system.
pub fn groups<'a, 'b>(rows: &'b [Row<'a>]) -> impl Iterator<Item = &'b [Row<'a>]> {
    rows.chunk_by(|a, b| a.category == b.category && std::ptr::eq(a.system, b.system))
}

/// The rows of each instance.
pub fn instances<'a, 'b>(rows: &'b [Row<'a>]) -> impl Iterator<Item = &'b [Row<'a>]> {
    rows.chunk_by(|a, b| std::ptr::eq(a.label, b.label))
}

/// The rows that a line of a table or a mark of a plot is about, which is seen while any of them is
/// chosen: spans of numbers, as the script reads them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Numbers(Vec<(usize, usize)>);

impl Numbers {
    /// Those of these rows, which follow each other.
    pub fn of(rows: &[Row]) -> Self {
        let span = rows.first().zip(rows.last());
        Self(
            span.map(|(first, last)| (first.number, last.number))
                .into_iter()
                .collect(),
        )
    }

    /// That of one row.
    pub fn one(row: &Row) -> Self {
        Self(vec![(row.number, row.number)])
    }

    /// Adds others.
    pub fn add(&mut self, more: Self) {
        self.0.extend(more.0);
    }
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (first, last)) in self.0.iter().enumerate() {
            let space = if index > 0 { " " } else { "" };
            write!(f, "{space}{first}")?;
            if last > first {
                write!(f, "-{last}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::examples;

    #[test]
    fn every_operation_has_a_row_and_so_has_what_was_not_built() {
        let systems = [examples::all()];
        let rows = rows(&systems);
        let names: Vec<String> = rows
            .iter()
            .map(|row| format!("{} {}", row.name(), row.operation))
            .collect();
        assert_eq!(names.len(), 16);
        assert_eq!(
            names[..2],
            ["pqclean/ML-KEM-768 keygen", "pqclean/ML-KEM-768 enc"]
        );
        assert_eq!(names[3], "pqclean/ML-KEM-768-wide ");
        assert!(
            rows.iter()
                .enumerate()
                .all(|(place, row)| place == row.number)
        );
        let groups: Vec<usize> = groups(&rows).map(<[Row]>::len).collect();
        assert_eq!(groups, [4, 3, 7, 2]);
        let instances: Vec<String> = instances(&rows)
            .map(|rows| Numbers::of(rows).to_string())
            .collect();
        assert_eq!(instances, ["0-2", "3", "4-6", "7-13", "14-15"]);
    }

    #[test]
    fn spans_are_written_as_the_script_reads_them() {
        let systems = [examples::all()];
        let rows = rows(&systems);
        let mut numbers = Numbers::of(&rows[1..3]);
        numbers.add(Numbers::one(&rows[5]));
        assert_eq!(numbers.to_string(), "1-2 5");
        assert_eq!(Numbers::of(&[]).to_string(), "");
    }
}
