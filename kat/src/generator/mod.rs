//! The generators behind `randombytes` in known-answer programs.

mod hqc_prng;
mod nist_drbg;

pub use hqc_prng::HqcPrng;
pub use nist_drbg::NistDrbg;

/// Bytes of a seed, for either generator.
pub const SEED_BYTES: usize = 48;

/// The seed of a generator.
pub type Seed = [u8; SEED_BYTES];

/// Which generator a known-answer record was made with.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Hash)]
pub enum Generator {
    /// AES-256-CTR-DRBG, see [`NistDrbg`].
    NistDrbg,
    /// SHAKE-256, see [`HqcPrng`].
    HqcPrng,
}

impl Generator {
    /// Starts this generator.
    pub fn seeded(self, seed: &Seed) -> SeededGenerator {
        match self {
            Self::NistDrbg => SeededGenerator::NistDrbg(NistDrbg::new(seed)),
            Self::HqcPrng => SeededGenerator::HqcPrng(HqcPrng::new(seed)),
        }
    }
}

/// A running generator of either kind.
#[derive(Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one generator, in a static, and no allocator to box it with"
)]
pub enum SeededGenerator {
    /// The AES generator.
    NistDrbg(NistDrbg),
    /// The SHAKE generator.
    HqcPrng(HqcPrng),
}

impl SeededGenerator {
    /// Answers one request for `output.len()` bytes.
    pub fn fill(&mut self, output: &mut [u8]) {
        match self {
            Self::NistDrbg(generator) => generator.fill(output),
            Self::HqcPrng(generator) => generator.fill(output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_starts_its_own_generator() {
        let seed: Seed = core::array::from_fn(|i| i as u8);
        let mut bytes = [[0; 40]; 4];
        let [nist, nist_direct, hqc, hqc_direct] = &mut bytes;
        Generator::NistDrbg.seeded(&seed).fill(nist);
        NistDrbg::new(&seed).fill(nist_direct);
        Generator::HqcPrng.seeded(&seed).fill(hqc);
        HqcPrng::new(&seed).fill(hqc_direct);
        assert_eq!(nist, nist_direct);
        assert_eq!(hqc, hqc_direct);
        assert_ne!(nist, hqc);
    }
}
