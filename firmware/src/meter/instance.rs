//! What the meter needs to know of an instance, whatever interface it speaks.

use wire::{Failure, FailureKind, KatReport, Operation};

use crate::cpu::Call;

/// Runs the calls of a submission on the measuring stack and brings back what they returned.
///
/// Every call of a submission goes through a runner, so that all run in the same surroundings;
/// which runner it is decides what is learnt from it.
pub trait Runner {
    /// Runs a call that belongs to the operation. The whole return register comes back, of which
    /// an `int` is the low half.
    fn run(&mut self, call: &Call) -> u64;
}

/// An instance of a submission behind one of the C interfaces.
pub trait Instance {
    /// Brings buffers, randomness, heap and keys to the state before the first call of
    /// `operation`, the same every time.
    ///
    /// # Errors
    ///
    /// A [`Failure`] that names the operation of the set-up that failed.
    fn prepare<R: Runner>(&mut self, operation: Operation, runner: &mut R) -> Result<(), Failure>;

    /// Performs the operation once. What is judged here is cheap enough to stand inside a loop.
    ///
    /// # Errors
    ///
    /// [`FailureKind::ReturnCode`] when the interface does not allow what a call returned.
    fn perform<R: Runner>(
        &mut self,
        operation: Operation,
        runner: &mut R,
    ) -> Result<(), FailureKind>;

    /// Judges everything else that can be told after the operation: lengths, guards, agreement.
    ///
    /// # Errors
    ///
    /// What was wrong.
    fn inspect(&self, operation: Operation) -> Result<(), FailureKind>;

    /// Regenerates the first record of the known answers.
    ///
    /// # Errors
    ///
    /// A [`Failure`] that names the operation that failed.
    fn known_answer<R: Runner>(&mut self, runner: &mut R) -> Result<KatReport, Failure>;
}
