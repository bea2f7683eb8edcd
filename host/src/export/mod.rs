//! The main figures of records for programs of others: one row for each operation.
//!
//! [`row`] says what a row holds; [`table`] writes rows as comma-separated values, [`benchmark`] as
//! what the GitHub action github-action-benchmark reads. As JSON they are what they are.

pub mod benchmark;
pub mod row;
pub mod table;

pub use row::Row;

use crate::table::comparison::Column;
use crate::table::order;

/// The rows of these systems, in their order; within one, in the order of people.
pub fn rows(columns: &[Column]) -> Vec<Row> {
    let of_column = |column: &Column| {
        let rows = column.records.iter();
        let mut rows: Vec<Row> = rows.map(|it| Row::of(&column.name, it)).collect();
        rows.sort_by(|a, b| {
            order::natural(&a.candidate, &b.candidate)
                .then_with(|| order::natural(&a.label, &b.label))
                .then_with(|| order::operations(&a.operation, &b.operation))
        });
        rows
    };
    columns.iter().flat_map(of_column).collect()
}

#[cfg(test)]
mod tests;
