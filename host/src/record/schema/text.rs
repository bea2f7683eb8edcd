//! The values of a record that are texts of a certain form.

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use jiff::tz::Offset;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use sha2::Digest;

use crate::record::migrate::FORMAT;

/// The version of the schema that this program reads and writes.
pub const SCHEMA: u32 = 2;

/// The number [`SCHEMA`]; reading any other is an error.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct SchemaVersion;

impl TryFrom<u32> for SchemaVersion {
    type Error = String;

    fn try_from(version: u32) -> Result<Self, String> {
        match version {
            SCHEMA => Ok(Self),
            _ => Err(format!("this is {version}, and only {SCHEMA} is known")),
        }
    }
}

impl From<SchemaVersion> for u32 {
    fn from(_: SchemaVersion) -> Self {
        SCHEMA
    }
}

impl JsonSchema for SchemaVersion {
    fn schema_name() -> Cow<'static, str> {
        "SchemaVersion".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "const": SCHEMA })
    }
}

/// The number [`FORMAT`]; records of others are made records of this one before they are read.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Format;

impl TryFrom<u32> for Format {
    type Error = String;

    fn try_from(format: u32) -> Result<Self, String> {
        match format {
            FORMAT => Ok(Self),
            _ => Err(format!("this is {format}, and not {FORMAT}")),
        }
    }
}

impl From<Format> for u32 {
    fn from(_: Format) -> Self {
        FORMAT
    }
}

impl JsonSchema for Format {
    fn schema_name() -> Cow<'static, str> {
        "Format".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "const": FORMAT })
    }
}

/// A SHA-256 digest as 64 lower-case hexadecimal digits.
#[derive(Clone, Debug, Eq, PartialEq, Ord, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sha256(String);

impl Sha256 {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self::from_bytes(&sha2::Sha256::digest(bytes))
    }

    /// A digest that was computed elsewhere.
    pub fn from_bytes(digest: &[u8]) -> Self {
        Self(crate::session::hexadecimal(digest))
    }

    /// The 64 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Sha256 {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == 64 && text.bytes().all(is_digit) {
            Ok(Self(text))
        } else {
            Err(format!(
                "`{text}` is no SHA-256 digest of 64 lower-case hexadecimal digits"
            ))
        }
    }
}

impl From<Sha256> for String {
    fn from(digest: Sha256) -> Self {
        digest.0
    }
}

impl JsonSchema for Sha256 {
    fn schema_name() -> Cow<'static, str> {
        "Sha256".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A SHA-256 digest as 64 lower-case hexadecimal digits.",
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
        })
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A date and time with its offset from UTC, in ISO 8601; keeps the text that it was read from.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct UtcTime {
    text: String,
    instant: Timestamp,
}

impl UtcTime {
    /// The present, to the microsecond.
    pub fn now() -> Self {
        Self::from(Timestamp::now())
    }

    /// The instant that the text names.
    pub fn instant(&self) -> Timestamp {
        self.instant
    }
}

impl From<Timestamp> for UtcTime {
    fn from(instant: Timestamp) -> Self {
        Self {
            text: format!("{:.6}", instant.display_with_offset(Offset::UTC)),
            instant,
        }
    }
}

impl TryFrom<String> for UtcTime {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.parse() {
            Ok(instant) => Ok(Self { text, instant }),
            Err(error) => Err(format!(
                "`{text}` is no date and time with an offset in ISO 8601: {error}"
            )),
        }
    }
}

impl From<UtcTime> for String {
    fn from(time: UtcTime) -> Self {
        time.text
    }
}

impl JsonSchema for UtcTime {
    fn schema_name() -> Cow<'static, str> {
        "UtcTime".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A date and time with its offset from UTC, in ISO 8601.",
            "type": "string",
            "format": "date-time",
        })
    }
}

/// What a machine says of itself: a number, a switch, or a text that may hold either.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Reading {
    /// On or off.
    Switch(bool),
    /// A number.
    Number(serde_json::Number),
    /// Anything else.
    Text(String),
}

impl Reading {
    /// The number, whether it was written as one or as a text.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Switch(_) => None,
            Self::Number(number) => number.as_f64(),
            Self::Text(text) => text.trim().parse().ok(),
        }
    }
}

impl From<u64> for Reading {
    fn from(number: u64) -> Self {
        Self::Number(number.into())
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch(on) => on.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_need_an_offset_and_keep_their_text() {
        let published = "2026-09-25T10:02:21+00:00".to_owned();
        let time = UtcTime::try_from(published.clone()).expect("has an offset");
        assert_eq!(String::from(time), published);
        let error = UtcTime::try_from("2026-09-25T10:02:21".to_owned()).expect_err("has none");
        assert!(error.contains("offset"), "{error}");
        let ours = UtcTime::from(Timestamp::from_second(1_790_000_000).expect("in range"));
        assert_eq!(String::from(ours), "2026-09-21T14:13:20.000000+00:00");
    }

    #[test]
    fn readings_are_numbers_however_written() {
        let reading = |json| serde_json::from_str::<Reading>(json).expect("a reading");
        assert_eq!(reading("2100000").number(), Some(2_100_000.0));
        assert_eq!(reading("\"2100000\"").number(), Some(2_100_000.0));
        assert_eq!(reading("true").number(), None);
        assert_eq!(reading("\"kvm\"").to_string(), "kvm");
    }

    #[test]
    fn digests_are_64_lower_case_digits() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Sha256::of(b"").as_str(), empty);
        assert!(Sha256::try_from(empty.to_uppercase()).is_err());
        assert!(Sha256::try_from(empty[1..].to_owned()).is_err());
    }
}
