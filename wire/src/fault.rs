//! The end of a meter's life.

use heapless::Vec;
use serde::{Deserialize, Serialize};

use crate::{Operation, Text};

/// General registers that a report carries, at most.
pub const REGISTERS: usize = 17;

/// Words of the stack that a report carries, at most.
pub const STACK_WORDS: usize = 128;

/// Addresses of a chain of frame records that a report carries, at most.
pub const BACKTRACE: usize = 16;

/// The end of this meter's life: it reports, and must be started anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// What the processor or the kernel said of it.
    pub event: FaultEvent,
    /// The operation that ran, if any did.
    pub operation: Option<Operation>,
    /// Whether it was its set-up that ran, which calls other operations.
    pub preparing: bool,
    /// The instruction at fault; for a [`FaultEvent::Call`] the return address in the caller.
    pub address: u64,
    /// The data address at fault, where the event has one.
    pub data_address: Option<u64>,
    /// The stack pointer at the fault, or that of the caller when its call returns.
    pub stack_pointer: u64,
    /// Registers that lead to the callers, by the numbers of the processor's DWARF: x0 to x30 of
    /// an AArch64 core from 19 on, rax to r15 of an x86-64 processor from 0 on.
    pub registers: Vec<u64, REGISTERS>,
    /// Return addresses, innermost first, from the link register and the chain of frame records.
    pub backtrace: Vec<u64, BACKTRACE>,
    /// What on the stack may lead to the callers, lowest first.
    pub stack: Vec<StackWord, STACK_WORDS>,
    /// Blocks of the heap that the meter had freed as lost, as [`Failure::freed_blocks`].
    ///
    /// [`Failure::freed_blocks`]: crate::Failure::freed_blocks
    pub freed_blocks: u64,
    /// A panic's or an assertion's own words, or what else there is to say; empty when there is
    /// nothing.
    pub message: Text,
}

/// A word of the stack that holds an address of code or of the stack itself.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct StackWord {
    /// Bytes from the stack pointer up to the word.
    pub offset: u32,
    /// What it holds; addresses of code as the image's file has them.
    pub value: u64,
}

/// What ended the meter.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub enum FaultKind {
    /// The measuring stack was not enough.
    StackOverflow,
    /// Access to an address near 0.
    NullAccess,
    /// Any other exception, interrupt or signal; the event says which.
    Exception,
    /// The submission called `abort`.
    Abort,
    /// The submission called `exit` with this status.
    Exit(i32),
    /// An assertion of the submission failed.
    Assertion,
    /// The submission's heap was exhausted or misused.
    Heap,
    /// The submission changed how the meter counts.
    Counter,
    /// The operation's deadline passed on the target.
    Deadline,
    /// The meter itself panicked.
    Panic,
}

/// How the meter came to know.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub enum FaultEvent {
    /// Somebody called: `abort`, `free` with a wild pointer, a panic.
    Call,
    /// A synchronous exception of an Arm core, with ESR_EL1.
    Exception(u64),
    /// An SError of an Arm core, with ESR_EL1.
    SystemError(u64),
    /// An interrupt of an Arm core, with its number where the controller has one.
    Interrupt(Option<u32>),
    /// A signal of Linux, with its number and `si_code`.
    Signal {
        /// The number.
        number: i32,
        /// Where it comes from.
        code: i32,
    },
}
