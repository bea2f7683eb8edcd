//! The runners: one that only runs, one that counts, one that looks at the stack.

use crate::board::MeasuringStack;
use crate::cpu::{Call, STACK_AT_CALL, counter};
use crate::meter::instance::Runner;

impl Runner for MeasuringStack {
    fn run(&mut self, call: &Call) -> u64 {
        MeasuringStack::run(self, call)
    }
}

/// Counts what the calls cost, each inside a bracket of its own.
pub struct Stopwatch<'a> {
    stack: &'a mut MeasuringStack,
    overhead: u64,
    count: u64,
}

impl<'a> Stopwatch<'a> {
    /// A stopwatch that takes `overhead`, the count of an empty call, off every call.
    pub fn new(stack: &'a mut MeasuringStack, overhead: u64) -> Self {
        Self {
            stack,
            overhead,
            count: 0,
        }
    }

    /// What the calls since the last time cost, net; starts anew.
    pub fn take(&mut self) -> u64 {
        core::mem::take(&mut self.count)
    }
}

impl Runner for Stopwatch<'_> {
    #[inline(never)]
    fn run(&mut self, call: &Call) -> u64 {
        let start = counter::read();
        let returned = self.stack.run(call);
        let end = counter::read();
        // An operation cheaper than the empty call can only be a disturbed calibration.
        self.count += end.wrapping_sub(start).saturating_sub(self.overhead);
        returned
    }
}

/// Finds how much stack the deepest of the calls used: paint, call, look.
///
/// What the pattern does not show: a frame whose lowest bytes the callee never writes. The figure
/// is a lower bound for such a function, and exact for one that writes where it reserves.
pub struct StackGauge<'a> {
    stack: &'a mut MeasuringStack,
    pattern: u64,
    deepest: usize,
}

impl<'a> StackGauge<'a> {
    /// A gauge that paints with this pattern.
    pub fn new(stack: &'a mut MeasuringStack, pattern: u64) -> Self {
        Self {
            stack,
            pattern,
            deepest: 0,
        }
    }

    /// Bytes from the stack pointer at the deepest call down to the lowest word that it changed.
    pub fn bytes(&self) -> u64 {
        self.deepest.saturating_sub(STACK_AT_CALL) as u64
    }
}

impl Runner for StackGauge<'_> {
    fn run(&mut self, call: &Call) -> u64 {
        self.stack.paint(self.pattern);
        let returned = self.stack.run(call);
        let touched = self.stack.len() - self.stack.untouched(self.pattern);
        self.deepest = self.deepest.max(touched);
        returned
    }
}
