//! Everything that is measured of one operation.

use std::time::Duration;

use wire::{CounterSource, Operation, Unit};

use crate::measurement::{Measurement, Plan, Spoiled, StackUse, Trial};
use crate::record::plan::{CALIBRATION, PlanSettings, plan};
use crate::session::{Session, SessionError, keep_spoiled};

/// Words that fill the stack: two, because a value on the stack can equal the first.
const PATTERNS: [u64; 2] = [0xa5c3_96e1_5a3c_691e, 0x3b9a_ca07_c465_35f8];

/// A trial whose clock falls below this share of the reference was disturbed. Steps of a key
/// exchange are not judged: their brackets are too short.
pub const DISTURBED_BELOW: f64 = 0.95;

/// Trials shorter than this are not judged: their time is not precise enough.
const SHORTEST_JUDGED_SECONDS: f64 = 0.010;

/// How often a disturbed trial is repeated.
const REPETITIONS: u64 = 2;

/// How operations are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How often they are called.
    pub plan: PlanSettings,
    /// Longest time on the wall for an answer that nobody can predict.
    pub patience: Duration,
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
    /// The stack of one call.
    Stack,
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
    let mut course = Course {
        plan: CALIBRATION,
        disturbed_retries: 0,
    };
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

fn measure(
    session: &mut Session,
    operation: Operation,
    settings: &Settings,
    progress: &mut dyn FnMut(Step),
    course: &mut Course,
) -> Result<Measurement, SessionError> {
    progress(Step::Calibration);
    let source = session.introduction().hello.counter.source;
    let mut call = duration(&session.calibrate(operation)?, source);
    if operation.is_step() {
        // One iteration costs a whole run.
        let run = session.calibrate(Operation::Exchange)?;
        call = call.max(duration(&run, source));
    }
    let plan = plan(call.as_secs_f64(), &settings.plan);
    course.plan = plan;
    let expected = call.saturating_mul(plan.calls_per_trial.saturating_add(plan.warmups));

    let mut trials = Vec::new();
    for number in 1..=plan.trials {
        progress(Step::Trial {
            number,
            of: plan.trials,
        });
        let mut repetitions = 0;
        let trial = loop {
            let trial = session.trial(operation, plan.warmups, plan.calls_per_trial, expected)?;
            let judged = !operation.is_step() && is_disturbed(&trial, fixed_clock(session));
            if repetitions == REPETITIONS || !judged {
                break trial;
            }
            repetitions += 1;
        };
        course.disturbed_retries += repetitions;
        trials.push(trial);
    }
    progress(Step::Samples);
    let samples = session.samples(operation, plan.warmups, plan.calls_per_trial, expected)?;
    progress(Step::Stack);
    let stack = stack(session, operation)?;
    Ok(Measurement {
        operation,
        plan,
        trials,
        samples,
        stack: Some(stack),
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

/// The stack of one call: the deeper of two, each on another pattern.
fn stack(session: &mut Session, operation: Operation) -> Result<StackUse, SessionError> {
    let [first, second] = PATTERNS;
    let first = session.stack(operation, first)?;
    let second = session.stack(operation, second)?;
    Ok(if second.bytes > first.bytes {
        second
    } else {
        first
    })
}

/// Frequency of the core's clock, where cycles are counted and it is known.
fn fixed_clock(session: &Session) -> Option<u64> {
    let counter = &session.introduction().hello.counter;
    (counter.source.unit() == Unit::Cycles).then_some(counter.frequency_hz)?
}

/// Whether the core's clock fell during a trial.
fn is_disturbed(trial: &Trial, clock_hz: Option<u64>) -> bool {
    let seconds = trial.nanoseconds as f64 / 1e9;
    clock_hz.is_some_and(|clock| {
        seconds > SHORTEST_JUDGED_SECONDS
            && (trial.count as f64) / seconds < DISTURBED_BELOW * clock as f64
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
        };
        let nanoseconds = |source| duration(&call, source).as_nanos();
        assert_eq!(nanoseconds(CounterSource::Icount), 559_623);
        assert_eq!(nanoseconds(CounterSource::Pmccntr), 559_632);
    }

    #[test]
    fn a_falling_clock_is_a_disturbance_only_where_the_clock_is_known() {
        let trial = |nanoseconds, count| Trial {
            calls: 10,
            count,
            nanoseconds,
        };
        let clock = Some(1_000_000_000);
        assert!(is_disturbed(&trial(1_000_000_000, 940_000_000), clock));
        assert!(!is_disturbed(&trial(1_000_000_000, 960_000_000), clock));
        assert!(!is_disturbed(&trial(9_000_000, 1), clock));
        assert!(!is_disturbed(&trial(1_000_000_000, 1), None));
    }
}
