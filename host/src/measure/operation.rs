//! Everything that is measured of one operation.

use std::fmt;
use std::time::Duration;

use wire::{CounterSource, Operation};

use super::passes;
use crate::measurement::{Measurement, MemoryUse, Plan, Spoiled, Trial, Unfinished};
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
    let mut course = Course::new(operation);
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
            Self::Events => f.write_str("events"),
            Self::Cold => f.write_str("cold calls"),
            Self::Memory => f.write_str("memory"),
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

impl Course {
    fn new(operation: Operation) -> Self {
        Self {
            measured: Measurement {
                operation,
                plan: CALIBRATION,
                trials: Vec::new(),
                conditions: None,
                samples: Vec::new(),
                events: Vec::new(),
                cold: None,
                layouts: Vec::new(),
                memory: None,
            },
            disturbed_retries: 0,
            step: Step::Calibration,
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
    let mut course = Course::new(operation);
    let mut progress = |_: &mut Course, step| progress(step);
    let result = planned_trials(session, operation, settings, &mut progress, &mut course);
    keep_spoiled(result.map(|_| course.measured.trials))
}

/// Plans and runs the trials; how long one call takes on the target's clock comes back.
fn planned_trials(
    session: &mut Session,
    operation: Operation,
    settings: &PlanSettings,
    progress: &mut dyn FnMut(&mut Course, Step),
    course: &mut Course,
) -> Result<Duration, SessionError> {
    progress(course, Step::Calibration);
    let source = session.introduction().hello.counter.source;
    let mut call = duration(&session.calibrate(operation)?, source);
    if operation.is_step() {
        // One iteration costs a whole run.
        let run = session.calibrate(Operation::Exchange)?;
        call = call.max(duration(&run, source));
    }
    let plan = plan(call.as_secs_f64(), &on_target(settings, session));
    course.measured.plan = plan;
    let expected = call.saturating_mul(plan.calls_per_trial.saturating_add(plan.warmups));
    let mut trial = |session: &mut Session, number, course: &mut Course| {
        let step = Step::Trial {
            number,
            of: plan.trials,
        };
        progress(course, step);
        let trial = session.trial(operation, plan.warmups, plan.calls_per_trial, expected)?;
        if !operation.is_step() {
            session.clock.see(&trial);
        }
        Ok::<_, SessionError>(trial)
    };
    for number in 1..=plan.trials {
        let trial = trial(session, number, course)?;
        course.measured.trials.push(trial);
    }
    // Judged when all are there: the first may be the slow one.
    for _ in 0..REPETITIONS {
        for number in 1..=plan.trials {
            let place = number as usize - 1;
            if !operation.is_step() && session.clock.fell(&course.measured.trials[place]) {
                course.measured.trials[place] = trial(session, number, course)?;
                course.disturbed_retries += 1;
            }
        }
    }
    Ok(call)
}

/// Everything that is measured of an operation, kept in `course` as it comes.
fn measure(
    session: &mut Session,
    operation: Operation,
    settings: &Settings,
    progress: &mut dyn FnMut(&mut Course, Step),
    course: &mut Course,
) -> Result<(), SessionError> {
    let before = conditions(session)?;
    let call = planned_trials(session, operation, &settings.plan, progress, course)?;
    let after = conditions(session)?;
    course.measured.conditions = before.zip(after).map(|(before, after)| [before, after]);
    let plan = course.measured.plan;
    let expected = call.saturating_mul(plan.calls_per_trial.saturating_add(plan.warmups));
    progress(course, Step::Samples);
    course.measured.samples =
        session.samples(operation, plan.warmups, plan.calls_per_trial, expected)?;
    progress(course, Step::Events);
    course.measured.events = passes::events(session, operation, &plan, call)?;
    if settings.cold {
        progress(course, Step::Cold);
        course.measured.cold = Some(passes::cold(session, operation, &plan, call)?);
    }
    progress(course, Step::Memory);
    course.measured.memory = Some(memory(session, operation)?);
    Ok(())
}

/// The board's conditions; `None` where it tells none, and on an emulator, which makes them up.
fn conditions(session: &mut Session) -> Result<Option<wire::Conditions>, SessionError> {
    if session.introduction().hello.counter.source == CounterSource::Icount {
        return Ok(None);
    }
    let told = session.conditions()?;
    Ok(Some(told).filter(|told| *told != wire::Conditions::default()))
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
