//! Brackets: one around a loop of calls, or one around each call.

use wire::{CounterSource, Failure, Operation, Probe, Sled};

use crate::board::{self, MeasuringStack};
use crate::cpu::{Call, counter};
use crate::meter::instance::{Instance, Runner};

/// Calls of the self-test, of which the least count is taken.
const SELF_TEST_CALLS: u32 = 32;

/// Instructions of the self-test's sled.
const SELF_TEST_SLED: u32 = 1000;

impl Runner for MeasuringStack {
    fn run(&mut self, call: &Call) -> u64 {
        MeasuringStack::run(self, call)
    }
}

/// What one bracket around a loop showed.
pub struct Total {
    /// What the counter advanced by.
    pub count: u64,
    /// The same bracket on the board's clock.
    pub nanoseconds: u64,
}

/// The subject of a measurement: an operation of the instance, or a probe.
pub struct Subject<'a, I: Instance> {
    /// The instance behind every operation that is not a probe.
    pub instance: &'a mut I,
    /// What is called.
    pub operation: Operation,
}

impl<I: Instance> Subject<'_, I> {
    /// Brings everything to the state before the first call.
    ///
    /// # Errors
    ///
    /// The failure of the set-up.
    pub fn prepare(&mut self, stack: &mut MeasuringStack) -> Result<(), Failure> {
        match self.operation {
            Operation::Probe(_) => Ok(()),
            operation => self.instance.prepare(operation, stack),
        }
    }

    /// The call to bracket; `None` for a probe that does not exist.
    pub fn call(&mut self) -> Option<Call> {
        match self.operation {
            Operation::Probe(probe) => Call::of_probe(probe),
            operation => Some(self.instance.call(operation)),
        }
    }

    fn judge(&self, call: u32, returned: u64) -> Result<(), Failure> {
        match self.operation {
            Operation::Probe(_) => Ok(()),
            operation => self.instance.judge(operation, returned),
        }
        .map_err(|kind| self.failure(call, kind))
    }

    /// Looks at everything that a call left behind.
    ///
    /// # Errors
    ///
    /// What was wrong, as a failure of call number `call`.
    pub fn inspect(&self, call: u32) -> Result<(), Failure> {
        match self.operation {
            Operation::Probe(_) => Ok(()),
            operation => self.instance.inspect(operation),
        }
        .map_err(|kind| self.failure(call, kind))
    }

    /// Judges what one call returned and left behind.
    ///
    /// # Errors
    ///
    /// What was wrong, as a failure of call number `call`.
    pub fn accept(&self, call: u32, returned: u64) -> Result<(), Failure> {
        self.judge(call, returned)?;
        self.inspect(call)
    }

    fn failure(&self, call: u32, kind: wire::FailureKind) -> Failure {
        Failure {
            operation: self.operation,
            call,
            kind,
        }
    }

    /// Untimed calls before a bracket.
    fn warm_up(
        &mut self,
        stack: &mut MeasuringStack,
        call: &Call,
        warmups: u32,
    ) -> Result<(), Failure> {
        for index in 0..warmups {
            let returned = stack.run(call);
            self.accept(index, returned)?;
        }
        Ok(())
    }

    /// One bracket around `calls` calls, after `warmups` untimed ones.
    ///
    /// The returned values are judged inside the loop, at the cost of a comparison; guards and
    /// lengths after it.
    ///
    /// # Errors
    ///
    /// The first failure of a call.
    pub fn total(
        &mut self,
        stack: &mut MeasuringStack,
        call: &Call,
        warmups: u32,
        calls: u32,
    ) -> Result<Total, Failure> {
        self.warm_up(stack, call, warmups)?;
        let begin = board::nanoseconds();
        let start = counter::read();
        for index in 0..calls {
            let returned = stack.run(call);
            self.judge(index, returned)?;
        }
        let end = counter::read();
        let nanoseconds = board::nanoseconds() - begin;
        self.inspect(calls.saturating_sub(1))?;
        Ok(Total {
            count: end.wrapping_sub(start),
            nanoseconds,
        })
    }

    /// A bracket around each call, net of the empty call; one sample for each place of `samples`.
    ///
    /// # Errors
    ///
    /// The first failure of a call.
    pub fn samples(
        &mut self,
        stack: &mut MeasuringStack,
        call: &Call,
        warmups: u32,
        overhead: u64,
        samples: &mut [u64],
    ) -> Result<(), Failure> {
        self.warm_up(stack, call, warmups)?;
        for (index, sample) in (0..).zip(samples) {
            let (count, returned) = bracket(stack, call);
            *sample = count.saturating_sub(overhead);
            self.accept(index, returned)?;
        }
        Ok(())
    }
}

/// One bracket around one call, and what the call returned.
#[inline(never)]
fn bracket(stack: &mut MeasuringStack, call: &Call) -> (u64, u64) {
    let start = counter::read();
    let returned = stack.run(call);
    let end = counter::read();
    (end.wrapping_sub(start), returned)
}

/// What an empty call costs inside the bracket of a sample, and the net count of a sled of known
/// length: each the least of some tries. Both 0 without a counter.
pub fn self_test(stack: &mut MeasuringStack, source: CounterSource) -> (u64, Sled) {
    let mut least = |probe| {
        if source == CounterSource::Missing {
            return 0;
        }
        let call = Call::of_probe(probe).expect("a probe that exists");
        (0..SELF_TEST_CALLS)
            .map(|_| bracket(stack, &call).0)
            .min()
            .unwrap_or(0)
    };
    let overhead = least(Probe::Empty);
    let sled = Sled {
        instructions: SELF_TEST_SLED,
        count: least(Probe::Sled(SELF_TEST_SLED)).saturating_sub(overhead),
    };
    (overhead, sled)
}
