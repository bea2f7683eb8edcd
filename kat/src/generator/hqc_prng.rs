//! The SHAKE-256 generator of HQC's known answers.

use shake::digest::{ExtendableOutput, Update, XofReader};
use shake::{Shake256, Shake256Reader};

use super::Seed;

/// Separates the generator from the other uses of SHAKE-256 in HQC.
const DOMAIN: u8 = 1;

/// SHAKE-256 of the seed and a domain byte, squeezed from request to request.
#[derive(Clone)]
pub struct HqcPrng {
    stream: Shake256Reader,
}

impl HqcPrng {
    /// Absorbs 48 bytes of entropy.
    pub fn new(seed: &Seed) -> Self {
        let mut sponge = Shake256::default();
        sponge.update(seed);
        sponge.update(&[DOMAIN]);
        Self {
            stream: sponge.finalize_xof(),
        }
    }

    /// Answers one request; requests continue one stream, wherever it is cut.
    pub fn fill(&mut self, output: &mut [u8]) {
        self.stream.read(output);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: Seed = {
        let mut seed = [0; 48];
        let mut i = 0;
        while i < seed.len() {
            seed[i] = i as u8;
            i += 1;
        }
        seed
    };

    /// From Python's hashlib: `shake_256(bytes(range(48)) + b"\1").hexdigest(48)`.
    #[test]
    fn the_first_record_seed() {
        let mut bytes = [0; 48];
        HqcPrng::new(&SEED).fill(&mut bytes);
        assert_eq!(
            hex::encode(bytes),
            "42c667a186390f26c8f024d31d5fe3d20145bc2fccf26c865e20df7626cef09e4d9eadd263d95ede934a74b3721eaab0"
        );
    }

    #[test]
    fn requests_continue_one_stream() {
        let mut whole = [0; 400];
        HqcPrng::new(&SEED).fill(&mut whole);
        let mut pieces = [0; 400];
        let mut generator = HqcPrng::new(&SEED);
        let mut rest = &mut pieces[..];
        for length in [1, 0, 135, 136, 1, 127] {
            let (piece, tail) = rest.split_at_mut(length);
            generator.fill(piece);
            rest = tail;
        }
        assert!(rest.is_empty());
        assert_eq!(whole, pieces);
    }
}
