//! Everything that is measured of one operation.

use std::fmt;
use std::time::Duration;

use wire::{CounterSource, Operation, Unit};

use crate::measurement::{Measurement, Plan, StackUse, Trial, Unfinished};
use crate::record::plan::{CALIBRATION, PlanSettings, plan};
use crate::session::{Session, SessionError, keep_spoiled};

/// Words that fill the stack: two, because a value on the stack can equal the first.
const PATTERNS: [u64; 2] = [0xa5c3_96e1_5a3c_691e, 0x3b9a_ca07_c465_35f8];

/// A trial whose clock falls below this share of the reference was disturbed. Steps of a key
/// exchange are not judged: their brackets are too short.
const DISTURBED_BELOW: f64 = 0.95;

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
    pub outcome: Result<Measurement, Unfinished>,
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
        measured: Measurement {
            operation,
            plan: CALIBRATION,
            trials: Vec::new(),
            samples: Vec::new(),
            stack: None,
        },
        disturbed_retries: 0,
        step: Step::Calibration,
    };
    let mut progress = |course: &mut Course, step| {
        course.step = step;
        progress(step);
    };
    let result = measure(session, operation, settings, &mut progress, &mut course);
    let plan = course.measured.plan;
    let outcome = match keep_spoiled(result)? {
        Ok(()) => Ok(course.measured),
        Err(spoiled) => Err(Unfinished {
            spoiled,
            step: Some(course.step.to_string()),
            kept: Some(course.measured).filter(|measured| !measured.trials.is_empty()),
        }),
    };
    Ok(Attempt {
        plan,
        outcome,
        disturbed_retries: course.disturbed_retries,
    })
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Calibration => f.write_str("calibration"),
            Self::Trial { number, of } => write!(f, "trial {number} of {of}"),
            Self::Samples => f.write_str("samples"),
            Self::Stack => f.write_str("stack"),
        }
    }
}

/// What is known of an attempt even when it comes to nothing.
struct Course {
    /// What was measured so far.
    measured: Measurement,
    disturbed_retries: u64,
    /// The step that was begun last.
    step: Step,
}

fn measure(
    session: &mut Session,
    operation: Operation,
    settings: &Settings,
    progress: &mut dyn FnMut(&mut Course, Step),
    course: &mut Course,
) -> Result<(), SessionError> {
    progress(course, Step::Calibration);
    let source = session.introduction().hello.counter.source;
    let mut call = duration(&session.calibrate(operation)?, source);
    if operation.is_step() {
        // One iteration costs a whole run.
        let run = session.calibrate(Operation::Exchange)?;
        call = call.max(duration(&run, source));
    }
    let plan = plan(call.as_secs_f64(), &on_target(&settings.plan, session));
    course.measured.plan = plan;
    let expected = call.saturating_mul(plan.calls_per_trial.saturating_add(plan.warmups));

    for number in 1..=plan.trials {
        let step = Step::Trial {
            number,
            of: plan.trials,
        };
        progress(course, step);
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
        course.measured.trials.push(trial);
    }
    progress(course, Step::Samples);
    course.measured.samples =
        session.samples(operation, plan.warmups, plan.calls_per_trial, expected)?;
    progress(course, Step::Stack);
    course.measured.stack = Some(stack(session, operation)?);
    Ok(())
}

/// The settings of a plan on the target's clock: a budget is a time on the wall.
fn on_target(settings: &PlanSettings, session: &Session) -> PlanSettings {
    PlanSettings {
        operation_budget_seconds: settings.operation_budget_seconds
            / session.usual_wall_per_target(),
        ..*settings
    }
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
