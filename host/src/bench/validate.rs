//! How fast records are checked: copies of real ones under other labels.

use std::fs;
use std::time::Instant;

use tempfile::TempDir;

use super::{Figure, Workbench, record};
use crate::record::digest::seal;
use crate::record::schema::Record;
use crate::record::store::RunDirectory;
use crate::record::validate::{Operations, Validator};
use crate::system::System;

/// Ten thousand records take so much longer that they are checked once for so many repetitions.
const RARELY: u32 = 5;

/// A thousand records.
pub fn thousand(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Figure>> {
    measure(bench, system, 1_000, bench.repeat)
}

/// Ten thousand.
pub fn ten_thousand(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Figure>> {
    measure(bench, system, 10_000, bench.repeat.div_ceil(RARELY))
}

fn measure(
    bench: &Workbench,
    system: &dyn System,
    count: usize,
    times: u32,
) -> miette::Result<Vec<Figure>> {
    let RecordSet { run, bytes, .. } = &RecordSet::new(bench, system, count)?;
    let (mut rates, mut throughputs) = (Vec::new(), Vec::new());
    for _ in 0..times {
        let started = Instant::now();
        let mut validator = Validator::new(vec![bench.project.work_folder()]);
        let files = run.records()?;
        let mut findings = Vec::new();
        for file in &files {
            findings.extend(validator.check_file(file));
        }
        validator.check_run(run.root(), &Operations::new());
        let seconds = started.elapsed().as_secs_f64();
        if let Some(first) = findings.first() {
            return Err(miette::miette!(
                "records of this very run are wrong: {first}"
            ));
        }
        rates.push(files.len() as f64 / seconds);
        throughputs.push(*bytes as f64 / seconds);
    }
    Ok(vec![
        Figure::of(format!("validate: {count} records"), "records/s", rates),
        Figure::of(format!("validate: {count} records"), "bytes/s", throughputs),
    ])
}

/// A run directory full of records.
pub struct RecordSet {
    /// The run directory.
    pub run: RunDirectory,
    /// Bytes of all records.
    pub bytes: u64,
    _folder: TempDir,
}

impl RecordSet {
    /// So many records.
    pub fn new(bench: &Workbench, system: &dyn System, count: usize) -> miette::Result<Self> {
        let models = record::records(bench, system)?;
        let folder = tempfile::tempdir().map_err(|error| {
            miette::miette!(
                help = "set TMPDIR to a folder with room",
                "no folder: {error}"
            )
        })?;
        let run = RunDirectory::new(folder.path());
        let mut bytes = 0;
        for (number, model) in models.iter().cycle().take(count).enumerate() {
            let record = copy(model, number / models.len());
            let file = run.write(system.name(), &record)?;
            bytes += fs::metadata(file).map_or(0, |metadata| metadata.len());
        }
        Ok(Self {
            run,
            bytes,
            _folder: folder,
        })
    }
}

/// The same record under another label, which no log belongs to.
fn copy(model: &Record, number: usize) -> Record {
    let mut record = Record {
        label: format!("{}-{number}", model.label),
        kat_log: None,
        kat_log_sha256: None,
        ..model.clone()
    };
    seal(&mut record);
    record
}
