//! The symmetric functions whose calls can be counted, and what their arguments say of a call.

/// What a counted function belongs to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Family {
    /// The NGCC interface's SM3.
    Sm3,
    /// The NGCC interface's wide hash.
    Pseudohash,
    /// The NGCC interface's extendable-output function.
    PseudoXof,
    /// The generator: the NGCC interface's, and the `randombytes` of NIST's, which draws from it.
    Drng,
    /// SHA-3 and SHAKE (FIPS 202), as PQClean has them.
    Fips202,
    /// SHA-2 (FIPS 180-4), as PQClean has it.
    Sha2,
    /// AES (FIPS 197), as PQClean has it.
    Aes,
}

impl Family {
    /// Whether its functions are hash functions: neither the generator nor a cipher.
    pub fn is_hash(self) -> bool {
        !matches!(self, Self::Drng | Self::Aes)
    }

    /// Whether it is a hash function of the NGCC interface.
    pub fn is_iccs_hash(self) -> bool {
        matches!(self, Self::Sm3 | Self::Pseudohash | Self::PseudoXof)
    }
}

/// How many bits go in or come out of a call. Arguments are counted from 0, in C order; all of them
/// are integers or pointers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Bits {
    /// This many, whatever the arguments are.
    Fixed(u64),
    /// As many as an `int` argument says.
    Int(usize),
    /// As many as a 64-bit argument says, in units of this many bits.
    Long(usize, u64),
}

impl Bits {
    /// The number of a call whose argument of each number `argument` gives.
    pub fn of_call(self, argument: impl FnOnce(usize) -> u64) -> u64 {
        match self {
            Self::Fixed(bits) => bits,
            // A negative length is none; the upper half of the register means nothing.
            Self::Int(number) => (argument(number) as i32).max(0) as u64,
            Self::Long(number, unit) => argument(number).saturating_mul(unit),
        }
    }
}

/// A function whose calls can be counted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Helper {
    /// The symbol, without the prefix that PQClean puts before those of one implementation.
    pub symbol: &'static str,
    /// The name in records, by which the calls of several symbols may be added up.
    pub name: &'static str,
    /// What it belongs to.
    pub family: Family,
    /// Bits that go in.
    pub input: Bits,
    /// Bits that come out.
    pub output: Bits,
}

/// PQClean's prefix of symbols that belong to one implementation.
const PREFIX: &str = "PQCLEAN_";

/// The function behind a symbol, and its place in [`HELPERS`].
pub fn helper_of_symbol(symbol: &str) -> Option<(u8, &'static Helper)> {
    let position = |name: &str| HELPERS.iter().position(|helper| helper.symbol == name);
    let place = position(symbol).or_else(|| {
        // Scheme and implementation have no underscore in them.
        let rest = symbol.strip_prefix(PREFIX)?;
        let (_scheme, rest) = rest.split_once('_')?;
        let (_implementation, name) = rest.split_once('_')?;
        position(name)
    })?;
    Some((u8::try_from(place).ok()?, &HELPERS[place]))
}

/// The functions behind a name in records are of one family.
pub fn family_of_name(name: &str) -> Option<Family> {
    let helper = HELPERS.iter().find(|helper| helper.name == name)?;
    Some(helper.family)
}

use Bits::{Fixed, Int, Long};
use Family::{Aes, Drng, Fips202, PseudoXof, Pseudohash, Sha2, Sm3};

/// The name of the generator's calls in records.
pub const DRNG: &str = "drng";

/// A function that is called in records what it is called in C.
const fn plain(symbol: &'static str, family: Family, input: Bits, output: Bits) -> Helper {
    Helper {
        symbol,
        name: symbol,
        family,
        input,
        output,
    }
}

/// A function that neither absorbs nor yields anything: it prepares, copies or gives up a state.
const fn state(symbol: &'static str, family: Family) -> Helper {
    plain(symbol, family, Fixed(0), Fixed(0))
}

const fn generator(symbol: &'static str, output: Bits) -> Helper {
    Helper {
        symbol,
        name: DRNG,
        family: Drng,
        input: Fixed(0),
        output,
    }
}

/// Bits of the block of SHAKE128, of SHAKE256, and of the two sizes of SHA-2 (FIPS 202, FIPS 180-4).
const RATE_128: u64 = 1344;
const RATE_256: u64 = 1088;
const BLOCK_256: u64 = 512;
const BLOCK_512: u64 = 1024;

