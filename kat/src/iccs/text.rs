//! The official known-answer text of the NGCC interface, and what seeds it.

use super::IccsDrng;
use crate::text::TextSink;

/// Bytes of a record's seed.
pub const SEED_BYTES: usize = 64;

/// Records in the file of a KEM, a signature scheme or a key exchange.
pub const RECORDS: u32 = 10;

/// Bytes of the longest message that a record of a signature scheme has.
pub const MAX_MESSAGE_BYTES: usize = message_bytes(RECORDS - 1);

/// Bytes of the message of record number `count`.
pub const fn message_bytes(count: u32) -> usize {
    56 + 8 * count as usize
}

/// 64 bytes of this word over and over.
fn repeated(word: &[u8]) -> [u8; SEED_BYTES] {
    let mut letters = word.iter().copied().cycle();
    core::array::from_fn(|_| letters.next().unwrap_or_default())
}

/// Draws the seeds of the records, the same for every candidate, and the messages to sign.
#[derive(Clone, Debug)]
pub struct Seeds {
    seeds: IccsDrng,
    messages: IccsDrng,
    count: u32,
}

/// What one record starts from.
#[derive(Clone, Debug)]
pub struct Start {
    /// Number of the record.
    pub count: u32,
    /// The seed of the submission's generator.
    pub seed: [u8; SEED_BYTES],
    message: [u8; MAX_MESSAGE_BYTES],
}

impl Start {
    /// The message that this record signs.
    pub fn message(&self) -> &[u8] {
        &self.message[..message_bytes(self.count)]
    }
}

impl Default for Seeds {
    fn default() -> Self {
        Self {
            seeds: IccsDrng::new(&repeated(b"seed")),
            messages: IccsDrng::new(&repeated(b"msg")),
            count: 0,
        }
    }
}

impl Iterator for Seeds {
    type Item = Start;

    fn next(&mut self) -> Option<Start> {
        let count = self.count;
        if count == RECORDS {
            return None;
        }
        self.count += 1;
        let mut start = Start {
            count,
            seed: [0; SEED_BYTES],
            message: [0; MAX_MESSAGE_BYTES],
        };
        let bits = |bytes: usize| bytes as u64 * 8;
        let length = message_bytes(count);
        self.seeds.fill(&mut start.seed, bits(SEED_BYTES)).ok()?;
        self.messages.fill(&mut start.message, bits(length)).ok()?;
        Some(start)
    }
}

/// Lines of the official text.
pub trait IccsText: TextSink {
    /// `NAME = number`
    fn number(&mut self, name: &str, number: u64) {
        self.field_decimal(name, number);
    }

    /// `NAME = HEX`; nothing stands after the blank when there are no bytes.
    fn value(&mut self, name: &str, bytes: &[u8]) {
        self.begin_field(name);
        self.hex(bytes);
        self.end_field();
    }

    /// `NAME_Len = bytes` and `NAME = HEX`.
    fn string(&mut self, name: &str, bytes: &[u8]) {
        self.text(name.as_bytes());
        self.number("_Len", bytes.len() as u64);
        self.value(name, bytes);
    }

    /// The first lines of a record.
    fn start(&mut self, start: &Start) {
        self.number("Count", start.count.into());
        self.string("Seed", &start.seed);
    }

    /// The empty line that ends a record.
    fn end(&mut self) {
        self.text(b"\n");
    }
}

impl<T: TextSink + ?Sized> IccsText for T {}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Text(String);

    impl TextSink for Text {
        fn text(&mut self, piece: &[u8]) {
            self.0
                .push_str(std::str::from_utf8(piece).expect("the text is ASCII"));
        }
    }

    #[test]
    fn lines_are_those_of_the_official_driver() {
        let mut text = Text::default();
        text.number("Pass_Num", 3);
        text.string("Sn", &[0x0a, 0xff]);
        text.string("M", &[]);
        text.end();
        assert_eq!(
            text.0,
            "Pass_Num = 3\nSn_Len = 2\nSn = 0AFF\nM_Len = 0\nM = \n\n"
        );
    }

    #[test]
    fn the_first_record_starts_as_published() {
        let start = Seeds::default().next().expect("there are ten");
        let mut text = Text::default();
        text.start(&start);
        assert!(
            text.0
                .starts_with("Count = 0\nSeed_Len = 64\nSeed = 927F06B594798A4DDFAA4F03F92AAAF0")
        );
        assert_eq!(hex::encode(&start.message()[..8]), "ee402d1730d0117b");
        assert_eq!(start.message().len(), 56);
        assert_eq!(Seeds::default().count(), 10);
        assert_eq!(
            Seeds::default().last().map(|start| start.message().len()),
            Some(128)
        );
    }
}
