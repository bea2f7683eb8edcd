//! Profiles, as a session asks for them.

use std::time::{Duration, Instant};

use wire::{Operation, Profile, Request, Response};

use super::{Session, SessionError, loop_of, unexpected};
use crate::measurement::Spoiled;

impl Session {
    /// The symmetric functions that `calls` calls of an operation call. `expected` is the time of
    /// all of them on the target's clock; nobody can predict that of the first request, which is to
    /// be for a single call.
    ///
    /// # Errors
    ///
    /// What the target did instead, or an interruption; a refusal by an image that does not count.
    pub fn profile(
        &mut self,
        operation: Operation,
        warmups: u32,
        calls: u32,
        expected: Option<Duration>,
    ) -> Result<Profile, SessionError> {
        let request = Request::Profile(loop_of(
            operation,
            warmups,
            calls,
            expected.unwrap_or_default(),
        ));
        let patience = match expected {
            Some(expected) => self.predicted(operation, expected),
            None => self.unpredicted(),
        };
        let started = Instant::now();
        let response = self.ask(&request, patience)?;
        if expected.is_none() {
            self.setups.push((operation, started.elapsed()));
        }
        match response {
            Response::Profile(profile) if profile.operations == calls => Ok(profile),
            Response::Profile(profile) => {
                let words = format!("a profile of {} calls, not {calls}", profile.operations);
                Err(Spoiled::Nonsense(words).into())
            }
            other => Err(unexpected(&request, Some(other))),
        }
    }
}
