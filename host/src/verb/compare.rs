//! `cargo host compare`: systems, or runs, side by side.

mod threshold;

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;

use super::output;
use super::sides::{Side, sides};
use crate::cli::Context;
use crate::outcome::Outcome;
use crate::record::store::{self, RunDirectory};
use crate::table::comparison::{Column, Comparison, compare_with};
use crate::table::render;
use crate::table::shares::{self, Shares};

/// Shows systems, or runs, side by side.
///
/// One row for each operation: the count of one call under its unit (cycles, emulated
/// instructions or TSC ticks, which are never the same thing), its time, the ratio of systems with
/// the interval in which it lies and a verdict, the stack, the known-answer test and the number of
/// calls. What divides two runs of one system is the count, and two real systems the time; an
/// emulated system is divided by no real one. A verdict is given where the difference exceeds the
/// noise. Several runs of several systems have a table for each system. Below stands what was not
/// built, and why; what was built and has no record; and which records were changed since they were
/// written. With --json the same as data: {systems, rows, confidence, not_built, notes}.
///
/// Exits with 1 when a record is not complete or was changed, an answer is wrong or an instance does
/// not build. NOKAT and PARTIAL are no reason, nor is a BUILDFAIL for what the system lacks. With --threshold
/// only the later run is judged so, and whatever became worse is a reason as well.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Run directories; with several, each system of each is a column
    #[arg(required = true, value_name = "RUN_DIR")]
    runs: Vec<PathBuf>,
    /// Only these systems, in this order
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    systems: Vec<String>,
    /// Also divide every operation by that of this label on the same system, as by
    /// standards/ML-KEM-768: numbers without a unit, which can stand beside those of any system
    #[arg(long, value_name = "ID/LABEL", conflicts_with = "shares")]
    by: Option<String>,
    /// Instead, what part of each operation lies in symmetric functions: hash functions, the
    /// generator, each function with its calls per operation; and what each label relies on, the
    /// interface's functions or its own. With --json {rows, verdicts, notes}
    #[arg(long)]
    shares: bool,
    /// Instead, what became worse from a baseline to a later run, of the same system: operations
    /// whose count (or time, where nothing was counted) grew by more than so many percent and by
    /// more than the noise; stack, heap and static memory that grew by more; known answers that are
    /// no longer given; operations that are no longer measured. With --json {slower, larger,
    /// answers, missing, within_noise, compared, not_compared}
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, conflicts_with = "by", value_parser = threshold::percent, conflicts_with = "shares")]
    threshold: Option<f64>,
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
    if let Some(percent) = arguments.threshold {
        return threshold::run(&arguments.runs, &sides, percent, context);
    }
    let by = arguments.by.as_deref();
    if let Some(name) = by {
        is_there(&sides, name)?;
    }
    if context.common.json {
        output::json(&together(&sides, by))?;
    } else {
        let tables: Vec<String> = tables(&sides)
            .iter()
            .map(|sides| render::comparison(&together(sides, by), output::width()))
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
    shares
        .notes
        .extend(sides.iter().flat_map(Side::broken_promises));
    if context.common.json {
        output::json(&shares)?;
    } else {
        output::text(&shares::draw(&shares))?;
    }
    Ok(match sides.iter().all(|side| side.damage.is_empty()) {
        true => Outcome::Clean,
        false => Outcome::NotClean,
    })
}

/// Whether any system has records of this label.
fn is_there(sides: &[Side], name: &str) -> miette::Result<()> {
    let records = sides.iter().flat_map(|side| &side.column.records);
    let names = records.map(|record| format!("{}/{}", record.candidate, record.label));
    let names: BTreeSet<String> = names.collect();
    if names.contains(name) {
        return Ok(());
    }
    let names: Vec<String> = names.into_iter().collect();
    Err(miette::miette!(
        help = format!("measure it, or name one of: {}", names.join(", ")),
        "no run has records of {name}, by which everything was to be divided"
    ))
}

/// The comparison of these; one without records is no column.
fn together(sides: &[Side], by: Option<&str>) -> Comparison {
    let columns: Vec<Column> = sides
        .iter()
        .map(|side| side.column.clone())
        .filter(|column| !column.records.is_empty())
        .collect();
    let not_built = sides.iter().flat_map(|side| &side.not_built);
    let mut comparison = compare_with(&columns, by);
    comparison
        .notes
        .extend(sides.iter().flat_map(Side::broken_promises));
    Comparison {
        not_built: not_built.cloned().collect(),
        ..comparison
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
        by: None,
        shares: false,
        threshold: None,
    };
    run(&arguments, context)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::verb::sides::tests::{names, run_with};

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
    fn what_a_run_does_not_keep_of_its_promises_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = run_with(folder.path(), "run", &["a"]);
        let entry = r#"{"pqclean/ML-KEM-768": {"kat": "PASS"}, "x/Gone": {"kat": "PASS"},
            "x/A": {"kat": "BUILDFAIL", "unavailable": true}}"#;
        fs::write(run.join("a/build.json"), entry).expect("written");
        let noted = || {
            let all = sides(std::slice::from_ref(&run), &[]).expect("readable");
            let notes = together(&all, None).notes.join("\n");
            let notes = notes.replace(&run.display().to_string(), "run");
            (notes, all.iter().all(Side::is_clean))
        };
        let (notes, is_clean) = noted();
        assert!(
            notes.ends_with(
                "a: keygen and enc of pqclean/ML-KEM-768; anything of x/Gone have not been measured; \
                 a campaign into the same run directory measures what is missing."
            ),
            "{notes}"
        );
        assert!(is_clean);

        let record = run.join("a/records/pqclean/ML-KEM-768__dec.json");
        let text = fs::read_to_string(&record).expect("readable");
        let changed = text.replacen("\"label\": \"ML-KEM-768\"", "\"label\": \"ML-KEM-767\"", 1);
        assert_ne!(text, changed);
        fs::write(&record, changed).expect("written");
        let (notes, is_clean) = noted();
        assert!(
            notes.contains(
                "run/a/records/pqclean/ML-KEM-768__dec.json was changed since it was written (key \
                 `meter.digest`), and its figures prove nothing; `cargo host validate run` says what \
                 is wrong."
            ),
            "{notes}"
        );
        assert!(!is_clean);
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
        let comparison = together(&alone, None);
        assert!(comparison.systems.is_empty());
        assert_eq!(comparison.not_built[0].name, "x/A");
        let both = sides(&[good, bad.clone()], &[]).expect("readable");
        assert_eq!(names(&both), ["good/a", "bad/a"]);
        build(true);
        let alone = sides(&[bad], &[]).expect("readable");
        assert!(alone.iter().all(Side::is_clean));
    }
}
