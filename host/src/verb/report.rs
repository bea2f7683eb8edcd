//! `cargo host report`: pages for people.

use std::path::{Component, Path, PathBuf};

use clap::Args;
use miette::Diagnostic;
use regex::Regex;
use serde::Serialize;
use thiserror::Error;

use super::promise::{Workspace, damage_in_words, missing, missing_in_words};
use super::sides::column_name;
use super::{output, runs};
use crate::cli::Context;
use crate::notice::printable;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::record::schema::{KatStatus, Record};
use crate::record::store::{RunDirectory, StoreError};
use crate::report::evidence::{self, Candidate, EvidenceError, Label, System};
use crate::report::files::{self, Difference, Files};
use crate::report::render::Format;
use crate::report::{candidate_pages, index, interactive, names, overview_pages, page};

/// Folder of a report in its run directory, where no other is named.
const FOLDER: &str = "report";

/// Makes pages from the records of a run directory.
///
/// For each candidate on each system a page with the seven sections of the assessment guide, for
/// each category a summary with the standards as yardsticks, and an index of all; each as Markdown
/// and as one HTML file that needs no network. And report.html: everything in one file, in tables to
/// sort and filter, and in plots. The same records give the same bytes; candidates are called as
/// this source tree's packages call them.
///
/// Of several run directories there is report.html alone, in the folder that --to names; a system
/// has the name of its run before its own there.
///
/// With --check nothing is written: what is there is compared with what the records give, and the
/// first file and line that differ are named. With --json {folder, files, difference}.
///
/// Exits with 1 when --check finds a difference, or, without it, when a record is not complete, an
/// answer is wrong or an instance does not build; and always when a record was changed since it was
/// written. NOKAT and PARTIAL are no reason, nor is a
/// BUILDFAIL for what the system lacks.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The run directory; with --to, several
    #[arg(required = true, value_name = "RUN_DIR")]
    runs: Vec<PathBuf>,
    /// The folder of the pages; report/ in the run directory by default
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
    /// Only pages of candidates whose id matches; index and summaries stay as they are
    #[arg(long, value_name = "RE", value_parser = expression)]
    candidate: Option<Regex>,
    /// Write nothing; compare what is there with what the records give
    #[arg(long)]
    check: bool,
}

/// Reads the expression; an error shows where it is wrong, and how one looks.
fn expression(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| {
        format!("{error}\n\nexample: --candidate '^(kem-36|pqclean)$' chooses these two ids")
    })
}

/// No candidate was chosen.
#[derive(Debug, Error, Diagnostic)]
#[error("no candidate of the run directory has an id that matches `{expression}`")]
#[diagnostic(help("candidates there: {}", known.join(", ")))]
struct NothingChosen {
    expression: String,
    known: Vec<String>,
}

/// Several runs were named, and something that is about one.
#[derive(Debug, Error, Diagnostic)]
enum SeveralRuns {
    #[error("several run directories have no folder for their report")]
    #[diagnostic(help("name one: --to FOLDER"))]
    NoFolder,
    #[error("--candidate chooses pages, and of several run directories there are none")]
    #[diagnostic(help("name one run directory, or leave --candidate out: the report has filters"))]
    NoPages,
}

/// What was done, as `report --json` shows it.
#[derive(Debug, Serialize)]
struct Done {
    folder: PathBuf,
    files: Vec<PathBuf>,
    difference: Option<Difference>,
}

/// Makes the pages, or checks them.
///
/// # Errors
///
/// When a record cannot be read, or a page not be written.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let folder = folder(arguments)?;
    runs::check(&arguments.runs)?;
    // Records can be read far from any workspace; then candidates have no names but their ids.
    let root = Project::find().ok().map(|project| project.root);
    let known = |id: &str| names::known(root.as_ref()?, id);
    let workspace = Workspace::default();
    let (mut systems, mut broken) = (Vec::new(), Vec::new());
    for run in &arguments.runs {
        let of_run = match evidence::gather(&RunDirectory::new(run), &known) {
            Err(EvidenceError::Store(StoreError::Empty { .. })) => return Err(runs::empty(run)),
            of_run => of_run?,
        };
        for system in &of_run {
            let folder = run.join(&system.name);
            let candidates = system.candidates.iter();
            let records: Vec<&Record> = candidates.flat_map(Candidate::records).collect();
            let missing = missing(&folder, &records, &workspace)?;
            broken.extend(damage_in_words(&system.damage, run));
            let name = column_name(&arguments.runs, run, &system.name);
            broken.extend(missing_in_words(&name, &missing));
        }
        systems.extend(of_run.into_iter().map(|system| System {
            name: column_name(&arguments.runs, run, &system.name),
            ..system
        }));
    }
    let files = match &arguments.runs[..] {
        [run] => draw(arguments, run, &systems, &folder)?,
        _ => files::interactive(&systems, false),
    };
    let difference = match arguments.check {
        true => files::check(&files, &folder, arguments.candidate.is_none())?,
        false => {
            files::write(&files, &folder)?;
            None
        }
    };
    let outcome = match (arguments.check, &difference) {
        (true, None) if systems.iter().all(|it| it.damage.is_empty()) => Outcome::Clean,
        (true, _) => Outcome::NotClean,
        (false, _) => standing(&systems),
    };
    let done = Done {
        folder,
        files: files.into_keys().collect(),
        difference,
    };
    tell(&done, arguments, context)?;
    for words in broken {
        context.say(printable(&words));
    }
    Ok(outcome)
}

