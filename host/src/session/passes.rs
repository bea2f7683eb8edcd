//! Passes beside the trials, as a session asks for them: events, and cold calls.

use std::time::Duration;

use wire::{ColdSequence, Conditions, EventPass, Operation, Request, Response};

use super::{Session, SessionError, loop_of, unexpected};
use crate::measurement::Spoiled;

impl Session {
    /// A loop of calls in which the events of pass number `pass`, from 0, are counted. `expected`
    /// is the time of all calls on the target's clock, warm-ups included.
    ///
    /// # Errors
    ///
    /// What the target did instead, or an interruption.
    pub fn events(
        &mut self,
        operation: Operation,
        warmups: u32,
        calls: u32,
        pass: u32,
        expected: Duration,
    ) -> Result<EventPass, SessionError> {
        let plan = loop_of(operation, warmups, calls, expected);
        let request = Request::Events { plan, pass };
        match self.ask(&request, self.predicted(operation, expected))? {
            Response::Events(events) if events.calls == calls || events.calls == 0 => Ok(events),
            Response::Events(events) => Err(Spoiled::Nonsense(format!(
                "events of {} calls instead of {calls}",
                events.calls
            ))
            .into()),
            other => Err(unexpected(&request, Some(other))),
        }
    }

    /// What the board says of its temperature and clock.
    ///
    /// # Errors
    ///
    /// What the target did instead, or an interruption.
    pub fn conditions(&mut self) -> Result<Conditions, SessionError> {
        let request = Request::Conditions;
        match self.ask(&request, self.unpredicted())? {
            Response::Conditions(conditions) => Ok(conditions),
            other => Err(unexpected(&request, Some(other))),
        }
    }

    /// Lets the meter make everything cold once: what that consists of, and what it takes.
    ///
    /// # Errors
    ///
    /// What the target did instead, or an interruption.
    pub fn cold_sequence(&mut self) -> Result<ColdSequence, SessionError> {
        let request = Request::ColdSequence;
        match self.ask(&request, self.unpredicted())? {
            Response::ColdSequence(sequence) => Ok(sequence),
            other => Err(unexpected(&request, Some(other))),
        }
    }

    /// A bracket around each of `calls` calls, each of which finds everything cold: their counts,
    /// net of an empty call that is as cold. `expected` includes what makes them cold.
    ///
    /// # Errors
    ///
    /// What the target did instead, or an interruption.
    pub fn cold(
        &mut self,
        operation: Operation,
        warmups: u32,
        calls: u32,
        expected: Duration,
    ) -> Result<Vec<u64>, SessionError> {
        let request = Request::Cold(loop_of(operation, warmups, calls, expected));
        self.sampled(&request, calls, self.predicted(operation, expected))
    }
}
