//! Thrashing the branch predictor with a large block of branches: no core in reach has an
//! architected way to flush it.

use super::branches;

/// Conditional branches of the block, each at an address of its own: more than the predictors of
/// the cores in reach remember targets.
pub const BRANCHES: usize = 8192;

/// What decides about the directions of the block's branches, one run for each: half of the bits
/// are set in all, at places that have nothing in common.
const DIRECTIONS: [u64; 4] = [
    0x9e37_79b9_7f4a_7c15,
    0x61c8_8646_80b5_83ea,
    0xaaaa_5555_0f0f_f0f0,
    0x5555_aaaa_f0f0_0f0f,
];

/// Conditional branches that [`thrash`] executes.
pub const EXECUTED: u64 = (BRANCHES * DIRECTIONS.len()) as u64;

/// Runs through the block, each time in other directions.
pub fn thrash() {
    for directions in DIRECTIONS {
        // SAFETY: a function that changes nothing but its argument.
        unsafe { branches::run(directions) };
    }
}
