//! The digest of a record, by which every later change is found.
//!
//! `meter.digest` is the SHA-256 of the record's canonical JSON (RFC 8785: no blanks, sorted keys,
//! shortest numbers) without that key. Any tool that knows RFC 8785 can check it.
//!
//! A file can change where its values do not, such as from `1e-7` to `1E-7`. That is found as well:
//! the text of a record is [`text`] of its values and nothing else.

use serde::Serialize;
use serde_json::{Number, Value};

use super::schema::{Record, Sha256};

/// Numbers of a record are finite, and its keys are texts.
const SERIALISES: &str = "a record has no value that JSON cannot hold";

/// The text of a file with this content: indented by two blanks, the shortest text of each number,
/// one line feed at the end.
pub fn text(content: &Value) -> String {
    format!("{:#}\n", with_shortest_numbers(content.clone()))
}

/// The same content with each number in its shortest text.
///
/// Where serde_json keeps the text that a number was read from, several texts stand for the same
/// number. It does when any crate of the build asks for `arbitrary_precision`, and defmt-decoder
/// asks.
fn with_shortest_numbers(content: Value) -> Value {
    match content {
        Value::Number(number) => Value::Number(shortest(&number).unwrap_or(number)),
        Value::Array(values) => values.into_iter().map(with_shortest_numbers).collect(),
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| (key, with_shortest_numbers(value)))
            .collect(),
        other => other,
    }
}

fn shortest(number: &Number) -> Option<Number> {
    let unsigned = number.as_u64().map(Number::from);
    let signed = || number.as_i64().map(Number::from);
    unsigned
        .or_else(signed)
        .or_else(|| Number::from_f64(number.as_f64()?))
}

/// The digest of a record's content, whatever its `meter.digest` says.
pub fn of_content(content: &Value) -> Sha256 {
    let mut content = content.clone();
    if let Some(Value::Object(meter)) = content.get_mut("meter") {
        meter.shift_remove("digest");
    }
    let content = with_shortest_numbers(content);
    let canonical = serde_json_canonicalizer::to_vec(&content).expect(SERIALISES);
    Sha256::of(&canonical)
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

    #[test]
    fn a_number_has_one_text() {
        let long = "[0.00029166675000000002, 1E-7, 1.50, 18446744073709551615, -3]";
        let content: Value = serde_json::from_str(long).expect("JSON");
        let short = "[0.00029166675000000003,1e-7,1.5,18446744073709551615,-3]";
        assert_eq!(with_shortest_numbers(content).to_string(), short);
    }

    #[test]
    fn the_canonical_text_is_that_of_rfc_8785() {
        let text = r#"{
            "b": [1e-7, 333333333.33333329, 1e30, 4.50, 0.000001], "a": "\u20ac\u000f\n",
            "meter": {"digest": "x", "version": "1"}
        }"#;
        let content = serde_json::from_str(text).expect("JSON");
        let canonical = "{\"a\":\"\u{20ac}\\u000f\\n\",\
            \"b\":[1e-7,333333333.3333333,1e+30,4.5,0.000001],\"meter\":{\"version\":\"1\"}}";
        assert_eq!(of_content(&content), Sha256::of(canonical.as_bytes()));
    }
}
