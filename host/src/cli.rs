//! The command line: flags that all verbs share, errors with their remedies, exit codes.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser};
use miette::Report;

use crate::explain::explain;
use crate::image::BuildError;
use crate::interrupt::Interrupt;
use crate::measure::KatError;
use crate::notice;
use crate::outcome::{ERROR, Outcome};
use crate::session::SessionError;
use crate::setup::SetupError;
use crate::verb::Verb;

/// Measures C implementations of cryptographic candidates where no operating system disturbs
/// them, and compares that with Linux.
///
/// Exit codes: 0 everything is clean; 1 done, but something is not clean (a KAT, a record, a
/// regression); 2 usage or tool error; 124 a deadline passed; 130 interrupted; 134 the meter
/// faulted. Ctrl-C ends after the current record, a second one at once; what is measured is kept.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo host", version, arg_required_else_help = true)]
struct CommandLine {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    verb: Verb,
}

/// What every verb understands.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Common options")]
pub struct Common {
    /// Print results as JSON on standard output
    #[arg(long, global = true)]
    pub json: bool,
    /// Print results and errors only: no progress, no log
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Never ask; fail where an answer is needed
    #[arg(long, global = true)]
    pub non_interactive: bool,
}

/// What a verb knows beside its own arguments.
#[derive(Clone, Debug)]
pub struct Context {
    /// The shared flags.
    pub common: Common,
    /// Ctrl-C.
    pub interrupt: Interrupt,
}

impl Context {
    /// Whether somebody can be asked.
    pub fn interactive(&self) -> bool {
        !self.common.non_interactive && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Says something on the error output, unless it should be quiet.
    pub fn say(&self, words: impl std::fmt::Display) {
        if !self.common.quiet {
            notice::line(words);
        }
    }
}

/// The command line, as shells complete it.
pub fn command() -> clap::Command {
    CommandLine::command()
}

/// Runs the command line; the exit code says how it ended.
pub fn main() -> ExitCode {
    let CommandLine { common, verb } = CommandLine::parse();
    let result = Interrupt::on_signals()
        .map_err(|error| miette::miette!("cannot listen for Ctrl-C: {error}"))
        .and_then(|interrupt| verb.run(&Context { common, interrupt }));
    match result {
        Ok(outcome) => outcome.into(),
        Err(report) => {
            let outcome = outcome_of(&report);
            if outcome != Some(Outcome::Interrupted) {
                notice::drawn(explain(report.as_ref()).trim_end());
            }
            outcome.map_or(ExitCode::from(ERROR), ExitCode::from)
        }
    }
}

/// How a command ended whose error is not the tool's: the user's wish, or the target's doing.
fn outcome_of(report: &Report) -> Option<Outcome> {
    if let Some(BuildError::Interrupted) = report.downcast_ref() {
        return Some(Outcome::Interrupted);
    }
    if let Some(SetupError::Interrupted) = report.downcast_ref() {
        return Some(Outcome::Interrupted);
    }
    let session = match report.downcast_ref() {
        Some(KatError::Session(session)) => session,
        _ => report.downcast_ref()?,
    };
    match session {
        SessionError::Interrupted => Some(Outcome::Interrupted),
        SessionError::Spoiled(spoiled) => Some(spoiled.outcome()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Spoiled;

    #[test]
    fn the_command_line_is_well_formed_and_explains_every_verb() {
        let command = CommandLine::command();
        command.clone().debug_assert();
        for verb in command.get_subcommands() {
            assert!(
                verb.get_about().is_some(),
                "{} has no manual",
                verb.get_name()
            );
        }
    }

    #[test]
    fn what_is_not_the_tools_fault_has_its_own_exit_code() {
        let outcome = |error: SessionError| outcome_of(&Report::new(error));
        assert_eq!(
            outcome(SessionError::Interrupted),
            Some(Outcome::Interrupted)
        );
        let silent = SessionError::Spoiled(Spoiled::Deadline(1));
        assert_eq!(outcome(silent), Some(Outcome::Deadline));
        let refused = SessionError::Refused {
            request: "x".into(),
            reason: "y".into(),
        };
        assert_eq!(outcome(refused), None);
        let kat = Report::new(KatError::Session(SessionError::Interrupted));
        assert_eq!(outcome_of(&kat), Some(Outcome::Interrupted));
        let build = Report::new(BuildError::Interrupted);
        assert_eq!(outcome_of(&build), Some(Outcome::Interrupted));
    }
}
