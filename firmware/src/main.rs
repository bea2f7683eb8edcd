//! The meter: runs one instance of one submission and answers the host.
//!
//! The same program is firmware for a board, where nothing disturbs it, and a process for Linux.
//! [`meter`] knows what is measured and how, [`board`] where bytes, time and memory come from,
//! [`cpu`] the processor, [`abi`] the C interface of the submission inside.

#![cfg_attr(target_os = "none", no_std, no_main)]

mod abi;
mod board;
mod cpu;
mod meter;

use abi::Functions;
use abi::iccs::IccsInstance;
use abi::nist::NistInstance;
use board::MeasuringStack;
use meter::self_test::{self, CounterDescription};

/// Introduces the meter and answers the host until it says goodbye.
fn meter(counter: CounterDescription, entry_level: Option<u8>, mut stack: MeasuringStack) {
    meter::fault::note_entry_level(entry_level);
    let hello = self_test::introduce(&abi::IDENTITY, counter, entry_level, &mut stack);
    match abi::instance_functions() {
        Functions::Nist(functions, generator) => {
            let sizes = abi::IDENTITY.sizes.unwrap_or_default();
            let instance = NistInstance::new(sizes, functions, generator);
            meter::serve(board::line(), hello, stack, instance);
        }
        Functions::Iccs(functions) => {
            meter::serve(board::line(), hello, stack, IccsInstance::new(functions));
        }
    }
}

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    board::main()
}
