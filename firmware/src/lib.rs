//! The meter: runs one instance of one submission and answers the host.
//!
//! The same program is firmware for a board, where nothing disturbs it, and a process for Linux.
//! [`meter`] knows what is measured and how, [`board`] where bytes, time and memory come from,
//! [`cpu`] the processor, [`abi`] the C interface of the submission inside.

#![cfg_attr(target_os = "none", no_std)]

pub mod abi;
mod board;
mod cpu;
mod meter;

#[cfg(target_os = "linux")]
pub use board::main;

use abi::Functions;
use abi::iccs::IccsInstance;
use abi::nist::NistInstance;
use board::MeasuringStack;
use meter::self_test::{self, CounterDescription};

/// Introduces the meter and answers the host until it says goodbye.
fn run(counter: CounterDescription, entry_level: Option<u8>, mut stack: MeasuringStack) {
    meter::fault::note_entry_level(entry_level);
    let image = abi::image();
    let hello = self_test::introduce(&image.identity, counter, entry_level, &mut stack);
    match image.functions {
        Functions::Nist(functions, generator) => {
            let sizes = image.identity.sizes.unwrap_or_default();
            let instance = NistInstance::new(sizes, functions, generator);
            meter::serve(board::line(), hello, stack, instance);
        }
        Functions::Iccs(functions) => {
            meter::serve(board::line(), hello, stack, IccsInstance::new(functions));
        }
    }
}
