//! The text of a NIST known-answer record, as PQClean's programs print it.
//!
//! A field is `name = VALUE` on a line of its own; bytes are upper-case hexadecimal, no bytes are
//! `00`. A KEM's record has the fields `count`, `seed`, `pk`, `sk`, `ct` and `ss`, a signature
//! scheme's `count`, `seed`, `mlen`, `msg`, `pk`, `sk`, `smlen` and `sm`. Only the first record is
//! made.

mod digest;
mod opening;

pub use crate::text::TextSink;
pub use digest::{RecordDigest, RecordError};
pub use opening::{ENTROPY, MESSAGE_BYTES, Opening};
