//! What the meter needs to know of an instance, whatever interface it speaks.

use heapless::Vec;
use kat::nist::TextSink;
use wire::{Failure, FailureKind, KatFile, KatReport, Live, MAX_PASSES, Operation, Sizes};

use crate::cpu::Call;

/// Runs the calls of a submission on the measuring stack and brings back what they returned.
///
/// Every call of a submission goes through a runner, so that all run in the same surroundings;
/// which runner it is decides what is learnt from it.
pub trait Runner {
    /// Runs a call that belongs to the operation. The whole return register comes back, of which
    /// an `int` is the low half.
    fn run(&mut self, call: &Call) -> u64;

    /// Runs a call that must happen and is not part of what is measured.
    fn aside(&mut self, call: &Call) -> u64;
}

/// Hears how far a known-answer file has come: so many of so many.
pub type Progress<'a> = &'a mut dyn FnMut(u32, u32);

/// Why something that was asked of an instance has no answer.
#[derive(Debug)]
pub enum Obstacle {
    /// A call did not do what it must.
    Failed(Failure),
    /// The file needs a message of more bytes than there are.
    TooLarge {
        /// Bytes that it needs.
        needed: u64,
        /// Bytes that there are.
        available: u64,
    },
    /// The instance has no such thing.
    Absent(&'static str),
}

impl From<Failure> for Obstacle {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// An instance of a submission behind one of the C interfaces.
pub trait Instance {
    /// Asks the instance for its sizes.
    ///
    /// # Errors
    ///
    /// A [`Failure`] when they do not fit the memory.
    fn sizes<R: Runner>(&mut self, runner: &mut R) -> Result<Sizes, Failure>;

    /// Runs one whole key exchange; the bytes of each of its messages come back.
    ///
    /// # Errors
    ///
    /// [`Obstacle::Absent`] where the instance is no key exchange.
    fn messages<R: Runner>(&mut self, runner: &mut R) -> Result<Vec<u32, MAX_PASSES>, Obstacle>;

    /// Brings buffers, randomness, heap, static data and keys to the state before the first call
    /// of `operation`, the same every time.
    ///
    /// # Errors
    ///
    /// A [`Failure`] that names the operation of the set-up that failed.
    fn prepare<R: Runner>(&mut self, operation: Operation, runner: &mut R) -> Result<(), Failure>;

    /// Performs the operation once; for a step of a key exchange, a whole run of which only that
    /// step counts. What is judged here is cheap enough to stand inside a loop.
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

    /// Frees what earlier calls allocated and nothing refers to any more, between two calls; what
    /// that was comes back.
    fn tidy(&mut self) -> Live;

    /// Regenerates the first record of NIST's known answers.
    ///
    /// # Errors
    ///
    /// [`Obstacle::Absent`] where the interface has none.
    fn first_record<R: Runner>(&mut self, runner: &mut R) -> Result<KatReport, Obstacle>;

    /// Regenerates an official known-answer file of the NGCC interface and writes its text.
    ///
    /// # Errors
    ///
    /// [`Obstacle::Absent`] where the interface has no such file. The number of the call in a
    /// [`Failure`] is that of the record.
    fn known_answers<R: Runner, S: TextSink>(
        &mut self,
        file: KatFile,
        runner: &mut R,
        sink: &mut S,
        progress: Progress<'_>,
    ) -> Result<(), Obstacle>;
}
