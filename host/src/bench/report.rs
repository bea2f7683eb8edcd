//! How fast pages are made of records.

use std::time::Instant;

use super::validate::RecordSet;
use super::{Figure, Workbench};
use crate::report::{candidate_pages, evidence, files, overview_pages};
use crate::system::System;

/// Records that pages are made of.
const RECORDS: usize = 1_000;

/// Reads a run directory, makes all pages in both forms, and writes them.
pub fn measure(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Figure>> {
    let set = RecordSet::new(bench, system, RECORDS)?;
    let mut rates = Vec::new();
    for _ in 0..bench.repeat {
        let started = Instant::now();
        let systems = evidence::gather(&set.run, &|_| None)?;
        let mut pages = candidate_pages(&systems, &|_| true);
        pages.extend(overview_pages(&systems));
        files::write(&files::draw(&pages, None), &set.run.root().join("report"))?;
        rates.push(RECORDS as f64 / started.elapsed().as_secs_f64());
    }
    let what = format!("report: {RECORDS} records");
    Ok(vec![Figure::of(what, "records/s", rates)])
}
