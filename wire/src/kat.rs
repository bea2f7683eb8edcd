//! Known answers: the official files, their digests, their text.

use heapless::{String, Vec};
use serde::{Deserialize, Serialize};

use crate::Category;

/// An official known-answer file of the NGCC interface.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Hash, Serialize, Deserialize)]
pub enum KatFile {
    /// Ten records of a KEM, a signature scheme or a key exchange.
    Records,
    /// One of the four files of a hash function.
    Hash(HashFile),
}

/// One of the four known-answer files of a hash function.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Hash, Serialize, Deserialize)]
pub enum HashFile {
    /// Messages of 0 to 4096 bits (`KAT_2_12`).
    Short,
    /// Messages of 2^23 bits (`KAT_2_23`).
    Long,
    /// Messages of 2^33 bits (`KAT_2_33`).
    Huge,
    /// A million iterations (`KAT_Loop`).
    Loop,
}

impl HashFile {
    /// All of them, cheapest first.
    pub const ALL: [Self; 4] = [Self::Short, Self::Long, Self::Loop, Self::Huge];

    /// The beginning of the file's name, which also seeds its generator.
    pub fn stem(self) -> &'static str {
        match self {
            Self::Short => "KAT_2_12",
            Self::Long => "KAT_2_23",
            Self::Huge => "KAT_2_33",
            Self::Loop => "KAT_Loop",
        }
    }
}

impl KatFile {
    /// The files that an instance of this category has, cheapest first.
    pub fn of(category: Category) -> Vec<Self, 4> {
        match category {
            Category::Hash => HashFile::ALL.into_iter().map(Self::Hash).collect(),
            Category::Kem | Category::Sig | Category::Kex => [Self::Records].into_iter().collect(),
        }
    }
}

/// The first known-answer record, regenerated on the target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KatReport {
    /// SHA-256 of the record's text.
    pub digest: [u8; 32],
    /// SHA-256 of each field's value text, in the order of the record.
    pub fields: Vec<FieldDigest, 8>,
}

/// Digest of one field of a known-answer record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldDigest {
    /// The field's name as the text has it.
    pub name: String<12>,
    /// Length of the field's value in characters.
    pub characters: u32,
    /// SHA-256 of the value's text.
    pub digest: [u8; 32],
}

/// Canonical digests of a known-answer text that was regenerated on the target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CanonicalReport {
    /// SHA-256 of all lines.
    pub strict: [u8; 32],
    /// SHA-256 of all lines but the lengths.
    pub nolen: [u8; 32],
    /// SHA-256 of all lines of the first records, as many as were asked for.
    pub first_records: [u8; 32],
    /// Records in the text.
    pub records: u32,
    /// Bytes of the raw text.
    pub bytes: u64,
}

/// Bytes of text that fit one block.
pub const TEXT_PER_BLOCK: usize = 3840;

/// A piece of a known-answer text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextBlock {
    /// Number of the block, from 0.
    pub index: u32,
    /// The text: [`TEXT_PER_BLOCK`] bytes in every block but the last.
    pub text: Vec<u8, TEXT_PER_BLOCK>,
}
