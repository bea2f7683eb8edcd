//! `cargo host campaign`: everything of everything, resumable.

use std::time::Duration;

use catalogue::environment::{LAYOUT_LIMIT, LAYOUT_STEP};
use clap::Args;
use regex::Regex;

use crate::campaign::{self, Reporter, Settings};
use crate::cli::Context;
use crate::measure::PATIENCE;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::record::plan::PlanSettings;
use crate::record::store::RunDirectory;
use crate::verb::choice::Choice;
use crate::verb::{compare, only, output};

/// Measures every operation of the chosen instances on the chosen systems.
///
/// Each instance is built, its known answers are checked, and each operation becomes one record in
/// the run directory. Whatever a submission does, the campaign goes on with the next operation.
///
/// Started again with the same run directory, it measures what is missing or not complete, with the
/// settings that this has in its campaign.json; an argument that contradicts them is refused. A
/// system that is not fit for a trustworthy measurement (see `cargo host doctor`) is refused. A
/// complete record is kept as long as it is of the present build and the present outcome of the
/// known-answer test, whatever that is; the test is run again when the build or the published
/// answers are others, or when it ended without an answer. Records of another build or another
/// outcome are set aside as <name>.previous.json beside the new ones, and no command reads them.
///
/// Each phase has a name: check, build, kat, calibrate, measure, memory, profile. The run directory's
/// campaign.log says when each began. A campaign that was ended or killed in any of them goes on
/// with the same command: images, records, and known answers that an image has passed are kept, and
/// an operation without a complete record is measured whole.
///
/// Of several systems, those that count for themselves (boards, emulators) are measured at the same
/// time, as many as there are processors, and images that will be needed are built meanwhile. A
/// system that runs on this machine's own processors comes after them, alone: nothing is built or
/// emulated while it is measured. A system is one machine in one configuration; another kernel,
/// emulator or host under the same name is refused.
///
/// Several jobs or machines divide a campaign with --shard, each into a run directory of its own,
/// and `cargo host merge` joins them. In a Slurm job array, `sbatch --array=0-3` with
///
/// cargo host campaign --shard $((SLURM_ARRAY_TASK_ID + 1))/$SLURM_ARRAY_TASK_COUNT
/// --run-dir runs/part-$SLURM_ARRAY_TASK_ID
///
/// Exits with 1 when a record is not complete, an answer is wrong or an instance does not build.
/// NOKAT and PARTIAL are no reason, nor is a BUILDFAIL for what the system lacks.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    choice: Choice,
    /// Measure these records once more: those whose name <id>/<label>__<operation> this regular
    /// expression matches; the old ones are set aside. After Ctrl-C or a kill, go on without --redo:
    /// with it, what was measured once more already would be so again
    #[arg(long, value_name = "RE", value_parser = only::expression)]
    redo: Option<Regex>,
    /// Seconds on the target's clock that one trial should take; as the run directory has it, or 1
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = positive)]
    trial_target: Option<f64>,
    /// Seconds on the wall that all trials of an operation may take, as fast as the system usually is;
    /// as the run directory has it, or 900
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = positive)]
    op_budget: Option<f64>,
    /// Seconds on the wall, as fast as the system usually is, for an answer that nobody can predict: a
    /// first call, a known-answer file between two signs of life
    #[arg(long, value_name = "S", allow_negative_numbers = true, default_value_t = PATIENCE.as_secs_f64(), value_parser = positive)]
    patience: f64,
    /// Also call with caches and TLB cold and the branch predictor thrashed, 100 times at most; always
    /// where the run directory has it so
    #[arg(long)]
    cold: bool,
    /// Also run the trials on N images whose code is shifted by 16, 32, ... bytes: how much its
    /// place alone moves the figures; as the run directory has it, or 0
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(..=MOST_LAYOUTS))]
    layouts: Option<u32>,
    /// Measure on systems that are not fit for it, such as virtual machines, and say so in every
    /// record
    #[arg(long)]
    allow_unfit: bool,
    /// Leave out the shares of symmetric functions, which take one more image and one more loop of
    /// calls for each operation; another campaign can add them
    #[arg(long)]
    no_profile: bool,
    /// Keep what came over the line of every label, in <run>/<system>/captures/<id>/<label>.capture;
    /// that of labels with a spoiled record is kept in any case
    #[arg(long)]
    capture: bool,
}

/// Images of other layouts at most.
const MOST_LAYOUTS: i64 = (LAYOUT_LIMIT / LAYOUT_STEP - 1) as i64;

/// Runs the campaign and shows what it brought home.
///
/// # Errors
///
/// See [`campaign::run`].
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let choice = &arguments.choice;
    let kept = choice.kept()?;
    let settings = Settings {
        run_directory: choice.run_dir.clone(),
        systems: choice.systems(),
        destination: choice.destination()?,
        selection: choice.selection(),
        shard: kept.shard,
        defer: choice.defer.clone(),
        times_from: choice.times_from.clone(),
        redo: arguments.redo.clone(),
        plan: PlanSettings {
            trial_target_seconds: arguments
                .trial_target
                .unwrap_or(kept.plan.trial_target_seconds),
            operation_budget_seconds: arguments
                .op_budget
                .unwrap_or(kept.plan.operation_budget_seconds),
            ..kept.plan
        },
        patience: Duration::from_secs_f64(arguments.patience),
        cold: arguments.cold || kept.cold,
        layouts: arguments.layouts.unwrap_or(kept.layouts),
        allow_unfit: arguments.allow_unfit,
        profiles: !arguments.no_profile,
        capture: arguments.capture,
    };
    run_and_show(&settings, context)
}

/// Runs a campaign, then shows its records and where they are.
///
/// # Errors
///
/// See [`campaign::run`].
pub fn run_and_show(settings: &Settings, context: &Context) -> miette::Result<Outcome> {
    let reporter = Reporter::new(context.common.quiet, false);
    let project = Project::find()?;
    let outcome = campaign::run(&project, settings, &reporter, &context.interrupt);
    reporter.finish();
    let outcome = outcome?;
    let directory = RunDirectory::new(&settings.run_directory);
    if directory.systems().is_ok_and(|systems| !systems.is_empty()) {
        compare::show(&directory, context)?;
    }
    if !context.common.json {
        let folder = settings.run_directory.display();
        output::text(&format!("\nrecords: {folder}"))?;
    }
    if outcome == Outcome::Interrupted {
        let folder = settings.run_directory.display();
        let but = match settings.redo {
            Some(_) => ", but without --redo,",
            None => "",
        };
        context.say(format!(
            "interrupted; finished records are kept, and the same command with --run-dir \
             {folder}{but} goes on"
        ));
    }
    Ok(outcome)
}

/// A number of seconds greater than 0.
pub(super) fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("a number of seconds greater than 0 is needed".to_owned()),
    }
}
