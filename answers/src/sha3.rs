//! The package `sha3`: FIPS 202 as hash functions of the NGCC interface.

use sha3::{Digest, Sha3_256, Sha3_512};
use shake::{ExtendableOutput, Shake128, Shake256, Update, XofReader};

use crate::{Instance, Scheme};

pub(crate) fn instances() -> Vec<Instance> {
    vec![
        Instance::new(
            "SHA3-256",
            hash(|message| Sha3_256::digest(message).to_vec()),
        ),
        Instance::new(
            "SHA3-512",
            hash(|message| Sha3_512::digest(message).to_vec()),
        ),
        Instance::new("SHAKE128-256", hash(shake::<Shake128, 32>)),
        Instance::new("SHAKE256-512", hash(shake::<Shake256, 64>)),
    ]
}

fn shake<H: Default + Update + ExtendableOutput, const BYTES: usize>(message: &[u8]) -> Vec<u8> {
    let mut digest = vec![0; BYTES];
    let mut hash = H::default();
    hash.update(message);
    hash.finalize_xof().read(&mut digest);
    digest
}

fn hash(of_bytes: fn(&[u8]) -> Vec<u8>) -> Scheme {
    Scheme::Hash(Box::new(move |message, bits| {
        let whole = (bits / 8) as usize;
        Ok(match (bits % 8) as u8 {
            0 => of_bytes(&message[..whole]),
            used => of_bytes(&with_tail(&message[..=whole], used)),
        })
    }))
}

/// The package's convention for a message that does not end with a whole byte: the last byte with
/// its unused bits zero, then the number of its used bits. The header of each instance says why.
fn with_tail(message: &[u8], used: u8) -> Vec<u8> {
    let mut bytes = message.to_vec();
    if let Some(last) = bytes.last_mut() {
        *last &= !(u8::MAX >> used);
    }
    bytes.push(used);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_keeps_the_most_significant_bits() {
        assert_eq!(with_tail(&[0x12, 0xff], 1), [0x12, 0x80, 1]);
        assert_eq!(with_tail(&[0x12, 0xff], 7), [0x12, 0xfe, 7]);
        assert_eq!(with_tail(&[0x5a], 4), [0x50, 4]);
    }
}
