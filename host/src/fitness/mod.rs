//! Whether a system is fit for a trustworthy measurement, and what to do where it is not.
//!
//! [`observe`] looks at this machine once, the other modules make [`Finding`]s of what was seen,
//! each with its evidence and its remedy, and [`gate`] keeps campaigns from systems with findings.
//! An emulator is fit for what it does, which is counting instructions; that these are neither
//! cycles nor times is said of it, and is no finding.

mod activity;
mod clock;
mod core;
mod counter;
mod emulator;
pub mod gate;
pub mod instrument;
mod machine;
mod memory;
pub mod observe;
mod trial;
pub mod words;

use serde::Serialize;

use crate::machine::{Files, measuring_cpu};
use crate::system::System;
use observe::Observation;

/// Something that makes a system unfit.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Finding {
    /// What is wrong, as records and tables name it. It holds no figure that changes from one
    /// look to the next: those are evidence.
    pub problem: String,
    /// What was seen.
    pub evidence: Vec<Evidence>,
    /// What to do about it: where there is one, the command.
    pub remedy: String,
}

/// What was seen, and where.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Evidence {
    /// The file, or what was tried.
    pub source: String,
    /// What it said.
    pub value: String,
}

impl Finding {
    fn new(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            problem: problem.into(),
            evidence: Vec::new(),
            remedy: remedy.into(),
        }
    }

    /// Adds what was seen.
    fn because(mut self, source: impl Into<String>, value: impl ToString) -> Self {
        self.evidence.push(Evidence {
            source: source.into(),
            value: value.to_string(),
        });
        self
    }

    /// Adds what a file of the kernel says; its name is below the root.
    fn because_file(self, name: &str, value: impl ToString) -> Self {
        self.because(format!("/{name}"), value)
    }
}

/// What is known of a system's fitness.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Fitness {
    /// The system's name.
    pub system: String,
    /// What it can be trusted with, or could without the findings.
    pub purpose: String,
    /// What makes it unfit.
    pub findings: Vec<Finding>,
    /// What else a reader should know; what could not be found out is among it.
    pub remarks: Vec<String>,
}

impl Fitness {
    /// Of a system that cannot even be looked at.
    pub fn unknown(system: &str, problem: &str, remedy: &str) -> Self {
        Self {
            system: system.to_owned(),
            purpose: "nothing".to_owned(),
            findings: vec![Finding::new(problem, remedy)],
            remarks: Vec::new(),
        }
    }

    /// Whether nothing makes it unfit.
    pub fn is_fit(&self) -> bool {
        self.findings.is_empty()
    }

    /// The problems, as records keep them.
    pub fn problems(&self) -> Vec<String> {
        let problems = self.findings.iter();
        problems.map(|finding| finding.problem.clone()).collect()
    }
}

/// Looks at a system. Takes a third of a second for this machine, and no time for an emulator.
pub fn of(system: &dyn System) -> Fitness {
    if let Some(machine) = system.remote() {
        return of_observation(system.name(), &Observation::of_remote(machine));
    }
    match system.emulator() {
        Some(emulator) => emulator::fitness(system.name(), emulator),
        None => {
            let seen = Observation::take(Files::of_this_machine(), measuring_cpu());
            of_observation(system.name(), &seen)
        }
    }
}

/// What follows from what was seen of a machine that runs Linux.
fn of_observation(system: &str, seen: &Observation) -> Fitness {
    let checks: [fn(&Observation) -> Option<Finding>; 12] = [
        machine::is_virtual,
        counter::no_cycles,
        counter::unsteady_ticks,
        clock::governor,
        clock::boost,
        clock::below_nominal,
        clock::throttled,
        clock::unsteady,
        core::shared,
        core::not_pinned,
        core::other_work,
        memory::swap,
    ];
    Fitness {
        system: system.to_owned(),
        purpose: counter::purpose(seen),
        findings: checks.into_iter().filter_map(|check| check(seen)).collect(),
        remarks: [clock::remarks(seen), core::remarks(seen)].concat(),
    }
}

#[cfg(test)]
mod tests;
