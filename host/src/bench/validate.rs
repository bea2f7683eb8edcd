//! How fast records are checked: copies of real ones under other labels.

use std::fs;
use std::time::Instant;

use super::{Figure, Workbench, record};
use crate::record::digest::seal;
use crate::record::schema::Record;
use crate::record::store::RunDirectory;
use crate::record::validate::{Operations, Validator};
use crate::system::System;

/// A thousand records.
pub fn thousand(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Figure>> {
    measure(bench, system, 1_000)
}

/// Ten thousand.
pub fn ten_thousand(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Figure>> {
    measure(bench, system, 10_000)
}

fn measure(bench: &Workbench, system: &dyn System, count: usize) -> miette::Result<Vec<Figure>> {
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
    let (mut rates, mut throughputs) = (Vec::new(), Vec::new());
    for _ in 0..bench.repeat {
        let started = Instant::now();
        let mut validator = Validator::new(vec![bench.project.work_folder()]);
        let files = run.records()?;
        let mut findings = 0;
        for file in &files {
            findings += validator.check_file(file).len();
        }
        validator.check_run(run.root(), &Operations::new());
        let seconds = started.elapsed().as_secs_f64();
        if findings > 0 {
            return Err(miette::miette!(
                "{findings} findings in records of this very run"
            ));
        }
        rates.push(files.len() as f64 / seconds);
        throughputs.push(bytes as f64 / seconds);
    }
    Ok(vec![
        Figure::of(format!("validate: {count} records"), "records/s", rates),
        Figure::of(format!("validate: {count} records"), "bytes/s", throughputs),
    ])
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
