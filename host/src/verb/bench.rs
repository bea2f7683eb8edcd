//! `cargo host bench`: the instrument measured.

use std::time::Instant;

use catalogue::{Catalogue, FlagSet};
use clap::Args;
use serde::Serialize;

use super::output;
use crate::cli::Context;
use crate::image::{Cache, Recipe};
use crate::outcome::Outcome;
use crate::project::Project;
use crate::record::environment::load_average;
use crate::session::{Options, Session};
use crate::system;
use crate::table::format;

/// Instances between which images are switched.
const INSTANCES: [&str; 2] = ["pqclean/ML-KEM-768", "pqclean/ML-DSA-44"];

/// Measures the instrument: how long an image takes to boot and to be rebuilt.
///
/// "boot" is the time from the start of a meter to its answer to the first command, "rebuild" the
/// time to build the image of another instance once everything else is built. Both are wall-clock
/// times of this machine as it is: other work on it shows.
#[derive(Debug, Args)]
pub struct Arguments {
    /// How often each thing is done
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
}

/// Some durations of the same thing.
#[derive(Debug, Serialize)]
struct Measured {
    what: String,
    least_seconds: f64,
    median_seconds: f64,
    most_seconds: f64,
    repetitions: usize,
}

impl Measured {
    fn of(what: String, mut seconds: Vec<f64>) -> Self {
        seconds.sort_by(f64::total_cmp);
        Self {
            what,
            least_seconds: seconds.first().copied().unwrap_or(f64::NAN),
            median_seconds: seconds.get(seconds.len() / 2).copied().unwrap_or(f64::NAN),
            most_seconds: seconds.last().copied().unwrap_or(f64::NAN),
            repetitions: seconds.len(),
        }
    }
}

/// Measures.
///
/// # Errors
///
/// When an image cannot be built or started.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let project = Project::find()?;
    let catalogue = Catalogue::load(&project.root)?;
    let cache = Cache::new(&project);
    let mut measured = Vec::new();
    for name in system::default_names() {
        let system = system::find(&name)?;
        let board = catalogue::board(system.board())?;
        let recipe = |instance| -> miette::Result<Recipe> {
            Ok(Recipe {
                instance: catalogue.find(instance)?,
                board,
                flags: FlagSet::Guide,
                kind: catalogue::Kind::Timed,
                drills: Vec::new(),
            })
        };
        let [first, second] = INSTANCES;
        let image = cache.image(&recipe(first)?, &context.interrupt)?;
        let mut boots = Vec::new();
        for _ in 0..arguments.repeat {
            let options = Options::for_system(&*system, &context.interrupt);
            let session = Session::start(&*system, &image, Box::new(|_| {}), options)?;
            boots.push(session.introduction().ready_seconds);
            session.bye();
        }
        measured.push(Measured::of(format!("{name}: boot"), boots));

        cache.image(&recipe(second)?, &context.interrupt)?;
        let mut rebuilds = Vec::new();
        for instance in [first, second]
            .iter()
            .cycle()
            .take(arguments.repeat as usize)
        {
            let recipe = recipe(instance)?;
            cache.forget(&recipe)?;
            let started = Instant::now();
            cache.image(&recipe, &context.interrupt)?;
            rebuilds.push(started.elapsed().as_secs_f64());
        }
        measured.push(Measured::of(format!("{name}: rebuild"), rebuilds));
    }
    if context.common.json {
        output::json(&measured)?;
    } else {
        for line in &measured {
            output::text(&format!(
                "{:20} least {:>8}  median {:>8}  most {:>8}  of {}",
                line.what,
                format::seconds(line.least_seconds),
                format::seconds(line.median_seconds),
                format::seconds(line.most_seconds),
                line.repetitions
            ))?;
        }
        if let Some([load, ..]) = load_average() {
            output::text(&format!(
                "load of this machine over the last minute: {load:.2}"
            ))?;
        }
    }
    Ok(Outcome::Clean)
}
