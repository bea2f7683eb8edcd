//! The symmetric functions that an operation calls.

use std::time::Duration;

use wire::{CounterSource, Operation, Profile};

use crate::session::{Session, SessionError};

/// One call, to learn how long it takes, then the calls of one trial.
///
/// # Errors
///
/// What the target did instead, or an interruption.
pub fn profile(
    session: &mut Session,
    operation: Operation,
    warmups: u32,
    calls: u32,
) -> Result<Profile, SessionError> {
    let first = session.profile(operation, 0, 1, None)?;
    let nanoseconds = match session.introduction().hello.counter.source {
        // One instruction is one nanosecond there, and the clock has a coarser grain.
        CounterSource::Icount => first.count,
        _ => first.nanoseconds,
    };
    let call = Duration::from_nanos(nanoseconds);
    let expected = call.saturating_mul(calls.saturating_add(warmups));
    session.profile(operation, warmups, calls, Some(expected))
}
