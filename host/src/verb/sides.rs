//! The systems of several run directories, as commands that compare them see them.

use std::fs;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use crate::record::read::read;
use crate::record::run_files::{NotBuilt, not_built};
use crate::record::schema::Record;
use crate::record::store::{RunDirectory, StoreError};
use crate::table::comparison::Column;

/// A system in a run directory.
#[derive(Clone)]
pub struct Side {
    /// The run directory.
    pub run: RunDirectory,
    /// Its name there.
    pub system: String,
    /// Its records, under the name that tells it from others.
    pub column: Column,
    /// What was not built on it.
    pub not_built: Vec<NotBuilt>,
}

impl Side {
    /// Whether everything was measured that the system can run, and no answer is wrong.
    pub fn is_clean(&self) -> bool {
        self.column.records.iter().all(Record::is_clean)
            && self.not_built.iter().all(|it| it.unavailable)
    }
}

/// A system was asked for that no run has.
#[derive(Debug, Error, Diagnostic)]
#[error("no run directory has records of a system `{name}`")]
#[diagnostic(help("systems there: {}", known.join(", ")))]
struct UnknownSystem {
    name: String,
    known: Vec<String>,
}

/// The folder is no run directory, but folders in it are.
#[derive(Debug, Error, Diagnostic)]
#[error("{} is no run directory, but holds some", folder.display())]
#[diagnostic(help("name one or more of them: {}", words(runs)))]
struct AboveRuns {
    folder: PathBuf,
    runs: Vec<PathBuf>,
}

fn words(paths: &[PathBuf]) -> String {
    let words: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    words.join(" ")
}

/// The systems of these runs, by run and then by name; only those that are wanted, if any are.
///
/// # Errors
///
/// When a run directory or a record in it cannot be read, or has no such system.
pub fn sides(runs: &[PathBuf], wanted: &[String]) -> miette::Result<Vec<Side>> {
    let mut sides = Vec::new();
    let mut known: Vec<String> = Vec::new();
    for root in runs {
        let run = RunDirectory::new(root);
        let systems = run.systems()?;
        if systems.is_empty() {
            // A folder with nothing of a campaign is a mistake, not an empty column.
            run.records()
                .map_err(|error| with_runs_below(root, error))?;
        }
        let chosen: Vec<&String> = match wanted {
            [] => systems.iter().collect(),
            _ => wanted
                .iter()
                .filter(|name| systems.contains(name))
                .collect(),
        };
        for system in chosen {
            let files = run.records_of(system)?;
            let records = files.iter().map(|file| read(file));
            let name = column_name(runs, root, system);
            sides.push(Side {
                run: run.clone(),
                system: system.clone(),
                not_built: not_built(&root.join(system), &name)?,
                column: Column {
                    name,
                    system: system.clone(),
                    records: records.collect::<Result<_, _>>()?,
                },
            });
        }
        known.extend(systems);
    }
    known.sort();
    known.dedup();
    match wanted.iter().find(|name| !known.contains(name)) {
        Some(name) => Err(UnknownSystem {
            name: name.clone(),
            known,
        }
        .into()),
        None => Ok(sides),
    }
}

/// The error of a folder without records; where run directories lie right below it, they are named.
fn with_runs_below(folder: &Path, error: StoreError) -> miette::Report {
    if !matches!(error, StoreError::Empty { .. }) {
        return error.into();
    }
    let below = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut runs: Vec<PathBuf> = below
        .map(|entry| entry.path())
        .filter(|path| RunDirectory::new(path).records().is_ok())
        .collect();
    if runs.is_empty() {
        return error.into();
    }
    runs.sort();
    let folder = folder.to_owned();
    AboveRuns { folder, runs }.into()
}

/// The system; with its run where there are several, as short as keeps them apart.
pub(super) fn column_name(runs: &[PathBuf], root: &Path, system: &str) -> String {
    if runs.len() == 1 {
        return system.to_owned();
    }
    let alike = runs
        .iter()
        .filter(|run| run.file_name() == root.file_name());
    match root.file_name() {
        Some(name) if alike.count() == 1 => format!("{}/{system}", name.to_string_lossy()),
        _ => format!("{}/{system}", root.display()),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use wire::CounterSource;

    use super::*;
    use crate::record::example;

    pub fn run_with(folder: &Path, name: &str, systems: &[&str]) -> PathBuf {
        let root = folder.join(name);
        for system in systems {
            let record = example::record_of(system, CounterSource::Tsc);
            let run = RunDirectory::new(&root);
            run.write(system, &record).expect("written");
        }
        root
    }

    pub fn names(sides: &[Side]) -> Vec<&str> {
        sides.iter().map(|side| side.column.name.as_str()).collect()
    }

    #[test]
    fn one_run_has_a_column_for_each_system() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = run_with(folder.path(), "run", &["b", "a"]);
        let all = sides(std::slice::from_ref(&run), &[]).expect("readable");
        assert_eq!(names(&all), ["a", "b"]);
        let chosen = sides(&[run], &["b".to_owned(), "a".to_owned()]).expect("readable");
        assert_eq!(names(&chosen), ["b", "a"]);
    }

    #[test]
    fn several_runs_are_told_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let before = run_with(folder.path(), "before", &["a"]);
        let after = run_with(folder.path(), "after", &["a"]);
        let both = sides(&[before.clone(), after], &[]).expect("readable");
        assert_eq!(names(&both), ["before/a", "after/a"]);
        let other = run_with(&folder.path().join("other"), "before", &["a"]);
        let both = sides(&[before.clone(), other], &[]).expect("readable");
        assert_eq!(both[0].column.name, format!("{}/a", before.display()));
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = run_with(folder.path(), "run", &["a"]);
        let error = sides(&[run], &["rpi4".to_owned()]).err().expect("unknown");
        assert_eq!(
            error.help().expect("a remedy").to_string(),
            "systems there: a"
        );
        let nothing = tempfile::tempdir().expect("a folder");
        let empty = sides(&[nothing.path().to_owned()], &[])
            .err()
            .expect("no records");
        assert!(empty.to_string().contains("holds no records"), "{empty}");
    }

    #[test]
    fn a_folder_above_run_directories_names_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let after = run_with(folder.path(), "after", &["a"]);
        let before = run_with(folder.path(), "before", &["a"]);
        fs::create_dir(folder.path().join("empty")).expect("created");
        let error = sides(&[folder.path().to_owned()], &[])
            .err()
            .expect("no run directory");
        assert!(
            error
                .to_string()
                .ends_with("is no run directory, but holds some"),
            "{error}"
        );
        let named = format!(
            "name one or more of them: {} {}",
            after.display(),
            before.display()
        );
        assert_eq!(error.help().expect("a remedy").to_string(), named);
    }
}
