//! The interactive report: one file with everything that a report has, in tables that can be sorted
//! and filtered, and in plots.
//!
//! [`rows`] puts what was measured in one order, [`tables`], [`figures`] and [`notes`] say what is
//! shown of it, and [`document`](mod@document) makes the page. It is complete as it is written: the
//! script only leaves out and rearranges what is there, and without it everything is seen. Nothing
//! is fetched, and the page's policy lets no other script run and nothing be sent.

mod document;
mod drawn;
mod figures;
mod notes;
mod plot;
mod rows;
mod scale;
mod sizes;
mod tables;
#[cfg(test)]
mod tests;

use wire::Category;

use super::evidence::System;
use super::model::{PagePath, Text};

pub use document::document;

/// What is to be said before the figures of one category on one system, as above all figures of the
/// interactive report.
pub fn warnings_of(system: &System, category: Category) -> Vec<Text> {
    let mut rows = rows::rows(std::slice::from_ref(system));
    rows.retain(|row| row.category == Some(category));
    notes::warnings(&rows)
}

/// Where the interactive report is.
pub fn path() -> PagePath {
    PagePath::new(["report"])
}
