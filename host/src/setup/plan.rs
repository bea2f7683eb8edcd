//! What to do about what is missing. Pure: nothing here looks at the machine or changes it.

use super::check::Machine;
use super::need::{
    CLIPPY_PACKAGE, Evidence, LINKER_PACKAGE, RUST_SOURCE_PACKAGE, RUSTC_PACKAGE, RUSTFMT_PACKAGE,
};

/// One thing to do.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Step {
    /// `rustup` with these arguments.
    Rustup(Vec<&'static str>),
    /// Bring apt's lists up to date.
    Update,
    /// Install these packages with apt.
    Install(Vec<&'static str>),
    /// Build the libraries of these targets with Debian's compiler, and have cargo use it.
    Libraries(Vec<&'static str>),
}

/// The steps that can be tried here, in order; what they cannot bring is left to [`remedies`].
pub fn plan(machine: &Machine) -> Vec<Step> {
    let mut steps = rustup_steps(machine);
    let packages = packages(machine);
    let can_install = machine.apt.is_some();
    if let Some(apt) = machine.apt.as_ref().filter(|_| !packages.is_empty()) {
        if packages.iter().any(|package| apt.unknown.contains(package)) {
            steps.push(Step::Update);
        }
        steps.push(Step::Install(packages));
    }
    let system = machine.system;
    let can_build = system.compiler && system.source && system.linker;
    if builds_libraries(machine) && (can_build || can_install) {
        steps.push(Step::Libraries(target_names(machine)));
    }
    steps
}

/// rustup is asked first, but not where cargo already uses Debian's compiler.
fn asks_rustup(machine: &Machine) -> bool {
    machine.rustup && !machine.configured
}

fn builds_libraries(machine: &Machine) -> bool {
    !machine.targets.is_empty() && !asks_rustup(machine)
}

fn target_names(machine: &Machine) -> Vec<&'static str> {
    machine.targets.iter().map(|(name, _)| *name).collect()
}

fn rustup_steps(machine: &Machine) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut components = Vec::new();
    if asks_rustup(machine) {
        if !machine.targets.is_empty() {
            let arguments = ["target", "add"].into_iter();
            steps.push(Step::Rustup(
                arguments.chain(target_names(machine)).collect(),
            ));
        }
        components.extend((!machine.clippy).then_some("clippy"));
    }
    components.extend((machine.rustup && !machine.rustfmt).then_some("rustfmt"));
    if !components.is_empty() {
        let arguments = ["component", "add"].into_iter();
        steps.push(Step::Rustup(arguments.chain(components).collect()));
    }
    steps
}

fn packages(machine: &Machine) -> Vec<&'static str> {
    let needs = machine.missing.iter();
    let mut packages: Vec<_> = needs.flat_map(|need| need.packages).copied().collect();
    let system = machine.system;
    if builds_libraries(machine) {
        packages.extend((!system.compiler).then_some(RUSTC_PACKAGE));
        packages.extend((!system.source).then_some(RUST_SOURCE_PACKAGE));
        packages.extend((!system.linker).then_some(LINKER_PACKAGE));
    }
    if (builds_libraries(machine) || machine.configured) && !system.clippy {
        packages.push(CLIPPY_PACKAGE);
    }
    if !machine.rustfmt && !machine.rustup {
        packages.push(RUSTFMT_PACKAGE);
    }
    packages
}

/// What is missing, each with what the user can do about it.
pub fn remedies(machine: &Machine) -> Vec<String> {
    let needs = machine.missing.iter().map(|need| {
        let (name, packages) = (need.name, need.packages.join(", "));
        let otherwise = match need.evidence {
            Evidence::Program(program) => format!("put `{program}` into the path"),
            Evidence::Toolchain(_) => {
                "name yours in the environment, as `cargo build -p firmware` explains".into()
            }
        };
        format!("{name}: install Debian's {packages}, or {otherwise}")
    });
    let targets = machine.targets.iter().map(|(target, obstacle)| {
        let how = if machine.configured {
            format!(
                "see that /usr/bin/rustc and its sources fit together (Debian's packages \
                 {RUSTC_PACKAGE} and {RUST_SOURCE_PACKAGE}), or remove .cargo/local.toml and run \
                 `rustup target add {target}`"
            )
        } else {
            format!(
                "run `rustup target add {target}`, or install Debian's packages {RUSTC_PACKAGE}, \
                 {RUST_SOURCE_PACKAGE}, {LINKER_PACKAGE} and {CLIPPY_PACKAGE} and run `cargo host \
                 setup` again"
            )
        };
        format!("Rust target {target} ({obstacle}): {how}")
    });
    let tools = [
        (machine.rustfmt, "rustfmt", RUSTFMT_PACKAGE),
        (machine.clippy, "clippy", CLIPPY_PACKAGE),
    ]
    .into_iter()
    .filter(|(present, ..)| !present)
    .map(|(_, name, package)| {
        format!("{name}: run `rustup component add {name}` (Debian's package {package})")
    });
    needs.chain(targets).chain(tools).collect()
}