/// Every function whose calls can be counted. A call's prototype is the one in the NGCC interface,
/// or in PQClean's `fips202.h`, `fips202x2.h`, `fips202x4.h`, `sha2.h`, `sha256x8.h`, `sha512x4.h`
/// and `aes.h`.
pub const HELPERS: &[Helper] = &[
    // int f(int digest_bits, msg, unsigned long long msg_bits, digest)
    plain("sm3hash", Sm3, Long(2, 1), Int(0)),
    plain("pseudohash", Pseudohash, Long(2, 1), Int(0)),
    // int f(unsigned long long output_bits, msg, unsigned long long msg_bits, output)
    plain("pseudoXOF", PseudoXof, Long(2, 1), Long(0, 1)),
    // int f(DRNG_ctx *, output, unsigned long long bits)
    generator("get_random_number", Long(2, 1)),
    // int f(output, size_t bytes)
    generator("randombytes", Long(1, 8)),
    generator("PQCLEAN_randombytes", Long(1, 8)),
    // int f(DRNG_ctx *, seed, unsigned long long bytes): under a name of its own, since published
    // data sets count requests for numbers only.
    Helper {
        symbol: "init_random_number",
        name: "drng_init",
        family: Drng,
        input: Long(2, 8),
        output: Fixed(0),
    },
    // One sponge.
    plain("shake128", Fips202, Long(3, 8), Long(1, 8)),
    plain("shake128_absorb", Fips202, Long(2, 8), Fixed(0)),
    plain(
        "shake128_squeezeblocks",
        Fips202,
        Fixed(0),
        Long(1, RATE_128),
    ),
    state("shake128_ctx_clone", Fips202),
    state("shake128_ctx_release", Fips202),
    state("shake128_inc_init", Fips202),
    plain("shake128_inc_absorb", Fips202, Long(2, 8), Fixed(0)),
    state("shake128_inc_finalize", Fips202),
    plain("shake128_inc_squeeze", Fips202, Fixed(0), Long(1, 8)),
    state("shake128_inc_ctx_clone", Fips202),
    state("shake128_inc_ctx_release", Fips202),
    plain("shake256", Fips202, Long(3, 8), Long(1, 8)),
    plain("shake256_absorb", Fips202, Long(2, 8), Fixed(0)),
    plain(
        "shake256_squeezeblocks",
        Fips202,
        Fixed(0),
        Long(1, RATE_256),
    ),
    state("shake256_ctx_clone", Fips202),
    state("shake256_ctx_release", Fips202),
    state("shake256_inc_init", Fips202),
    plain("shake256_inc_absorb", Fips202, Long(2, 8), Fixed(0)),
    state("shake256_inc_finalize", Fips202),
    plain("shake256_inc_squeeze", Fips202, Fixed(0), Long(1, 8)),
    state("shake256_inc_ctx_clone", Fips202),
    state("shake256_inc_ctx_release", Fips202),
    plain("sha3_256", Fips202, Long(2, 8), Fixed(256)),
    state("sha3_256_inc_init", Fips202),
    plain("sha3_256_inc_absorb", Fips202, Long(2, 8), Fixed(0)),
    plain("sha3_256_inc_finalize", Fips202, Fixed(0), Fixed(256)),
    state("sha3_256_inc_ctx_clone", Fips202),
    state("sha3_256_inc_ctx_release", Fips202),
    plain("sha3_384", Fips202, Long(2, 8), Fixed(384)),
    state("sha3_384_inc_init", Fips202),
    plain("sha3_384_inc_absorb", Fips202, Long(2, 8), Fixed(0)),
    plain("sha3_384_inc_finalize", Fips202, Fixed(0), Fixed(384)),
    state("sha3_384_inc_ctx_clone", Fips202),
    state("sha3_384_inc_ctx_release", Fips202),
    plain("sha3_512", Fips202, Long(2, 8), Fixed(512)),
    state("sha3_512_inc_init", Fips202),
    plain("sha3_512_inc_absorb", Fips202, Long(2, 8), Fixed(0)),
    plain("sha3_512_inc_finalize", Fips202, Fixed(0), Fixed(512)),
    state("sha3_512_inc_ctx_clone", Fips202),
    state("sha3_512_inc_ctx_release", Fips202),
    // Two sponges at a time: bits of both.
    plain("shake128x2", Fips202, Long(5, 16), Long(2, 16)),
    plain("shake128x2_absorb", Fips202, Long(3, 16), Fixed(0)),
    plain(
        "shake128x2_squeezeblocks",
        Fips202,
        Fixed(0),
        Long(2, 2 * RATE_128),
    ),
    plain("shake256x2", Fips202, Long(5, 16), Long(2, 16)),
    plain("shake256x2_absorb", Fips202, Long(3, 16), Fixed(0)),
    plain(
        "shake256x2_squeezeblocks",
        Fips202,
        Fixed(0),
        Long(2, 2 * RATE_256),
    ),
    // Four sponges at a time: bits of all.
    plain("shake128x4", Fips202, Long(9, 32), Long(4, 32)),
    plain("shake128x4_absorb_once", Fips202, Long(5, 32), Fixed(0)),
    plain(
        "shake128x4_squeezeblocks",
        Fips202,
        Fixed(0),
        Long(4, 4 * RATE_128),
    ),
    plain("shake256x4", Fips202, Long(9, 32), Long(4, 32)),
    plain("shake256x4_absorb_once", Fips202, Long(5, 32), Fixed(0)),
    plain(
        "shake256x4_squeezeblocks",
        Fips202,
        Fixed(0),
        Long(4, 4 * RATE_256),
    ),
    state("f1600x4", Fips202),
    state("KeccakP1600times4_PermuteAll_24rounds", Fips202),
    // SHA-2. Blocks go in, and what is left of the message at the end.
    plain("sha224", Sha2, Long(2, 8), Fixed(224)),
    state("sha224_inc_init", Sha2),
    plain("sha224_inc_blocks", Sha2, Long(2, BLOCK_256), Fixed(0)),
    plain("sha224_inc_finalize", Sha2, Long(3, 8), Fixed(224)),
    state("sha224_inc_ctx_clone", Sha2),
    state("sha224_inc_ctx_release", Sha2),
    plain("sha256", Sha2, Long(2, 8), Fixed(256)),
    state("sha256_inc_init", Sha2),
    plain("sha256_inc_blocks", Sha2, Long(2, BLOCK_256), Fixed(0)),
    plain("sha256_inc_finalize", Sha2, Long(3, 8), Fixed(256)),
    state("sha256_inc_ctx_clone", Sha2),
    state("sha256_inc_ctx_release", Sha2),
    plain("sha384", Sha2, Long(2, 8), Fixed(384)),
    state("sha384_inc_init", Sha2),
    plain("sha384_inc_blocks", Sha2, Long(2, BLOCK_512), Fixed(0)),
    plain("sha384_inc_finalize", Sha2, Long(3, 8), Fixed(384)),
    state("sha384_inc_ctx_clone", Sha2),
    state("sha384_inc_ctx_release", Sha2),
    plain("sha512", Sha2, Long(2, 8), Fixed(512)),
    state("sha512_inc_init", Sha2),
    plain("sha512_inc_blocks", Sha2, Long(2, BLOCK_512), Fixed(0)),
    plain("sha512_inc_finalize", Sha2, Long(3, 8), Fixed(512)),
    state("sha512_inc_ctx_clone", Sha2),
    state("sha512_inc_ctx_release", Sha2),
    // Eight and four messages at a time: bits of all.
    plain("sha256x8", Sha2, Long(16, 64), Fixed(8 * 256)),
    plain("sha256x8_seeded", Sha2, Long(17, 64), Fixed(8 * 256)),
    plain("mgf1x8", Sha2, Long(10, 64), Long(1, 64)),
    plain("sha512x4_seeded", Sha2, Long(9, 32), Fixed(4 * 512)),
    plain("mgf1x4_512", Sha2, Long(6, 32), Long(1, 32)),
    // AES. A key is expanded, then blocks or a key stream come out.
    plain("aes128_ecb_keyexp", Aes, Fixed(128), Fixed(0)),
    plain("aes128_ctr_keyexp", Aes, Fixed(128), Fixed(0)),
    plain("aes128_ecb", Aes, Long(2, 128), Long(2, 128)),
    plain("aes128_ctr", Aes, Fixed(96), Long(1, 8)),
    state("aes128_ctx_release", Aes),
    plain("aes192_ecb_keyexp", Aes, Fixed(192), Fixed(0)),
    plain("aes192_ctr_keyexp", Aes, Fixed(192), Fixed(0)),
    plain("aes192_ecb", Aes, Long(2, 128), Long(2, 128)),
    plain("aes192_ctr", Aes, Fixed(96), Long(1, 8)),
    state("aes192_ctx_release", Aes),
    plain("aes256_ecb_keyexp", Aes, Fixed(256), Fixed(0)),
    plain("aes256_ctr_keyexp", Aes, Fixed(256), Fixed(0)),
    plain("aes256_ecb", Aes, Long(2, 128), Long(2, 128)),
    plain("aes256_ctr", Aes, Fixed(96), Long(1, 8)),
    state("aes256_ctx_release", Aes),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_unique_and_names_are_of_one_family() {
        for (place, helper) in HELPERS.iter().enumerate() {
            assert_eq!(
                helper_of_symbol(helper.symbol).map(|(place, _)| usize::from(place)),
                Some(place)
            );
            assert_eq!(family_of_name(helper.name), Some(helper.family));
        }
        assert!(HELPERS.len() <= usize::from(u8::MAX));
    }

    #[test]
    fn a_prefix_of_pqclean_is_looked_through() {
        let name = |symbol| helper_of_symbol(symbol).map(|(_, helper)| helper.name);
        assert_eq!(
            name("PQCLEAN_MLKEM768_AVX2_shake128x4_absorb_once"),
            Some("shake128x4_absorb_once")
        );
        assert_eq!(name("PQCLEAN_randombytes"), Some(DRNG));
        assert_eq!(name("PQCLEAN_MLKEM768_CLEAN_kyber_shake256_prf"), None);
        assert_eq!(name("own_shake256"), None);
    }

    #[test]
    fn lengths_follow_the_prototype() {
        let arguments = |number: usize| [0xffff_ffff_0000_0100, 7, 24, 9][number];
        let (_, sm3) = helper_of_symbol("sm3hash").unwrap();
        assert_eq!(sm3.output.of_call(arguments), 256);
        assert_eq!(sm3.input.of_call(arguments), 24);
        let (_, shake) = helper_of_symbol("shake128").unwrap();
        assert_eq!(shake.input.of_call(arguments), 72);
        assert_eq!(shake.output.of_call(arguments), 56);
        assert_eq!(Bits::Int(0).of_call(|_| u64::MAX), 0);
    }
}
