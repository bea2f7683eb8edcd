//! What calls of symmetric functions an operation makes, and what they cost.

use heapless::Vec;
use serde::{Deserialize, Serialize};

/// Shapes of calls that a report tells apart at most.
pub const MAX_SHAPES: usize = 60;

/// Functions that are counted in one image at most.
pub const MAX_COUNTED: usize = 40;

/// Calls of one function with as many bits in and out.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// The function, by its place in [`crate::HELPERS`].
    pub helper: u8,
    /// Bits that went in.
    pub input_bits: u64,
    /// Bits that came out.
    pub output_bits: u64,
    /// What was counted.
    pub tally: CallTally,
}

/// Calls, and what they cost.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
pub struct CallTally {
    /// Outermost calls: those that a counted function makes of another are a part of it.
    pub calls: u32,
    /// What the counter advanced by inside them, nothing taken off.
    pub count: u64,
    /// Calls of counted functions inside them, each of which passed through a counter idly.
    pub nested: u32,
}

/// What counting costs: totals of so many calls of an empty function, the least of several rounds.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
pub struct CountingCost {
    /// Calls in each total.
    pub calls: u32,
    /// They are called without a counter between.
    pub direct: u64,
    /// They pass through a counter idly.
    pub idle: u64,
    /// They are counted.
    pub counted: u64,
    /// The part of `counted` that is ascribed to the calls themselves.
    pub inside: u64,
    /// The part of `counted` in which calls are told apart, measured anew at every call.
    pub sorting: u64,
}

/// What the calls of an operation were, and what there is to take off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Times that the operation was performed.
    pub operations: u32,
    /// What the counter advanced by in all of them, net of empty calls, counters included.
    pub count: u64,
    /// The same on the target's clock, nothing taken off.
    pub nanoseconds: u64,
    /// The part of `count` in which calls were told apart.
    pub sorting: u64,
    /// Calls of counted functions that passed through a counter idly, all in all.
    pub idle: u64,
    /// What counting costs.
    pub cost: CountingCost,
    /// The calls, in the order in which their shapes were first seen.
    pub shapes: Vec<Shape, MAX_SHAPES>,
    /// Calls of shapes for which there was no room, added up by function.
    pub rest: Vec<(u8, CallTally), MAX_COUNTED>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_report_fits_a_frame() {
        let tally = CallTally {
            calls: u32::MAX,
            count: u64::MAX,
            nested: u32::MAX,
        };
        let shape = Shape {
            helper: u8::MAX,
            input_bits: u64::MAX,
            output_bits: u64::MAX,
            tally,
        };
        let cost = CountingCost {
            calls: u32::MAX,
            direct: u64::MAX,
            idle: u64::MAX,
            counted: u64::MAX,
            inside: u64::MAX,
            sorting: u64::MAX,
        };
        let profile = Profile {
            operations: u32::MAX,
            count: u64::MAX,
            nanoseconds: u64::MAX,
            sorting: u64::MAX,
            idle: u64::MAX,
            cost,
            shapes: (0..MAX_SHAPES).map(|_| shape).collect(),
            rest: (0..MAX_COUNTED).map(|_| (u8::MAX, tally)).collect(),
        };
        let response = crate::Response::Profile(profile);
        assert!(crate::encode(crate::Kind::Response, 1, 0, &response).is_ok());
    }
}
