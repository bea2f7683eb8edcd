//! What a setup says about a machine and about what it will do.

use std::fmt::Write;

use super::apt;
use super::check::Machine;
use super::compiler::SYSTEM_RUSTC;
use super::need::NEEDS;
use super::plan::{Step, plan};

/// The needs of the product, each with whether it is met.
fn needs(machine: &Machine) -> Vec<(bool, String)> {
    let mut all: Vec<_> = NEEDS
        .iter()
        .map(|need| {
            let met = !machine.missing.contains(need);
            (met, format!("{} ({})", need.name, need.purpose))
        })
        .collect();
    if machine.targets.is_empty() {
        all.push((true, "Rust libraries for bare metal".into()));
    }
    for (target, obstacle) in &machine.targets {
        all.push((false, format!("Rust libraries for {target}: {obstacle}")));
    }
    all.push((machine.rustfmt, "rustfmt".into()));
    all.push((machine.clippy, "clippy".into()));
    all
}

/// The needs of the product, a line for each.
pub fn report(machine: &Machine) -> String {
    needs(machine)
        .into_iter()
        .map(|(met, need)| {
            let mark = if met { "present" } else { "missing" };
            format!("  {mark}  {need}\n")
        })
        .collect()
}

/// The needs that are met.
pub fn present(machine: &Machine) -> Vec<String> {
    let met = needs(machine).into_iter().filter(|(met, _)| *met);
    met.map(|(_, need)| need).collect()
}

/// What is missing, in one line.
pub fn missing(machine: &Machine) -> String {
    let needs = machine.missing.iter().map(|need| need.name.to_owned());
    let targets = machine
        .targets
        .iter()
        .map(|(target, _)| format!("the Rust libraries for {target}"));
    let tools = [(machine.rustfmt, "rustfmt"), (machine.clippy, "clippy")]
        .into_iter()
        .filter(|(present, _)| !present)
        .map(|(_, name)| name.to_owned());
    let all: Vec<_> = needs.chain(targets).chain(tools).collect();
    all.join(", ")
}

/// The commands of a setup, and those that follow where rustup cannot do its part.
pub fn explain(machine: &Machine, interactive: bool) -> String {
    let steps = plan(machine);
    let without_rustup = Machine {
        rustup: false,
        ..machine.clone()
    };
    let otherwise = plan(&without_rustup);
    let list = |text: &mut String, steps: &[Step], machine: &Machine| {
        for step in steps {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {}", command_of(step, machine, interactive));
        }
    };
    let mut text = String::from("This will be done:\n");
    list(&mut text, &steps, machine);
    if steps != otherwise && !otherwise.is_empty() {
        text.push_str("and where rustup cannot, this instead of it:\n");
        list(&mut text, &otherwise, &without_rustup);
    }
    text
}

/// What a step will run.
pub fn command_of(step: &Step, machine: &Machine, interactive: bool) -> String {
    let sudo = machine.apt.as_ref().is_some_and(|apt| apt.sudo);
    match step {
        Step::Rustup(arguments) => format!("rustup {}", arguments.join(" ")),
        Step::Update => apt::update(sudo, interactive).join(" "),
        Step::Install(packages) => apt::install(sudo, interactive, packages).join(" "),
        Step::Libraries(targets) => format!(
            "build core and alloc for {} once with {SYSTEM_RUSTC} into .cargo/sysroot, and name \
             both in .cargo/local.toml",
            targets.join(", ")
        ),
    }
}
