//! Bytes as they are.

use std::fmt::Write;
use std::time::Duration;

use crate::capture::Kind;

/// Bytes in a line.
const WIDTH: usize = 16;

/// Lines of bytes, as numbers and as the characters that they are, if they are any.
pub fn dump(at: Duration, kind: Kind, bytes: &[u8]) -> String {
    let arrow = match kind {
        Kind::FromMeter => '<',
        Kind::ToMeter => '>',
        Kind::Start => '|',
    };
    let mut text = String::new();
    for line in bytes.chunks(WIDTH) {
        if !text.is_empty() {
            text.push('\n');
        }
        let numbers: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
        let characters: String = line
            .iter()
            .map(|byte| match byte {
                b' '..=b'~' => char::from(*byte),
                _ => '.',
            })
            .collect();
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "{:12.6} {arrow} {:47}  {characters}",
            at.as_secs_f64(),
            numbers.join(" ")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_as_numbers_and_characters() {
        let text = dump(
            Duration::from_millis(1),
            Kind::FromMeter,
            b"\0ABCDEFGHIJKLMNOP\x1b",
        );
        insta::assert_snapshot!(text, @"
        0.001000 < 00 41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f  .ABCDEFGHIJKLMNO
        0.001000 < 50 1b                                            P.
        ");
    }
}
