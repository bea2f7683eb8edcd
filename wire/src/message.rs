//! What the host asks and what the meter answers.

use heapless::{String, Vec};
use serde::{Deserialize, Serialize};

use crate::operation::{MAX_PASSES, Operation};
use crate::{
    CanonicalReport, ColdSequence, Conditions, EventPass, Failure, Hello, KatFile, KatReport,
    MemoryUse, Profile, Sizes, Sweeps, TextBlock,
};

/// A short text of bounded length.
pub type Text = String<160>;

/// Name of a board, a candidate, an instance or a label.
pub type Label = String<64>;

/// A request, and how long the meter may take over it. The payload of a request's frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// Time on the target's clock until the meter ends itself with [`crate::FaultKind::Deadline`],
    /// from the request's arrival or the last word of progress; `None` for ever.
    pub deadline_nanoseconds: Option<u64>,
    /// What is asked.
    pub request: Request,
}

/// What the host asks of the meter.
///
/// Every request is idempotent: repeating it gives the same answer, from memory when the meter
/// still holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Who are you? Answered by [`Response::Hello`].
    Hello,
    /// Ask the instance for its sizes, which runs its code. Answered by [`Response::Sizes`].
    Sizes,
    /// Run one whole key exchange and report its messages. Answered by [`Response::Messages`].
    Messages,
    /// Regenerate the first record of the NIST known-answer file. Answered by [`Response::Kat`].
    Kat,
    /// Regenerate an official known-answer file and digest it. Answered by
    /// [`Response::Progress`] any number of times, then [`Response::Canonical`].
    Digest {
        /// The file.
        file: KatFile,
        /// Records that the digest of the first ones takes.
        first_records: u32,
    },
    /// Regenerate an official known-answer file and send its text. Answered by
    /// [`Response::Text`] for each block from `from` on, then [`Response::TextEnd`], which alone
    /// is held: a text can be larger than the target's memory. What got lost is asked for by a new
    /// request.
    Text {
        /// The file.
        file: KatFile,
        /// Number of the first block that is wanted.
        from: u32,
    },
    /// One bracket around a loop of calls. Answered by [`Response::Trial`].
    ///
    /// A loop of one call without warm-ups is the calibration that a plan is made from.
    Trial(Loop),
    /// A bracket around each call of a loop. Answered by [`Response::Samples`], in blocks.
    Samples(Loop),
    /// A bracket around each call of a loop, in which calls of symmetric functions are counted.
    /// Answered by [`Response::Profile`], by an image that was built for it.
    Profile(Loop),
    /// A loop of calls in which events are counted. Answered by [`Response::Events`].
    Events {
        /// The loop.
        plan: Loop,
        /// Number of the pass, from 0: a core has fewer counters than there are events.
        pass: u32,
    },
    /// What the board says of its temperature and clock. Answered by [`Response::Conditions`].
    Conditions,
    /// Make everything cold once. Answered by [`Response::ColdSequence`].
    ColdSequence,
    /// A bracket around each call of a loop, with everything made cold before each. Answered by
    /// [`Response::Samples`], in blocks.
    Cold(Loop),
    /// One call on a stack painted with a pattern, its heap counted. Answered by
    /// [`Response::Memory`].
    Memory {
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
    /// Answer to [`Request::Sizes`].
    Sizes(Sizes),
    /// Answer to [`Request::Messages`]: bytes of each message that was sent.
    Messages(Vec<u32, MAX_PASSES>),
    /// Answer to [`Request::Kat`].
    Kat(KatReport),
    /// Not yet a result: so much of the known answers is made.
    Progress {
        /// Records or iterations so far.
        done: u32,
        /// All of them.
        total: u32,
    },
    /// Answer to [`Request::Digest`].
    Canonical(CanonicalReport),
    /// One block of the answer to [`Request::Text`].
    Text(TextBlock),
    /// The end of the answer to [`Request::Text`].
    TextEnd {
        /// Blocks of the whole text.
        blocks: u32,
        /// Its length in bytes.
        bytes: u64,
    },
    /// The known-answer file needs a message that the target's memory does not hold.
    TooLarge {
        /// Bytes that it needs.
        needed: u64,
        /// Bytes that there are.
        available: u64,
    },
    /// Answer to [`Request::Trial`].
    Trial {
        /// Calls inside the bracket.
        calls: u32,
        /// What the counter advanced by, in its own unit, nothing taken off.
        count: u64,
        /// The same bracket on the target's clock.
        nanoseconds: u64,
        /// What had to be freed between the calls, outside the bracket, for the heap ran low.
        sweeps: Sweeps,
    },
    /// Answer to [`Request::Samples`], one block of several.
    Samples(SampleBlock),
    /// Answer to [`Request::Profile`].
    Profile(Profile),
    /// Answer to [`Request::Events`].
    Events(EventPass),
    /// Answer to [`Request::Conditions`].
    Conditions(Conditions),
    /// Answer to [`Request::ColdSequence`].
    ColdSequence(ColdSequence),
    /// Answer to [`Request::Memory`].
    Memory(MemoryUse),
    /// The operation did not do what it must; the meter itself is well.
    Failed(Failure),
    /// Answer to [`Request::Release`].
    Released,
    /// Answer to [`Request::Bye`]: the last word before the power goes off.
    Goodbye,
    /// The meter cannot do what was asked, and why.
    Refused(Text),
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
