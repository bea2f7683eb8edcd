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
use crate::record::run_files::{NotBuilt, not_built};
use crate::record::schema::Record;
use crate::record::store::{self, RunDirectory, StoreError};
use crate::table::comparison::{Column, Comparison, compare};
use crate::table::render;
use crate::table::shares::{self, Shares};

/// Shows systems, or runs, side by side.
///
/// One row for each operation: the count of one call under its unit (cycles, emulated
/// instructions or TSC ticks, which are never the same thing), its time, the ratio of times, the
/// stack, the known-answer test and the number of calls. The time of an emulated system is virtual
/// and enters no ratio with a real one. Several runs of several systems have a table for each
/// system. Below stands what was not built, and why. With --json the same as data: {systems, rows,
/// not_built, notes}.
///
/// Exits with 1 when a record is not complete, an answer is wrong or an instance does not build.
/// NOKAT and PARTIAL are no reason, nor is a BUILDFAIL for what the system lacks.
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
    let sides = sides(&arguments.runs, &arguments.systems)?;
    if arguments.shares {
        return show_shares(&sides, context);
    }
    if context.common.json {
        output::json(&together(&sides))?;
    } else {
        let tables: Vec<String> = tables(&sides)
            .iter()
            .map(|sides| render::comparison(&together(sides), output::width()))
            .collect();
        output::text(&tables.join("\n\n"))?;
    }
    Ok(match sides.iter().all(Side::is_clean) {
        true => Outcome::Clean,
        false => Outcome::NotClean,
    })
}

/// Shows the profiles beside the records.
fn show_shares(sides: &[Side], context: &Context) -> miette::Result<Outcome> {
    let mut shares = Shares::default();
    for Side {
        run,
        system,
        column,
        ..
    } in sides
    {
        for record in &column.records {
            let stem = store::stem(record);
            let operation = stem.strip_prefix(&record.label).unwrap_or(&stem);
            let operation = operation.trim_start_matches('_');
            let names = [&column.name, &record.candidate, &record.label, operation];
            match run.find_profile(system, &record.candidate, &stem)? {
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

/// A system in a run directory.
#[derive(Clone)]
struct Side {
    run: RunDirectory,
    system: String,
    column: Column,
    not_built: Vec<NotBuilt>,
}

impl Side {
    /// Whether everything was measured that the system can run, and no answer is wrong.
    fn is_clean(&self) -> bool {
        self.column.records.iter().all(Record::is_clean)
            && self.not_built.iter().all(|it| it.unavailable)
    }
}

/// The comparison of these; one without records is no column.
fn together(sides: &[Side]) -> Comparison {
    let columns: Vec<Column> = sides
        .iter()
        .map(|side| side.column.clone())
        .filter(|column| !column.records.is_empty())
        .collect();
    let not_built = sides.iter().flat_map(|side| &side.not_built);
    Comparison {
        not_built: not_built.cloned().collect(),
        ..compare(&columns)
    }
}

/// What is shown in one table each: all, or each system by itself where several runs have several
/// systems and every system is in more than one.
fn tables(sides: &[Side]) -> Vec<Vec<Side>> {
    let mut by_system: Vec<Vec<Side>> = Vec::new();
    for side in sides {
        match by_system
            .iter_mut()
            .find(|group| group[0].system == side.system)
        {
            Some(group) => group.push(side.clone()),
            None => by_system.push(vec![side.clone()]),
        }
    }
    match by_system.iter().all(|group| group.len() > 1) {
        true => by_system,
        false => vec![sides.to_vec()],
    }
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

/// The systems, by run and then by name.
fn sides(runs: &[PathBuf], wanted: &[String]) -> miette::Result<Vec<Side>> {
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

    fn names(sides: &[Side]) -> Vec<&str> {
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
    fn several_runs_of_several_systems_have_a_table_for_each() {
        let folder = tempfile::tempdir().expect("a folder");
        let before = run_with(folder.path(), "before", &["a", "b"]);
        let after = run_with(folder.path(), "after", &["a", "b"]);
        let other = run_with(folder.path(), "other", &["c"]);
        let of = |runs: &[&PathBuf]| {
            let runs: Vec<PathBuf> = runs.iter().map(|run| (*run).clone()).collect();
            let tables = tables(&sides(&runs, &[]).expect("readable"));
            let names = tables.iter().map(|sides| names(sides).join(" "));
            names.collect::<Vec<_>>()
        };
        assert_eq!(
            of(&[&before, &after]),
            ["before/a after/a", "before/b after/b"]
        );
        assert_eq!(of(&[&before]), ["a b"]);
        assert_eq!(of(&[&before, &other]), ["before/a before/b other/c"]);
    }

    #[test]
    fn a_run_in_which_nothing_was_built_says_so_and_hinders_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let good = run_with(folder.path(), "good", &["a"]);
        let bad = folder.path().join("bad");
        let build = |unavailable: bool| {
            let entry = format!(
                "{{\"x/A\": {{\"kat\": \"BUILDFAIL\", \"reason\": \"why\", \
                 \"unavailable\": {unavailable}}}}}"
            );
            fs::create_dir_all(bad.join("a")).expect("created");
            fs::write(bad.join("a/build.json"), entry).expect("written");
        };
        build(false);
        let alone = sides(std::slice::from_ref(&bad), &[]).expect("readable");
        assert!(!alone.iter().all(Side::is_clean));
        let comparison = together(&alone);
        assert!(comparison.systems.is_empty());
        assert_eq!(comparison.not_built[0].name, "x/A");
        let both = sides(&[good, bad.clone()], &[]).expect("readable");
        assert_eq!(names(&both), ["good/a", "bad/a"]);
        build(true);
        let alone = sides(&[bad], &[]).expect("readable");
        assert!(alone.iter().all(Side::is_clean));
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
