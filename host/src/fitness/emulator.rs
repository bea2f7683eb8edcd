//! An emulator, which is fit for what it does.

use super::{Finding, Fitness};
use crate::system::Emulator;

/// The mode in which one instruction is one count.
const COUNTING: &str = "-icount shift=0";

/// Version whose counts this meter was developed with.
const KNOWN: &str = "7.2";

/// What is known of an emulator from its version and its mode.
pub fn fitness(system: &str, emulator: &Emulator) -> Fitness {
    if emulator.is_of_user_mode() {
        return of_user_mode(system, emulator);
    }
    let mut findings = Vec::new();
    if !emulator.mode.contains(COUNTING) {
        findings.push(
            Finding::new(
                "the emulator does not count instructions one by one",
                format!("start it with {COUNTING}"),
            )
            .because(&emulator.name, &emulator.mode),
        );
    }
    let mut remarks = vec![
        format!("{} {}, {}", emulator.name, emulator.version, emulator.mode),
        "a count is an instruction of an emulated core, not a cycle, and a time is virtual: both \
         say how much is executed, and not how fast a real core would be"
            .to_owned(),
    ];
    if !emulator.version.starts_with(KNOWN) {
        remarks.push(format!(
            "the meter was developed with version {KNOWN}; that this one repeats is for its meter \
             to show"
        ));
    }
    Fitness {
        system: system.to_owned(),
        purpose: "instructions, emulated".to_owned(),
        findings,
        remarks,
    }
}

/// An emulator of user mode runs on the clock of this machine, as fast as this one happens to be.
fn of_user_mode(system: &str, emulator: &Emulator) -> Fitness {
    let finding = Finding::new(
        "it is emulated: its counts and times are the emulator's, and no core's",
        "measure on an Arm machine: `--system arm_<name> --ssh <user>@<host>`",
    );
    Fitness {
        system: system.to_owned(),
        purpose: "known answers and memory".to_owned(),
        findings: vec![finding.because(&emulator.name, &emulator.mode)],
        remarks: vec![
            format!("{} {}, {}", emulator.name, emulator.version, emulator.mode),
            "a submission is not confined: QEMU knows no filters of system calls".to_owned(),
        ],
    }
}
