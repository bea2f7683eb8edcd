//! A run directory full of records, as a large campaign would leave it.
//!
//! The records are variations of a few that were measured: other labels, other times of a call, and
//! with these other plans, trials, samples and statistics. Everything else, such as the command
//! lines of the compiler and the state of the machine, is as it was measured. All of it is valid.

use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use miette::{IntoDiagnostic, WrapErr};
use serde_json::{Map, Value, json};
use wire::Unit;

use crate::record::digest;
use crate::record::migrate::FORMAT;
use crate::record::plan::{PlanSettings, plan};
use crate::record::run_files::{self, BUILD, CAMPAIGN, VERSIONS};
use crate::record::schema::{Meter, MeterTrial, Reading, Record, Sha256, Trial, Unknown};
use crate::record::statistics::{self, CoreClock, Statistics};
use crate::record::store::RunDirectory;
use crate::record::validate::heading;

/// Labels of a candidate: parameter sets by implementations.
const LABELS: usize = 20;

/// Least and greatest time of a call, as powers of ten of a second. All between are equally likely on
/// that scale, so that a record has 20 to 5000 samples, and 600 on average.
const SECONDS: (f64, f64) = (-3.7, 0.3);

/// How far one trial's mean may be from another's, and one call from another.
const NOISE: (f64, f64) = (0.002, 0.05);

/// A run directory full of records.
pub struct RecordSet {
    /// The run directory.
    pub run: RunDirectory,
    /// Bytes of all records.
    pub bytes: u64,
}

impl RecordSet {
    /// Writes so many records into a folder: variations of these models, which are the operations of
    /// one label.
    ///
    /// # Errors
    ///
    /// When a file cannot be written.
    pub fn new(root: &Path, system: &str, models: &[Record], count: usize) -> miette::Result<Self> {
        // Always the same set: only then can two versions of this program be compared.
        let mut random = Rng::with_seed(2);
        let run = RunDirectory::new(root);
        let mut bytes = 0;
        let mut build = Map::new();
        for (number, model) in models.iter().cycle().take(count).enumerate() {
            let label = number / models.len();
            let mut record = variation(model, label, &mut random);
            let log = heading(record.kat, &record.candidate, &record.label, system) + "\n";
            let log_name = format!("kat/{}/{}.log", record.candidate, record.label);
            write(&run.root().join(system).join(&log_name), &log)?;
            record.kat_log = Some(log_name);
            record.kat_log_sha256 = Some(Sha256::of(log.as_bytes()));
            digest::seal(&mut record);
            let text = digest::text(&digest::content(&record));
            bytes += text.len() as u64;
            write(&run.path_of(system, &record)?, &text)?;
            let mut entry = json!({
                "kat": record.kat.name(), "flags": record.flags.name(),
                "image": record.library, "image_sha256": record.library_sha256,
            });
            let name = format!("{}/{}", record.candidate, record.label);
            run_files::seal(&name, &mut entry);
            build.insert(name, entry);
        }
        let build = Value::Object(build);
        write(
            &run.root().join(system).join(BUILD),
            &format!("{build:#}\n"),
        )?;
        let settings = PlanSettings::default();
        let mut campaign = json!({
            "version": VERSIONS[0],
            "format": FORMAT,
            "plan": {
                "trial_target_seconds": settings.trial_target_seconds,
                "operation_budget_seconds": settings.operation_budget_seconds,
                "trials": settings.trials,
                "minimum_calls": settings.minimum_calls,
                "maximum_calls_per_trial": settings.maximum_calls_per_trial,
            },
        });
        run_files::seal(CAMPAIGN, &mut campaign);
        write(&run.root().join(CAMPAIGN), &format!("{campaign:#}\n"))?;
        Ok(Self { run, bytes })
    }
}

/// Unlike a campaign's, these files need not outlast a power cut.
fn write(file: &Path, text: &str) -> miette::Result<()> {
    let folder = file.parent().map_or(PathBuf::new(), Path::to_owned);
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(file, text))
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write {}", file.display()))
}

