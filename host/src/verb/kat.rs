//! `cargo host kat`: the known answers of one instance.

use catalogue::{Catalogue, FlagSet};
use clap::Args;
use serde_json::json;

use super::output;
use crate::cli::Context;
use crate::image::{Cache, Recipe};
use crate::measure;
use crate::measurement::KatOutcome;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::record::assemble::kat_status;
use crate::session::{Options, Session, hexadecimal};
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
        instance,
        board,
        flags: FlagSet::Guide,
        drills: arguments.drills.clone(),
    };
    let image = Cache::new(&project).image(&recipe, &context.interrupt)?;
    let options = Options::for_system(&*system, &context.interrupt);
    let mut session = Session::start(&*system, &image, Box::new(|_| {}), options)?;
    let verified = measure::verified(&project.root, instance);
    let outcome = measure::known_answer(&mut session, &instance.kat.sha256, verified.as_ref())?;
    session.bye();

    let status = kat_status(Some(&outcome)).name();
    let (report, difference) = match &outcome {
        KatOutcome::Pass(report) => (Some(report), None),
        KatOutcome::Mismatch {
            report,
            first_difference,
            ..
        } => {
            let words = first_difference
                .as_ref()
                .map(|field| format!("field `{field}` differs first"));
            (Some(report), words)
        }
        KatOutcome::Spoiled(spoiled) => (None, Some(spoiled.to_string())),
    };
    if context.common.json {
        output::json(&json!({
            "instance": instance.name(),
            "system": arguments.system,
            "kat": status,
            "computed_sha256": report.map(|report| hexadecimal(&report.digest)),
            "expected_sha256": hexadecimal(&instance.kat.sha256),
            "first_difference": difference,
        }))?;
    } else if arguments.fields {
        if let Some(report) = report {
            output::text(measure::lines(&instance.instance, report).trim_end())?;
        }
    } else {
        let detail = difference.map_or(String::new(), |difference| format!(" ({difference})"));
        output::text(&format!(
            "{} on {}: {status}{detail}",
            instance.name(),
            arguments.system
        ))?;
    }
    Ok(match outcome {
        KatOutcome::Pass(_) => Outcome::Clean,
        _ => Outcome::NotClean,
    })
}
