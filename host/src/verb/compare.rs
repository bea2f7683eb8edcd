//! `cargo host compare`: systems, or runs, side by side.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use miette::Diagnostic;
use thiserror::Error;

use super::output;
use crate::cli::Context;
use crate::outcome::Outcome;
use crate::record::read::read;
use crate::record::schema::Record;
use crate::record::store::{self, RunDirectory, StoreError};
use crate::table::comparison::{Column, compare};
use crate::table::render;
use crate::table::shares::{self, Shares};

/// Shows systems, or runs, side by side.
///
/// One row for each operation: the count of one call under its unit (cycles, emulated
/// instructions or TSC ticks, which are never the same thing), its time, the ratio of times, the
/// stack, the known-answer test and the number of calls. The time of an emulated system is virtual
/// and enters no ratio with a real one. With --json the same as data: {systems, ratio_to, rows,
/// notes}.
///
/// Exits with 1 when a record is not complete or a known-answer test did not pass.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Run directories; with several, each system of each is a column
    #[arg(required = true, value_name = "RUN_DIR")]
    runs: Vec<PathBuf>,
    /// Only these systems, in this order
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    systems: Vec<String>,
    /// Instead, what part of each operation lies in symmetric functions: hash functions, the
    /// generator, each function with its calls per operation; and what each label relies on, the
    /// interface's functions or its own. With --json {rows, verdicts, notes}
    #[arg(long)]
    shares: bool,
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

/// Compares.
///
/// # Errors
///
/// When a run directory or a record in it cannot be read, or has no such system.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let columns = columns(&arguments.runs, &arguments.systems)?;
    if arguments.shares {
        return show_shares(&columns, context);
    }
    let columns: Vec<Column> = columns.into_iter().map(|(column, _)| column).collect();
    let comparison = compare(&columns);
    if context.common.json {
        output::json(&comparison)?;
    } else {
        output::text(&render::comparison(&comparison, output::width()))?;
    }
    let mut records = columns.iter().flat_map(|column| &column.records);
    Ok(match records.all(Record::is_clean) {
        true => Outcome::Clean,
        false => Outcome::NotClean,
    })
}

/// Shows the profiles beside the records.
fn show_shares(columns: &[(Column, System)], context: &Context) -> miette::Result<Outcome> {
    let mut shares = Shares::default();
    for (column, System { run, name }) in columns {
        for record in &column.records {
            let stem = store::stem(record);
            let operation = stem.strip_prefix(&record.label).unwrap_or(&stem);
            let operation = operation.trim_start_matches('_');
            let names = [&column.name, &record.candidate, &record.label, operation];
            match run.find_profile(name, &record.candidate, &stem)? {
                // One that is not for this record says nothing of it.
                Some(profile) if profile.meter.is_none() || profile.belongs_to(record) => {
                    shares.add(names, &profile);
                }
                _ => {}
            }
        }
    }
    if shares.rows.is_empty() {
        return Err(miette::miette!(
            help = "run `cargo host campaign` with the same --run-dir and without --no-profile: it \
                    adds them",
            "there are no profiles beside the records"
        ));
    }
    shares.sort();
    if context.common.json {
        output::json(&shares)?;
    } else {
        output::text(&shares::draw(&shares))?;
    }
    Ok(Outcome::Clean)
}

/// Shows all systems of one run directory side by side.
///
/// # Errors
///
/// When the run directory or a record in it cannot be read.
pub fn show(directory: &RunDirectory, context: &Context) -> miette::Result<Outcome> {
    let arguments = Arguments {
        runs: vec![directory.root().to_owned()],
        systems: Vec::new(),
        shares: false,
    };
    run(&arguments, context)
}

/// A system in a run directory.
#[derive(Debug)]
struct System {
    run: RunDirectory,
    name: String,
}

/// The columns, by run and then by system, each with where it comes from.
fn columns(runs: &[PathBuf], wanted: &[String]) -> miette::Result<Vec<(Column, System)>> {
    let mut columns = Vec::new();
    let mut known: Vec<String> = Vec::new();
    for root in runs {
        let run = RunDirectory::new(root);
        // A folder without any record is a mistake, not an empty column.
        run.records()
            .map_err(|error| with_runs_below(root, error))?;
        let systems = run.systems()?;
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
            let column = Column {
                name: column_name(runs, root, system),
                records: records.collect::<Result<_, _>>()?,
            };
            let place = System {
                run: run.clone(),
                name: system.clone(),
            };
            columns.push((column, place));
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
        None => Ok(columns),
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
fn column_name(runs: &[PathBuf], root: &Path, system: &str) -> String {
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
mod tests {
    use wire::CounterSource;

    use super::*;
    use crate::record::example;

    fn run_with(folder: &Path, name: &str, systems: &[&str]) -> PathBuf {
        let root = folder.join(name);
        for system in systems {
            let record = example::record_of(system, CounterSource::Tsc);
            let run = RunDirectory::new(&root);
            run.write(system, &record).expect("written");
        }
        root
    }

    fn names(columns: &[(Column, System)]) -> Vec<&str> {
        let names = columns.iter().map(|(column, _)| column.name.as_str());
        names.collect()
    }

    #[test]
    fn one_run_has_a_column_for_each_system() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = run_with(folder.path(), "run", &["b", "a"]);
        let all = columns(std::slice::from_ref(&run), &[]).expect("readable");
        assert_eq!(names(&all), ["a", "b"]);
        let chosen = columns(&[run], &["b".to_owned(), "a".to_owned()]).expect("readable");
        assert_eq!(names(&chosen), ["b", "a"]);
    }

    #[test]
    fn several_runs_are_told_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let before = run_with(folder.path(), "before", &["a"]);
        let after = run_with(folder.path(), "after", &["a"]);
        let both = columns(&[before.clone(), after], &[]).expect("readable");
        assert_eq!(names(&both), ["before/a", "after/a"]);
        let other = run_with(&folder.path().join("other"), "before", &["a"]);
        let both = columns(&[before.clone(), other], &[]).expect("readable");
        assert_eq!(both[0].0.name, format!("{}/a", before.display()));
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = run_with(folder.path(), "run", &["a"]);
        let error = columns(&[run], &["rpi4".to_owned()]).expect_err("unknown");
        assert_eq!(
            error.help().expect("a remedy").to_string(),
            "systems there: a"
        );
        let nothing = tempfile::tempdir().expect("a folder");
        let empty = columns(&[nothing.path().to_owned()], &[]).expect_err("no records");
        assert!(empty.to_string().contains("holds no records"), "{empty}");
    }

    #[test]
    fn a_folder_above_run_directories_names_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let after = run_with(folder.path(), "after", &["a"]);
        let before = run_with(folder.path(), "before", &["a"]);
        fs::create_dir(folder.path().join("empty")).expect("created");
        let error = columns(&[folder.path().to_owned()], &[]).expect_err("no run directory");
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
