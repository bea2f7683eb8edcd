//! The ICCS generator: Hash_DRBG of NIST SP 800-90A over SM3.

use super::bits::{byte_length, clear_beyond};
use super::hash::{DIGEST_BYTES, sm3};
use super::{Bits, IccsError};

/// Bytes of each number of the state (`SEEDLEN` in `drng.h`).
pub const STATE_BYTES: usize = 55;

/// Length of each number of the state in bits, as the derivation function hashes it.
const STATE_BITS: [u8; 4] = (STATE_BYTES as u32 * 8).to_be_bytes();

/// A 440-bit number, big-endian.
type Number = [u8; STATE_BYTES];

/// The generator that submissions draw from through `get_random_number`.
///
/// It has no entropy but the seed, no personalisation and no reseeding. Its layout is that of the
/// C type `DRNG_ctx`.
#[derive(Clone, Debug, Eq, PartialEq)]
#[repr(C)]
pub struct IccsDrng {
    /// The hashed counter.
    pub v: Number,
    /// The constant that each request adds.
    pub c: Number,
    /// Number of the next request, from 1.
    pub reseed_counter: Number,
}

impl IccsDrng {
    /// `init_random_number`: a generator with this seed, of any length.
    pub fn new(seed: &[u8]) -> Self {
        let v = derive(&[], seed);
        let c = derive(&[0], &v);
        let mut reseed_counter = [0; STATE_BYTES];
        add(&mut reseed_counter, &[1]);
        Self {
            v,
            c,
            reseed_counter,
        }
    }

    /// `get_random_number`: one request for `bits` bits, written to the front of `output`.
    ///
    /// Each request advances the state exactly once, whatever its length, so two requests of 256
    /// bits are not one of 512.
    ///
    /// # Errors
    ///
    /// [`IccsError::TooShort`] when `output` does not hold `bits` bits; the state is unchanged.
    pub fn fill(&mut self, output: &mut [u8], bits: u64) -> Result<(), IccsError> {
        let length = byte_length(output.len(), bits)?;
        let output = &mut output[..length];
        let mut counter = self.v;
        for chunk in output.chunks_mut(DIGEST_BYTES) {
            chunk.copy_from_slice(&sm3(&[Bits::whole(&counter)])[..chunk.len()]);
            add(&mut counter, &[1]);
        }
        clear_beyond(output, bits);

        let hash = sm3(&[Bits::whole(&[3]), Bits::whole(&self.v)]);
        add(&mut self.v, &hash);
        add(&mut self.v, &self.c);
        add(&mut self.v, &self.reseed_counter);
        add(&mut self.reseed_counter, &[1]);
        Ok(())
    }
}

/// `Hash_df` of SP 800-90A, 10.3.1, for 440 bits: two digests are enough.
fn derive(prefix: &[u8], input: &[u8]) -> Number {
    let mut number = [0; STATE_BYTES];
    for (chunk, counter) in number.chunks_mut(DIGEST_BYTES).zip(1..) {
        let parts: [&[u8]; 4] = [&[counter], &STATE_BITS, prefix, input];
        let digest = sm3(&parts.map(Bits::whole));
        chunk.copy_from_slice(&digest[..chunk.len()]);
    }
    number
}

/// Adds a big-endian number of at most 440 bits, modulo 2^440.
fn add(sum: &mut Number, addend: &[u8]) {
    let mut carry = 0;
    let padded = addend.iter().rev().copied().chain(core::iter::repeat(0));
    for (byte, other) in sum.iter_mut().rev().zip(padded) {
        let total = u16::from(*byte) + u16::from(other) + carry;
        *byte = total as u8;
        carry = total >> 8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_that_of_the_c_context() {
        assert_eq!(size_of::<IccsDrng>(), 165);
        assert_eq!(align_of::<IccsDrng>(), 1);
    }

    #[test]
    fn sums_wrap_at_440_bits() {
        let mut sum = [0xff; STATE_BYTES];
        add(&mut sum, &[1]);
        assert_eq!(sum, [0; STATE_BYTES]);
        add(&mut sum, &[0x80, 0x01]);
        add(&mut sum, &[0x7f, 0xff]);
        assert_eq!(sum[STATE_BYTES - 3..], [1, 0, 0]);
    }

    #[test]
    fn a_refused_request_changes_nothing() {
        let mut generator = IccsDrng::new(b"seed");
        let before = generator.clone();
        assert!(generator.fill(&mut [0; 1], 9).is_err());
        assert_eq!(generator, before);
    }
}
