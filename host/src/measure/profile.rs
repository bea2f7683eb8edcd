//! The symmetric functions that an operation calls.

use std::time::Duration;

use wire::{CounterSource, Operation, Profile};

use crate::session::{Session, SessionError};

/// One call, to learn how long it takes, then passes of so many calls each. All start from the same
/// state and make the same calls, so that what differs between them is noise of the machine.
///
/// # Errors
///
/// What the target did instead, or an interruption.
pub fn profile(
    session: &mut Session,
    operation: Operation,
    warmups: u32,
    passes: u32,
    calls: u32,
) -> Result<Vec<Profile>, SessionError> {
    let first = session.profile(operation, 0, 1, None)?;
    let nanoseconds = match session.introduction().hello.counter.source {
        // One instruction is one nanosecond there, and the clock has a coarser grain.
        CounterSource::Icount => first.count,
        _ => first.nanoseconds,
    };
    let call = Duration::from_nanos(nanoseconds);
    let expected = call.saturating_mul(calls.saturating_add(warmups));
    (0..passes)
        .map(|_| session.profile(operation, warmups, calls, Some(expected)))
        .collect()
}
