//! The runners: one that only runs, three that count, one that looks at the stack.

use crate::board::MeasuringStack;
use crate::cpu::cold::Chiller;
use crate::cpu::{Call, STACK_AT_CALL, counter};
use crate::meter::bracket::Bracket;
use crate::meter::instance::Runner;

impl Runner for MeasuringStack {
    fn run(&mut self, call: &Call) -> u64 {
        MeasuringStack::run(self, call)
    }

    fn aside(&mut self, call: &Call) -> u64 {
        MeasuringStack::run(self, call)
    }
}

/// A runner that counts what the calls cost.
pub trait Watch: Runner {
    /// What the calls since the last time cost, net of the empty call; starts anew.
    fn take(&mut self) -> u64;
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
}

impl Watch for Stopwatch<'_> {
    fn take(&mut self) -> u64 {
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

/// Counts what the calls cost when each finds caches, TLB and predictor cold.
pub struct ColdStopwatch<'a> {
    stopwatch: Stopwatch<'a>,
    chiller: &'a mut Chiller,
}

impl<'a> ColdStopwatch<'a> {
    /// A stopwatch that takes `overhead`, the count of an empty call that is as cold, off every
    /// call.
    pub fn new(stack: &'a mut MeasuringStack, overhead: u64, chiller: &'a mut Chiller) -> Self {
        Self {
            stopwatch: Stopwatch::new(stack, overhead),
            chiller,
        }
    }
}

impl Watch for ColdStopwatch<'_> {
    fn take(&mut self) -> u64 {
        self.stopwatch.take()
    }
}

impl Runner for ColdStopwatch<'_> {
    fn run(&mut self, call: &Call) -> u64 {
        // Nothing of the submission is touched between this and the call.
        self.chiller.chill();
        self.stopwatch.run(call)
    }

    fn aside(&mut self, call: &Call) -> u64 {
        self.stopwatch.aside(call)
    }
}

/// Puts a bracket around each call of an operation that only stands inside a longer run.
pub struct StepBracket<'a, B: Bracket> {
    stack: &'a mut MeasuringStack,
    bracket: &'a mut B,
}

impl<'a, B: Bracket> StepBracket<'a, B> {
    /// A runner whose calls stand in this bracket.
    pub fn new(stack: &'a mut MeasuringStack, bracket: &'a mut B) -> Self {
        Self { stack, bracket }
    }
}

impl<B: Bracket> Runner for StepBracket<'_, B> {
    #[inline(never)]
    fn run(&mut self, call: &Call) -> u64 {
        self.bracket.open();
        let returned = self.stack.run(call);
        self.bracket.close();
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
