//! The subject of a measurement, and the ways to measure it.

use wire::{Failure, FailureKind, Operation, Probe, Profile};

use crate::board::{self, MeasuringStack};
use crate::cpu::{Call, counter};
use crate::meter::instance::{Instance, Runner};
use crate::meter::profile::Profiler;
use crate::meter::runner::{StackGauge, StepWatch, Stopwatch};

/// What one bracket around a loop showed.
pub struct Total {
    /// What the counter advanced by, nothing taken off.
    pub count: u64,
    /// The same bracket on the board's clock.
    pub nanoseconds: u64,
}

/// What is measured: an operation of the instance, or one of the meter's own probes.
pub enum Subject<'a, I: Instance> {
    /// An operation of the instance.
    Instance(&'a mut I, Operation),
    /// A probe: no set-up, and nothing to judge.
    Probe(Probe, Call),
}

impl<I: Instance> Subject<'_, I> {
    fn operation(&self) -> Operation {
        match self {
            Self::Instance(_, operation) => *operation,
            Self::Probe(probe, _) => Operation::Probe(*probe),
        }
    }

    fn prepare<R: Runner>(&mut self, runner: &mut R) -> Result<(), Failure> {
        match self {
            Self::Instance(instance, operation) => instance.prepare(*operation, runner),
            Self::Probe(..) => Ok(()),
        }
    }

    fn perform<R: Runner>(&mut self, runner: &mut R) -> Result<(), FailureKind> {
        match self {
            Self::Instance(instance, operation) => instance.perform(*operation, runner),
            Self::Probe(_, call) => {
                runner.run(call);
                Ok(())
            }
        }
    }

    fn inspect(&self) -> Result<(), FailureKind> {
        match self {
            Self::Instance(instance, operation) => instance.inspect(*operation),
            Self::Probe(..) => Ok(()),
        }
    }

    /// What was wrong, as a failure of call number `call`.
    fn failure(&self, call: u32) -> impl Fn(FailureKind) -> Failure {
        let operation = self.operation();
        move |kind| Failure {
            operation,
            call,
            kind,
        }
    }

    /// Performs the operation once and looks at everything that it left behind.
    fn perform_and_inspect<R: Runner>(&mut self, call: u32, runner: &mut R) -> Result<(), Failure> {
        let result = self.perform(runner).and_then(|()| self.inspect());
        result.map_err(self.failure(call))
    }

    /// The set-up and `warmups` untimed calls.
    fn warm_up(&mut self, stack: &mut MeasuringStack, warmups: u32) -> Result<(), Failure> {
        self.prepare(stack)?;
        (0..warmups).try_for_each(|call| self.perform_and_inspect(call, stack))
    }

    /// One bracket around `calls` calls, after set-up and `warmups` untimed ones.
    ///
    /// Returned codes are judged inside the loop, at the cost of a comparison; guards and lengths
    /// after it. For a step of a key exchange, the sum of a bracket around it in each run.
    ///
    /// # Errors
    ///
    /// The first failure of a call.
    pub fn total(
        &mut self,
        stack: &mut MeasuringStack,
        warmups: u32,
        calls: u32,
    ) -> Result<Total, Failure> {
        self.warm_up(stack, warmups)?;
        if self.operation().is_step() {
            return self.total_of_steps(stack, calls);
        }
        let begin = board::nanoseconds();
        let start = counter::read();
        for call in 0..calls {
            self.perform(stack).map_err(self.failure(call))?;
        }
        let end = counter::read();
        let nanoseconds = board::nanoseconds() - begin;
        self.inspect()
            .map_err(self.failure(calls.saturating_sub(1)))?;
        Ok(Total {
            count: end.wrapping_sub(start),
            nanoseconds,
        })
    }

    fn total_of_steps(&mut self, stack: &mut MeasuringStack, calls: u32) -> Result<Total, Failure> {
        let mut watch = StepWatch::new(stack);
        for call in 0..calls {
            self.perform_and_inspect(call, &mut watch)?;
        }
        Ok(watch.total())
    }

    /// A bracket around each call, net of the empty call; one sample for each place of `samples`.
    ///
    /// # Errors
    ///
    /// The first failure of a call.
    pub fn samples(
        &mut self,
        stack: &mut MeasuringStack,
        warmups: u32,
        overhead: u64,
        samples: &mut [u64],
    ) -> Result<(), Failure> {
        self.warm_up(stack, warmups)?;
        let mut stopwatch = Stopwatch::new(stack, overhead);
        for (call, sample) in (0..).zip(samples) {
            self.perform_and_inspect(call, &mut stopwatch)?;
            *sample = stopwatch.take();
        }
        Ok(())
    }

    /// The symmetric functions that `calls` calls call, in an image that counts them.
    ///
    /// # Errors
    ///
    /// The first failure of a call.
    pub fn profile(
        &mut self,
        stack: &mut MeasuringStack,
        warmups: u32,
        calls: u32,
    ) -> Result<Profile, Failure> {
        self.warm_up(stack, warmups)?;
        let mut profiler = Profiler::new(stack);
        for call in 0..calls {
            self.perform_and_inspect(call, &mut profiler)?;
        }
        Ok(profiler.profile(calls))
    }

    /// Bytes of stack that one call uses.
    ///
    /// # Errors
    ///
    /// The failure of the call.
    pub fn stack_use(&mut self, stack: &mut MeasuringStack, pattern: u64) -> Result<u64, Failure> {
        self.prepare(stack)?;
        let mut gauge = StackGauge::new(stack, pattern);
        self.perform_and_inspect(0, &mut gauge)?;
        Ok(gauge.bytes())
    }
}
