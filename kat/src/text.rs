//! The writer of known-answer texts, whoever takes them.

/// Takes the text of a record in pieces.
///
/// What a record looks like is written once, in the provided methods; a sink that only keeps the
/// text needs no more than [`TextSink::text`].
pub trait TextSink {
    /// The next piece of the text.
    fn text(&mut self, piece: &[u8]);

    /// The text that follows is the value of this field.
    fn value_begins(&mut self, _name: &str) {}

    /// The value of the field ends here.
    fn value_ends(&mut self) {}

    /// Begins a field: its name and the separator.
    fn begin_field(&mut self, name: &str) {
        self.text(name.as_bytes());
        self.text(b" = ");
        self.value_begins(name);
    }

    /// Ends a field: the line end.
    fn end_field(&mut self) {
        self.value_ends();
        self.text(b"\n");
    }

    /// Bytes in upper-case hexadecimal.
    fn hex(&mut self, bytes: &[u8]) {
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        let mut text = [0; 256];
        for chunk in bytes.chunks(text.len() / 2) {
            for (pair, byte) in text.chunks_exact_mut(2).zip(chunk) {
                pair[0] = DIGITS[usize::from(byte >> 4)];
                pair[1] = DIGITS[usize::from(byte & 15)];
            }
            self.text(&text[..2 * chunk.len()]);
        }
    }

    /// A decimal number.
    fn decimal(&mut self, number: u64) {
        // 20 digits hold any 64-bit number.
        let mut digits = [0; 20];
        let mut first = digits.len();
        let mut rest = number;
        loop {
            first -= 1;
            digits[first] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.text(&digits[first..]);
    }

    /// A field of bytes in upper-case hexadecimal; NIST's program prints no bytes as `00`.
    fn field_hex(&mut self, name: &str, bytes: &[u8]) {
        self.begin_field(name);
        self.hex(if bytes.is_empty() { &[0] } else { bytes });
        self.end_field();
    }

    /// A field that is a decimal number.
    fn field_decimal(&mut self, name: &str, number: u64) {
        self.begin_field(name);
        self.decimal(number);
        self.end_field();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Text(Vec<u8>);

    impl TextSink for Text {
        fn text(&mut self, piece: &[u8]) {
            self.0.extend_from_slice(piece);
        }
    }

    fn written(write: impl Fn(&mut Text)) -> String {
        let mut text = Text::default();
        write(&mut text);
        String::from_utf8(text.0).expect("the writer makes ASCII")
    }

    #[test]
    fn bytes_are_upper_case_hexadecimal() {
        assert_eq!(
            written(|text| text.field_hex("pk", &[0x00, 0x9a, 0xbc, 0xff])),
            "pk = 009ABCFF\n"
        );
        assert_eq!(written(|text| text.field_hex("ct", &[])), "ct = 00\n");
    }

    #[test]
    fn long_values_are_not_cut() {
        for length in [127, 128, 129, 1000] {
            let bytes: Vec<u8> = (0..length).map(|i| i as u8).collect();
            assert_eq!(
                written(|text| text.field_hex("sk", &bytes)),
                format!("sk = {}\n", hex::encode_upper(&bytes))
            );
        }
    }

    #[test]
    fn numbers_are_decimal() {
        for number in [0, 9, 10, 33, u64::MAX] {
            assert_eq!(
                written(|text| text.field_decimal("smlen", number)),
                format!("smlen = {number}\n")
            );
        }
    }
}
