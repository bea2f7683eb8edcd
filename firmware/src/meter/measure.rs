//! The subject of a measurement, and the ways to measure it.

use wire::{Failure, FailureKind, MemoryUse, Operation, Probe, Sweeps};

use crate::abi::heap;
use crate::board::{self, MeasuringStack};
use crate::cpu::{Call, counter};
use crate::meter::instance::{Instance, Runner};
use crate::meter::runner::{MemoryGauge, StepWatch, Stopwatch};

/// What one bracket around a loop showed.
#[derive(Default)]
pub struct Total {
    /// What the counter advanced by, nothing taken off.
    pub count: u64,
    /// The same bracket on the board's clock.
    pub nanoseconds: u64,
    /// What had to be freed between the calls; the bracket was closed meanwhile.
    pub sweeps: Sweeps,
}

/// A bracket around a loop, open from its making on.
struct Bracket {
    begin: u64,
    start: u64,
    total: Total,
}

impl Bracket {
    fn open(total: Total) -> Self {
        let begin = board::nanoseconds();
        Self {
            total,
            begin,
            start: counter::read(),
        }
    }

    fn close(self) -> Total {
        let end = counter::read();
        let mut total = self.total;
        total.nanoseconds += board::nanoseconds() - self.begin;
        total.count += end.wrapping_sub(self.start);
        total
    }
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

    /// Frees what the calls so far have lost, if the heap runs low: a submission that leaks is
    /// called as often as any other.
    fn tidy(&mut self, sweeps: &mut Sweeps) {
        if heap::has_grown()
            && let Self::Instance(instance, _) = self
        {
            sweeps.add(instance.tidy());
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
    fn warm_up(
        &mut self,
        stack: &mut MeasuringStack,
        warmups: u32,
        sweeps: &mut Sweeps,
    ) -> Result<(), Failure> {
        self.prepare(stack)?;
        (0..warmups).try_for_each(|call| {
            self.tidy(sweeps);
            self.perform_and_inspect(call, stack)
        })
    }

    /// One bracket around `calls` calls, after set-up and `warmups` untimed ones.
    ///
    /// Returned codes are judged inside the loop, and whether the heap runs low, at the cost of a
    /// comparison each; guards and lengths after it. For a step of a key exchange, the sum of a bracket around it in each run.
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
        let mut total = Total::default();
        self.warm_up(stack, warmups, &mut total.sweeps)?;
        if self.operation().is_step() {
            return self.total_of_steps(stack, calls, total.sweeps);
        }
        let mut bracket = Bracket::open(total);
        for call in 0..calls {
            self.perform(stack).map_err(self.failure(call))?;
            if heap::has_grown() {
                total = bracket.close();
                self.tidy(&mut total.sweeps);
                bracket = Bracket::open(total);
            }
        }
        let total = bracket.close();
        self.inspect()
            .map_err(self.failure(calls.saturating_sub(1)))?;
        Ok(total)
    }

    fn total_of_steps(
        &mut self,
        stack: &mut MeasuringStack,
        calls: u32,
        mut sweeps: Sweeps,
    ) -> Result<Total, Failure> {
        let mut watch = StepWatch::new(stack);
        for call in 0..calls {
            self.perform_and_inspect(call, &mut watch)?;
            self.tidy(&mut sweeps);
        }
        Ok(Total {
            sweeps,
            ..watch.total()
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
        warmups: u32,
        overhead: u64,
        samples: &mut [u64],
    ) -> Result<(), Failure> {
        // The calls are those of a trial, and so is what has to be freed between them.
        let mut sweeps = Sweeps::default();
        self.warm_up(stack, warmups, &mut sweeps)?;
        let mut stopwatch = Stopwatch::new(stack, overhead);
        for (call, sample) in (0..).zip(samples) {
            self.perform_and_inspect(call, &mut stopwatch)?;
            *sample = stopwatch.take();
            self.tidy(&mut sweeps);
        }
        Ok(())
    }

    /// Memory that one call uses.
    ///
    /// # Errors
    ///
    /// The failure of the call.
    pub fn memory_use(
        &mut self,
        stack: &mut MeasuringStack,
        pattern: u64,
    ) -> Result<MemoryUse, Failure> {
        self.prepare(stack)?;
        let mut gauge = MemoryGauge::new(stack, pattern);
        self.perform_and_inspect(0, &mut gauge)?;
        Ok(gauge.memory())
    }
}
