//! What is measured of an instance, and in which order.
//!
//! First the known answers: an instance that computes something else is not timed by default. Then, for each operation,
//! one call to learn how long it takes, the plan that follows from it, the trials, a pass of
//! per-call samples, passes over the core's events, cold calls where they are asked for, and the
//! memory of one call.

mod clock;
mod difference;
mod kat;
mod operation;
mod passes;
mod profile;
mod verified;

pub use clock::{Clock, DISTURBED_BELOW};
pub use kat::{KatError, known_answer, published_digest};
pub use operation::{Attempt, PATIENCE, Settings, Step, operation, trials};
pub use profile::profile;
pub use verified::lines;
