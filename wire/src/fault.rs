//! The end of a meter's life.

use heapless::Vec;
use serde::{Deserialize, Serialize};

use crate::{Operation, Text};

/// The end of this meter's life: it reports, and must be started anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// The operation that ran, if any did.
    pub operation: Option<Operation>,
    /// The instruction at fault.
    pub address: u64,
    /// The data address at fault, where the event has one.
    pub data_address: Option<u64>,
    /// The stack pointer.
    pub stack_pointer: u64,
    /// Exception syndrome (ESR_EL1) or signal number.
    pub syndrome: u64,
    /// Return addresses, innermost first.
    pub backtrace: Vec<u64, 16>,
    /// A panic's or an assertion's own words; empty when there are none.
    pub message: Text,
}

/// What ended the meter.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub enum FaultKind {
    /// The measuring stack was not enough.
    StackOverflow,
    /// Access to an address near 0.
    NullAccess,
    /// Any other exception or signal; the syndrome says which.
    Exception,
    /// The submission called `abort`.
    Abort,
    /// The submission called `exit` with this status.
    Exit(i32),
    /// An assertion of the submission failed.
    Assertion,
    /// The submission's heap was exhausted or misused.
    Heap,
    /// The operation's deadline passed on the target.
    Deadline,
    /// The meter itself panicked.
    Panic,
}
