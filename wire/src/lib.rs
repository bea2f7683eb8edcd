//! The messages between the host and the meter, and their framing.
//!
//! Both sides of the line use this crate; it does no input or output of its own. The host asks,
//! the meter answers: a [`Request`] goes out in a frame with a number, and every [`Response`] to
//! it carries the same number. Requests are idempotent, and the meter keeps the last result until
//! the host releases it, so that a damaged line costs time and never a number.
//!
//! ```text
//! 0x00 COBS( version kind request block length | postcard payload | CRC-32 ) 0x00
//! ```

#![cfg_attr(not(test), no_std)]

mod cold;
mod conditions;
mod events;
mod failure;
mod fault;
mod frame;
mod hello;
mod helper;
mod kat;
mod memory;
mod message;
mod operation;
mod profile;

pub use cold::{ColdSequence, Purge};
pub use conditions::Conditions;
pub use events::{EVENTS, Event, EventPass, EventReading};
pub use failure::{BufferName, Failure, FailureKind, Side};
pub use fault::{BACKTRACE, Fault, FaultEvent, FaultKind, REGISTERS, STACK_WORDS, StackWord};
pub use frame::{
    Decoder, Frame, FrameBuffer, FrameError, Kind, MAX_FRAME, MAX_PAYLOAD, encode, encode_bytes,
    is_before,
};
pub use hello::{Category, Counter, CounterSource, Hello, SelfTest, Sizes, Sled, StackProbe, Unit};
pub use helper::{Bits, DRNG, Family, HELPERS, Helper, family_of_name, helper_of_symbol};
pub use kat::{
    CanonicalReport, FieldDigest, HashFile, KatFile, KatReport, TEXT_PER_BLOCK, TextBlock,
};
pub use memory::{HeapUse, Live, MemoryUse, StackUse, Sweeps};
pub use message::{Label, Loop, Order, Request, Response, SAMPLES_PER_BLOCK, SampleBlock, Text};
pub use operation::{HASH_BYTES, MAX_PASSES, Operation, Probe};
pub use profile::{CallTally, CountingCost, MAX_COUNTED, MAX_SHAPES, Profile, Shape};

/// Version of the protocol, the first byte of every frame's header.
///
/// The host refuses a meter of another version: it cannot know what that one means.
pub const PROTOCOL_VERSION: u8 = 1;

/// CRC-32 of the source text that defines the messages.
///
/// postcard is not self-describing: two builds understand each other only if they were compiled
/// from the same definitions, and this number, sent in [`Hello`], says so.
pub const SCHEMA_HASH: u32 = {
    let digest = frame::CRC32.digest();
    let mut digest = digest;
    digest.update(include_bytes!("cold.rs"));
    digest.update(include_bytes!("conditions.rs"));
    digest.update(include_bytes!("events.rs"));
    digest.update(include_bytes!("failure.rs"));
    digest.update(include_bytes!("fault.rs"));
    digest.update(include_bytes!("hello.rs"));
    digest.update(include_bytes!("helper.rs"));
    digest.update(include_bytes!("kat.rs"));
    digest.update(include_bytes!("memory.rs"));
    digest.update(include_bytes!("message.rs"));
    digest.update(include_bytes!("operation.rs"));
    digest.update(include_bytes!("profile.rs"));
    digest.finalize()
};
