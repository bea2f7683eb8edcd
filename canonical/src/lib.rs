//! JSON as records hold it: one text for each value, and a digest of the value.
//!
//! The text is indented by two blanks, has the shortest text of each number, and one line feed at the
//! end. The digest is the SHA-256 of the canonical JSON of RFC 8785 (no blanks, sorted keys, numbers
//! as ECMAScript writes them), so that any tool that knows RFC 8785 can check it.
//!
//! All of this is done for every record that is read, and so is a crate of its own that is optimised
//! where the host is not.

use serde_json::{Map, Number, Value};
use sha2::{Digest, Sha256};

/// A value of JSON, each number in its shortest text.
///
/// Where serde_json keeps the text that a number was read from, several texts stand for the same
/// number.
#[derive(Clone, Debug, PartialEq)]
pub struct Content(Value);

/// Integers of so many digits are the same in JSON and in ECMAScript, whose numbers are floats.
const EXACT_DIGITS: usize = 15;

impl Content {
    /// This value.
    pub fn of(mut value: Value) -> Self {
        shorten(&mut value);
        Self(value)
    }

    /// The text of a file that holds it.
    pub fn text(&self) -> Vec<u8> {
        // A value has text keys only, and a vector takes whatever is written.
        let mut text = serde_json::to_vec_pretty(&self.0).unwrap_or_default();
        text.push(b'\n');
        text
    }

    /// The digest of everything but the value that this way of keys leads to.
    pub fn digest_without(&self, way: &[&str]) -> [u8; 32] {
        Sha256::digest(self.canonical_without(way)).into()
    }

    fn canonical_without(&self, way: &[&str]) -> Vec<u8> {
        let mut text = Vec::with_capacity(1 << 14);
        canonical(&self.0, way, &mut text);
        text
    }
}

/// Reads a value.
///
/// # Errors
///
/// What is wrong with the text, and where.
pub fn read(bytes: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(bytes)
}

fn shorten(value: &mut Value) {
    match value {
        Value::Number(number) if !is_short_integer(number.as_str()) => {
            if let Some(short) = shortest(number) {
                *number = short;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(shorten),
        Value::Object(map) => map.values_mut().for_each(shorten),
        _ => {}
    }
}

/// Whether this is an integer in the only text that it has, and small enough to be exact.
fn is_short_integer(text: &str) -> bool {
    let digits = text.as_bytes();
    let is_number = digits.iter().all(u8::is_ascii_digit);
    is_number && digits.len() <= EXACT_DIGITS && (digits.len() == 1 || digits[0] != b'0')
}

fn shortest(number: &Number) -> Option<Number> {
    let unsigned = number.as_u64().map(Number::from);
    let signed = || number.as_i64().map(Number::from);
    unsigned
        .or_else(signed)
        .or_else(|| Number::from_f64(number.as_f64()?))
}

/// Writes a value, without the one that the way of keys leads to.
fn canonical(value: &Value, without: &[&str], text: &mut Vec<u8>) {
    match value {
        Value::Null => text.extend(b"null"),
        Value::Bool(true) => text.extend(b"true"),
        Value::Bool(false) => text.extend(b"false"),
        Value::String(string) => quoted(string, text),
        Value::Number(number) if is_short_integer(number.as_str()) => {
            text.extend(number.as_str().as_bytes());
        }
        Value::Number(number) => {
            // One that is too large for a float is infinite, and so is its text.
            let value = number.as_f64().unwrap_or(f64::INFINITY);
            text.extend(ryu_js::Buffer::new().format(value).as_bytes());
        }
        Value::Array(values) => {
            text.push(b'[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    text.push(b',');
                }
                canonical(value, &[], text);
            }
            text.push(b']');
        }
        Value::Object(map) => object(map, without, text),
    }
}

/// Writes an object, its keys sorted by their UTF-16 code units.
fn object(map: &Map<String, Value>, without: &[&str], text: &mut Vec<u8>) {
    let mut members: Vec<(&String, &Value)> = map.iter().collect();
    members.sort_unstable_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    text.push(b'{');
    let mut is_first = true;
    for (key, value) in members {
        let rest = match without {
            [last] if last == key => continue,
            [first, rest @ ..] if first == key => rest,
            _ => &[],
        };
        if !is_first {
            text.push(b',');
        }
        is_first = false;
        quoted(key, text);
        text.push(b':');
        canonical(value, rest, text);
    }
    text.push(b'}');
}

/// Writes a string; RFC 8785 has the same escapes as serde_json.
fn quoted(string: &str, text: &mut Vec<u8>) {
    let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    if string.bytes().all(is_plain) {
        text.push(b'"');
        text.extend(string.as_bytes());
        text.push(b'"');
    } else {
        // A vector takes whatever is written.
        let _ = serde_json::to_writer(text, string);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn canonical_text(value: Value) -> String {
        String::from_utf8(Content::of(value).canonical_without(&[])).unwrap()
    }

    #[test]
    fn a_number_has_one_text() {
        let long = b"[0.00029166675000000002, 1E-7, 1.50, 18446744073709551615, -3, 1.0, 0]";
        let content = Content::of(read(long).unwrap());
        let short = "[0.00029166675000000003,1e-7,1.5,18446744073709551615,-3,1.0,0]";
        assert_eq!(content.0.to_string(), short);
        assert_eq!(Content::of(json!([1, {}])).text(), b"[\n  1,\n  {}\n]\n");
    }

    #[test]
    fn the_canonical_text_is_that_of_rfc_8785() {
        let text = r#"{
            "b": [1e-7, 333333333.33333329, 1e30, 4.50, 0.000001], "a": "\u20ac\u000f\n",
            "\ud83d\ude02": 1, "\ufb33": 2, "meter": {"digest": "x", "version": "1"}
        }"#;
        let content = Content::of(read(text.as_bytes()).unwrap());
        let canonical = "{\"a\":\"\u{20ac}\\u000f\\n\",\
            \"b\":[1e-7,333333333.3333333,1e+30,4.5,0.000001],\"meter\":{\"version\":\"1\"},\
            \"\u{1f602}\":1,\"\u{fb33}\":2}";
        let without = content.canonical_without(&["meter", "digest"]);
        assert_eq!(String::from_utf8(without).unwrap(), canonical);
        let digest: [u8; 32] = Sha256::digest(canonical).into();
        assert_eq!(content.digest_without(&["meter", "digest"]), digest);
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-400.0..400.0_f64).prop_map(|it| json!(it.exp())),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 32, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                proptest::collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn another_implementation_agrees(value in values()) {
            let theirs = serde_json_canonicalizer::to_string(&value).unwrap();
            prop_assert_eq!(canonical_text(value), theirs);
        }

        #[test]
        fn a_text_reads_back(value in values()) {
            let content = Content::of(value);
            prop_assert_eq!(Content::of(read(&content.text()).unwrap()), content);
        }
    }
}
