//! The known answers of our own packages, from implementations that are not ours.
//!
//! Comparing what a package computes with what the same package computed before finds a change, but
//! no mistake. So the texts that our packages must produce come from crates that others wrote,
//! driven by the generator's model in [`kat`] in the order in which the C code draws. Their
//! canonical digests are committed as `kat/<package>/kat.sha256`, in the form in which the
//! programme's public harness keeps those of the candidates.
//!
//! Nothing here runs our C, and no digest that our C produced is ever committed.

#![forbid(unsafe_code)]

mod akex;
mod error;
mod files;
mod iccs;
mod instance;
mod kem;
mod rogues;
mod scheme;
mod sha3;
mod signature;
mod sm3;
mod standards;
mod x25519;

pub use error::AnswerError;
pub use files::{File, manifest, write_file};
pub use instance::{Instance, PACKAGES, package};
pub use scheme::{Encapsulation, Exchange, Party, Pass, Scheme, Signing};
