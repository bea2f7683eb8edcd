//! From a fresh machine to everything that the product needs.
//!
//! [`check`] looks, [`plan`] decides, and the steps are carried out by [`apt`], rustup and
//! [`sysroot`]. Whatever happens, the machine is looked at again afterwards: what counts is what
//! is there, not what a step returned.

pub mod apt;
pub mod check;
pub mod child;
pub mod compiler;
mod error;
mod explain;
#[cfg(test)]
mod fake;
pub mod need;
pub mod plan;
pub mod sysroot;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

pub use check::Machine;
pub use error::{SetupError, StepError};
pub use explain::{missing, present, report};
use plan::Step;

/// How long rustup may take: where it cannot reach its server it may also hang.
const RUSTUP_LIMIT: Duration = Duration::from_secs(300);

/// How a setup is to behave.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Options {
    /// Do it without asking.
    pub yes: bool,
    /// Somebody may be asked, if there is a terminal.
    pub interactive: bool,
}

/// What a setup did.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Setup {
    /// Nothing was missing.
    Complete,
    /// Something was missing and is there now.
    Brought,
}

/// The targets that the boards' images are built for.
pub fn bare_metal_targets() -> Vec<&'static str> {
    let mut targets: Vec<_> = catalogue::boards()
        .iter()
        .filter(|board| board.bare_metal)
        .map(|board| board.cargo_target)
        .collect();
    targets.sort_unstable();
    targets.dedup();
    targets
}

/// Brings what is missing, after having said what it will do and asked. Quick and silent when
/// nothing is missing; all its words go to the error output.
///
/// # Errors
///
/// [`SetupError`] when something is missing and may not or cannot be brought.
pub fn ensure(root: &Path, options: Options) -> Result<Setup, SetupError> {
    let targets = bare_metal_targets();
    let before = Machine::inspect(root, &targets);
    if before.is_complete() {
        return Ok(Setup::Complete);
    }
    eprint!("{}", report(&before));
    let interactive = options.interactive && io::stdin().is_terminal();
    if !plan::plan(&before).is_empty() {
        eprint!("{}", explain::explain(&before, interactive));
        consent(&before, options, interactive)?;
    }

    let mut doing = Doing {
        root,
        interactive,
        failures: Vec::new(),
    };
    doing.all(plan::plan(&before).into_iter().filter(is_rustups), &before);
    // What rustup could not do is left to apt.
    let middle = Machine {
        rustup: false,
        ..Machine::inspect(root, &targets)
    };
    doing.all(plan::plan(&middle).into_iter(), &middle);

    let after = Machine::inspect(root, &targets);
    if after.configured && !before.configured {
        eprintln!(
            "cargo now uses {} here (.cargo/local.toml says so) and will build everything anew \
             once, this tool included",
            compiler::SYSTEM_RUSTC
        );
    }
    if after.is_complete() {
        return Ok(Setup::Brought);
    }
    Err(SetupError::Incomplete {
        missing: missing(&after),
        failures: doing
            .failures
            .iter()
            .map(|failure| format!("\n{failure}"))
            .collect(),
        remedies: plan::remedies(&after).join("\n"),
    })
}

/// Asks whether to go on, if need be.
fn consent(machine: &Machine, options: Options, interactive: bool) -> Result<(), SetupError> {
    if options.yes {
        return Ok(());
    }
    let missing = missing(machine);
    if !interactive {
        return Err(SetupError::NobodyToAsk { missing });
    }
    eprint!("Do this? [y/N] ");
    let mut answer = String::new();
    // An unreadable answer is none.
    let _ = io::stderr().flush();
    let _ = io::stdin().lock().read_line(&mut answer);
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(SetupError::Declined { missing }),
    }
}

fn is_rustups(step: &Step) -> bool {
    matches!(step, Step::Rustup(_))
}

/// Carries steps out.
struct Doing<'a> {
    root: &'a Path,
    interactive: bool,
    failures: Vec<String>,
}

impl Doing<'_> {
    fn all(&mut self, steps: impl Iterator<Item = Step>, machine: &Machine) {
        for step in steps {
            eprintln!(
                "==> {}",
                explain::command_of(&step, machine, self.interactive)
            );
            if let Err(error) = self.one(&step, machine) {
                eprintln!("    {error}");
                self.failures.push(error.to_string());
            }
        }
    }

    fn one(&self, step: &Step, machine: &Machine) -> Result<(), StepError> {
        let sudo = machine.apt.as_ref().is_some_and(|apt| apt.sudo);
        match step {
            Step::Rustup(arguments) => {
                child::run_within(child::command("rustup").args(arguments), RUSTUP_LIMIT)
            }
            Step::Update => child::run_words(&apt::update(sudo, self.interactive)),
            Step::Install(packages) => {
                let install = apt::install(sudo, self.interactive, packages);
                // Lists that know a package may still name a version that is gone.
                child::run_words(&install).or_else(|_| {
                    child::run_words(&apt::update(sudo, self.interactive))?;
                    child::run_words(&install)
                })
            }
            Step::Libraries(targets) => sysroot::build(self.root, targets),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_firmwares_target_is_brought() {
        assert!(bare_metal_targets().contains(&"aarch64-unknown-none"));
    }
}
