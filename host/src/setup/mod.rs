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

use std::io::{self, BufRead, IsTerminal};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

pub use check::Machine;
pub use error::{SetupError, StepError};
pub use explain::{missing, present, report};
pub use need::Scope;
use plan::Step;

use crate::interrupt::{Interrupt, Urgency};

/// How long rustup may take: where it cannot reach its server it may also hang.
const RUSTUP_LIMIT: Duration = Duration::from_secs(300);

/// How often somebody who is asked is seen to press Ctrl-C instead.
const POLL: Duration = Duration::from_millis(50);

/// How a setup is to behave.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Options {
    /// Do it without asking.
    pub yes: bool,
    /// Somebody may be asked, if there is a terminal.
    pub interactive: bool,
    /// What the machine is set up for.
    pub scope: Scope,
}

/// What a setup did.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Setup {
    /// Nothing was missing.
    Complete,
    /// Something was missing and is there now.
    Brought,
}

/// Brings what is missing, after having said what it will do and asked. Quick and silent when
/// nothing is missing; all its words go to the error output.
///
/// # Errors
///
/// [`SetupError`] when something is missing and may not or cannot be brought.
pub fn ensure(root: &Path, options: Options, interrupt: &Interrupt) -> Result<Setup, SetupError> {
    let before = Machine::inspect(root, options.scope);
    if before.is_complete() {
        return Ok(Setup::Complete);
    }
    eprint!("{}", report(&before));
    let interactive = options.interactive && io::stdin().is_terminal();
    if !plan::plan(&before).is_empty() {
        eprint!("{}", explain::explain(&before, interactive));
        consent(&before, options, interactive, interrupt)?;
    }

    let mut doing = Doing {
        root,
        interactive,
        interrupt,
        failures: Vec::new(),
    };
    doing.all(plan::plan(&before).into_iter().filter(is_rustups), &before)?;
    // What rustup could not do is left to apt.
    let middle = Machine {
        rustup: false,
        ..Machine::inspect(root, options.scope)
    };
    doing.all(plan::plan(&middle).into_iter(), &middle)?;

    let after = Machine::inspect(root, options.scope);
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
fn consent(
    machine: &Machine,
    options: Options,
    interactive: bool,
    interrupt: &Interrupt,
) -> Result<(), SetupError> {
    if options.yes {
        return Ok(());
    }
    let missing = missing(machine);
    if !interactive {
        return Err(SetupError::NobodyToAsk { missing });
    }
    eprint!("Do this? [y/N] ");
    match answer(interrupt)?.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(SetupError::Declined { missing }),
    }
}

/// The line that the user types; an unreadable one is empty. It is read elsewhere, because reading
/// goes on after a Ctrl-C.
fn answer(interrupt: &Interrupt) -> Result<String, SetupError> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut line = String::new();
        let _ = io::stdin().lock().read_line(&mut line);
        // Nobody listens any more after a Ctrl-C.
        let _ = sender.send(line);
    });
    loop {
        match receiver.recv_timeout(POLL) {
            Ok(line) => return Ok(line),
            Err(_) => go_on(interrupt)?,
        }
    }
}

fn go_on(interrupt: &Interrupt) -> Result<(), SetupError> {
    if interrupt.urgency() > Urgency::None {
        return Err(SetupError::Interrupted);
    }
    Ok(())
}

fn is_rustups(step: &Step) -> bool {
    matches!(step, Step::Rustup(_))
}

/// Carries steps out.
struct Doing<'a> {
    root: &'a Path,
    interactive: bool,
    interrupt: &'a Interrupt,
    failures: Vec<String>,
}

impl Doing<'_> {
    /// Goes on after a failure, but not after Ctrl-C, which ends the programs that we started too.
    fn all(
        &mut self,
        steps: impl Iterator<Item = Step>,
        machine: &Machine,
    ) -> Result<(), SetupError> {
        for step in steps {
            eprintln!(
                "==> {}",
                explain::command_of(&step, machine, self.interactive)
            );
            if let Err(error) = self.one(&step, machine) {
                eprintln!("    {error}");
                self.failures.push(error.to_string());
            }
            go_on(self.interrupt)?;
        }
        Ok(())
    }

    fn one(&self, step: &Step, machine: &Machine) -> Result<(), StepError> {
        let sudo = machine.apt.as_ref().is_some_and(|apt| apt.sudo);
        match step {
            Step::Rustup(arguments) => {
                let mut rustup = child::command("rustup");
                child::run_within(rustup.args(arguments), RUSTUP_LIMIT, self.interrupt)
            }
            Step::Update => child::run_words(&apt::update(sudo, self.interactive)),
            Step::Install(packages) => self.install(sudo, packages),
            Step::Libraries(targets) => sysroot::build(self.root, targets),
        }
    }

    fn install(&self, sudo: bool, packages: &[&str]) -> Result<(), StepError> {
        let install = apt::install(sudo, self.interactive, packages);
        let Err(error) = child::run_words(&install) else {
            return Ok(());
        };
        go_on(self.interrupt).map_err(|_| error)?;
        // Lists that know a package may still name a version that is gone.
        child::run_words(&apt::update(sudo, self.interactive))?;
        let others = apt::versions_that_fit(packages);
        if others.is_empty() {
            return child::run_words(&install);
        }
        let install = apt::install_beside(sudo, self.interactive, packages, &others);
        eprintln!("==> {}", install.join(" "));
        child::run_words(&install)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_step_follows_a_ctrl_c() {
        let machine = fake::complete();
        let interrupt = Interrupt::new();
        let mut doing = Doing {
            root: Path::new("/nowhere"),
            interactive: false,
            interrupt: &interrupt,
            failures: Vec::new(),
        };
        let steps = || [["a"], ["b"]].map(|words| Step::Rustup(words.to_vec()));
        assert!(doing.all(steps().into_iter(), &machine).is_ok());
        assert_eq!(doing.failures.len(), 2);
        interrupt.press();
        let broken_off = doing.all(steps().into_iter(), &machine);
        assert!(matches!(broken_off, Err(SetupError::Interrupted)));
        assert_eq!(doing.failures.len(), 3);
    }

    #[test]
    fn only_somebody_who_is_there_is_asked() {
        let machine = fake::fresh();
        let consent = |yes| {
            let options = Options {
                yes,
                interactive: true,
                scope: Scope::Usual,
            };
            consent(&machine, options, false, &Interrupt::new())
        };
        assert!(consent(true).is_ok());
        assert!(matches!(
            consent(false),
            Err(SetupError::NobodyToAsk { missing }) if missing.contains("QEMU")
        ));
    }
}
