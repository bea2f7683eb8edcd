//! The runners: one that only runs, two that count, one that looks at the stack.

use crate::board::{self, MeasuringStack};
use crate::cpu::{Call, STACK_AT_CALL, counter};
use crate::meter::instance::Runner;
use crate::meter::measure::Total;

impl Runner for MeasuringStack {
    fn run(&mut self, call: &Call) -> u64 {
        MeasuringStack::run(self, call)
    }

    fn aside(&mut self, call: &Call) -> u64 {
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

    fn aside(&mut self, call: &Call) -> u64 {
        self.stack.run(call)
    }
}

/// Sums what the calls cost, in counts with nothing taken off and on the board's clock: a trial of
/// an operation that only stands inside a longer run.
pub struct StepWatch<'a> {
    stack: &'a mut MeasuringStack,
    total: Total,
}

impl<'a> StepWatch<'a> {
    /// A watch at zero.
    pub fn new(stack: &'a mut MeasuringStack) -> Self {
        let total = Total {
            count: 0,
            nanoseconds: 0,
        };
        Self { stack, total }
    }

    /// What all calls cost together.
    pub fn total(self) -> Total {
        self.total
    }
}

impl Runner for StepWatch<'_> {
    #[inline(never)]
    fn run(&mut self, call: &Call) -> u64 {
        let begin = board::nanoseconds();
        let start = counter::read();
        let returned = self.stack.run(call);
        let end = counter::read();
        self.total.nanoseconds += board::nanoseconds() - begin;
        self.total.count += end.wrapping_sub(start);
        returned
    }

    fn aside(&mut self, call: &Call) -> u64 {
        self.stack.run(call)
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

    fn aside(&mut self, call: &Call) -> u64 {
        self.stack.run(call)
    }
}
