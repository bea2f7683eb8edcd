//! The auxiliary hashes: `sm3hash`, `pseudohash` and `pseudoXOF`.

use super::bits::{byte_length, clear_beyond};
use super::hash::{DIGEST_BYTES, hmac, sm3};
use super::{Bits, IccsError};

/// The texts whose digests, one after the other, are the key of `pseudohash`.
const KEY_TEXTS: [&[u8]; 2] = [b"3.14159265358979", b"2.71828182845904"];

/// SM3 of a bit string, written to the first 32 bytes of `digest`.
///
/// # Errors
///
/// [`IccsError::DigestLength`] unless `digest_bits` is 256, [`IccsError::TooShort`] when `digest`
/// is.
pub fn sm3hash(digest_bits: u32, message: Bits, digest: &mut [u8]) -> Result<(), IccsError> {
    if digest_bits != 256 {
        return Err(IccsError::DigestLength(digest_bits));
    }
    let length = byte_length(digest.len(), digest_bits.into())?;
    digest[..length].copy_from_slice(&sm3(&[message]));
    Ok(())
}

/// A digest of 512, 768 or 1024 bits made of SM3 and HMAC-SM3, which stands in for the hash that a
/// submission will get later.
///
/// # Errors
///
/// [`IccsError::DigestLength`] for another `digest_bits`, [`IccsError::TooShort`] when `digest` is.
pub fn pseudohash(digest_bits: u32, message: Bits, digest: &mut [u8]) -> Result<(), IccsError> {
    let words: u8 = match digest_bits {
        512 => 2,
        768 => 3,
        1024 => 4,
        other => return Err(IccsError::DigestLength(other)),
    };
    let length = byte_length(digest.len(), digest_bits.into())?;
    let tag = [words, 0];
    let tag = Bits::whole(&tag);
    let mut key = [0; 2 * DIGEST_BYTES];
    for (half, text) in key.chunks_exact_mut(DIGEST_BYTES).zip(KEY_TEXTS) {
        half.copy_from_slice(&sm3(&[Bits::whole(text)]));
    }
    let hmac = |parts: &[Bits]| hmac(&key, parts);

    let k1 = hmac(&[tag, message]);
    let h1 = sm3(&[message, tag]);
    let h2 = sm3(&[&k1, &h1].map(|part| Bits::whole(part)));
    let k2 = hmac(&[Bits::whole(&h1)]);
    let h3 = sm3(&[&h2, &k2].map(|part| Bits::whole(part)));
    let k3 = hmac(&[Bits::whole(&h2)]);
    let k4 = hmac(&[Bits::whole(&h3)]);
    let h4 = sm3(&[&k3, &h3, &k4].map(|part| Bits::whole(part)));

    for (chunk, part) in digest[..length]
        .chunks_exact_mut(DIGEST_BYTES)
        .zip([h1, h2, h3, h4])
    {
        chunk.copy_from_slice(&part);
    }
    Ok(())
}

/// `output_bits` bits derived from a message by the KDF of GB/T 32918.4, written to the front of
/// `output`.
///
/// # Errors
///
/// [`IccsError::TooShort`] when `output` does not hold so many bits.
pub fn pseudo_xof(output_bits: u64, message: Bits, output: &mut [u8]) -> Result<(), IccsError> {
    let length = byte_length(output.len(), output_bits)?;
    let output = &mut output[..length];
    let mut counter = 0_u32;
    for chunk in output.chunks_mut(DIGEST_BYTES) {
        counter = counter.wrapping_add(1);
        let block = sm3(&[message, Bits::whole(&counter.to_be_bytes())]);
        chunk.copy_from_slice(&block[..chunk.len()]);
    }
    clear_beyond(output, output_bits);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_digest_lengths_are_refused() {
        let message = Bits::whole(b"abc");
        let mut digest = [0; 128];
        for bits in [0, 255, 512] {
            let refused = Err(IccsError::DigestLength(bits));
            assert_eq!(sm3hash(bits, message, &mut digest), refused);
        }
        for bits in [0, 256, 511, 1025] {
            let refused = Err(IccsError::DigestLength(bits));
            assert_eq!(pseudohash(bits, message, &mut digest), refused);
        }
        assert_eq!(digest, [0; 128]);
    }

    #[test]
    fn short_outputs_are_refused() {
        let message = Bits::whole(b"abc");
        let mut output = [0; 31];
        assert!(sm3hash(256, message, &mut output).is_err());
        assert!(pseudohash(512, message, &mut output).is_err());
        assert!(pseudo_xof(249, message, &mut output).is_err());
        assert!(pseudo_xof(248, message, &mut output).is_ok());
    }
}
