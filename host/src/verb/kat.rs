//! `cargo host kat`: the known answers of one instance.

use std::path::{Path, PathBuf};

use catalogue::submission::file_name;
use catalogue::{Catalogue, FlagSet, Instance, Kat};
use clap::Args;
use serde_json::json;
use wire::KatFile;

use super::output;
use crate::cli::Context;
use crate::image::{Cache, Recipe};
use crate::measure;
use crate::measurement::{Answers, KatOutcome};
use crate::notice;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::record::assemble::kat_status;
use crate::record::store::write_whole;
use crate::session::{Options, Regenerated, Session, keep_spoiled};
use crate::system;

/// Computes the known answers of one instance and compares them with the published ones.
///
/// The digest is computed by the meter, on the system. Exit code 1 when it is not the published
/// one.
#[derive(Debug, Args)]
pub struct Arguments {
    /// <id>/<label>, as `cargo host list` shows it
    instance: String,
    /// The system to compute them on
    #[arg(long, value_name = "S", default_value = "qemu-virt")]
    system: String,
    /// Print the digest of each field in the form of kat/<id>/fields.sha256
    #[arg(long)]
    fields: bool,
    /// Write the official texts into this folder instead of comparing
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, default_missing_value = ".")]
    text: Option<PathBuf>,
    /// Build the image with a deliberate flaw, to see that it is noticed: wrong-kat, still-counter
    #[arg(long = "drill", value_name = "NAME")]
    drills: Vec<String>,
}

/// Computes and compares.
///
/// # Errors
///
/// When the instance does not build or the meter does not start.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let project = Project::find()?;
    let catalogue = Catalogue::load(&project.root)?;
    let instance = catalogue.find(&arguments.instance)?;
    let system = system::find(&arguments.system)?;
    let board = catalogue::board(system.board())?;
    if let Err(unavailable) = instance.availability(board) {
        return Err(miette::miette!(
            help = "`cargo host list` shows which systems can run it",
            "{} cannot run on {}: {unavailable}",
            instance.name(),
            arguments.system
        ));
    }
    let recipe = Recipe {
        drills: arguments.drills.clone(),
        ..Recipe::timed(instance, board, FlagSet::Guide)
    };
    let image = Cache::new(&project).image(&recipe, &context.interrupt)?;
    let options = Options::for_system(&*system, &context.interrupt);
    let mut session = Session::start(&*system, &image, Box::new(|_| {}), options)?;
    if let Some(folder) = &arguments.text {
        let outcome = write_texts(&mut session, instance, folder)?;
        session.bye();
        return Ok(outcome);
    }
    let outcome = measure::known_answer(&mut session, instance, &project.root)?;
    session.bye();

    let status = kat_status(Some(&outcome)).name();
    let computed = outcome.answers().and_then(Answers::digest);
    if context.common.json {
        output::json(&json!({
            "instance": instance.name(),
            "system": arguments.system,
            "kat": status,
            "computed_sha256": computed,
            "expected_sha256": match &outcome {
                KatOutcome::Mismatch { expected, .. } => Some(expected),
                KatOutcome::Pass(_) => computed.as_ref(),
                _ => None,
            },
            "detail": outcome.detail(),
        }))?;
    } else if arguments.fields {
        match outcome.answers() {
            Some(Answers::Record(report)) => {
                output::text(measure::lines(&instance.instance, report).trim_end())?;
            }
            Some(Answers::Files(_)) => {
                return Err(miette::miette!(
                    help = "use --text, which writes the whole text",
                    "{} has known answers of the NGCC form, without digests of fields",
                    instance.name()
                ));
            }
            None => {}
        }
    } else {
        let detail = outcome
            .detail()
            .map_or_else(String::new, |detail| format!(" ({detail})"));
        output::text(&format!(
            "{} on {}: {status}{detail}",
            instance.name(),
            arguments.system
        ))?;
    }
    Ok(match outcome {
        KatOutcome::Pass(_) => Outcome::Clean,
        KatOutcome::Spoiled(spoiled) => spoiled.outcome(),
        _ => Outcome::NotClean,
    })
}

/// Writes the official texts of an instance into a folder, each whole or not at all.
fn write_texts(
    session: &mut Session,
    instance: &Instance,
    folder: &Path,
) -> miette::Result<Outcome> {
    if matches!(instance.kat, Kat::Nist(_)) {
        return Err(miette::miette!(
            help = "`--fields` prints the digests of the fields of their first record",
            "{} has known answers of NIST's form, which the meter digests without a text",
            instance.name()
        ));
    }
    let mut worst = Outcome::Clean;
    for file in KatFile::of(instance.category) {
        let name = file_name(file, instance.category, &instance.instance);
        let mut text = Vec::new();
        let came = keep_spoiled(session.text(file, &mut |piece| text.extend_from_slice(piece)))?;
        match came {
            Ok(Regenerated::Whole(())) => {
                let path = folder.join(&name);
                write_whole(&path, &text)?;
                output::text(&format!("{} ({} bytes)", path.display(), text.len()))?;
            }
            Ok(Regenerated::TooLarge { needed, available }) => notice::line(format!(
                "{name} is left out: it needs a message of {needed} bytes, and the system has \
                 {available}"
            )),
            Err(spoiled) => {
                notice::line(format!("{name} is not written: {spoiled}"));
                worst = worst.max(spoiled.outcome());
                if !spoiled.meter_is_well() {
                    break;
                }
            }
        }
    }
    Ok(worst)
}
