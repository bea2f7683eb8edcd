//! What the host asks and what the meter answers.

use core::fmt;

use heapless::{String, Vec};
use serde::{Deserialize, Serialize};

use crate::Operation;

/// A short text of bounded length.
pub type Text = String<160>;

/// Name of a board, a candidate, an instance or a label.
pub type Label = String<64>;

/// What the host asks of the meter.
///
/// Every request is idempotent: repeating it gives the same answer, from memory when the meter
/// still holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Who are you? Answered by [`Response::Hello`].
    Hello,
    /// Regenerate the first record of the NIST known-answer file. Answered by [`Response::Kat`].
    Kat,
    /// One bracket around a loop of calls. Answered by [`Response::Trial`].
    ///
    /// A loop of one call without warm-ups is the calibration that a plan is made from.
    Trial(Loop),
    /// A bracket around each call of a loop. Answered by [`Response::Samples`], in blocks.
    Samples(Loop),
    /// One call on a stack painted with a pattern. Answered by [`Response::Stack`].
    Stack {
        /// The operation to call.
        operation: Operation,
        /// The 64-bit word that fills the stack beforehand.
        pattern: u64,
    },
    /// Send again one block of the result that is held for the request in the header.
    Block {
        /// Number of the request whose result is wanted.
        request: u16,
        /// Number of the block.
        block: u16,
    },
    /// The result of this request has arrived in full and may be forgotten.
    Release {
        /// Number of the request whose result is complete.
        request: u16,
    },
    /// Acknowledge, then switch the power off.
    Bye,
}

/// A loop of calls, the same for every trial: set-up, warm-ups, then the calls that count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loop {
    /// The operation to call.
    pub operation: Operation,
    /// Untimed calls after the set-up.
    pub warmups: u32,
    /// Calls that are measured.
    pub calls: u32,
    /// Target time that the host expects, for the meter to state before it starts.
    pub expected_nanoseconds: u64,
}

/// What the meter answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(
    clippy::large_enum_variant,
    reason = "one response exists at a time, and there is no allocator to box it with"
)]
pub enum Response {
    /// Answer to [`Request::Hello`].
    Hello(Hello),
    /// Not yet a result: the operation starts now and is expected to take this long.
    Expect {
        /// Time on the target's clock.
        nanoseconds: u64,
    },
    /// Answer to [`Request::Kat`].
    Kat(KatReport),
    /// Answer to [`Request::Trial`].
    Trial {
        /// Calls inside the bracket.
        calls: u32,
        /// What the counter advanced by, in its own unit, nothing taken off.
        count: u64,
        /// The same bracket on the target's clock.
        nanoseconds: u64,
    },
    /// Answer to [`Request::Samples`], one block of several.
    Samples(SampleBlock),
    /// Answer to [`Request::Stack`].
    Stack {
        /// Bytes from the stack pointer at the call down to the lowest byte that changed.
        bytes: u64,
        /// Bytes that the operation could have used.
        available: u64,
    },
    /// The operation did not do what it must; the meter itself is well.
    Failed(Failure),
    /// Answer to [`Request::Release`].
    Released,
    /// Answer to [`Request::Bye`]: the last word before the power goes off.
    Goodbye,
    /// The meter cannot do what was asked, and why.
    Refused(Text),
}

/// Who the meter is, what it counts with, and whether it passed its own tests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// [`crate::SCHEMA_HASH`] of the meter's build.
    pub schema: u32,
    /// The linker's build id of the running image (SHA-1 of its contents).
    pub build_id: [u8; 20],
    /// The board that the image was built for.
    pub board: Label,
    /// The candidate's id.
    pub candidate: Label,
    /// The label of the instance inside.
    pub label: Label,
    /// What kind of scheme the instance is.
    pub category: Category,
    /// Sizes in bytes that the instance claims.
    pub sizes: Sizes,
    /// The counter behind every count.
    pub counter: Counter,
    /// Frequency of the clock behind every time in nanoseconds.
    pub clock_hz: u64,
    /// Exception level at entry, before dropping to EL1; `None` where there is no such thing.
    pub entry_level: Option<u8>,
    /// Bytes of stack that an operation may use.
    pub stack_available: u64,
    /// What the meter measured on functions of known behaviour at boot.
    pub self_test: SelfTest,
}

/// Kind of scheme, as the programme sorts its submissions.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub enum Category {
    /// Key encapsulation.
    Kem,
    /// Digital signature.
    Sig,
}

impl Category {
    /// The operations of this category, in the order in which pages list them.
    pub fn operations(self) -> &'static [Operation] {
        match self {
            Self::Kem => &[Operation::Keygen, Operation::Enc, Operation::Dec],
            Self::Sig => &[Operation::Keygen, Operation::Sign, Operation::Verify],
        }
    }
}

/// Sizes in bytes; 0 where the category has no such thing.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
pub struct Sizes {
    /// Public key.
    pub public_key: u32,
    /// Secret key.
    pub secret_key: u32,
    /// Ciphertext.
    pub ciphertext: u32,
    /// Shared secret.
    pub shared_secret: u32,
    /// Longest signature.
    pub signature: u32,
}

/// What counts come from.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub enum CounterSource {
    /// PMCCNTR_EL0 of a real Arm core.
    Pmccntr,
    /// The kernel's perf events, user mode only.
    PerfEvent,
    /// The invariant time-stamp counter: not core cycles.
    Tsc,
    /// PMCCNTR_EL0 under QEMU with precise instruction counting.
    Icount,
    /// No usable counter: there is none, or it stands still.
    Missing,
}

