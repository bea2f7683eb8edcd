//! Which symmetric functions an operation calls, and what that costs.

use heapless::Vec;
use spin::Mutex;
use wire::{CallTally, CountingCost, MAX_COUNTED, MAX_SHAPES, Probe, Profile, Shape};

use crate::abi::counting;
use crate::board::{self, MeasuringStack};
use crate::cpu::{Call, counter};
use crate::meter::instance::Runner;

/// Empty calls of which the least count is taken.
const EMPTY_CALLS: u32 = 32;

/// The calls of the operation that runs.
pub static TALLY: Mutex<Tally> = Mutex::new(Tally::new());

/// Calls by their shape, in tables of bounded size.
pub struct Tally {
    shapes: Vec<Shape, MAX_SHAPES>,
    rest: Vec<(u8, CallTally), MAX_COUNTED>,
    /// What the counter advanced by while calls were told apart.
    sorting: u64,
    /// The call that runs, when it began, and how many calls counters had let pass by then.
    current: Place,
    began: u64,
    idle_before: usize,
}

/// Where a call is added to.
#[derive(Clone, Copy)]
enum Place {
    Shape(usize),
    Rest(usize),
}

impl Tally {
    const fn new() -> Self {
        Self {
            shapes: Vec::new(),
            rest: Vec::new(),
            sorting: 0,
            current: Place::Rest(0),
            began: 0,
            idle_before: 0,
        }
    }

    /// Forgets all calls.
    pub fn clear(&mut self) {
        self.shapes.clear();
        self.rest.clear();
        self.sorting = 0;
    }

    /// The calls, by shape.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// What the counter advanced by while calls were told apart.
    pub fn sorting(&self) -> u64 {
        self.sorting
    }

    /// Finds the place of a call that begins; a shape for which there is no room is a part of its
    /// function's rest.
    pub fn sort(&mut self, helper: u8, input_bits: u64, output_bits: u64) {
        let known = self.shapes.iter().position(|shape| {
            (shape.helper, shape.input_bits, shape.output_bits) == (helper, input_bits, output_bits)
        });
        let new = Shape {
            helper,
            input_bits,
            output_bits,
            tally: CallTally::default(),
        };
        self.current = match known {
            Some(place) => Place::Shape(place),
            None => match self.shapes.push(new) {
                Ok(()) => Place::Shape(self.shapes.len() - 1),
                Err(_) => Place::Rest(self.rest_of(helper)),
            },
        };
    }

    fn rest_of(&mut self, helper: u8) -> usize {
        let known = self.rest.iter().position(|(other, _)| *other == helper);
        known.unwrap_or_else(|| {
            // The build counts no more functions than there are places.
            let _ = self.rest.push((helper, CallTally::default()));
            self.rest.len() - 1
        })
    }

    /// The call begins now; it was told apart since `arrived`.
    pub fn begin(&mut self, arrived: u64, idle_calls: usize) {
        self.idle_before = idle_calls;
        let now = counter::read();
        self.sorting += now.wrapping_sub(arrived);
        self.began = now;
    }

    /// The call has ended.
    pub fn end(&mut self, now: u64, idle_calls: usize) {
        let count = now.wrapping_sub(self.began);
        let nested = idle_calls.wrapping_sub(self.idle_before);
        let tally = match self.current {
            Place::Shape(place) => self.shapes.get_mut(place).map(|shape| &mut shape.tally),
            Place::Rest(place) => self.rest.get_mut(place).map(|(_, tally)| tally),
        };
        if let Some(tally) = tally {
            tally.calls = tally.calls.saturating_add(1);
            tally.count += count;
            tally.nested = tally
                .nested
                .saturating_add(u32::try_from(nested).unwrap_or(u32::MAX));
        }
    }
}

/// Counts what the calls of an operation cost, and lets counters count in them.
pub struct Profiler<'a> {
    stack: &'a mut MeasuringStack,
    overhead: u64,
    cost: CountingCost,
    count: u64,
    nanoseconds: u64,
    idle: usize,
}

impl<'a> Profiler<'a> {
    /// A profiler that takes off every call what an empty one counts in it, and that knows what
    /// counting costs.
    pub fn new(stack: &'a mut MeasuringStack) -> Self {
        let mut profiler = Self {
            stack,
            overhead: 0,
            cost: counting::cost(),
            count: 0,
            nanoseconds: 0,
            idle: 0,
        };
        profiler.overhead = profiler.empty_call();
        profiler.nanoseconds = 0;
        profiler
    }

    /// The least count of some empty calls.
    fn empty_call(&mut self) -> u64 {
        let Some(empty) = Call::of_probe(Probe::Empty) else {
            return 0;
        };
        let counts = (0..EMPTY_CALLS).map(|_| {
            self.run(&empty);
            core::mem::take(&mut self.count)
        });
        counts.min().unwrap_or(0)
    }

    /// What was seen in so many operations.
    pub fn profile(self, operations: u32) -> Profile {
        let tally = TALLY.lock();
        Profile {
            operations,
            count: self.count,
            nanoseconds: self.nanoseconds,
            sorting: tally.sorting,
            idle: self.idle as u64,
            cost: self.cost,
            shapes: tally.shapes.clone(),
            rest: tally.rest.clone(),
        }
    }
}

impl Runner for Profiler<'_> {
    #[inline(never)]
    fn run(&mut self, call: &Call) -> u64 {
        let idle = counting::idle_calls();
        let begin = board::nanoseconds();
        let (start, returned, end) = counting::counting(|| {
            let start = counter::read();
            let returned = self.stack.run(call);
            (start, returned, counter::read())
        });
        self.nanoseconds += board::nanoseconds() - begin;
        self.count += end.wrapping_sub(start).saturating_sub(self.overhead);
        self.idle += counting::idle_calls().wrapping_sub(idle);
        returned
    }

    fn aside(&mut self, call: &Call) -> u64 {
        self.stack.run(call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call of this shape that takes 5 counts and has one other call in it.
    fn call(tally: &mut Tally, helper: u8, input_bits: u64) {
        tally.sort(helper, input_bits, 256);
        tally.idle_before = 7;
        tally.began = 100;
        tally.end(105, 8);
    }

    #[test]
    fn calls_are_added_up_by_shape_and_none_is_lost() {
        let mut tally = Tally::new();
        for round in 0..3 {
            for input_bits in 0..MAX_SHAPES as u64 + 2 {
                call(&mut tally, 1, input_bits);
            }
            call(&mut tally, 2, round);
        }
        assert_eq!(tally.shapes().len(), MAX_SHAPES);
        let three = CallTally {
            calls: 3,
            count: 15,
            nested: 3,
        };
        assert!(tally.shapes().iter().all(|shape| shape.tally == three));
        let rest: std::vec::Vec<(u8, u32)> = tally
            .rest
            .iter()
            .map(|(helper, tally)| (*helper, tally.calls))
            .collect();
        assert_eq!(rest, [(1, 6), (2, 3)]);
        tally.clear();
        assert!(tally.shapes().is_empty() && tally.rest.is_empty());
    }
}