/// The model's operation, with another time of a call, under another label.
fn variation(model: &Record, label: usize, random: &mut Rng) -> Record {
    let mut record = model.clone();
    record.candidate = format!("kem-{:03}", label / LABELS);
    record.label = format!("{}-{label}", model.label);
    for process in &mut record.processes {
        let id = process.meta.get_mut("id");
        id.expect("a process names its candidate")
            .clone_from(&record.candidate);
    }
    let (least, most) = SECONDS;
    let call = 10_f64.powf(least + random.f64() * (most - least));
    let plan = plan(call, &PlanSettings::default());
    record.plan.iterations_per_trial = plan.calls_per_trial.into();
    record.plan.warmups = plan.warmups.into();
    record.plan.trials = plan.trials.into();
    record.plan.estimated_seconds = plan.estimated_seconds;
    if let Some(meter) = &mut record.meter {
        let rate = meter.mean_count.zip(model.mean_seconds);
        let rate = rate.map(|(count, seconds)| count / seconds);
        fill(meter, &plan, (call, rate), random);
    }
    let meter = record.meter.as_ref();
    let unit = meter.and_then(|meter| Some(meter.counter.as_ref()?.unit));
    let trials = meter.map_or(&[][..], |meter| &meter.trials).iter();
    record.trials = trials.map(|trial| with_cycles(trial, unit)).collect();
    derive(&mut record);
    record
}

/// Trials and samples of calls that take so many seconds, and count so much in a second.
fn fill(
    meter: &mut Meter,
    plan: &crate::measurement::Plan,
    (call, rate): (f64, Option<f64>),
    random: &mut Rng,
) {
    let calls = plan.calls_per_trial;
    let unit = meter.counter.as_ref().map(|counter| counter.unit);
    let mut around = |mean: f64, noise: f64| mean * (1.0 + noise * (random.f64() - 0.5));
    meter.trials = (0..plan.trials)
        .map(|_| {
            // A clock of nanoseconds.
            let nanoseconds = (around(call, NOISE.0) * f64::from(calls) * 1e9).round();
            let seconds = nanoseconds / 1e9;
            let count = rate.map(|rate| (rate * seconds) as u64);
            MeterTrial {
                measurements: calls.into(),
                seconds,
                count,
                clock_hz: statistics::clock_hz(unit, count, seconds),
                unknown: Unknown::new(),
            }
        })
        .collect();
    meter.mean_count = statistics::mean_count(&meter.trials);
    let mut sample = |rate: f64| around(call * rate, NOISE.1) as u64;
    let samples = rate.map(|rate| (0..calls).map(|_| sample(rate)).collect());
    meter.samples = samples.into_iter().collect();
    meter.memory.heap_sweeps.clear();
    meter.memory.marks = meter.memory.deduced_marks();
    meter.layouts = None;
}

fn with_cycles(trial: &MeterTrial, unit: Option<Unit>) -> Trial {
    Trial {
        measurements: trial.measurements,
        seconds: trial.seconds,
        cycles: match unit {
            Some(Unit::Cycles) => trial.count.unwrap_or(0),
            _ => 0,
        },
        unknown: Unknown::new(),
    }
}

/// Gives each trial another time, that which its count takes, with all that follows.
#[cfg(test)]
pub(crate) fn retime(record: &mut Record, seconds: impl Fn(u64) -> f64) {
    let meter = record.meter.as_mut().expect("ours");
    for (trial, counted) in record.trials.iter_mut().zip(&mut meter.trials) {
        counted.seconds = seconds(counted.count.unwrap_or(0));
        trial.seconds = counted.seconds;
    }
    derive(record);
}

/// Everything that follows from the trials.
fn derive(record: &mut Record) {
    Statistics::of_record(record).state_in(record);
    let clock = CoreClock::of(&record.trials);
    let hertz = |value: f64| Reading::from(value.round() as u64);
    let environment = &mut record.environment;
    environment.core_clock_hz = clock.map(|clock| hertz(clock.mean_hz));
    environment.core_clock_min_hz = clock.map(|clock| hertz(clock.min_hz));
    environment.core_clock_max_hz = clock.map(|clock| hertz(clock.max_hz));
    environment.core_clock_mhz = clock.map(|clock| hertz(clock.mean_hz / 1e6));
    let met = if record.guide_100_measurements_met {
        "yes"
    } else {
        "no"
    };
    for process in &mut record.processes {
        process.trials.clone_from(&record.trials);
        for (key, value) in [
            ("warmups", record.plan.warmups.to_string()),
            ("measurement_count", record.measurements.to_string()),
            ("guide_100_measurements", met.to_owned()),
        ] {
            process.meta.insert(key.to_owned(), value);
        }
    }
}
