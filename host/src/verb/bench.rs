//! `cargo host bench`: the instrument measured.

use clap::Args;
use miette::Diagnostic;
use regex::Regex;
use serde::Serialize;
use thiserror::Error;

use super::{only, output};
use crate::bench::{Choice, Figure, Workbench, choices};
use crate::cli::Context;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::record::environment::load_average;

/// Measures the instrument itself, on QEMU and as a process of this machine.
///
/// "noise": how much the time of the same work varies; "overhead": the empty call that is taken
/// off every sample; "sled": whether longer work counts more in proportion; "agreement": the mean
/// of per-call samples by that of a loop; "line": what results cost on the line; "boot": from the
/// start of a meter to its first answer; "record": what a record costs beside its operation;
/// "rebuild": the image of another instance once everything else is built; "validate-10000" and
/// "report-10000": time and memory of `cargo host validate` and `cargo host report` on so many
/// records, variations of ones that are measured first; "campaign/demo": the part of a campaign's
/// time that is spent outside of operations, with what it is spent on, for the demo's instances on
/// both systems with default settings: once, and only where --only asks for it, for it takes
/// minutes. Inside is what records have as wall_s: from the first request about an operation to the
/// last answer, that is calibration, trials, samples, events and memory.
///
/// Each line has the median, and the least and the most as ratios to it: the noise of this machine
/// as it is. With --json the same as data: {repeat, load_average, items: [{name, figures: [{name,
/// unit, least, median, most, repetitions, verdict}]}]}.
///
/// Exits with 1 when a figure is not what it must be; one that is lost in noise is not judged.
#[derive(Debug, Args)]
pub struct Arguments {
    /// How often each thing is done
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeat: u32,
    /// Only measurements whose name <what>/<system> this regular expression matches
    #[arg(long, value_name = "RE", default_value = "", value_parser = only::expression)]
    only: Regex,
}

/// The selection matches nothing.
#[derive(Debug, Error, Diagnostic)]
#[error("no measurement matches `{only}`")]
#[diagnostic(help("there are {}", names.join(", ")))]
struct NothingSelected {
    only: String,
    names: Vec<String>,
}

/// What is said as JSON.
#[derive(Serialize)]
struct Summary {
    repeat: u32,
    load_average: Option<[f64; 3]>,
    items: Vec<Measured>,
}

#[derive(Serialize)]
struct Measured {
    name: String,
    figures: Vec<Figure>,
}

/// Measures.
///
/// # Errors
///
/// When an image cannot be built or started, or nothing is selected.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let Arguments { repeat, only } = arguments;
    let chosen = chosen(only)?;
    let bench = Workbench::new(Project::find()?, context.interrupt.clone(), *repeat)?;
    let mut items = Vec::new();
    for choice in &chosen {
        context.say(format!("measuring {}", choice.name));
        let figures = bench.measure(choice)?;
        if !context.common.json {
            output::text(&choice.name)?;
            for figure in &figures {
                output::text(&format!("  {}", figure.line()))?;
            }
        }
        items.push(Measured {
            name: choice.name.clone(),
            figures,
        });
    }
    let figures = items.iter().flat_map(|item| &item.figures);
    let mut verdicts = figures.filter_map(|figure| figure.verdict.as_ref());
    let outcome = match verdicts.any(|verdict| verdict.holds == Some(false)) {
        true => Outcome::NotClean,
        false => Outcome::Clean,
    };
    let load_average = load_average();
    if context.common.json {
        output::json(&Summary {
            repeat: *repeat,
            load_average,
            items,
        })?;
    } else if let Some([load, ..]) = load_average {
        output::text(&format!(
            "load of this machine over the last minute: {load:.2}"
        ))?;
    }
    Ok(outcome)
}

fn chosen(only: &Regex) -> Result<Vec<Choice>, NothingSelected> {
    let all = choices();
    let names = || all.iter().map(|choice| choice.name.clone()).collect();
    if !all.iter().any(|choice| only.is_match(&choice.name)) {
        return Err(NothingSelected {
            only: only.to_string(),
            names: names(),
        });
    }
    let is_asked_for = !only.as_str().is_empty();
    let chosen = all.into_iter();
    Ok(chosen
        .filter(|choice| only.is_match(&choice.name) && (is_asked_for || !choice.long))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_are_chosen_by_name() {
        let names = |only: &str| -> Vec<String> {
            let chosen = chosen(&Regex::new(only).unwrap()).unwrap();
            chosen.into_iter().map(|choice| choice.name).collect()
        };
        let quick = choices().iter().filter(|choice| !choice.long).count();
        assert_eq!(names("").len(), quick);
        assert_eq!(names("^campaign/"), ["campaign/demo"]);
        assert_eq!(names("^overhead/qemu"), ["overhead/qemu-virt"]);
        let error = chosen(&Regex::new("^speed$").unwrap()).err().unwrap();
        let help = error.help().unwrap().to_string();
        assert!(help.contains("agreement/qemu-virt"), "{help}");
    }
}
