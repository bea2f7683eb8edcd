//! Models of the generator and the auxiliary hashes of the NGCC programming interface (ICCS).
//!
//! Every length is in bits. A bit string starts at the most significant bit of its first byte; the
//! bits of the last byte beyond its end are ignored in a message and zero in a result.

mod auxiliary;
mod bits;
mod drng;
mod hash;
pub mod hash_files;
mod text;

pub use auxiliary::{pseudo_xof, pseudohash, sm3hash};
pub use bits::Bits;
pub use drng::{IccsDrng, STATE_BYTES};
pub use text::{IccsText, MAX_MESSAGE_BYTES, RECORDS, SEED_BYTES, Seeds, Start, message_bytes};

/// Why an ICCS function refuses its arguments.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum IccsError {
    /// A slice holds fewer bits than its length says.
    #[error("{bits} bits do not fit {bytes} bytes; pass a longer slice or a smaller length")]
    TooShort {
        /// The length that was claimed.
        bits: u64,
        /// Bytes of the slice.
        bytes: usize,
    },
    /// The function has no digest of this length; the C functions return -4.
    #[error("there is no digest of {0} bits: sm3hash has 256, pseudohash has 512, 768 and 1024")]
    DigestLength(u32),
}