/// Where the report is.
fn folder(arguments: &Arguments) -> Result<PathBuf, SeveralRuns> {
    match (&arguments.to, &arguments.runs[..]) {
        (_, [_, _, ..]) if arguments.candidate.is_some() => Err(SeveralRuns::NoPages),
        (Some(folder), _) => Ok(folder.clone()),
        (None, [run]) => Ok(run.join(FOLDER)),
        (None, _) => Err(SeveralRuns::NoFolder),
    }
}

/// Whether everything that pages are made of is as it should be.
fn standing(systems: &[System]) -> Outcome {
    let candidates = systems.iter().flat_map(|system| &system.candidates);
    let mut labels = candidates.flat_map(|candidate| &candidate.labels);
    let is_clean = |label: &Label| {
        // A label that was not built has no record that says so.
        let built = label.build.as_ref();
        built.is_some_and(|build| build.entry.unavailable)
            || page::kat(label).is_some_and(KatStatus::is_clean)
                && label.records.iter().all(Record::is_clean)
    };
    let is_whole = systems.iter().all(|system| system.damage.is_empty());
    match is_whole && labels.all(is_clean) {
        true => Outcome::Clean,
        false => Outcome::NotClean,
    }
}

fn tell(done: &Done, arguments: &Arguments, context: &Context) -> miette::Result<()> {
    if context.common.json {
        return output::json(done);
    }
    if let Some(difference) = &done.difference {
        return output::text(&printable(&difference.to_string()));
    }
    let number = done.files.len();
    match arguments.check {
        true => context.say(format_args!(
            "{number} files in {} are what the records give",
            done.folder.display()
        )),
        false => {
            // The first page, which leads to the interactive report, or that alone.
            let first = match arguments.runs.len() {
                1 => index::path(),
                _ => interactive::path(),
            };
            let file = files::name(&first, Format::Html);
            output::text(&done.folder.join(file).display().to_string())?;
        }
    }
    Ok(())
}

fn draw(
    arguments: &Arguments,
    run: &Path,
    systems: &[System],
    folder: &Path,
) -> miette::Result<Files> {
    let chosen = |id: &str| {
        let expression = arguments.candidate.as_ref();
        expression.is_none_or(|expression| expression.is_match(id))
    };
    let mut pages = candidate_pages(systems, &chosen);
    match &arguments.candidate {
        None => pages.extend(overview_pages(systems)),
        Some(expression) if pages.is_empty() => {
            return Err(nothing_chosen(expression, systems).into());
        }
        Some(_) => {}
    }
    let mut files = files::draw(&pages, way_up(folder, run).as_deref());
    if arguments.candidate.is_none() {
        files.extend(files::interactive(systems, true));
    }
    Ok(files)
}

fn nothing_chosen(expression: &Regex, systems: &[System]) -> NothingChosen {
    let candidates = systems.iter().flat_map(|system| &system.candidates);
    let mut known: Vec<String> = candidates.map(|candidate| candidate.id.clone()).collect();
    known.sort();
    known.dedup();
    NothingChosen {
        expression: expression.to_string(),
        known,
    }
}

/// The way from a folder up to the run directory that it is in: files of the run directory are
/// linked where both can only move together.
fn way_up(folder: &Path, run: &Path) -> Option<String> {
    let (folder, run) = (
        std::path::absolute(folder).ok()?,
        std::path::absolute(run).ok()?,
    );
    let inside = folder.strip_prefix(run).ok()?;
    let is_plain = |part| matches!(part, Component::Normal(_));
    let levels = inside.components().count();
    let plain = inside.components().all(is_plain) && levels > 0;
    plain.then(|| vec![".."; levels].join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_folder_in_the_run_directory_has_a_way_up() {
        let way = |folder: &str| way_up(Path::new(folder), Path::new("runs/a"));
        assert_eq!(way("runs/a/report").as_deref(), Some(".."));
        assert_eq!(way("runs/a/b/c").as_deref(), Some("../.."));
        assert_eq!(way("runs/a"), None);
        assert_eq!(way("runs/b"), None);
        assert_eq!(way("runs/a/../b"), None);
    }
}
