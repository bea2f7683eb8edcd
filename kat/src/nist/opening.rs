//! What precedes the first call of the first record.

use crate::generator::{Generator, SEED_BYTES, Seed};

/// The entropy that every known-answer program starts with: 00, 01, ... 2f.
pub const ENTROPY: Seed = {
    let mut entropy = [0; SEED_BYTES];
    let mut i = 0;
    while i < SEED_BYTES {
        entropy[i] = i as u8;
        i += 1;
    }
    entropy
};

/// Bytes of the message that a signature scheme signs in its first record.
pub const MESSAGE_BYTES: usize = 33;

/// The random inputs of the first record.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Opening {
    /// The record's seed: the generator is started anew with it before key generation.
    pub seed: Seed,
    /// The message, drawn after the seed; only signature schemes use it.
    pub message: [u8; MESSAGE_BYTES],
}

impl Opening {
    /// Draws the inputs from a generator of this kind that was started with [`ENTROPY`].
    pub fn draw(generator: Generator) -> Self {
        let mut generator = generator.seeded(&ENTROPY);
        let mut opening = Self {
            seed: [0; SEED_BYTES],
            message: [0; MESSAGE_BYTES],
        };
        generator.fill(&mut opening.seed);
        generator.fill(&mut opening.message);
        opening
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first seed and message of every signature KAT (PQCsignKAT_*.rsp) of NIST's process.
    #[test]
    fn the_published_seed_and_message() {
        let opening = Opening::draw(Generator::NistDrbg);
        assert_eq!(
            hex::encode_upper(opening.seed),
            "061550234D158C5EC95595FE04EF7A25767F2E24CC2BC479D09D86DC9ABCFDE7\
             056A8C266F9EF97ED08541DBD2E1FFA1"
        );
        assert_eq!(
            hex::encode_upper(opening.message),
            "D81C4D8D734FCBFBEADE3D3F8A039FAA2A2C9957E835AD55B22E75BF57BB556A\
             C8"
        );
    }
}
