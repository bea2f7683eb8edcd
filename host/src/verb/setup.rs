//! `cargo host setup`: everything that is needed, brought here.

use clap::Args;
use serde::Serialize;

use super::output;
use crate::cli::Context;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::setup::{self, Machine, Options, Scope, Setup};

/// Brings what is missing on this machine: Rust target, C compilers and libraries, QEMU.
///
/// Says what is there and what it will run, asks, and does it: rustup for the Rust target, or,
/// where rustup cannot reach its server, Debian's Rust compiler and a one-time build of the
/// target's libraries; apt (through sudo unless you are root) for the rest. Safe to repeat; quick
/// when nothing is missing.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Do it without asking
    #[arg(long)]
    yes: bool,
    /// Bring also what builds for Linux on another Arm machine (`--ssh`) and tries that here
    #[arg(long)]
    arm_linux: bool,
}

/// The result as JSON.
#[derive(Serialize)]
struct Summary {
    /// Something was missing and was brought.
    changed: bool,
    /// What is there now.
    present: Vec<String>,
}

/// Sets this machine up.
///
/// # Errors
///
/// When something is missing and may not or cannot be brought.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let root = Project::find()?.root;
    let scope = match arguments.arm_linux {
        true => Scope::ArmLinux,
        false => Scope::Usual,
    };
    let done = setup::ensure(
        &root,
        Options {
            yes: arguments.yes,
            interactive: context.interactive(),
            scope,
        },
        &context.interrupt,
    )?;
    let machine = Machine::inspect(&root, scope);
    let changed = done == Setup::Brought;
    if context.common.json {
        output::json(&Summary {
            changed,
            present: setup::present(&machine),
        })?;
    } else if !context.common.quiet {
        output::text(setup::report(&machine).trim_end())?;
        output::text(if changed {
            "This machine is now complete."
        } else {
            "Nothing was missing."
        })?;
    }
    Ok(Outcome::Clean)
}
