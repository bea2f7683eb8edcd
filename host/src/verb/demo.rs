//! `cargo host demo`: the main job on a fresh machine, in one command.

use std::path::PathBuf;

use clap::Args;

use super::campaign;
use crate::campaign::Settings;
use crate::cli::Context;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::record::plan::PlanSettings;
use crate::setup;
use crate::system;

/// Seconds on the target's clock for one trial: enough for 100 calls of everything that is fast.
const TRIAL_TARGET_SECONDS: f64 = 0.1;

/// Sets up what is missing, then measures ML-KEM-768, ML-DSA-65 and HQC-128.
///
/// On QEMU's emulated Arm board and on this machine: the known answers are checked, every
/// operation is measured, and both systems are shown side by side. This machine is taken as it is,
/// fit for measuring or not.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Set up what is missing without asking
    #[arg(long, short)]
    yes: bool,
    /// Where records are kept; a folder of its own under runs/ by default
    #[arg(long, value_name = "D")]
    run_dir: Option<PathBuf>,
}

/// Does it.
///
/// # Errors
///
/// What could not be set up or measured.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let project = Project::find()?;
    setup::ensure(
        &project.root,
        setup::Options {
            yes: arguments.yes,
            interactive: context.interactive(),
            scope: setup::Scope::Usual,
        },
        &context.interrupt,
    )?;
    let run_directory = arguments.run_dir.clone().unwrap_or_else(|| {
        let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H%M%SZ");
        project.root.join("runs").join(format!("demo-{now}"))
    });
    let plan = PlanSettings {
        trial_target_seconds: TRIAL_TARGET_SECONDS,
        ..PlanSettings::default()
    };
    let systems = system::default_names().to_vec();
    let settings = Settings::demo(run_directory, systems, plan);
    campaign::run_and_show(&settings, context)
}
