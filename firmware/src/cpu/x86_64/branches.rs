//! The block of branches that thrashes the predictor.

use core::arch::naked_asm;

use crate::cpu::predictor::BRANCHES;

/// Runs through the block once. Which of its branches are taken is up to the bits of `directions`
/// (rdi), which come round every 64 branches; where one is not taken, an unconditional one is.
///
/// # Safety
///
/// A function like any other.
#[unsafe(naked)]
pub unsafe extern "C" fn run(directions: u64) {
    naked_asm!(
        ".rept {branches}",
        // The carry is the bit that went round.
        "ror rdi, 1",
        "jnc 2f",
        "jmp 2f",
        "nop",
        "2:",
        ".endr",
        "ret",
        branches = const BRANCHES,
    )
}
