//! Where a computed known-answer text departs from the published one.

use std::iter::Enumerate;
use std::str::Lines;

use catalogue::submission::Mode;

/// Compares a text, as it comes in pieces, with a published one, line by line as the canonical
/// digest has them.
pub struct Difference<'a> {
    published: Enumerate<Lines<'a>>,
    mode: Mode,
    line: Vec<u8>,
    /// Records that have begun, by their lines `Count = ...` or `Msg_Len = ...`.
    records: u32,
    found: Option<String>,
}

impl<'a> Difference<'a> {
    /// Nothing compared yet.
    pub fn new(published: &'a str, mode: Mode) -> Self {
        Self {
            published: published.lines().enumerate(),
            mode,
            line: Vec::new(),
            records: 0,
            found: None,
        }
    }

    /// Takes the next piece of the computed text.
    pub fn take(&mut self, piece: &[u8]) {
        for byte in piece {
            if *byte == b'\n' {
                self.end_line();
            } else {
                self.line.push(*byte);
            }
        }
    }

    /// The first difference in words; `None` when there is none.
    pub fn finish(mut self) -> Option<String> {
        self.end_line();
        if self.found.is_none()
            && let Some((_, line)) = next(&mut self.published, self.mode)
        {
            self.found = Some(format!(
                "the computed text ends where `{}` should follow",
                name(line)
            ));
        }
        self.found
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if self.found.is_some() || !counts(line, self.mode) {
            return;
        }
        if begins_record(line) {
            self.records += 1;
        }
        if let Mode::FirstRecords(limit) = self.mode
            && self.records > limit
        {
            return;
        }
        let published = next(&mut self.published, self.mode);
        if published.map(|(_, published)| published) != Some(line) {
            self.found = Some(self.words(line, published));
        }
    }

    fn words(&self, computed: &str, published: Option<(usize, &str)>) -> String {
        let record = self.records.saturating_sub(1);
        let name = name(computed);
        let Some((number, published)) = published else {
            return match begins_record(computed) {
                true => format!("the published text ends before record {record}"),
                false => {
                    format!("record {record}: `{name}` stands behind the published text's end")
                }
            };
        };
        if !published.starts_with(name) || self::name(published) != name {
            let other = self::name(published);
            return format!(
                "record {record}: `{name}` stands where `{other}` should, line {number} of the text"
            );
        }
        let value = |line: &str| {
            line.split_once('=')
                .map_or("", |(_, value)| value)
                .trim_start()
                .to_owned()
        };
        let (ours, theirs) = (value(computed), value(published));
        let same = ours
            .bytes()
            .zip(theirs.bytes())
            .take_while(|(a, b)| a == b)
            .count();
        // Two digits are a byte of a hexadecimal string.
        let (byte, length) = (same / 2, ours.len());
        let values = format!(
            "; computed {}, line {number} of the text has {}",
            excerpt(&ours, byte),
            excerpt(&theirs, byte)
        );
        if length == theirs.len() {
            format!("record {record}, `{name}`: differs from byte {byte} on{values}")
        } else {
            format!(
                "record {record}, `{name}`: {length} characters where {} are published, and they \
                 differ from byte {byte} on{values}",
                theirs.len()
            )
        }
    }
}

/// Bytes of a value that are shown.
const SHOWN: usize = 8;

/// A value from this byte on, as far as it is shown.
fn excerpt(value: &str, byte: usize) -> String {
    let rest: Vec<char> = value.chars().skip(2 * byte).collect();
    let shown: String = rest.iter().take(2 * SHOWN).collect();
    let before = if byte > 0 { "..." } else { "" };
    let after = if rest.len() > 2 * SHOWN { "..." } else { "" };
    match rest.is_empty() {
        true => "nothing there".to_owned(),
        false => format!("{before}{shown}{after}"),
    }
}

/// The next published line that counts, with its number.
fn next<'a>(lines: &mut Enumerate<Lines<'a>>, mode: Mode) -> Option<(usize, &'a str)> {
    lines
        .map(|(index, line)| (index + 1, line.trim_end()))
        .find(|(_, line)| counts(line, mode))
}

fn counts(line: &str, mode: Mode) -> bool {
    let is_left_out = mode == Mode::NoLengths && name(line).ends_with("_Len");
    !line.is_empty() && !is_left_out
}

fn name(line: &str) -> &str {
    line.split('=').next().unwrap_or_default().trim_end()
}

fn begins_record(line: &str) -> bool {
    ["Count", "Msg_Len"].contains(&name(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLISHED: &str =
        "Count = 0\r\nPK_Len = 2\r\nPK = 00FF\r\n\r\nCount = 1\r\nPK_Len = 2\r\nPK = 1234\r\n";

    fn difference(computed: &str, mode: Mode) -> Option<String> {
        let mut difference = Difference::new(PUBLISHED, mode);
        for piece in computed.as_bytes().chunks(3) {
            difference.take(piece);
        }
        difference.finish()
    }

    #[test]
    fn equal_texts_differ_nowhere_whatever_their_line_ends() {
        let computed = PUBLISHED.replace('\r', "");
        assert_eq!(difference(&computed, Mode::Strict), None);
        let without_lengths = computed.replace("PK_Len = 2", "PK_Len =");
        assert_eq!(difference(&without_lengths, Mode::NoLengths), None);
        let more = computed.clone() + "Count = 2\n";
        assert_eq!(difference(&more, Mode::FirstRecords(2)), None);
    }

    #[test]
    fn the_first_difference_has_record_field_and_byte() {
        let words = |from: &str, to: &str| {
            difference(&PUBLISHED.replacen(from, to, 1), Mode::Strict).unwrap()
        };
        assert_eq!(
            words("1234", "1235"),
            "record 1, `PK`: differs from byte 1 on; computed ...35, line 7 of the text has ...34"
        );
        assert_eq!(
            words("00FF", "00FFAA"),
            "record 0, `PK`: 6 characters where 4 are published, and they differ from byte 2 on; \
             computed ...AA, line 3 of the text has nothing there"
        );
        assert_eq!(
            words("PK = 00FF", "SK = 00FF"),
            "record 0: `SK` stands where `PK` should, line 3 of the text"
        );
        assert_eq!(
            words("PK = 1234\r\n", ""),
            "the computed text ends where `PK` should follow"
        );
        let longer = PUBLISHED.to_owned() + "Count = 2\n";
        assert_eq!(
            difference(&longer, Mode::Strict).unwrap(),
            "the published text ends before record 2"
        );
        let more = PUBLISHED.to_owned() + "SS = 00\n";
        assert_eq!(
            difference(&more, Mode::Strict).unwrap(),
            "record 1: `SS` stands behind the published text's end"
        );
    }
}
