//! Run directories, as arguments name them: what is none is refused for what it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use crate::record::run_files::{BUILD, CAMPAIGN};
use crate::record::store::{RECORDS, RunDirectory, StoreError};

/// Why an argument is no run directory that can be read.
#[derive(Debug, Error, Diagnostic)]
enum NoRun {
    #[error("{} is not there", path.display())]
    #[diagnostic(help(
        "name a run directory, or make one with `cargo host campaign --run-dir {}`", path.display()
    ))]
    Absent { path: PathBuf },
    #[error("{} is a file, and no run directory", path.display())]
    #[diagnostic(help("name the folder that a campaign measured into"))]
    File { path: PathBuf },
    #[error("{} is the folder of the system {system}, and no run directory", path.display())]
    #[diagnostic(help("name the run directory that it is in: {}", run.display()))]
    System {
        path: PathBuf,
        system: String,
        run: PathBuf,
    },
    #[error("{} is no run directory, but holds some", path.display())]
    #[diagnostic(help("name one or more of them: {}", words(runs)))]
    Above { path: PathBuf, runs: Vec<PathBuf> },
    #[error("the campaign in {} has measured nothing yet", path.display())]
    #[diagnostic(help(
        "go on with it: the same `cargo host campaign` with --run-dir {}", path.display()
    ))]
    Begun { path: PathBuf },
    #[error("{} and {} are the same run directory", first.display(), second.display())]
    #[diagnostic(help("name each run directory once"))]
    Twice { first: PathBuf, second: PathBuf },
}

fn words(paths: &[PathBuf]) -> String {
    let words: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    words.join(" ")
}

/// Refuses what cannot be a run directory, whatever is in it, and one that is named twice.
///
/// # Errors
///
/// What each is instead.
pub(super) fn check(runs: &[PathBuf]) -> miette::Result<()> {
    let mut seen: BTreeMap<PathBuf, &PathBuf> = BTreeMap::new();
    for run in runs {
        is_folder_of_runs(run)?;
        let whole = run.canonicalize().unwrap_or_else(|_| run.clone());
        if let Some(first) = seen.insert(whole, run) {
            let (first, second) = (first.clone(), run.clone());
            return Err(NoRun::Twice { first, second }.into());
        }
    }
    Ok(())
}

fn is_folder_of_runs(run: &Path) -> Result<(), NoRun> {
    let path = run.to_owned();
    if !run.exists() {
        return Err(NoRun::Absent { path });
    }
    if !run.is_dir() {
        return Err(NoRun::File { path });
    }
    let is_of_a_system = run.join(RECORDS).is_dir() || run.join(BUILD).is_file();
    let whole = run.canonicalize().unwrap_or_else(|_| path.clone());
    let names = whole.file_name().zip(whole.parent());
    if let (true, Some((system, above))) = (is_of_a_system, names) {
        return Err(NoRun::System {
            system: system.to_string_lossy().into_owned(),
            // As short as the argument was, where that says it.
            run: match run.parent() {
                Some(parent) if parent != Path::new("") => parent.to_owned(),
                _ => above.to_owned(),
            },
            path,
        });
    }
    Ok(())
}

/// The error of a run directory without records: that a campaign has measured none yet, or that run
/// directories lie right below it.
pub(super) fn empty(run: &Path) -> miette::Report {
    let path = run.to_owned();
    if run.join(CAMPAIGN).exists() {
        return NoRun::Begun { path }.into();
    }
    let below = fs::read_dir(run).into_iter().flatten().flatten();
    let mut runs: Vec<PathBuf> = below
        .map(|entry| entry.path())
        .filter(|path| RunDirectory::new(path).records().is_ok())
        .collect();
    runs.sort();
    match runs.is_empty() {
        true => StoreError::Empty { path }.into(),
        false => NoRun::Above { path, runs }.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verb::sides::tests::run_with;

    fn said(error: &miette::Report, folder: &Path) -> String {
        let help = error.help().expect("a remedy").to_string();
        let said = format!("{error}; {help}");
        said.replace(&format!("{}/", folder.display()), "")
    }

    #[test]
    fn what_is_no_run_directory_is_called_by_what_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = run_with(folder.path(), "run", &["a"]);
        let file = folder.path().join("file");
        fs::write(&file, "").expect("written");
        let refused = |path: PathBuf| {
            let error = check(&[path]).expect_err("no run directory");
            said(&error, folder.path())
        };
        assert!(check(std::slice::from_ref(&run)).is_ok());
        assert!(refused(folder.path().join("none")).starts_with("none is not there; name a run"));
        assert!(refused(file).starts_with("file is a file, and no run directory; "));
        assert_eq!(
            refused(run.join("a")),
            "run/a is the folder of the system a, and no run directory; name the run directory that \
             it is in: run"
        );
        let again = folder.path().join("./run");
        let twice = check(&[run, again]).expect_err("twice");
        assert!(twice.to_string().ends_with("are the same run directory"));
    }

    #[test]
    fn a_campaign_that_has_measured_nothing_is_none_that_never_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let words = |path: &Path| said(&empty(path), folder.path());
        let run = folder.path().join("run");
        fs::create_dir(&run).expect("created");
        assert!(words(&run).starts_with("run holds no records; name a run directory"));
        fs::write(run.join(CAMPAIGN), "{}").expect("written");
        assert_eq!(
            words(&run),
            "the campaign in run has measured nothing yet; go on with it: the same `cargo host \
             campaign` with --run-dir run"
        );
    }
}
