//! What the meter needs to know of an instance, whatever interface it speaks.

use wire::{Failure, FailureKind, KatReport, Operation};

use crate::cpu::Call;

/// Runs a call of the submission on the measuring stack and brings back what it returned.
///
/// An operation's set-up and the known answers go through it, so that every call of a submission
/// runs in the same surroundings.
pub trait Runner {
    /// Runs one call and returns the whole return register, of which an `int` is the low half.
    fn run(&mut self, call: &Call) -> u64;
}

/// An instance of a submission behind one of the C interfaces.
pub trait Instance {
    /// Brings buffers, randomness and keys to the state before the first call of `operation`,
    /// the same every time.
    ///
    /// # Errors
    ///
    /// A [`Failure`] that names the operation of the set-up that failed.
    fn prepare(&mut self, operation: Operation, runner: &mut dyn Runner) -> Result<(), Failure>;

    /// The call that performs `operation` once.
    fn call(&mut self, operation: Operation) -> Call;

    /// Judges what one call returned: cheap enough to stand inside a loop.
    ///
    /// # Errors
    ///
    /// [`FailureKind::ReturnCode`] when the interface does not allow this value.
    fn judge(&self, operation: Operation, returned: u64) -> Result<(), FailureKind>;

    /// Judges everything that can be told after a call: lengths, guards, agreement.
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
    fn known_answer(&mut self, runner: &mut dyn Runner) -> Result<KatReport, Failure>;
}
