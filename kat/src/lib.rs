//! Deterministic generators, known-answer texts and their digests.
//!
//! What a submission computes is compared with what its designers published; for that, its
//! randomness must be theirs and the text must be byte for byte the same. [`generator`] holds the
//! generators of the NIST known-answer programs, [`nist`] the text of a NIST record, [`iccs`] the
//! generator and the auxiliary hashes of the NGCC interface. Nothing here allocates.

#![cfg_attr(not(test), no_std)]

pub mod canonical;
pub mod generator;
pub mod iccs;
pub mod nist;
pub mod text;
