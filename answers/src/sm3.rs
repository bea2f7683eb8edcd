//! SM3 (GB/T 32905) over messages of any number of bits.

use sm3::digest::block_api::{Block, UpdateCore};
use sm3::digest::common::hazmat::SerializableState;
use sm3::{Digest, Sm3, Sm3Core};

/// Bytes of a digest.
pub(crate) const DIGEST_BYTES: usize = 32;

const BLOCK_BYTES: usize = 64;

/// Bytes that the length takes in the last block.
const LENGTH_BYTES: usize = 8;

/// SM3 of whole bytes.
pub(crate) fn of_bytes(message: &[u8]) -> Vec<u8> {
    Sm3::digest(message).to_vec()
}

/// SM3 of the first `bits` bits of a message that holds them.
pub(crate) fn of_bits(message: &[u8], bits: u64) -> Vec<u8> {
    let whole = (bits / 8) as usize;
    match bits % 8 {
        0 => of_bytes(&message[..whole]),
        _ => of_padded(&padded(message, bits)),
    }
}

/// The message, a 1, zeros, and the length in bits: whole blocks.
fn padded(message: &[u8], bits: u64) -> Vec<u8> {
    let whole = (bits / 8) as usize;
    let used = bits % 8;
    let mut bytes = message[..whole].to_vec();
    bytes.push(match used {
        0 => 0x80,
        _ => message[whole] & !(0xff >> used) | 0x80 >> used,
    });
    while bytes.len() % BLOCK_BYTES != BLOCK_BYTES - LENGTH_BYTES {
        bytes.push(0);
    }
    bytes.extend(bits.to_be_bytes());
    bytes
}

/// The chaining value after these blocks.
fn of_padded(bytes: &[u8]) -> Vec<u8> {
    let mut core = Sm3Core::default();
    for block in bytes.chunks_exact(BLOCK_BYTES) {
        let mut whole = Block::<Sm3Core>::default();
        whole.copy_from_slice(block);
        core.update_blocks(&[whole]);
    }
    // The crate serialises the chaining value in little-endian words.
    let mut digest = core.serialize()[..DIGEST_BYTES].to_vec();
    digest.chunks_exact_mut(4).for_each(<[u8]>::reverse);
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where both ways apply they agree, whatever room the padding has.
    #[test]
    fn own_padding_is_that_of_the_crate() {
        let message: Vec<u8> = (0..200).collect();
        for bytes in 0..message.len() {
            let padded = padded(&message, bytes as u64 * 8);
            assert_eq!(of_padded(&padded), of_bytes(&message[..bytes]), "{bytes}");
        }
    }

    #[test]
    fn bits_beyond_the_end_are_ignored() {
        assert_eq!(of_bits(&[0xa5, 0xff], 11), of_bits(&[0xa5, 0xe0], 11));
        assert_ne!(of_bits(&[0xa5, 0xff], 11), of_bits(&[0xa5, 0xff], 12));
    }
}
