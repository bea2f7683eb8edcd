//! `cargo host export`: the main figures of records for programs of others.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use miette::{IntoDiagnostic, WrapErr};
use serde_json::json;

use super::output;
use super::sides::{Side, sides};
use crate::cli::Context;
use crate::export::{self, Row, benchmark, table};
use crate::notice::printable;
use crate::outcome::Outcome;
use crate::record::store::{folder_of, write_whole};
use crate::table::comparison::Column;
use crate::table::format;

/// Writes the main figures of records as one row for each operation.
///
/// A row has the system, candidate, label and operation, the number of calls, the count of one call
/// with its unit (mean, and median, least and greatest of the trials' own means), times and rates,
/// sizes, stack, heap, static and resident memory, the outcome of the known-answer test, the flag
/// set, and what the system lacked. What was not measured is empty, or null.
///
/// As csv the table has the quotes and line ends of RFC 4180; a text that a spreadsheet would take
/// for a formula has an apostrophe before it. github-action-benchmark is the array of {name, unit,
/// value, range, extra} that this action reads as customSmallerIsBetter; only what is complete, and
/// whose answers are not known to be wrong, is in it. With --json and --to {file, rows}.
///
/// Exits with 1 when a record was changed since it was written.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Run directories
    #[arg(required = true, value_name = "RUN_DIR")]
    runs: Vec<PathBuf>,
    /// The form; csv by default, or json with --json
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Only these systems, in this order
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    systems: Vec<String>,
    /// The file to write, whole or not at all, in a folder that is there; one of this name is replaced.
    /// Otherwise standard output
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
}

/// Forms of an export.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum Format {
    /// Comma-separated values
    Csv,
    /// An array of objects
    Json,
    /// What github-action-benchmark reads
    GithubActionBenchmark,
}

/// Exports.
///
/// # Errors
///
/// When a run directory or a record in it cannot be read, has no such system, or the file cannot be
/// written.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    if let Some(file) = &arguments.to {
        check_place(file)?;
    }
    let sides = sides(&arguments.runs, &arguments.systems)?;
    let columns: Vec<Column> = sides.iter().map(|side| side.column.clone()).collect();
    let rows = export::rows(&columns);
    let json = context.common.json;
    let format = arguments.format.unwrap_or(match json {
        true => Format::Json,
        false => Format::Csv,
    });
    if json && format == Format::Csv && arguments.to.is_none() {
        return Err(miette::miette!(
            help = "leave out --json, choose another --format, or name a file with --to",
            "with --json, standard output is JSON, and csv is none"
        ));
    }
    let text = text(&rows, format, context)?;
    match &arguments.to {
        Some(file) => {
            write_whole(file, text.as_bytes())?;
            if json {
                output::json(&json!({ "file": file, "rows": rows.len() }))?;
            }
        }
        None => output::exact(&text)?,
    }
    for words in sides.iter().flat_map(Side::broken_promises) {
        context.say(printable(&words));
    }
    let not_built: usize = sides
        .iter()
        .map(|Side { not_built, .. }| not_built.len())
        .sum();
    if not_built > 0 {
        context.say(format_args!(
            "without rows, because they were not built: {}; `cargo host compare` says why",
            format::number_of(not_built, "instance")
        ));
    }
    Ok(match sides.iter().all(|side| side.damage.is_empty()) {
        true => Outcome::Clean,
        false => Outcome::NotClean,
    })
}

/// Refuses a place that no file can have.
fn check_place(file: &Path) -> miette::Result<()> {
    let folder = folder_of(file);
    if !folder.is_dir() {
        return Err(miette::miette!(
            help = "make it, or name another file with --to",
            "there is no folder {} for {}",
            folder.display(),
            file.display()
        ));
    }
    if file.is_dir() {
        return Err(miette::miette!(
            help = "name a file in it with --to",
            "{} is a folder",
            file.display()
        ));
    }
    Ok(())
}

fn text(rows: &[Row], format: Format, context: &Context) -> miette::Result<String> {
    match format {
        Format::Csv => table::text(rows)
            .into_diagnostic()
            .wrap_err("cannot make the table"),
        Format::Json => Ok(output::json_text(&rows)? + "\n"),
        Format::GithubActionBenchmark => {
            let entries = benchmark::entries(rows);
            if entries.is_empty() {
                return Err(miette::miette!(
                    help = "`cargo host compare` shows what is wrong with each; measure again with \
                            `cargo host campaign --redo RE`",
                    "no operation is complete and free of wrong answers"
                ));
            }
            if entries.len() < rows.len() {
                context.say(format_args!(
                    "left out, because incomplete or with wrong answers: {}",
                    format::number_of(rows.len() - entries.len(), "operation")
                ));
            }
            Ok(output::json_text(&entries)? + "\n")
        }
    }
}
