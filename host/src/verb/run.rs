//! `cargo host run`: one image, everything about it.

use std::path::PathBuf;

use catalogue::{Catalogue, FlagSet};
use clap::Args;

use super::output;
use super::system_name::SystemName;
use crate::campaign::label::{Bench, is_interruption};
use crate::campaign::{Layouts, Reporter, subject};
use crate::cli::Context;
use crate::fitness;
use crate::image::{Elf, Image, Machine, report_beside};
use crate::measure;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::record::plan::PlanSettings;
use crate::system;
use crate::table::render;

/// Seconds on the target's clock for one trial: somebody waits for the table.
const TRIAL_TARGET_SECONDS: f64 = 0.1;

/// Starts one image, checks its known answers, measures all its operations and prints the table.
///
/// This is the runner behind `cargo run -p firmware`, whose image holds the instance that
/// NGCC_INSTANCE names. The meter's log goes to the error output; nothing is kept.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The image
    elf: PathBuf,
    /// The system to run it on; by default the one that the image is for
    #[arg(long, value_name = "S", hide_possible_values = true, value_parser = SystemName)]
    system: Option<String>,
    /// Also call with caches and TLB cold and the branch predictor thrashed
    #[arg(long)]
    cold: bool,
}

/// Runs it.
///
/// # Errors
///
/// When the image cannot be read or started, or is not what it should be.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let project = Project::find()?;
    let catalogue = Catalogue::load(&project.root)?;
    let named = arguments.elf.to_string_lossy();
    if !arguments.elf.exists() && catalogue.find(&named).is_ok() {
        return Err(miette::miette!(
            help = format!("NGCC_INSTANCE={named} cargo run -p firmware"),
            "{named} is an instance, and `run` takes the image of one"
        ));
    }
    let elf = Elf::read(&arguments.elf)?;
    let report = report_beside(&elf.path);
    let [emulated, local] = system::default_names();
    let system = match (&arguments.system, &report, elf.machine) {
        (Some(name), ..) => name.clone(),
        (None, Some(report), _) => system::name_for_board(&report.board)?,
        (None, None, Machine::BareAarch64) => emulated,
        (None, None, Machine::LinuxAarch64) => system::EMULATED_LINUX.to_owned(),
        (None, None, Machine::ThisMachine) => local,
    };
    let system = system::find(&system)?;
    let image = Image {
        name: elf.path.display().to_string(),
        instance: report
            .as_ref()
            .map(|report| (report.candidate.clone(), report.label.clone())),
        report,
        elf,
    };
    let flags = image
        .report
        .as_ref()
        .and_then(|report| FlagSet::from_name(&report.flag_set).ok())
        .unwrap_or(FlagSet::Guide);
    let instance = match &image.instance {
        Some((candidate, label)) => Some(catalogue.find(&format!("{candidate}/{label}"))?),
        None => None,
    };
    let reporter = Reporter::new(context.common.quiet, true);
    let bench = Bench {
        project: &project,
        system: &*system,
        image: &image,
        instance,
        settings: measure::Settings {
            plan: PlanSettings {
                trial_target_seconds: TRIAL_TARGET_SECONDS,
                ..PlanSettings::default()
            },
            patience: measure::PATIENCE,
            cold: arguments.cold,
        },
        layouts: &Layouts::new(),
        interrupt: &context.interrupt,
        reporter: &reporter,
    };
    let mut records = Vec::new();
    let mut subject = subject(&*system, &image, instance, flags);
    let fitness = fitness::of(&*system);
    subject.fitness = fitness.problems();
    if let Some(warning) = fitness::words::warning(&fitness) {
        context.say(format!("warning: {warning}"));
    }
    let session = match bench
        .known_answer(&mut subject)
        .map_err(miette::Report::from)
    {
        Err(error) if is_interruption(&error) => return Ok(Outcome::Interrupted),
        session => session?,
    };
    let name = format!("{}/{}", subject.candidate, subject.label);
    reporter.known_answer(&name, &subject, false);
    let passes = subject.sizes.passes;
    let operations = instance.map(|instance| instance.category.operations(passes));
    let operations = operations.unwrap_or_default();
    let outcome = bench.measure(&operations, &subject, session, &mut |record| {
        records.push(record.clone());
        Ok(())
    });
    reporter.finish();
    if context.common.json {
        output::json(&records)?;
    } else if !records.is_empty() {
        output::text(&render::one_system(
            system.name(),
            &records,
            output::width(),
        ))?;
    }
    outcome
}
