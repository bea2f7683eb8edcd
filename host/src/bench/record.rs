//! What a record costs beside the operation that it is about.

use std::time::Instant;

use catalogue::{DEFAULT_INSTANCE, FlagSet};
use wire::Category;

use super::{Figure, Workbench};
use crate::campaign::label::Bench;
use crate::campaign::{Layouts, Reporter, subject};
use crate::fitness;
use crate::image::Image;
use crate::measure::{self, PATIENCE};
use crate::record::plan::PlanSettings;
use crate::record::schema::Record;
use crate::system::System;

/// Seconds on the target's clock of one trial.
const TRIAL_TARGET_SECONDS: f64 = 0.02;

/// Measures the operations of the default instance as a campaign does: the wall time of a record,
/// what of it is spent outside of operations, and the whole by that inside.
pub fn measure(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Figure>> {
    let image = bench.image(DEFAULT_INSTANCE, system)?;
    let problems = fitness::of(system).problems();
    let (mut walls, mut outsides, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.repeat {
        let started = Instant::now();
        let records = of_image(bench, system, &image, &problems)?;
        let wall = started.elapsed().as_secs_f64();
        let inside: f64 = records.iter().map(inside).sum();
        let count = records.len() as f64;
        walls.push(wall / count);
        outsides.push((wall - inside) / count);
        ratios.push(wall / inside);
    }
    let mut figures = vec![Figure::of("record: wall time", "s", walls)];
    if system.emulator().is_none() {
        figures.push(Figure::of("record: outside of operations", "s", outsides));
        figures.push(Figure::of("record: wall time by operations", "", ratios));
    } else {
        let name = "record: wall time by virtual time of operations";
        figures.push(Figure::of(name, "", ratios));
    }
    Ok(figures)
}

/// The records of one instance whose known answers were checked, kept nowhere.
pub(super) fn records(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Record>> {
    let image = bench.image(DEFAULT_INSTANCE, system)?;
    of_image(bench, system, &image, &fitness::of(system).problems())
}

fn of_image(
    bench: &Workbench,
    system: &dyn System,
    image: &Image,
    problems: &[String],
) -> miette::Result<Vec<Record>> {
    let instance = bench.catalogue.find(DEFAULT_INSTANCE)?;
    let label = Bench {
        project: &bench.project,
        system,
        image,
        instance: Some(instance),
        settings: measure::Settings {
            plan: PlanSettings {
                trial_target_seconds: TRIAL_TARGET_SECONDS,
                ..PlanSettings::default()
            },
            patience: PATIENCE,
            cold: false,
        },
        layouts: &Layouts::new(),
        interrupt: &bench.interrupt,
        reporter: &Reporter::new(true, false),
    };
    let flags = FlagSet::Guide;
    let mut subject = subject(system, image, Some(instance), flags);
    subject.fitness = problems.to_vec();
    let session = label.known_answer(&mut subject)?;
    let mut records = Vec::new();
    let operations = Category::Kem.operations(0);
    label.measure(&operations, &subject, session, &mut |record| {
        records.push(record.clone());
        Ok(())
    })?;
    Ok(records)
}

/// Seconds inside the operation: warm-ups and calls of the trials, and those of the samples.
fn inside(record: &Record) -> f64 {
    let call = record.mean_seconds.unwrap_or(0.0);
    let plan = &record.plan;
    let passes = plan.trials + 1;
    call * (passes * (plan.iterations_per_trial + plan.warmups)) as f64
}
