//! Passes beside the trials: the core's events, and cold calls.

use std::time::Duration;

use wire::{EventReading, Operation};

use crate::measurement::{ColdCalls, EventTotal, Plan, Spoiled};
use crate::session::{Session, SessionError};

/// Time that one pass over events should take at most: at 3 GHz and four instructions in a cycle,
/// a counter of 32 bits has not wrapped by then.
const EVENTS_TARGET: Duration = Duration::from_millis(250);

/// Calls that are made cold at most: each takes as long as it takes to empty every cache.
const COLD_CALLS: u32 = 100;

/// Passes over events at most: one for each would do.
const MOST_PASSES: u32 = wire::EVENTS as u32;

/// Counts every event that the core has, in as many passes as it needs. `call` is how long one
/// call takes on the target's clock.
pub fn events(
    session: &mut Session,
    operation: Operation,
    plan: &Plan,
    call: Duration,
) -> Result<Vec<EventTotal>, SessionError> {
    let calls = calls_in(EVENTS_TARGET, call).clamp(1, plan.calls_per_trial);
    let expected = call.saturating_mul(calls.saturating_add(plan.warmups));
    let mut totals: Vec<EventTotal> = Vec::new();
    let mut passes = 1;
    let mut pass = 0;
    while pass < passes {
        let counted = session.events(operation, plan.warmups, calls, pass, expected)?;
        passes = counted.passes;
        if !(1..=MOST_PASSES).contains(&passes) {
            let words = format!("events in {passes} passes");
            return Err(Spoiled::Nonsense(words).into());
        }
        for (event, reading) in counted.readings {
            if counted.calls == 0 && reading != EventReading::NotAvailable {
                let words = format!("{} events of no call", event.name());
                return Err(Spoiled::Nonsense(words).into());
            }
            totals.push(EventTotal {
                event,
                calls: counted.calls,
                reading,
            });
        }
        pass += 1;
    }
    for event in wire::Event::ALL {
        let told = totals.iter().filter(|total| total.event == event).count();
        if told != 1 {
            let words = format!("{} events told {told} times", event.name());
            return Err(Spoiled::Nonsense(words).into());
        }
    }
    Ok(totals)
}

/// Counts calls that find everything cold.
pub fn cold(
    session: &mut Session,
    operation: Operation,
    plan: &Plan,
    call: Duration,
) -> Result<ColdCalls, SessionError> {
    let sequence = session.cold_sequence()?;
    let calls = plan.calls_per_trial.min(COLD_CALLS);
    let chill = Duration::from_nanos(sequence.nanoseconds);
    let expected = call
        .saturating_add(chill.saturating_mul(made_cold(operation)))
        .saturating_mul(calls.saturating_add(plan.warmups));
    let samples = session.cold(operation, plan.warmups, calls, expected)?;
    Ok(ColdCalls { samples, sequence })
}

/// C calls of one operation at most, each of which is made cold. A whole key exchange has two
/// initialisations, its passes and two derivations.
fn made_cold(operation: Operation) -> u32 {
    match operation {
        Operation::Exchange => wire::MAX_PASSES as u32 + 4,
        _ => 1,
    }
}

/// Calls that fit into a time.
fn calls_in(time: Duration, call: Duration) -> u32 {
    let calls = time.as_nanos() / call.as_nanos().max(1);
    u32::try_from(calls).unwrap_or(u32::MAX)
}
