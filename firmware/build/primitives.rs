//! Symmetric primitives that give themselves away by their constants, in tables or in code.

use std::collections::{HashMap, HashSet};

use catalogue::{Architecture, Symmetric};

use super::reach::Section;

/// A constant, in the bytes of a table or of an instruction.
#[derive(Clone, Copy)]
enum Constant {
    Bytes(&'static [u8]),
    Word(u32),
    Long(u64),
}

/// One way in which a primitive shows itself.
struct Sign {
    name: &'static str,
    constants: &'static [Constant],
    /// How many of the constants must be there: code may make some of them out of others.
    needed: usize,
}

use Constant::{Bytes, Long, Word};

const SIGNS: &[Sign] = &[
    // Round constants (FIPS 202, section 3.2.5) with bit 63 set, each once.
    Sign {
        name: "Keccak",
        constants: &[
            Long(0x8000_0000_0000_808a),
            Long(0x8000_0000_8000_8000),
            Long(0x8000_0000_8000_8081),
            Long(0x8000_0000_0000_8009),
            Long(0x8000_0000_0000_008b),
            Long(0x8000_0000_0000_8089),
            Long(0x8000_0000_0000_8003),
            Long(0x8000_0000_0000_8002),
            Long(0x8000_0000_0000_0080),
            Long(0x8000_0000_8000_000a),
            Long(0x8000_0000_0000_8080),
            Long(0x8000_0000_8000_8008),
        ],
        needed: 9,
    },
    // The same for 32-bit words that hold every second bit: the odd bits of those above.
    Sign {
        name: "Keccak",
        constants: &[
            Word(odd_bits(0x8000_0000_0000_808a)),
            Word(odd_bits(0x8000_0000_8000_8000)),
            Word(odd_bits(0x8000_0000_8000_8081)),
            Word(odd_bits(0x8000_0000_0000_8009)),
            Word(odd_bits(0x8000_0000_0000_8089)),
            Word(odd_bits(0x8000_0000_0000_8003)),
            Word(odd_bits(0x8000_0000_0000_0080)),
            Word(odd_bits(0x8000_0000_8000_000a)),
            Word(odd_bits(0x8000_0000_8000_8008)),
        ],
        needed: 8,
    },
    // K of SHA-256, which are the upper halves of those of SHA-512 (FIPS 180-4, section 4.2).
    Sign {
        name: "SHA-2",
        constants: &[
            Word(0x428a_2f98),
            Word(0x7137_4491),
            Word(0xb5c0_fbcf),
            Word(0xe9b5_dba5),
            Word(0x3956_c25b),
            Word(0x59f1_11f1),
            Word(0x923f_82a4),
            Word(0xab1c_5ed5),
            Word(0xd807_aa98),
            Word(0x1283_5b01),
            Word(0x2431_85be),
            Word(0x550c_7dc3),
            Word(0x72be_5d74),
            Word(0x80de_b1fe),
            Word(0x9bdc_06a7),
            Word(0xc19b_f174),
        ],
        needed: 12,
    },
    // The beginning of the S-box (FIPS 197, section 5.1.1).
    Sign {
        name: "AES",
        constants: &[Bytes(&[
            0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7,
            0xab, 0x76,
        ])],
        needed: 1,
    },
    // The beginning of a table of S-box and MixColumns in one.
    Sign {
        name: "AES",
        constants: &[
            Word(0xc663_63a5),
            Word(0xf87c_7c84),
            Word(0xee77_7799),
            Word(0xf67b_7b8d),
        ],
        needed: 4,
    },
    // Round constants (FIPS 197, section 5.2): implementations without tables have these.
    Sign {
        name: "AES",
        constants: &[Bytes(&[
            0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36,
        ])],
        needed: 1,
    },
    // "expand 32-byte k" (RFC 8439, section 2.3).
    Sign {
        name: "ChaCha",
        constants: &[
            Word(0x6170_7865),
            Word(0x3320_646e),
            Word(0x7962_2d32),
            Word(0x6b20_6574),
        ],
        needed: 4,
    },
    // The initial value (GB/T 32905-2016, section 4.1).
    Sign {
        name: Symmetric::OWN,
        constants: &[
            Word(0x7380_166f),
            Word(0x4914_b2b9),
            Word(0x1724_42d7),
            Word(0xda8a_0600),
            Word(0xa96f_30bc),
            Word(0x1631_38aa),
            Word(0xe38d_ee4d),
            Word(0xb0fb_0e4e),
        ],
        needed: 6,
    },
];

const fn odd_bits(constant: u64) -> u32 {
    let (mut word, mut bit) = (0, 0);
    while bit < 32 {
        word |= ((constant >> (2 * bit + 1) & 1) as u32) << bit;
        bit += 1;
    }
    word
}

/// A constant of a sign, by their places.
type Found = (usize, usize);

/// The primitives in these sections, and for each the section that shows most of it.
pub fn find(sections: &[&Section], architecture: Architecture) -> Vec<(&'static str, String)> {
    let patterns = patterns();
    let found: Vec<HashSet<Found>> = sections
        .iter()
        .map(|section| constants_in(section, &patterns, architecture))
        .collect();
    let mut names: Vec<(&'static str, String)> = Vec::new();
    for (number, sign) in SIGNS.iter().enumerate() {
        let of_this = |found: &HashSet<Found>| -> HashSet<usize> {
            let constants = found.iter().filter(|(other, _)| *other == number);
            constants.map(|(_, constant)| *constant).collect()
        };
        let all: HashSet<usize> = found.iter().flat_map(of_this).collect();
        if all.len() < sign.needed || names.iter().any(|(name, _)| *name == sign.name) {
            continue;
        }
        let shown = sections.iter().zip(&found);
        let most = shown.max_by_key(|(section, found)| (of_this(found).len(), &section.name));
        if let Some((section, _)) = most {
            names.push((sign.name, section.name.clone()));
        }
    }
    names
}

/// Every form in which a constant can stand in memory, by its first four bytes.
type Patterns = HashMap<[u8; 4], Vec<(Vec<u8>, Found)>>;

fn patterns() -> Patterns {
    let mut patterns = Patterns::new();
    for (number, sign) in SIGNS.iter().enumerate() {
        for (place, constant) in sign.constants.iter().enumerate() {
            let forms = match constant {
                Bytes(bytes) => vec![bytes.to_vec()],
                Word(word) => vec![word.to_le_bytes().to_vec(), word.to_be_bytes().to_vec()],
                Long(long) => vec![long.to_le_bytes().to_vec(), long.to_be_bytes().to_vec()],
            };
            for form in forms {
                if let Some(start) = form.first_chunk() {
                    let known = patterns.entry(*start).or_default();
                    known.push((form, (number, place)));
                }
            }
        }
    }
    patterns
}

fn constants_in(
    section: &Section,
    patterns: &Patterns,
    architecture: Architecture,
) -> HashSet<Found> {
    let mut found = HashSet::new();
    let mut look = |bytes: &[u8]| {
        let known = bytes.first_chunk().and_then(|start| patterns.get(start));
        for (form, constant) in known.into_iter().flatten() {
            if bytes.starts_with(form) {
                found.insert(*constant);
            }
        }
    };
    for start in 0..section.bytes.len() {
        look(&section.bytes[start..]);
    }
    if section.is_code && architecture == Architecture::Aarch64 {
        for value in moved_constants(&section.bytes) {
            look(&value.to_le_bytes());
            look(&((value >> 32) as u32).to_le_bytes());
        }
    }
    found
}

/// The constants that AArch64 code puts together from MOVZ, MOVN and MOVK, sixteen bits at a time
/// (Arm Architecture Reference Manual, DDI 0487, section C4.1, move wide immediate).
fn moved_constants(code: &[u8]) -> Vec<u64> {
    let mut registers = [0_u64; 32];
    let mut values = Vec::new();
    for instruction in code.as_chunks::<4>().0 {
        let word = u32::from_le_bytes(*instruction);
        if word >> 23 & 0x3f != 0b10_0101 {
            continue;
        }
        let shift = 16 * (word >> 21 & 3);
        let immediate = u64::from(word >> 5 & 0xffff) << shift;
        let register = &mut registers[(word & 31) as usize];
        let is_64_bits = word >> 31 == 1;
        *register = match word >> 29 & 3 {
            0 if is_64_bits => !immediate,
            0 => u64::from(!immediate as u32),
            2 => immediate,
            3 => *register & !(0xffff << shift) | immediate,
            _ => continue,
        };
        values.push(*register);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_seen_that_code_puts_together() {
        // movz x0, #0x808a; movk x0, #0x8000, lsl #48; movz w1, #0x2f98; movk w1, #0x428a, lsl #16
        let code: Vec<u8> = [0xd290_1140, 0xf2f0_0000, 0x5285_f301, 0x72a8_5141]
            .into_iter()
            .flat_map(u32::to_le_bytes)
            .collect();
        let values = moved_constants(&code);
        assert_eq!(values[1], 0x8000_0000_0000_808a);
        assert_eq!(values[3], 0x428a_2f98);
    }

    #[test]
    fn every_second_bit_of_a_round_constant() {
        assert_eq!(odd_bits(0x8000_0000_0000_808a), 0x8000_008b);
        assert_eq!(odd_bits(0xaaaa_aaaa_aaaa_aaaa), u32::MAX);
    }

    #[test]
    fn no_sign_asks_for_more_than_it_has() {
        for sign in SIGNS {
            assert!((1..=sign.constants.len()).contains(&sign.needed));
        }
    }
}
