//! What a setup says about a machine and about what it will do.

use std::fmt::Write;

use super::apt;
use super::check::Machine;
use super::compiler::SYSTEM_RUSTC;
use super::plan::{Step, plan};

/// The needs of the product, each with whether it is met.
fn needs(machine: &Machine) -> Vec<(bool, String)> {
    let mut all: Vec<_> = machine
        .scope
        .needs()
        .map(|need| {
            let met = !machine.missing.contains(&need);
            (met, format!("{} ({})", need.name, need.purpose))
        })
        .collect();
    if machine.targets.is_empty() {
        all.push((true, "Rust libraries of all targets".into()));
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
    let installs = |step: &Step| matches!(step, Step::Install(_));
    if steps.iter().chain(&otherwise).any(installs) {
        text.push_str(
            "No package is removed; one that excludes these is brought to its version in the \
             package lists.\n",
        );
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
            "build Rust's libraries for {} once with {SYSTEM_RUSTC} into .cargo/sysroot, and name \
             both in .cargo/local.toml",
            targets.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::{complete, fresh};
    use super::super::need::NEEDS;
    use super::*;

    /// Without QEMU and the target, on a machine where we are not root.
    fn lacking() -> Machine {
        let mut machine = Machine {
            missing: NEEDS
                .into_iter()
                .filter(|need| need.name == "QEMU")
                .collect(),
            ..fresh()
        };
        if let Some(apt) = &mut machine.apt {
            apt.sudo = true;
        }
        machine
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(
            missing(&lacking()),
            "QEMU, the Rust libraries for aarch64-unknown-none"
        );
        assert_eq!(missing(&complete()), "");
        let report = report(&lacking());
        assert_eq!(report.matches("  missing  ").count(), 2);
        assert_eq!(report.lines().count(), NEEDS.len() + 3);
        assert!(present(&complete()).len() > present(&lacking()).len());
    }

    #[test]
    fn every_command_is_said_beforehand() {
        insta::assert_snapshot!(explain(&lacking(), false), @r"
        This will be done:
          rustup target add aarch64-unknown-none
          sudo --non-interactive env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-remove --no-install-recommends --option=DPkg::Lock::Timeout=120 qemu-system-arm
        and where rustup cannot, this instead of it:
          sudo --non-interactive env DEBIAN_FRONTEND=noninteractive apt-get update
          sudo --non-interactive env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-remove --no-install-recommends --option=DPkg::Lock::Timeout=120 qemu-system-arm rustc-web rust-web-src rust-web-llvm rust-web-clippy
          build Rust's libraries for aarch64-unknown-none once with /usr/bin/rustc into .cargo/sysroot, and name both in .cargo/local.toml
        No package is removed; one that excludes these is brought to its version in the package lists.
        ");
    }
}
