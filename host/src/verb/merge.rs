//! `cargo host merge`: parts of a campaign, joined.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::output;
use crate::cli::Context;
use crate::merge::{self, Merged};
use crate::outcome::Outcome;
use crate::table::format;

/// Joins run directories into a new one: the parts of `campaign --shard`, or several systems.
///
/// Records, known-answer logs, profiles, captures and entries of build.json are copied as they are,
/// and campaign.json is that of the whole campaign; pages of a report are not, `cargo host report`
/// makes them anew. Refused, with the file and the key, is what contradicts: settings that differ
/// in anything but the part; one system's name for two machines, or two configurations of one, by
/// the environment in the records (an emulated one is the same on every host); the same record,
/// log or label with different contents. The new folder is there whole or not at all, and
/// `validate`, `compare`, `report` and `campaign` take it like any other.
///
/// With --json {run_dir, records: {system: number}, missing_shards}.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Run directories
    #[arg(required = true, value_name = "RUN_DIR")]
    runs: Vec<PathBuf>,
    /// The new run directory
    #[arg(long, value_name = "D")]
    to: PathBuf,
}

/// Joins them.
///
/// # Errors
///
/// See [`merge::merge`].
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let merged = merge::merge(&arguments.runs, &arguments.to, &context.interrupt)?;
    let Some(Merged { records, missing }) = merged else {
        return Ok(Outcome::Interrupted);
    };
    let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
    if context.common.json {
        output::json(&json!({
            "run_dir": arguments.to,
            "records": records,
            "missing_shards": missing,
        }))?;
    } else {
        for (system, records) in &records {
            output::text(&format!(
                "{system}: {}",
                format::number_of(*records, "record")
            ))?;
        }
        output::text(&format!("records: {}", arguments.to.display()))?;
    }
    if !missing.is_empty() {
        context.say(format_args!(
            "parts of the campaign that were not named: {}; a campaign with --run-dir {} measures \
             what is missing",
            missing.join(", "),
            arguments.to.display()
        ));
    }
    Ok(Outcome::Clean)
}
