//! Everything that is measured of one operation.

use std::time::Duration;

use wire::{CounterSource, Operation};

use super::passes;

use crate::measurement::{Measurement, MemoryUse, Plan, Spoiled, Trial};
use crate::record::plan::{CALIBRATION, PlanSettings, plan};
use crate::session::{Session, SessionError, keep_spoiled};

/// Words that fill the stack: two, because a value on the stack can equal the first.
const PATTERNS: [u64; 2] = [0xa5c3_96e1_5a3c_691e, 0x3b9a_ca07_c465_35f8];

/// How often a disturbed trial is repeated.
const REPETITIONS: u64 = 2;

/// How operations are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How often they are called.
    pub plan: PlanSettings,
    /// Longest time on the wall for an answer that nobody can predict.
    pub patience: Duration,
    /// Whether they are called cold as well.
    pub cold: bool,
}

/// Longest time on the wall for an answer that nobody can predict, unless the user says otherwise:
/// the slowest known-answer record that was seen takes a third of it in QEMU.
pub const PATIENCE: Duration = Duration::from_secs(900);

/// What is being done, for progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// One call, to learn how long it takes.
    Calibration,
    /// A trial, from 1, of so many.
    Trial {
        /// Its number.
        number: u32,
        /// All trials.
        of: u32,
    },
    /// The pass of per-call samples.
    Samples,
    /// Passes over the core's events.
    Events,
    /// Calls that find everything cold.
    Cold,
    /// The memory of one call.
    Memory,
}

/// What came of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// What was to be done; [`CALIBRATION`] when it did not get further.
    pub plan: Plan,
    /// The measurement, or why there is none.
    pub outcome: Result<Measurement, Spoiled>,
    /// Trials that were repeated because the clock fell during them.
    pub disturbed_retries: u64,
}

/// Measures one operation.
///
/// # Errors
///
/// Every error that is not the target's doing.
pub fn operation(
    session: &mut Session,
    operation: Operation,
    settings: &Settings,
    progress: &mut dyn FnMut(Step),
) -> Result<Attempt, SessionError> {
    let mut course = Course::new();
    let result = measure(session, operation, settings, progress, &mut course);
    Ok(Attempt {
        plan: course.plan,
        outcome: keep_spoiled(result)?,
        disturbed_retries: course.disturbed_retries,
    })
}

/// What is known of an attempt even when it comes to nothing.
struct Course {
    plan: Plan,
    disturbed_retries: u64,
}

impl Course {
    fn new() -> Self {
        Self {
            plan: CALIBRATION,
            disturbed_retries: 0,
        }
    }
}

/// The trials of one operation, and nothing else.
///
/// # Errors
///
/// Every error that is not the target's doing.
pub fn trials(
    session: &mut Session,
    operation: Operation,
    settings: &PlanSettings,
    progress: &mut dyn FnMut(Step),
) -> Result<Result<Vec<Trial>, Spoiled>, SessionError> {
    let mut course = Course::new();
    let result = planned_trials(session, operation, settings, progress, &mut course);
    keep_spoiled(result.map(|(trials, _)| trials))
}

/// Plans and runs the trials; beside them, how long one call takes on the target's clock.
fn planned_trials(
    session: &mut Session,
    operation: Operation,
    settings: &PlanSettings,
    progress: &mut dyn FnMut(Step),
    course: &mut Course,
) -> Result<(Vec<Trial>, Duration), SessionError> {
    progress(Step::Calibration);
    let source = session.introduction().hello.counter.source;
    let mut call = duration(&session.calibrate(operation)?, source);
    if operation.is_step() {
        // One iteration costs a whole run.
        let run = session.calibrate(Operation::Exchange)?;
        call = call.max(duration(&run, source));
    }
    let plan = plan(call.as_secs_f64(), settings);
    course.plan = plan;
    let expected = call.saturating_mul(plan.calls_per_trial.saturating_add(plan.warmups));

    let mut trials = Vec::new();
    let mut trial = |session: &mut Session, number| {
        progress(Step::Trial {
            number,
            of: plan.trials,
        });
        let trial = session.trial(operation, plan.warmups, plan.calls_per_trial, expected)?;
        if !operation.is_step() {
            session.clock.see(&trial);
        }
        Ok::<_, SessionError>(trial)
    };
    for number in 1..=plan.trials {
        trials.push(trial(session, number)?);
    }
    // Judged when all are there: the first may be the slow one.
    for _ in 0..REPETITIONS {
        for (number, kept) in (1..).zip(&mut trials) {
            if !operation.is_step() && session.clock.fell(kept) {
                *kept = trial(session, number)?;
                course.disturbed_retries += 1;
            }
        }
    }
    Ok((trials, call))
}

fn measure(
    session: &mut Session,
    operation: Operation,
    settings: &Settings,
    progress: &mut dyn FnMut(Step),
    course: &mut Course,
) -> Result<Measurement, SessionError> {
    let (trials, call) = planned_trials(session, operation, &settings.plan, progress, course)?;
    let plan = course.plan;
    let expected = call.saturating_mul(plan.calls_per_trial.saturating_add(plan.warmups));
    progress(Step::Samples);
    let samples = session.samples(operation, plan.warmups, plan.calls_per_trial, expected)?;
    progress(Step::Events);
    let events = passes::events(session, operation, &plan, call)?;
    let cold = if settings.cold {
        progress(Step::Cold);
        Some(passes::cold(session, operation, &plan, call)?)
    } else {
        None
    };
    progress(Step::Memory);
    let memory = memory(session, operation)?;
    Ok(Measurement {
        operation,
        plan,
        trials,
        samples,
        events,
        cold,
        layouts: Vec::new(),
        memory: Some(memory),
    })
}

/// How long the calibration call took.
///
/// Under QEMU's icount one instruction is one nanosecond, and the count repeats where the time has
/// the grain of the emulated clock: so a plan repeats as well.
fn duration(call: &Trial, source: CounterSource) -> Duration {
    Duration::from_nanos(match source {
        CounterSource::Icount => call.count,
        _ => call.nanoseconds,
    })
}

/// The memory of one call: of two, each on another pattern, the one with the deeper stack.
fn memory(session: &mut Session, operation: Operation) -> Result<MemoryUse, SessionError> {
    let [first, second] = PATTERNS.map(|pattern| {
        session.memory(operation, pattern).map(|used| MemoryUse {
            used,
            pattern,
            heap_repeats: true,
        })
    });
    let (first, second) = (first?, second?);
    let deeper = if second.used.stack.bytes() > first.used.stack.bytes() {
        second
    } else {
        first
    };
    Ok(MemoryUse {
        heap_repeats: first.used.heap == second.used.heap,
        ..deeper
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emulated_plan_does_not_depend_on_the_grain_of_the_clock() {
        let call = Trial {
            calls: 1,
            count: 559_623,
            nanoseconds: 559_632,
            sweeps: wire::Sweeps::default(),
        };
        let nanoseconds = |source| duration(&call, source).as_nanos();
        assert_eq!(nanoseconds(CounterSource::Icount), 559_623);
        assert_eq!(nanoseconds(CounterSource::Pmccntr), 559_632);
    }
}
