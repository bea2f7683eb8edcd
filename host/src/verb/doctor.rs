//! `cargo host doctor`: what stands in the way of a trustworthy measurement, and its remedy.

use catalogue::{Catalogue, DEFAULT_INSTANCE, FlagSet};
use clap::Args;
use serde::Serialize;

use super::output;
use super::place::Place;
use super::system_name::SystemName;
use crate::cli::Context;
use crate::fitness::{self, Fitness, instrument, words};
use crate::image::{Cache, Recipe};
use crate::outcome::Outcome;
use crate::project::Project;
use crate::setup::{self, Machine, Scope};
use crate::system::{self, Destination, System};

/// Says what this machine, or the emulator, lacks for a trustworthy measurement.
///
/// Each finding has its evidence, which is the file that was read and its value, and its remedy.
/// The meter itself is started and counts known work, so that a first run builds its image. An
/// emulator is fit for counting instructions, which are neither cycles nor times. With --json the
/// same as data: {tools, systems: [{system, fit, purpose, findings, remarks}]}.
///
/// Exits with 1 when something is not fit, or a tool is missing.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A system to look at; may be given several times. The emulated board and this machine by
    /// default
    #[arg(long = "system", value_name = "S", hide_possible_values = true, value_parser = SystemName)]
    systems: Vec<String>,
    #[command(flatten)]
    place: Place,
}

/// What is said as JSON.
#[derive(Serialize)]
struct Summary {
    tools: Tools,
    systems: Vec<Verdict>,
}

/// What the product needs on this machine.
#[derive(Serialize)]
struct Tools {
    missing: Option<String>,
    remedy: Option<&'static str>,
}

#[derive(Serialize)]
struct Verdict {
    fit: bool,
    #[serde(flatten)]
    fitness: Fitness,
}

/// What brings missing tools.
const SETUP: &str = "cargo host setup";

/// The same for another Arm machine.
const SETUP_ARM: &str = "cargo host setup --arm-linux";

/// Looks.
///
/// # Errors
///
/// When a system is unknown, or its meter cannot be built or started.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let project = Project::find()?;
    let names = match arguments.systems.is_empty() {
        true => system::default_names().to_vec(),
        false => arguments.systems.clone(),
    };
    let destination = arguments.place.destination(&arguments.systems)?;
    for name in names.iter().filter(|_| destination.is_none()) {
        system::board_of(name)?;
    }
    let is_arm = |name: &String| name == system::EMULATED_LINUX;
    let scope = match destination.is_some() || names.iter().any(is_arm) {
        true => Scope::ArmLinux,
        false => Scope::Usual,
    };
    let machine = Machine::inspect(&project.root, scope);
    let tools = Tools {
        missing: (!machine.is_complete()).then(|| setup::missing(&machine)),
        remedy: (!machine.is_complete()).then_some(match scope {
            Scope::Usual => SETUP,
            Scope::ArmLinux => SETUP_ARM,
        }),
    };
    if let (false, Some(missing), Some(remedy)) =
        (context.common.json, &tools.missing, tools.remedy)
    {
        output::text(&format!("tools: missing: {missing}\n  remedy: {remedy}\n"))?;
    }
    let mut systems = Vec::new();
    for name in &names {
        let fitness = look_at(name, destination.as_ref(), &project, &tools, context)?;
        if !context.common.json {
            output::text(&words::report(&fitness))?;
        }
        systems.push(Verdict {
            fit: fitness.is_fit(),
            fitness,
        });
    }
    let sound = tools.missing.is_none() && systems.iter().all(|system| system.fit);
    if context.common.json {
        output::json(&Summary { tools, systems })?;
    }
    Ok(match sound {
        true => Outcome::Clean,
        false => Outcome::NotClean,
    })
}

/// Looks at one system, and lets its meter look. Without the tools there is no meter.
fn look_at(
    name: &str,
    destination: Option<&Destination>,
    project: &Project,
    tools: &Tools,
    context: &Context,
) -> miette::Result<Fitness> {
    if tools.missing.is_some() && destination.is_none() && system::find(name).is_err() {
        return Ok(Fitness::unknown(
            name,
            "it cannot be started on this machine",
            tools.remedy.unwrap_or(SETUP),
        ));
    }
    let system = system::find_at(name, destination)?;
    let mut fitness = fitness::of(&*system);
    if tools.missing.is_some() {
        fitness
            .remarks
            .push("its meter was not asked: tools are missing".to_owned());
        return Ok(fitness);
    }
    context.say(format!("{name}: asking its meter"));
    examine(&*system, project, context, &mut fitness)?;
    Ok(fitness)
}

fn examine(
    system: &dyn System,
    project: &Project,
    context: &Context,
    fitness: &mut Fitness,
) -> miette::Result<()> {
    let catalogue = Catalogue::load(&project.root)?;
    let recipe = Recipe::timed(
        catalogue.find(DEFAULT_INSTANCE)?,
        catalogue::board(system.board())?,
        FlagSet::Guide,
    );
    let image = Cache::new(project).image(&recipe, &context.interrupt)?;
    instrument::examine(system, &image, &context.interrupt, fitness)?;
    Ok(())
}
