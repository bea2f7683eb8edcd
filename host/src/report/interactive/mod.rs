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

use super::model::PagePath;

pub use document::document;

/// Where the interactive report is.
pub fn path() -> PagePath {
    PagePath::new(["report"])
}
