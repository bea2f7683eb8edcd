//! `cargo host import`: a submission package becomes something that can be measured, published
//! records something to compare with.

mod published;

use std::path::PathBuf;

use catalogue::submission::FILE;
use clap::Args;
use import::{Agreement, ImportError, Imported, Limits, Request};
use serde_json::json;

use super::output;
use crate::cli::Context;
use crate::interrupt::Urgency;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::table::format;

/// Imports a submission package in the official layout into submissions/<id>, or published records
/// into a run directory.
///
/// Every instance is found by its *_AlgorithmInstance.h or .c, wherever that lies. What is compiled
/// for it is written to candidate.toml, which people may correct, and why to import-report.md.
/// Nothing of the package is executed; prebuilt objects and libraries are left out; archives that
/// leave their folder, link or unpack to too much are refused, and nothing of them is kept.
///
/// A known candidate is recognised by its instances' names: it gets its id, and its known-answer
/// texts are compared with the published digests.
///
/// A folder that holds records/<candidate>/<label>__<operation>.json of schema 2 is one of published
/// records: with --system and --run-dir it becomes a system of that run directory, byte for byte,
/// so that `compare`, `report`, `validate` and `export` show it beside one's own. Statistics are
/// computed again from the trials, and digests of KAT logs are checked, before anything is kept.
///
/// Exits with 1 when an instance lacks files, a known-answer text is not the published one, or
/// published records have findings.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A folder, a .zip or a .tar.gz; a folder of published records
    #[arg(value_name = "PACKAGE")]
    package: PathBuf,
    /// The candidate's id; otherwise that of the known candidate, or one made of the package's name
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// Replace what was imported before under this id, or as this system
    #[arg(long)]
    force: bool,
    /// The name that a system of published records gets, such as x86_1
    #[arg(long, value_name = "NAME", requires = "run_dir", conflicts_with = "id")]
    system: Option<String>,
    /// The run directory that published records go into
    #[arg(long, value_name = "DIR", requires = "system")]
    run_dir: Option<PathBuf>,
    /// Take published records that have findings; those that cannot be read are never taken
    #[arg(long, requires = "system")]
    allow_findings: bool,
}

/// Imports.
///
/// # Errors
///
/// When the package is refused, or its folder is there already.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    if let Some(outcome) = published::run(arguments, context)? {
        return Ok(outcome);
    }
    let project = Project::find()?;
    let request = Request {
        root: &project.root,
        package: &arguments.package,
        id: arguments.id.as_deref(),
        force: arguments.force,
        limits: Limits::default(),
    };
    // One press is enough: there is no record to finish.
    let stop = || context.interrupt.urgency() > Urgency::None;
    let imported = match import::import(&request, &stop) {
        Err(error @ ImportError::Interrupted) => {
            context.say(error);
            return Ok(Outcome::Interrupted);
        }
        imported => imported?,
    };
    if context.common.json {
        output::json(&as_json(&imported))?;
    } else {
        for line in lines(&imported) {
            output::text(&line)?;
        }
        context.say(format_args!(
            "what was decided and why: {}",
            imported.folder.join(import::REPORT).display()
        ));
    }
    Ok(match imported.is_clean() {
        true => Outcome::Clean,
        false => Outcome::NotClean,
    })
}

fn as_json(imported: &Imported) -> serde_json::Value {
    let candidate = &imported.candidate;
    let instances = candidate.instances.iter().map(|entry| {
        json!({
            "label": entry.label,
            "instance": entry.name,
            "variant": entry.variant,
            "sources": entry.sources.len(),
            "known_answer_texts": entry.kat,
        })
    });
    let checks = imported.checks.iter().map(|check| {
        json!({
            "label": check.label,
            "file": check.file_name,
            "mode": check.mode,
            "outcome": check.outcome.to_string(),
        })
    });
    let incomplete = imported.incomplete.iter();
    let incomplete = incomplete.map(|(label, problem)| json!({"label": label, "problem": problem}));
    json!({
        "id": candidate.id,
        "name": candidate.name,
        "folder": imported.folder,
        "instances": instances.collect::<Vec<_>>(),
        "known_answers": checks.collect::<Vec<_>>(),
        "incomplete": incomplete.collect::<Vec<_>>(),
        "notes": imported.notes,
    })
}

fn lines(imported: &Imported) -> Vec<String> {
    let candidate = &imported.candidate;
    let mut lines = Vec::new();
    for entry in &candidate.instances {
        let texts = match entry.kat.len() {
            0 => "no known-answer text".to_owned(),
            texts => format::number_of(texts, "known-answer text"),
        };
        lines.push(format!(
            "{}/{}: {} implementation, {}, {texts}",
            candidate.id,
            entry.label,
            entry.variant,
            format::number_of(entry.sources.len(), "source file"),
        ));
    }
    for check in &imported.checks {
        if check.outcome != Agreement::NoText {
            lines.push(format!(
                "known answers {} against the published digest: {}",
                check.file_name, check.outcome
            ));
        }
    }
    let incomplete = imported.incomplete.iter();
    lines.extend(incomplete.map(|(label, problem)| format!("incomplete: {label}: {problem}")));
    if !imported.incomplete.is_empty() {
        lines.push(format!(
            "help: put what is missing into {} and name it under `sources` or `include` of {FILE}; \
             what only code needs that is never compiled may stay missing",
            imported.folder.display()
        ));
    }
    lines.extend(imported.notes.iter().map(|note| format!("note: {note}")));
    lines
}
