//! The systems of several run directories, as commands that compare them see them.

use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use super::promise::{Missing, Workspace, damage_in_words, missing, missing_in_words};
use super::runs;
use crate::record::run_files::{NotBuilt, not_built};
use crate::record::schema::Record;
use crate::record::store::RunDirectory;
use crate::record::validate::{Finding, read_all};
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
    /// What was built on it and not measured.
    pub(super) missing: Vec<Missing>,
    /// What was changed in its records since they were written.
    pub damage: Vec<Finding>,
}

impl Side {
    /// Whether everything that was measured is complete and as it was written, no answer is wrong, and
    /// everything was built that the system can run.
    pub fn is_clean(&self) -> bool {
        self.column.records.iter().all(Record::is_clean)
            && self.not_built.iter().all(|it| it.unavailable)
            && self.damage.is_empty()
    }

    /// Whether there is nothing of it at all: no record, and none that was promised or could not be.
    fn is_empty(&self) -> bool {
        self.column.records.is_empty() && self.not_built.is_empty() && self.missing.is_empty()
    }

    /// What of its promises the run directory does not keep, in words.
    pub fn broken_promises(&self) -> Vec<String> {
        let mut words = damage_in_words(&self.damage, self.run.root());
        words.extend(missing_in_words(&self.column.name, &self.missing));
        words
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

/// The systems of these runs, by run and then by name; only those that are wanted, if any are.
///
/// # Errors
///
/// When a run directory or a record in it cannot be read, or has no such system.
pub fn sides(roots: &[PathBuf], wanted: &[String]) -> miette::Result<Vec<Side>> {
    runs::check(roots)?;
    let mut sides: Vec<Side> = Vec::new();
    let mut known: Vec<String> = Vec::new();
    let workspace = Workspace::default();
    for root in roots {
        let run = RunDirectory::new(root);
        let systems = run.systems()?;
        if systems.is_empty() {
            // A folder with nothing of a campaign is a mistake, not an empty column.
            return Err(runs::empty(root));
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
            let (records, damage): (Vec<Record>, Vec<_>) = read_all(&files)?.into_iter().unzip();
            let folder = root.join(system);
            let name = column_name(roots, root, system);
            sides.push(Side {
                run: run.clone(),
                system: system.clone(),
                not_built: not_built(&folder, &name)?,
                missing: missing(&folder, &records.iter().collect::<Vec<_>>(), &workspace)?,
                damage: damage.concat(),
                column: Column {
                    name,
                    system: system.clone(),
                    records,
                },
            });
        }
        let of_run = sides.iter().filter(|side| side.run == run);
        if wanted.is_empty() && of_run.clone().all(Side::is_empty) {
            return Err(runs::empty(root));
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
    use std::fs;

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
