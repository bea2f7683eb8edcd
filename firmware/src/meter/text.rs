//! Where a regenerated known-answer text goes: into digests, or out in blocks.

use heapless::Vec;
use kat::canonical::CanonicalDigest;
use kat::nist::TextSink;
use wire::{CanonicalReport, TEXT_PER_BLOCK, TextBlock};

/// Digests a text and counts its bytes.
pub struct Digested {
    digest: CanonicalDigest,
    bytes: u64,
}

impl Digested {
    /// No text yet; `first_records` is how many records the digest of the first ones takes.
    pub fn new(first_records: u32) -> Self {
        Self {
            digest: CanonicalDigest::new(first_records),
            bytes: 0,
        }
    }

    /// Ends the text.
    pub fn report(self) -> CanonicalReport {
        let canonical = self.digest.finish();
        CanonicalReport {
            strict: canonical.strict,
            nolen: canonical.nolen,
            first_records: canonical.first_records,
            records: canonical.records,
            bytes: self.bytes,
        }
    }
}

impl TextSink for Digested {
    fn text(&mut self, piece: &[u8]) {
        self.bytes += piece.len() as u64;
        self.digest.text(piece);
    }
}

/// Cuts a text into blocks and passes on those from a certain one on.
pub struct Blocks<F: FnMut(TextBlock)> {
    from: u32,
    block: TextBlock,
    bytes: u64,
    send: F,
}

impl<F: FnMut(TextBlock)> Blocks<F> {
    /// No text yet; blocks before number `from` are not sent.
    pub fn new(from: u32, send: F) -> Self {
        Self {
            from,
            block: TextBlock {
                index: 0,
                text: Vec::new(),
            },
            bytes: 0,
            send,
        }
    }

    /// Sends what is left; the number of all blocks and of all bytes comes back.
    pub fn finish(mut self) -> (u32, u64) {
        if !self.block.text.is_empty() {
            self.pass_on();
        }
        (self.block.index, self.bytes)
    }

    fn pass_on(&mut self) {
        let next = TextBlock {
            index: self.block.index + 1,
            text: Vec::new(),
        };
        let block = core::mem::replace(&mut self.block, next);
        if block.index >= self.from {
            (self.send)(block);
        }
    }
}

impl<F: FnMut(TextBlock)> TextSink for Blocks<F> {
    fn text(&mut self, piece: &[u8]) {
        self.bytes += piece.len() as u64;
        let mut rest = piece;
        while !rest.is_empty() {
            let room = TEXT_PER_BLOCK - self.block.text.len();
            let (now, later) = rest.split_at(room.min(rest.len()));
            // It fits: as much was cut off as there is room.
            let _ = self.block.text.extend_from_slice(now);
            rest = later;
            if self.block.text.is_full() {
                self.pass_on();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_joined_are_the_text_and_can_begin_anywhere() {
        let text: std::vec::Vec<u8> = (0..2 * TEXT_PER_BLOCK + 100).map(|i| i as u8).collect();
        for from in 0..4 {
            let mut sent = std::vec::Vec::new();
            let mut blocks = Blocks::new(from, |block| sent.push(block));
            for piece in text.chunks(1000) {
                blocks.text(piece);
            }
            assert_eq!(blocks.finish(), (3, text.len() as u64));
            let joined: std::vec::Vec<u8> =
                sent.iter().flat_map(|block| block.text.clone()).collect();
            let begin = (from as usize * TEXT_PER_BLOCK).min(text.len());
            assert_eq!(joined, text[begin..]);
            assert!(
                sent.iter()
                    .zip(from..)
                    .all(|(block, index)| block.index == index)
            );
        }
    }

    #[test]
    fn a_text_of_whole_blocks_has_no_empty_one_behind_it() {
        let mut sent = 0;
        let mut blocks = Blocks::new(0, |_| sent += 1);
        blocks.text(&[0; 2 * TEXT_PER_BLOCK]);
        assert_eq!(blocks.finish(), (2, 2 * TEXT_PER_BLOCK as u64));
        assert_eq!(sent, 2);
    }
}
