//! SM3 over bit strings, and HMAC over it.

use sm3::Sm3Core;
use sm3::digest::block_api::{Block, UpdateCore};
use sm3::digest::common::hazmat::SerializableState;

use super::Bits;

/// Bytes of a digest.
pub(super) const DIGEST_BYTES: usize = 32;

/// A digest of SM3.
pub(super) type Digest = [u8; DIGEST_BYTES];

const BLOCK_BYTES: usize = 64;
const BLOCK_BITS: u64 = 512;

/// Bits that the length takes in the last block.
const LENGTH_BITS: u64 = 64;

/// SM3 (GB/T 32905) of a message that need not end with a whole byte.
///
/// The compression function is RustCrypto's, whose hasher knows whole bytes only; padding and
/// alignment are done here.
#[derive(Clone)]
pub(super) struct BitHash {
    core: Sm3Core,
    /// The block that is not yet full; zero beyond what was pushed.
    block: [u8; BLOCK_BYTES],
    /// Length of the message so far.
    bits: u64,
}

impl BitHash {
    /// A hash of nothing yet.
    pub(super) fn new() -> Self {
        Self {
            core: Sm3Core::default(),
            block: [0; BLOCK_BYTES],
            bits: 0,
        }
    }

    /// Appends a bit string.
    pub(super) fn push(&mut self, message: Bits) {
        let (whole, last, rest) = message.parts();
        if self.bits.is_multiple_of(8) {
            self.push_bytes(whole);
        } else {
            for byte in whole {
                self.push_bits(*byte, 8);
            }
        }
        self.push_bits(last, rest);
    }

    /// Ends the message.
    pub(super) fn finish(mut self) -> Digest {
        let bits = self.bits;
        self.push_bits(0x80, 1);
        if self.bits % BLOCK_BITS > BLOCK_BITS - LENGTH_BITS {
            self.compress();
        }
        let length = BLOCK_BYTES - (LENGTH_BITS / 8) as usize;
        self.block[length..].copy_from_slice(&bits.to_be_bytes());
        self.compress();
        // The state that the crate hands out is the chaining value in little-endian words, and
        // the number of blocks. Known answers would notice another form.
        let mut digest = [0; DIGEST_BYTES];
        let state = self.core.serialize();
        for (big, little) in digest.chunks_exact_mut(4).zip(state.chunks_exact(4)) {
            big.copy_from_slice(little);
            big.reverse();
        }
        digest
    }

    fn push_bytes(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = &mut self.block[(self.bits % BLOCK_BITS / 8) as usize..];
            let (now, later) = bytes.split_at(bytes.len().min(room.len()));
            room[..now.len()].copy_from_slice(now);
            self.advance(now.len() as u64 * 8);
            bytes = later;
        }
    }

    /// Appends the `count` most significant bits of a byte whose other bits are 0.
    fn push_bits(&mut self, byte: u8, count: u32) {
        let offset = (self.bits % 8) as u32;
        let [first, second] = (u16::from(byte) << (8 - offset)).to_be_bytes();
        let now = count.min(8 - offset);
        self.or_byte(first);
        self.advance(now.into());
        if count > now {
            self.or_byte(second);
            self.advance((count - now).into());
        }
    }

    fn or_byte(&mut self, byte: u8) {
        self.block[(self.bits % BLOCK_BITS / 8) as usize] |= byte;
    }

    fn advance(&mut self, bits: u64) {
        self.bits += bits;
        if bits != 0 && self.bits.is_multiple_of(BLOCK_BITS) {
            self.compress();
        }
    }

    fn compress(&mut self) {
        self.core
            .update_blocks(&[Block::<Sm3Core>::from(self.block)]);
        self.block = [0; BLOCK_BYTES];
    }
}

/// SM3 of the concatenation of bit strings.
pub(super) fn sm3(parts: &[Bits]) -> Digest {
    let mut hash = BitHash::new();
    for part in parts {
        hash.push(*part);
    }
    hash.finish()
}

/// HMAC-SM3 (RFC 2104) of the concatenation of bit strings, for a key of exactly one block.
pub(super) fn hmac(key: &[u8; BLOCK_BYTES], parts: &[Bits]) -> Digest {
    let mut inner = BitHash::new();
    inner.push(Bits::whole(&key.map(|byte| byte ^ 0x36)));
    for part in parts {
        inner.push(*part);
    }
    let mut outer = BitHash::new();
    outer.push(Bits::whole(&key.map(|byte| byte ^ 0x5c)));
    outer.push(Bits::whole(&inner.finish()));
    outer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sm3::Digest as _;

    /// The bits `from..to` of some bytes, moved to the front of new ones.
    fn slice_of_bits(bytes: &[u8], from: u64, to: u64) -> Vec<u8> {
        let mut moved = vec![0; (to - from).div_ceil(8) as usize];
        for (i, position) in (from..to).enumerate() {
            let bit = bytes[(position / 8) as usize] >> (7 - position % 8) & 1;
            moved[i / 8] |= bit << (7 - i % 8);
        }
        moved
    }

    proptest! {
        #[test]
        fn whole_bytes_hash_as_the_library_hashes_them(
            bytes in proptest::collection::vec(any::<u8>(), 0..300),
        ) {
            prop_assert_eq!(&sm3(&[Bits::whole(&bytes)])[..], &sm3::Sm3::digest(&bytes)[..]);
        }

        #[test]
        fn a_message_may_be_cut_at_any_bit(
            bytes in proptest::collection::vec(any::<u8>(), 1..200), cuts: [prop::sample::Index; 3],
        ) {
            let bits = bytes.len() as u64 * 8;
            let [a, b, end] = {
                let mut cuts = cuts.map(|cut| cut.index(bits as usize + 1) as u64);
                cuts.sort_unstable();
                cuts
            };
            let second = slice_of_bits(&bytes, a, b);
            let third = slice_of_bits(&bytes, b, end);
            prop_assert_eq!(
                sm3(&[Bits::new(&bytes, end).unwrap()]),
                sm3(&[
                    Bits::new(&bytes, a).unwrap(),
                    Bits::new(&second, b - a).unwrap(),
                    Bits::new(&third, end - b).unwrap(),
                ])
            );
        }
    }
}
