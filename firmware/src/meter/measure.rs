//! The subject of a measurement, and the ways to measure it.

use wire::{Failure, FailureKind, MemoryUse, Operation, Probe, Profile, Sweeps};

use crate::abi::{failed_call, heap};
use crate::board::MeasuringStack;
use crate::cpu::Call;
use crate::cpu::cold::Chiller;
use crate::meter::bracket::{Bracket, Clockwork, Total};
use crate::meter::events::{Counting, EventCounters};
use crate::meter::fault;
use crate::meter::instance::{Instance, Runner};
use crate::meter::profile::Profiler;
use crate::meter::runner::{ColdStopwatch, MemoryGauge, StepBracket, Stopwatch, Watch};

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
            Self::Instance(instance, operation) => {
                fault::note_preparing(true);
                let prepared = instance.prepare(*operation, runner);
                fault::note_preparing(false);
                prepared
            }
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
        move |kind| failed_call(operation, call, kind)
    }

    /// Performs the operation once and looks at everything that it left behind.
    fn perform_and_inspect<R: Runner>(&mut self, call: u32, runner: &mut R) -> Result<(), Failure> {
        let result = self.perform(runner).and_then(|()| self.inspect());
        result.map_err(self.failure(call))
    }

    /// The set-up and `warmups` untimed calls; what had to be freed between them comes back.
    fn warm_up(&mut self, stack: &mut MeasuringStack, warmups: u32) -> Result<Sweeps, Failure> {
        let mut sweeps = Sweeps::default();
        self.prepare(stack)?;
        for call in 0..warmups {
            self.perform_and_inspect(call, stack)?;
            self.tidy(&mut sweeps);
        }
        Ok(sweeps)
    }

    /// One bracket around `calls` calls, after set-up and `warmups` untimed ones.
    ///
    /// Returned codes are judged inside the loop, and whether the heap runs low, at the cost of a
    /// comparison each; guards and lengths after it. For a step of a key exchange, the sum of a
    /// bracket around it in each run.
    ///
    /// # Errors
    ///
    /// The first failure of a call.
    pub fn total(
        &mut self,
        stack: &mut MeasuringStack,
        warmups: u32,
        calls: u32,
    ) -> Result<(Total, Sweeps), Failure> {
        let mut clockwork = Clockwork::default();
        let sweeps = self.bracketed(stack, warmups, calls, &mut clockwork)?;
        Ok((clockwork.total(), sweeps))
    }

    /// The same loop with events counted in place of time.
    ///
    /// # Errors
    ///
    /// The first failure of a call.
    pub fn events<C: EventCounters>(
        &mut self,
        stack: &mut MeasuringStack,
        warmups: u32,
        calls: u32,
        counters: &mut C,
    ) -> Result<(), Failure> {
        self.bracketed(stack, warmups, calls, &mut Counting(counters))?;
        Ok(())
    }

    /// The loop, and what had to be freed between its calls, outside of the bracket.
    fn bracketed<B: Bracket>(
        &mut self,
        stack: &mut MeasuringStack,
        warmups: u32,
        calls: u32,
        bracket: &mut B,
    ) -> Result<Sweeps, Failure> {
        let mut sweeps = self.warm_up(stack, warmups)?;
        if self.operation().is_step() {
            let mut steps = StepBracket::new(stack, bracket);
            for call in 0..calls {
                self.perform(&mut steps).map_err(self.failure(call))?;
                self.tidy(&mut sweeps);
            }
        } else {
            bracket.open();
            for call in 0..calls {
                self.perform(stack).map_err(self.failure(call))?;
                if heap::has_grown() {
                    bracket.close();
                    self.tidy(&mut sweeps);
                    bracket.open();
                }
            }
            bracket.close();
        }
        self.inspect()
            .map_err(self.failure(calls.saturating_sub(1)))?;
        Ok(sweeps)
    }

    /// A bracket around each call, net of the empty call; one sample for each place of `samples`.
    ///
    /// As in a loop total, guards and lengths are looked at after the last call. Between calls
    /// that would leave caches and branch predictors other than a call finds them in a loop.
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
        let sweeps = self.warm_up(stack, warmups)?;
        self.watched(&mut Stopwatch::new(stack, overhead), samples, sweeps)
    }

    /// The same with everything made cold before each call.
    ///
    /// # Errors
    ///
    /// The first failure of a call.
    pub fn cold_samples(
        &mut self,
        stack: &mut MeasuringStack,
        warmups: u32,
        overhead: u64,
        chiller: &mut Chiller,
        samples: &mut [u64],
    ) -> Result<(), Failure> {
        let sweeps = self.warm_up(stack, warmups)?;
        self.watched(
            &mut ColdStopwatch::new(stack, overhead, chiller),
            samples,
            sweeps,
        )
    }

    fn watched<W: Watch>(
        &mut self,
        watch: &mut W,
        samples: &mut [u64],
        mut sweeps: Sweeps,
    ) -> Result<(), Failure> {
        let calls = samples.len() as u32;
        for (call, sample) in (0..).zip(samples) {
            self.perform(watch).map_err(self.failure(call))?;
            *sample = watch.take();
            // What is lost is freed where a trial of the same calls frees it.
            self.tidy(&mut sweeps);
        }
        self.inspect()
            .map_err(self.failure(calls.saturating_sub(1)))
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
        let mut sweeps = self.warm_up(stack, warmups)?;
        let mut profiler = Profiler::new(stack);
        for call in 0..calls {
            self.perform(&mut profiler).map_err(self.failure(call))?;
            self.tidy(&mut sweeps);
        }
        self.inspect()
            .map_err(self.failure(calls.saturating_sub(1)))?;
        Ok(profiler.profile(calls))
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
