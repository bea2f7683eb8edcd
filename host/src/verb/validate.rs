//! `cargo host validate`: everything recomputed from the raw trials.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::promise::operations;
use super::{output, runs};
use crate::cli::Context;
use crate::notice::printable;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::record::run_files::{CAMPAIGN, not_built};
use crate::record::store::{RunDirectory, StoreError};
use crate::record::validate::{Finding, Operations, Validator};
use crate::table::format;

/// Checks records against their raw trials, their places and the files that they name.
///
/// Every statistic is computed again (relative tolerance 1e-9), every digest is checked (the
/// record's own, and those of KAT logs and images where these are there), and names and sizes must
/// agree with the path and with the label's other operations. A run directory's campaign.json and
/// build.json are checked as well, and that the records which these promise are there. Each
/// finding names the file and the key. Records of earlier formats are checked as what they are; those
/// of later ones are a finding. With --json {records, not_built, findings: [{file, key,
/// problem}]}.
///
/// Exits with 1 when there are findings. A wrong answer that is recorded as one, or an instance that
/// does not build, is none: `compare` judges these.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Run directories, or files of single records
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// A folder in which images are looked for, beside this workspace's cache
    #[arg(long, value_name = "DIR")]
    images: Vec<PathBuf>,
}

/// What was checked and found, as `validate --json` shows it.
#[derive(Debug, Serialize)]
struct Report {
    records: usize,
    /// Instances that a campaign could not build or run, which have no records.
    not_built: usize,
    findings: Vec<Finding>,
}

/// Validates.
///
/// # Errors
///
/// When a path is neither a file nor a run directory with records.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let mut image_folders = arguments.images.clone();
    // Records can be checked far from any workspace; then there is no cache to look into.
    let project = Project::find().ok();
    image_folders.extend(project.as_ref().map(Project::work_folder));
    let report = check(
        &arguments.paths,
        Validator::new(image_folders),
        &operations(project.as_ref()),
    )?;
    if context.common.json {
        output::json(&report)?;
    } else {
        for finding in &report.findings {
            output::text(&printable(&finding.to_string()))?;
        }
        let Report {
            records,
            not_built,
            findings,
        } = &report;
        context.say(format_args!(
            "records checked: {records}; findings: {}",
            findings.len()
        ));
        if *not_built > 0 {
            context.say(format_args!(
                "without records, because they were not built: {}; `cargo host compare` says why",
                format::number_of(*not_built, "instance")
            ));
        }
    }
    Ok(match report.findings.is_empty() {
        true => Outcome::Clean,
        false => Outcome::NotClean,
    })
}

fn check(
    paths: &[PathBuf],
    mut validator: Validator,
    operations: &Operations,
) -> miette::Result<Report> {
    let mut files = Vec::new();
    let mut runs = Vec::new();
    for path in paths {
        // A file that is there is checked, whatever is in it; one that is not is a wrong argument.
        if path.is_file() {
            files.push(path.clone());
        } else {
            runs::check(std::slice::from_ref(path))?;
            files.extend(match RunDirectory::new(path).records() {
                // A campaign that has no records yet, or has lost them all.
                Err(StoreError::Empty { .. }) if path.join(CAMPAIGN).exists() => Vec::new(),
                Err(StoreError::Empty { .. }) => return Err(runs::empty(path)),
                records => records?,
            });
            runs.push(path);
        }
    }
    let mut unbuilt = 0;
    for run in &runs {
        for system in RunDirectory::new(run).systems()? {
            // One that cannot be read is a finding.
            let system = not_built(&run.join(&system), &system);
            unbuilt += system.map_or(0, |not_built| not_built.len());
        }
    }
    let mut findings = validator.check_files(&files);
    for run in runs {
        findings.extend(validator.check_run(run, operations));
    }
    Ok(Report {
        records: files.len(),
        not_built: unbuilt,
        findings,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::record::example;

    #[test]
    fn a_run_directory_and_single_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = RunDirectory::new(folder.path());
        let good = example::keep(&run, "rpi4", &example::record());
        let mut wrong = example::record();
        wrong.operation = "enc".to_owned();
        let bad = run.write("rpi4", &wrong).expect("written");
        let check = |path: &PathBuf| {
            let paths = std::slice::from_ref(path);
            check(paths, Validator::default(), &Operations::new())
        };

        let whole = check(&folder.path().to_owned()).expect("checked");
        assert_eq!(whole.records, 2);
        let (of_records, of_the_run) = whole.findings.split_at(2);
        assert!(of_records.iter().all(|finding| finding.file == bad));
        let keys: Vec<&str> = of_records.iter().map(|f| f.key.as_str()).collect();
        assert_eq!(keys, ["meter.digest", "processes[0].meta.operation"]);
        let files = of_the_run.iter().map(|finding| finding.file.clone());
        let missing = ["campaign.json", "rpi4/build.json"].map(|name| folder.path().join(name));
        assert_eq!(files.collect::<Vec<_>>(), missing);
        assert!(check(&good).expect("checked").findings.is_empty());

        fs::write(&bad, "{").expect("written");
        let broken = check(&bad).expect("checked").findings;
        assert_eq!(broken.len(), 1);
        assert!(
            broken[0].to_string().contains("__enc.json"),
            "{}",
            broken[0]
        );
        let missing = check(&folder.path().join("none.json")).expect_err("no file");
        assert!(missing.to_string().contains("none.json"), "{missing}");
    }
}
