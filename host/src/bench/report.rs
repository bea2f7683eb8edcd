//! How fast pages are made of records, through the command that people type.

use super::{Figure, Workbench, command};
use crate::system::System;

/// Seconds that the command may take.
const SECONDS: f64 = 5.0;

/// `cargo host report` on ten thousand records: candidates' pages, summaries and index, as Markdown
/// and as HTML.
pub fn measure(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Figure>> {
    command::measure(bench, system, "report", SECONDS)
}
