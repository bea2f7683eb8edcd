//! How much stack one call used: paint, call, look.
//!
//! What the pattern does not show: a frame whose lowest bytes the callee never writes. The figure
//! is a lower bound for such a function, and exact for one that writes where it reserves.

use wire::Probe;

use crate::board::MeasuringStack;
use crate::cpu::{Call, STACK_AT_CALL};

/// The pattern of the self-test; the host chooses those of measurements.
const SELF_TEST_PATTERN: u64 = 0x5aa5_3cc3_9669_f00f;

/// Known stack uses that the self-test measures.
const SELF_TEST_BYTES: [u32; 2] = [400, 800];

/// Bytes from the stack pointer at the call down to the lowest word that `call` changed, and what
/// it returned.
pub fn used_by(stack: &mut MeasuringStack, call: &Call, pattern: u64) -> (u64, u64) {
    stack.paint(pattern);
    let returned = stack.run(call);
    let touched = stack.len() - stack.untouched(pattern);
    (touched.saturating_sub(STACK_AT_CALL) as u64, returned)
}

/// Measures functions of known stack use.
pub fn self_test(stack: &mut MeasuringStack) -> [wire::StackProbe; 2] {
    SELF_TEST_BYTES.map(|used_bytes| {
        let call = Call::of_probe(Probe::Stack(used_bytes)).expect("a probe that exists");
        wire::StackProbe {
            used_bytes,
            measured_bytes: used_by(stack, &call, SELF_TEST_PATTERN).0,
        }
    })
}
