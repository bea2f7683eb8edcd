//! Canonical digests of known-answer texts, as the published manifests have them.
//!
//! A manifest's digest is not of the raw file. Each line loses its carriage return and its trailing
//! blanks, empty lines are dropped, and each line that remains is followed by one line feed:
//! `strict` is the SHA-256 of that. `nolen` leaves out the lines whose name ends in `_Len`, and
//! `strict:N` everything from the record after the N-th on.

use heapless::String;
use sha2::{Digest, Sha256};

use crate::text::TextSink;

/// Characters of a line's beginning that are enough to tell its name.
const NAME: usize = 48;

/// The beginning of the line that starts a record.
const RECORD: &str = "Count = ";

/// The canonical digests of one text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Canonical {
    /// All lines.
    pub strict: [u8; 32],
    /// All lines but the lengths.
    pub nolen: [u8; 32],
    /// All lines of the first records, as many as were asked for.
    pub first_records: [u8; 32],
    /// Records in the text: lines that begin with `Count = `.
    pub records: u32,
}

/// Computes canonical digests while a text is written, however long its lines are.
#[derive(Clone, Debug)]
pub struct CanonicalDigest {
    strict: Lines,
    nolen: Lines,
    first_records: Lines,
    /// How many records `first_records` takes.
    limit: u32,
    records: u32,
    /// The beginning of the line, as long as its kind is not known.
    beginning: String<NAME>,
    /// Whether the line's kind is known and its beginning digested.
    decided: bool,
}

impl CanonicalDigest {
    /// Digests of no text yet; `first_records` is how many records `strict:N` would take.
    pub fn new(first_records: u32) -> Self {
        Self {
            strict: Lines::new(),
            nolen: Lines::new(),
            first_records: Lines::new(),
            limit: first_records,
            records: 0,
            beginning: String::new(),
            decided: false,
        }
    }

    /// Ends the text, and with it a last line that has no line feed.
    pub fn finish(mut self) -> Canonical {
        self.end_line();
        Canonical {
            strict: self.strict.whole.finalize().into(),
            nolen: self.nolen.whole.finalize().into(),
            first_records: self.first_records.whole.finalize().into(),
            records: self.records,
        }
    }

    fn byte(&mut self, byte: u8) {
        if byte == b'\n' {
            return self.end_line();
        }
        if self.decided {
            return self.digest(&[byte]);
        }
        // Names are ASCII; whatever else a line begins with is no name, and is passed on as it is.
        if byte.is_ascii() && self.beginning.push(char::from(byte)).is_ok() {
            if byte == b'=' {
                self.decide();
            }
        } else {
            self.decide();
            self.digest(&[byte]);
        }
    }

    /// The line's kind is known: its beginning goes where the rest will follow.
    fn decide(&mut self) {
        self.decided = true;
        let name = self.beginning.trim_end_matches('=').trim_end();
        self.nolen.take = !(self.beginning.ends_with('=') && name.ends_with("_Len"));
        if self.beginning.starts_with(RECORD.trim_end()) {
            self.records += 1;
        }
        self.first_records.take = self.records <= self.limit;
        let beginning = core::mem::take(&mut self.beginning);
        self.digest(beginning.as_bytes());
    }

    fn digest(&mut self, bytes: &[u8]) {
        for lines in [&mut self.strict, &mut self.nolen, &mut self.first_records] {
            lines.update(bytes);
        }
    }

    fn end_line(&mut self) {
        if !self.decided {
            self.decide();
        }
        for lines in [&mut self.strict, &mut self.nolen, &mut self.first_records] {
            lines.end();
        }
        self.decided = false;
    }
}

impl TextSink for CanonicalDigest {
    fn text(&mut self, piece: &[u8]) {
        for byte in piece {
            self.byte(*byte);
        }
    }
}

/// A digest of lines without what stands blank at their ends.
#[derive(Clone, Debug)]
struct Lines {
    /// Everything up to the last character of this line that is not blank.
    whole: Sha256,
    /// The same and the blanks since then, if there are any: they may prove to be inside a line.
    with_blanks: Option<Sha256>,
    /// Whether this line has anything but blanks.
    filled: bool,
    /// Whether this line is taken at all.
    take: bool,
}

impl Lines {
    fn new() -> Self {
        Self {
            whole: Sha256::new(),
            with_blanks: None,
            filled: false,
            take: true,
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        if !self.take {
            return;
        }
        for byte in bytes {
            if matches!(byte, b' ' | b'\t' | b'\r') {
                let blanks = self.with_blanks.get_or_insert_with(|| self.whole.clone());
                blanks.update([*byte]);
            } else {
                if let Some(inside) = self.with_blanks.take() {
                    self.whole = inside;
                }
                self.whole.update([*byte]);
                self.filled = true;
            }
        }
    }

    fn end(&mut self) {
        self.with_blanks = None;
        if self.filled {
            self.whole.update(b"\n");
        }
        self.filled = false;
        self.take = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sha256(text: &str) -> [u8; 32] {
        Sha256::digest(text).into()
    }

    fn digested(text: &[u8], first_records: u32) -> Canonical {
        let mut digest = CanonicalDigest::new(first_records);
        digest.text(text);
        digest.finish()
    }

    const TEXT: &str = "Count = 0\r\nSeed_Len = 64\nSeed = AB\nM_Len = 0\nM = \n\n\
                        Count = 1\nSeed_Len = \nSeed = C D \t\n\n  \nCount = 2\nS = 1";

    #[test]
    fn lines_are_made_canonical() {
        let canonical = digested(TEXT.as_bytes(), 2);
        let strict = "Count = 0\nSeed_Len = 64\nSeed = AB\nM_Len = 0\nM =\n\
                      Count = 1\nSeed_Len =\nSeed = C D\nCount = 2\nS = 1\n";
        assert_eq!(canonical.strict, sha256(strict));
        let nolen = "Count = 0\nSeed = AB\nM =\nCount = 1\nSeed = C D\nCount = 2\nS = 1\n";
        assert_eq!(canonical.nolen, sha256(nolen));
        let first = "Count = 0\nSeed_Len = 64\nSeed = AB\nM_Len = 0\nM =\n\
                     Count = 1\nSeed_Len =\nSeed = C D\n";
        assert_eq!(canonical.first_records, sha256(first));
        assert_eq!(canonical.records, 3);
    }

    #[test]
    fn no_text_has_the_digest_of_nothing() {
        let canonical = digested(b"\n \n\r\n", 1);
        assert_eq!(canonical.strict, sha256(""));
        assert_eq!(canonical.records, 0);
    }

    /// What the definition says, line by line, on text that is held whole.
    fn by_the_definition(text: &[u8]) -> [u8; 32] {
        let mut digest = Sha256::new();
        for line in text.split(|byte| *byte == b'\n') {
            let end = line
                .iter()
                .rposition(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
            if let Some(end) = end {
                digest.update(&line[..=end]);
                digest.update(b"\n");
            }
        }
        digest.finalize().into()
    }

    proptest! {
        #[test]
        fn any_text_in_any_pieces_is_digested_by_the_definition(
            text in proptest::collection::vec(
                prop_oneof![Just(b'\n'), Just(b' '), Just(b'='), Just(b'\r'), any::<u8>()], 0..400),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut digest = CanonicalDigest::new(1);
            let cut = cut.index(text.len() + 1);
            digest.text(&text[..cut]);
            digest.text(&text[cut..]);
            prop_assert_eq!(digest.finish().strict, by_the_definition(&text));
        }
    }
}