impl CounterSource {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pmccntr => "pmccntr",
            Self::PerfEvent => "perf_event",
            Self::Tsc => "tsc",
            Self::Icount => "icount",
            Self::Missing => "missing",
        }
    }

    /// What one count of this source is.
    pub fn unit(self) -> Unit {
        match self {
            Self::Pmccntr | Self::PerfEvent => Unit::Cycles,
            Self::Icount => Unit::Instructions,
            Self::Tsc | Self::Missing => Unit::Ticks,
        }
    }
}

/// Unit of a count.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unit {
    /// Core clock cycles.
    Cycles,
    /// Instructions executed by an emulator: not a time.
    Instructions,
    /// Ticks of a clock that is not the core's.
    Ticks,
}

impl Unit {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Instructions => "instructions",
            Self::Ticks => "ticks",
        }
    }

    /// The heading wherever people see the number.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Instructions => "instructions, emulated",
            Self::Ticks => "TSC ticks",
        }
    }
}

/// The counter, and what reading it costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counter {
    /// Where counts come from.
    pub source: CounterSource,
    /// Count of one empty call inside the bracket of a sample; taken off every sample.
    pub overhead: u64,
    /// Frequency, where the counter has a fixed one that is known.
    pub frequency_hz: Option<u64>,
    /// How it is read, or why it is missing.
    pub note: Text,
}

/// What the meter measured at boot on functions of known behaviour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelfTest {
    /// Functions of known stack use.
    pub stack: [StackProbe; 2],
    /// A sled of known length.
    pub sled: Sled,
}

/// Known and measured stack use.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct StackProbe {
    /// Bytes that the function uses.
    pub used_bytes: u32,
    /// Bytes that the meter found.
    pub measured_bytes: u64,
}

/// Known length of a sled and what the counter made of it.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct Sled {
    /// Instructions executed.
    pub instructions: u32,
    /// Net count.
    pub count: u64,
}

/// The first known-answer record, regenerated on the target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KatReport {
    /// SHA-256 of the record's text.
    pub digest: [u8; 32],
    /// SHA-256 of each field's value text, in the order of the record.
    pub fields: Vec<FieldDigest, 8>,
}

/// Digest of one field of a known-answer record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldDigest {
    /// The field's name as the text has it.
    pub name: String<12>,
    /// Length of the field's value in characters.
    pub characters: u32,
    /// SHA-256 of the value's text.
    pub digest: [u8; 32],
}

/// Samples that fit one block.
pub const SAMPLES_PER_BLOCK: usize = 320;

/// A run of per-call samples, net of the empty call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleBlock {
    /// Samples in the whole result.
    pub total: u32,
    /// Index of the first sample of this block.
    pub first: u32,
    /// Each sample less its predecessor in the block, the first less 0: mostly small numbers.
    pub differences: Vec<i64, SAMPLES_PER_BLOCK>,
}

/// An operation that did not do what it must.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The operation that was called: perhaps one of the set-up.
    pub operation: Operation,
    /// Number of the call, from 0, within the set-up or the loop.
    pub call: u32,
    /// What was wrong.
    pub kind: FailureKind,
}

/// What was wrong with a call that came back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FailureKind {
    /// It returned this code.
    ReturnCode(i64),
    /// It reported a length outside what the buffer holds.
    Length {
        /// The buffer.
        buffer: BufferName,
        /// What was reported.
        reported: u64,
        /// What the buffer holds.
        capacity: u64,
    },
    /// It wrote outside the buffer.
    Guard {
        /// The buffer.
        buffer: BufferName,
        /// Where the first changed byte lies.
        side: Side,
        /// Distance of that byte from the buffer's edge, in bytes.
        distance: u32,
    },
    /// Both sides' shared secrets differ, or an opened message is not the signed one.
    Disagreement,
}

/// Which side of a buffer.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub enum Side {
    /// At lower addresses.
    Before,
    /// At higher addresses.
    After,
}

/// The buffers that are handed to a submission.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub enum BufferName {
    /// Public key.
    PublicKey,
    /// Secret key.
    SecretKey,
    /// Ciphertext.
    Ciphertext,
    /// Shared secret of the encapsulating side.
    SharedSecret,
    /// Shared secret of the decapsulating side.
    DecapsulatedSecret,
    /// Message.
    Message,
    /// Signature.
    Signature,
    /// Message and signature in one, as `crypto_sign` makes it.
    SignedMessage,
    /// A length that the call writes.
    Length,
}

impl fmt::Display for BufferName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PublicKey => "public key",
            Self::SecretKey => "secret key",
            Self::Ciphertext => "ciphertext",
            Self::SharedSecret => "shared secret",
            Self::DecapsulatedSecret => "decapsulated secret",
            Self::Message => "message",
            Self::Signature => "signature",
            Self::SignedMessage => "signed message",
            Self::Length => "length",
        })
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReturnCode(code) => write!(f, "returned {code}"),
            Self::Length {
                buffer,
                reported,
                capacity,
            } => write!(
                f,
                "reported a {buffer} of {reported} bytes in a buffer of {capacity}"
            ),
            Self::Guard {
                buffer,
                side,
                distance,
            } => {
                let side = match side {
                    Side::Before => "before",
                    Side::After => "after",
                };
                write!(f, "wrote {distance} bytes {side} the {buffer}")
            }
            Self::Disagreement => f.write_str("the two sides' results differ"),
        }
    }
}

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
