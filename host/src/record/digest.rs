//! The digest of a record, by which every later change is found.
//!
//! `meter.digest` is the SHA-256 of the record's canonical JSON (RFC 8785: no blanks, sorted keys,
//! shortest numbers) without that key. Any tool that knows RFC 8785 can check it.
//!
//! A file can change where its values do not, such as from `1e-7` to `1E-7`. That is found as well:
//! the text of a record is [`text`] of its values and nothing else. See [`canonical`] for both.

use serde::Serialize;
use serde_json::Value;

use super::schema::{Record, Sha256};

/// Numbers of a record are finite, and its keys are texts.
const SERIALISES: &str = "a record has no value that JSON cannot hold";

/// The way to the digest in a record or a profile, which does not cover itself.
const DIGEST: [&str; 2] = ["meter", "digest"];

/// What a record or a profile holds.
#[derive(Clone, Debug)]
pub struct Content(canonical::Content);

impl Content {
    /// This value.
    pub fn of(value: Value) -> Self {
        Self(canonical::Content::of(value))
    }

    /// The text of the file.
    pub fn text(&self) -> Vec<u8> {
        self.0.text()
    }

    /// The digest, whatever `meter.digest` says.
    pub fn digest(&self) -> Sha256 {
        Sha256::from_bytes(&self.0.digest_without(&DIGEST))
    }
}

/// The text of a file with this content.
pub fn text(content: &Value) -> String {
    String::from_utf8(Content::of(content.clone()).text()).expect(SERIALISES)
}

/// The digest of a record's content, whatever its `meter.digest` says.
pub fn of_content(content: &Value) -> Sha256 {
    Content::of(content.clone()).digest()
}

/// The content of a record or a profile, as its file holds it.
pub fn content<T: Serialize>(record: &T) -> Value {
    serde_json::to_value(record).expect(SERIALISES)
}

/// Puts the digest of a record in its place, if it is a record of ours.
pub fn seal(record: &mut Record) {
    let digest = of_content(&content(record));
    if let Some(meter) = &mut record.meter {
        meter.digest = digest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::example;

    #[test]
    fn the_digest_covers_everything_but_itself() {
        let mut record = example::record();
        seal(&mut record);
        let sealed = of_content(&content(&record));
        assert_eq!(record.meter.as_ref().expect("ours").digest, sealed);
        record.trials[0].cycles += 1;
        assert_ne!(of_content(&content(&record)), sealed);
    }
}
