//! What is measured of an instance, and in which order.
//!
//! First the known answers: an instance that computes something else is not timed by default. Then, for each operation,
//! one call to learn how long it takes, the plan that follows from it, the trials, a pass of
//! per-call samples, and the stack of one call.

mod difference;
mod kat;
mod operation;
mod verified;

pub use kat::{KatError, known_answer, published_digest};
pub use operation::{Attempt, PATIENCE, Settings, Step, operation};
pub use verified::lines;