#[cfg(test)]
mod tests {
    use super::super::check::Apt;
    use super::super::fake::{ALL_THERE, TARGET, complete, fresh};
    use super::super::need::NEEDS;
    use super::*;

    #[test]
    fn a_complete_machine_is_left_alone() {
        assert_eq!(plan(&complete()), []);
        assert!(remedies(&complete()).is_empty());
    }

    #[test]
    fn a_fresh_machine_asks_rustup_for_the_target_and_apt_for_the_rest() {
        let packages = NEEDS
            .iter()
            .flat_map(|need| need.packages)
            .copied()
            .collect();
        assert_eq!(
            plan(&fresh()),
            [
                Step::Rustup(vec!["target", "add", TARGET]),
                Step::Install(packages),
            ]
        );
    }

    #[test]
    fn where_rustup_cannot_debian_compiles_the_libraries() {
        let machine = Machine {
            rustup: false,
            missing: Vec::new(),
            ..fresh()
        };
        assert_eq!(
            plan(&machine),
            [
                Step::Update,
                Step::Install(vec![
                    RUSTC_PACKAGE,
                    RUST_SOURCE_PACKAGE,
                    LINKER_PACKAGE,
                    CLIPPY_PACKAGE
                ]),
                Step::Libraries(vec![TARGET]),
            ]
        );
    }

    #[test]
    fn an_updated_compiler_only_needs_new_libraries() {
        let machine = Machine {
            configured: true,
            missing: Vec::new(),
            system: ALL_THERE,
            ..fresh()
        };
        assert_eq!(plan(&machine), [Step::Libraries(vec![TARGET])]);
    }

    #[test]
    fn lists_are_brought_up_to_date_only_for_a_package_that_they_lack() {
        let mut machine = Machine {
            missing: NEEDS[1..2].to_vec(),
            targets: Vec::new(),
            ..fresh()
        };
        assert_eq!(plan(&machine), [Step::Install(vec!["qemu-system-arm"])]);
        if let Some(apt) = &mut machine.apt {
            apt.unknown.push("qemu-system-arm");
        }
        assert_eq!(
            plan(&machine),
            [Step::Update, Step::Install(vec!["qemu-system-arm"])]
        );
    }

    #[test]
    fn without_apt_nothing_is_promised_and_every_remedy_is_named() {
        let machine = Machine {
            apt: None,
            rustup: false,
            rustfmt: false,
            clippy: false,
            ..fresh()
        };
        assert_eq!(plan(&machine), []);
        let remedies = remedies(&machine);
        assert_eq!(remedies.len(), NEEDS.len() + 3);
        for need in NEEDS {
            let packages = need.packages.join(", ");
            assert!(remedies.iter().any(|text| text.contains(&packages)));
        }
    }

    #[test]
    fn without_apt_debians_compiler_still_serves_when_it_is_there() {
        let machine = Machine {
            apt: None,
            rustup: false,
            missing: Vec::new(),
            system: ALL_THERE,
            ..fresh()
        };
        assert_eq!(plan(&machine), [Step::Libraries(vec![TARGET])]);
    }

    #[test]
    fn components_come_from_whoever_the_compiler_came_from() {
        let machine = Machine {
            rustfmt: false,
            clippy: false,
            ..complete()
        };
        assert_eq!(
            plan(&machine),
            [Step::Rustup(vec!["component", "add", "clippy", "rustfmt"])]
        );
        let machine = Machine {
            configured: true,
            clippy: false,
            apt: Some(Apt {
                sudo: true,
                unknown: Vec::new(),
            }),
            ..complete()
        };
        assert_eq!(plan(&machine), [Step::Install(vec![CLIPPY_PACKAGE])]);
    }
}
