//! Who the meter is, what it has inside, and what it counts with.

use heapless::Vec;
use serde::{Deserialize, Serialize};

use crate::operation::{HASH_BYTES, MAX_PASSES, Operation};
use crate::{Label, Text};

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
    /// Sizes in bytes that the instance claims, where they are known without running its code.
    pub sizes: Option<Sizes>,
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
    /// Key exchange.
    Kex,
    /// Hash function.
    Hash,
}

impl Category {
    /// The name in lists and in the programme's file names (there in upper case).
    pub fn name(self) -> &'static str {
        match self {
            Self::Kem => "kem",
            Self::Sig => "sig",
            Self::Kex => "kex",
            Self::Hash => "hash",
        }
    }

    /// The operations of this category, in the order in which pages list them; a key exchange
    /// has as many passes as the instance claims.
    pub fn operations(self, passes: u32) -> Vec<Operation, { MAX_PASSES + 8 }> {
        let passes = (1..=MAX_PASSES as u8).take(passes as usize);
        match self {
            Self::Kem => [Operation::Keygen, Operation::Enc, Operation::Dec]
                .into_iter()
                .collect(),
            Self::Sig => [Operation::Keygen, Operation::Sign, Operation::Verify]
                .into_iter()
                .collect(),
            Self::Kex => [Operation::Exchange, Operation::InitA, Operation::InitB]
                .into_iter()
                .chain(passes.map(Operation::Pass))
                .chain([Operation::DeriveA, Operation::DeriveB])
                .collect(),
            Self::Hash => HASH_BYTES.into_iter().map(Operation::Hash).collect(),
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
    /// Digest.
    pub digest: u32,
    /// Longest state of the initiator of a key exchange.
    pub state_a: u32,
    /// Longest state of the responder.
    pub state_b: u32,
    /// All messages of a key exchange together.
    pub messages: u32,
    /// Passes of a key exchange: a number, not a size.
    pub passes: u32,
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
    /// CNTVCT_EL0, the generic timer of an Arm core: not core cycles.
    Cntvct,
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
            Self::Cntvct => "cntvct",
            Self::Icount => "icount",
            Self::Missing => "missing",
        }
    }

    /// What one count of this source is.
    pub fn unit(self) -> Unit {
        match self {
            Self::Pmccntr | Self::PerfEvent => Unit::Cycles,
            Self::Icount => Unit::Instructions,
            Self::Cntvct => Unit::TimerTicks,
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
    /// Ticks of a clock that is not the core's: of a time-stamp counter.
    Ticks,
    /// Ticks of the generic timer, which are much longer.
    TimerTicks,
}

impl Unit {
    /// All units; counts of two of them never share a column or an axis.
    pub const ALL: [Self; 4] = [
        Self::Cycles,
        Self::Instructions,
        Self::Ticks,
        Self::TimerTicks,
    ];

    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Instructions => "instructions",
            Self::Ticks => "ticks",
            Self::TimerTicks => "timer_ticks",
        }
    }

    /// The heading wherever people see the number.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Instructions => "instructions, emulated",
            Self::Ticks => "TSC ticks",
            Self::TimerTicks => "timer ticks",
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
