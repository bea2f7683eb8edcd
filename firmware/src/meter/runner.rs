//! The runners: one that only runs, three that count, one that looks at memory.

use wire::{HeapUse, Live, MemoryUse, StackUse};

use crate::abi::heap;
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

/// Finds what memory the calls use: paint the stack, call, look; and what the heap counted.
///
/// What the pattern does not show: a frame whose lowest bytes the callee never writes. Where the
/// submission calls a function of the meter from within, the stack pointer there shows it.
pub struct MemoryGauge<'a> {
    stack: &'a mut MeasuringStack,
    pattern: u64,
    painted: usize,
    pointer: Option<usize>,
    heap: Option<HeapUse>,
}

impl<'a> MemoryGauge<'a> {
    /// A gauge that paints with this pattern.
    pub fn new(stack: &'a mut MeasuringStack, pattern: u64) -> Self {
        Self {
            stack,
            pattern,
            painted: 0,
            pointer: None,
            heap: None,
        }
    }

    /// What the calls used; those that run aside do not count.
    pub fn memory(&self) -> MemoryUse {
        let below_call = |depth: usize| depth.saturating_sub(STACK_AT_CALL) as u64;
        MemoryUse {
            stack: StackUse {
                painted_bytes: below_call(self.painted),
                pointer_bytes: self.pointer.map(below_call),
                available_bytes: self.stack.len() as u64,
            },
            heap: self.heap.unwrap_or_default(),
        }
    }
}

impl Runner for MemoryGauge<'_> {
    fn run(&mut self, call: &Call) -> u64 {
        self.stack.paint(self.pattern);
        self.stack.watch();
        heap::start_counting();
        let returned = self.stack.run(call);
        let heap = heap::counted();
        self.heap = Some(self.heap.map_or(heap, |earlier| joined(&earlier, &heap)));
        self.pointer = self.pointer.max(self.stack.watched());
        let touched = self.stack.len() - self.stack.untouched(self.pattern);
        self.painted = self.painted.max(touched);
        returned
    }

    fn aside(&mut self, call: &Call) -> u64 {
        self.stack.run(call)
    }
}

/// What two calls did to the heap together. What happened between them is left out of what is in
/// use after both.
fn joined(first: &HeapUse, second: &HeapUse) -> HeapUse {
    let after = |first_after: u64, before: u64, after: u64| {
        first_after.wrapping_sub(before).wrapping_add(after)
    };
    HeapUse {
        live_before: first.live_before,
        live_after: Live {
            bytes: after(
                first.live_after.bytes,
                second.live_before.bytes,
                second.live_after.bytes,
            ),
            blocks: after(
                first.live_after.blocks,
                second.live_before.blocks,
                second.live_after.blocks,
            ),
        },
        peak_bytes: first.peak_bytes.max(second.peak_bytes),
        largest_bytes: first.largest_bytes.max(second.largest_bytes),
        allocations: first.allocations + second.allocations,
        frees: first.frees + second.frees,
        failures: first.failures + second.failures,
        available_bytes: second.available_bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_between_two_calls_is_no_part_of_either() {
        let live = |bytes, blocks| Live { bytes, blocks };
        let heap = |before, after, peak_bytes| HeapUse {
            live_before: before,
            live_after: after,
            peak_bytes,
            largest_bytes: 60,
            allocations: 2,
            frees: 1,
            ..HeapUse::default()
        };
        // The first leaves a block of 60 bytes, 1000 come from elsewhere, the second leaves none.
        let both = joined(
            &heap(live(10, 1), live(70, 2), 130),
            &heap(live(1070, 3), live(1010, 2), 1100),
        );
        assert_eq!(
            (both.live_before, both.live_after),
            (live(10, 1), live(10, 1))
        );
        assert_eq!((both.peak_bytes, both.largest_bytes), (1100, 60));
        assert_eq!((both.allocations, both.frees), (4, 2));
    }
}
