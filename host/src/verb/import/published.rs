//! Published records among what is imported.

use miette::Diagnostic;
use serde_json::json;
use thiserror::Error;

use super::Arguments;
use crate::cli::Context;
use crate::notice::printable;
use crate::outcome::Outcome;
use crate::published::{DataSet, Imported, PublishedError, Request};
use crate::record::store::RunDirectory;
use crate::table::format;
use crate::verb::output;

/// Nobody said where the records are to go.
#[derive(Debug, Error, Diagnostic)]
#[error("{folder} holds published records, which become a system of a run directory")]
#[diagnostic(help(
    "say which, as in `cargo host import {folder} --system x86_1 --run-dir runs/published`"
))]
struct Whereto {
    folder: String,
}

/// Imports published records; `None` when the arguments are about a package.
///
/// # Errors
///
/// When the folder is one of published records and cannot be taken, or is none and must be.
pub(super) fn run(arguments: &Arguments, context: &Context) -> miette::Result<Option<Outcome>> {
    let folder = &arguments.package;
    let data_set = DataSet::find(folder);
    let (data_set, system, run) = match (data_set, &arguments.system, &arguments.run_dir) {
        (Some(data_set), Some(system), Some(run)) => (data_set, system, run),
        (None, None, None) => return Ok(None),
        (Some(_), ..) => {
            let folder = printable(&folder.to_string_lossy()).into_owned();
            return Err(Whereto { folder }.into());
        }
        (None, ..) => {
            let folder = folder.clone();
            return Err(PublishedError::NoDataSet { folder }.into());
        }
    };
    let imported = data_set.import(&Request {
        run: &RunDirectory::new(run),
        system,
        force: arguments.force,
        allow_findings: arguments.allow_findings,
    })?;
    show(&imported, context)?;
    Ok(Some(match imported.findings.is_empty() {
        true => Outcome::Clean,
        false => Outcome::NotClean,
    }))
}

fn show(imported: &Imported, context: &Context) -> miette::Result<()> {
    let Imported {
        folder,
        records,
        profiles,
        findings,
        notes,
        is_taken,
    } = imported;
    if context.common.json {
        return output::json(&json!({
            "folder": folder.to_string_lossy(),
            "records": records,
            "profiles": profiles,
            "findings": findings,
            "notes": notes,
            "taken": is_taken,
        }));
    }
    for finding in findings {
        output::text(&printable(&finding.to_string()))?;
    }
    for note in notes {
        context.say(format_args!("note: {note}"));
    }
    if *is_taken {
        context.say(format_args!(
            "{} with {} are in {}",
            format::number_of(*records, "record"),
            format::number_of(*profiles, "profile"),
            folder.display()
        ));
    } else {
        context.say(format_args!(
            "nothing was taken, because of {}; --allow-findings takes such records all the same",
            format::number_of(findings.len(), "finding")
        ));
    }
    Ok(())
}
