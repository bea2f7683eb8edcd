//! One module for each command; the documentation of its arguments is its manual.

mod bench;
mod campaign;
mod choice;
mod compare;
mod completions;
mod demo;
mod doctor;
mod export;
mod import;
mod kat;
mod list;
mod merge;
mod monitor;
mod only;
mod output;
mod place;
mod plan;
mod ports;
mod promise;
mod replay;
mod report;
mod run;
mod runs;
mod schema;
mod setup;
mod sides;
mod system_name;
mod test;
mod validate;

use clap::Subcommand;

use crate::cli::Context;
use crate::outcome::Outcome;

/// The commands.
#[derive(Debug, Subcommand)]
#[allow(
    missing_docs,
    reason = "the arguments' own documentation is the manual"
)]
pub enum Verb {
    Demo(demo::Arguments),
    Run(run::Arguments),
    Plan(plan::Arguments),
    Campaign(campaign::Arguments),
    Merge(merge::Arguments),
    Kat(kat::Arguments),
    Import(import::Arguments),
    List(list::Arguments),
    Ports(ports::Arguments),
    Monitor(monitor::Arguments),
    Replay(replay::Arguments),
    Setup(setup::Arguments),
    Doctor(doctor::Arguments),
    Test(test::Arguments),
    Report(report::Arguments),
    Compare(compare::Arguments),
    Validate(validate::Arguments),
    Export(export::Arguments),
    Schema(schema::Arguments),
    Bench(bench::Arguments),
    Completions(completions::Arguments),
}

impl Verb {
    /// Does it.
    ///
    /// # Errors
    ///
    /// When it cannot be done.
    pub fn run(self, context: &Context) -> miette::Result<Outcome> {
        match self {
            Self::Demo(arguments) => demo::run(&arguments, context),
            Self::Campaign(arguments) => campaign::run(&arguments, context),
            Self::Plan(arguments) => plan::run(&arguments, context),
            Self::Merge(arguments) => merge::run(&arguments, context),
            Self::Kat(arguments) => kat::run(&arguments, context),
            Self::Import(arguments) => import::run(&arguments, context),
            Self::Run(arguments) => run::run(&arguments, context),
            Self::List(arguments) => list::run(&arguments, context),
            Self::Ports(arguments) => ports::run(&arguments, context),
            Self::Monitor(arguments) => monitor::run(&arguments, context),
            Self::Replay(arguments) => replay::run(&arguments, context),
            Self::Doctor(arguments) => doctor::run(&arguments, context),
            Self::Setup(arguments) => setup::run(&arguments, context),
            Self::Test(arguments) => test::run(&arguments, context),
            Self::Report(arguments) => report::run(&arguments, context),
            Self::Compare(arguments) => compare::run(&arguments, context),
            Self::Completions(arguments) => completions::run(&arguments, context),
            Self::Bench(arguments) => bench::run(&arguments, context),
            Self::Validate(arguments) => validate::run(&arguments, context),
            Self::Export(arguments) => export::run(&arguments, context),
            Self::Schema(_) => schema::run(),
        }
    }
}
