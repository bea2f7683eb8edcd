//! SHA-256 of a record and of each of its values, computed while the text is written.

use heapless::String;
use sha2::{Digest, Sha256};
use wire::{FieldDigest, KatReport};

use crate::text::TextSink;

/// Digests a record's text without keeping it.
#[derive(Default)]
pub struct RecordDigest {
    whole: Sha256,
    value: Option<Value>,
    fields: heapless::Vec<FieldDigest, FIELDS>,
    error: Option<RecordError>,
}

/// Fields that a report has room for.
const FIELDS: usize = 8;

/// The value that is being written.
struct Value {
    name: String<12>,
    digest: Sha256,
    characters: u32,
}

/// Why a record has no report: it is larger than any record of a NIST KAT.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum RecordError {
    /// The record has more fields than a report can list.
    #[error("the record has more than 8 fields; enlarge wire::KatReport")]
    TooManyFields,
    /// A name is longer than a report can give.
    #[error("a field's name has more than 12 characters; enlarge wire::FieldDigest")]
    NameTooLong,
}

impl RecordDigest {
    /// A digest of no text yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the record.
    ///
    /// # Errors
    ///
    /// [`RecordError`] when a field did not fit the report.
    pub fn finish(self) -> Result<KatReport, RecordError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(KatReport {
                digest: self.whole.finalize().into(),
                fields: self.fields,
            }),
        }
    }
}

impl TextSink for RecordDigest {
    fn text(&mut self, piece: &[u8]) {
        self.whole.update(piece);
        if let Some(value) = &mut self.value {
            value.digest.update(piece);
            // A value of 4 GiB would not fit any target.
            value.characters = value.characters.saturating_add(piece.len() as u32);
        }
    }

    fn value_begins(&mut self, name: &str) {
        match String::try_from(name) {
            Ok(name) => {
                self.value = Some(Value {
                    name,
                    digest: Sha256::new(),
                    characters: 0,
                });
            }
            Err(_) => self.error = Some(RecordError::NameTooLong),
        }
    }

    fn value_ends(&mut self) {
        let Some(value) = self.value.take() else {
            return;
        };
        let field = FieldDigest {
            name: value.name,
            characters: value.characters,
            digest: value.digest.finalize().into(),
        };
        if self.fields.push(field).is_err() {
            self.error = Some(RecordError::TooManyFields);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sha256(text: &str) -> [u8; 32] {
        Sha256::digest(text).into()
    }

    #[test]
    fn the_report_digests_the_text_and_each_value() {
        let mut record = RecordDigest::new();
        record.field_decimal("count", 0);
        record.field_hex("seed", &[0x06, 0xff]);
        record.field_hex("ct", &[]);
        let report = record.finish().expect("three short fields");
        assert_eq!(report.digest, sha256("count = 0\nseed = 06FF\nct = 00\n"));
        let fields: Vec<_> = report
            .fields
            .iter()
            .map(|field| (field.name.as_str(), field.characters, field.digest))
            .collect();
        assert_eq!(
            fields,
            [
                ("count", 1, sha256("0")),
                ("seed", 4, sha256("06FF")),
                ("ct", 2, sha256("00")),
            ]
        );
    }

    #[test]
    fn the_fields_of_a_signature_record_fit_and_no_more() {
        let names = ["count", "seed", "mlen", "msg", "pk", "sk", "smlen", "sm"];
        let mut record = RecordDigest::new();
        for name in names {
            record.field_decimal(name, 1);
        }
        let mut longer = RecordDigest::new();
        for name in names.iter().chain(&["ninth"]) {
            longer.field_decimal(name, 1);
        }
        assert!(record.finish().is_ok());
        assert_eq!(longer.finish(), Err(RecordError::TooManyFields));
    }

    #[test]
    fn a_long_name_is_refused() {
        let mut record = RecordDigest::new();
        record.field_decimal("thirteen_char", 1);
        assert_eq!(record.finish(), Err(RecordError::NameTooLong));
    }
}
