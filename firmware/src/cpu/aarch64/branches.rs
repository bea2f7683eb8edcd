//! The block of branches that thrashes the predictor.

use core::arch::naked_asm;

use crate::cpu::predictor::BRANCHES;

/// Runs through the block once. Which of its branches are taken is up to the bits of `directions`
/// (x0), which come round every 64 branches; where one is not taken, an unconditional one is.
///
/// # Safety
///
/// A function like any other.
#[unsafe(naked)]
pub unsafe extern "C" fn run(directions: u64) {
    naked_asm!(
        ".rept {branches}",
        "tbz x0, #0, 1f",
        "b 1f",
        "nop",
        "1:",
        "ror x0, x0, #1",
        ".endr",
        "ret",
        branches = const BRANCHES,
    )
}
