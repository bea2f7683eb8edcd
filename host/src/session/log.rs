//! What the meter says to people: defmt frames of the firmware, plain text of the std build.

use defmt_decoder::{DecodeError, Table};

use crate::notice::printable;

/// One line of the meter's log.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LogLine {
    /// `trace`, `debug`, `info`, `warn` or `error`; `None` where the meter gave none.
    pub level: Option<&'static str>,
    /// The text.
    pub text: String,
}

impl std::fmt::Display for LogLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.level {
            Some(level) => write!(f, "{level:5} {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

/// Where lines of the log go.
pub type Sink = Box<dyn FnMut(LogLine) + Send>;

/// Turns log frames into lines.
pub struct Log {
    table: Option<Table>,
    sink: Sink,
}

impl Log {
    /// For an image with this table of defmt strings, or one that logs plain text.
    pub fn new(table: Option<Table>, sink: Sink) -> Self {
        Self { table, sink }
    }

    /// Takes the payload of one log frame.
    pub fn take(&mut self, payload: &[u8]) {
        let Some(table) = &self.table else {
            let text = String::from_utf8_lossy(payload);
            for text in text.lines() {
                (self.sink)(LogLine {
                    level: None,
                    text: printable(text).into_owned(),
                });
            }
            return;
        };
        let mut rest = payload;
        while !rest.is_empty() {
            match table.decode(rest) {
                Ok((frame, used)) if used > 0 => {
                    (self.sink)(LogLine {
                        level: frame.level().map(|level| level.as_str()),
                        text: printable(&frame.display_message().to_string()).into_owned(),
                    });
                    rest = rest.get(used..).unwrap_or_default();
                }
                Ok(_) | Err(DecodeError::UnexpectedEof | DecodeError::Malformed) => {
                    (self.sink)(LogLine {
                        level: Some("warn"),
                        text: format!("a log frame that cannot be decoded: {rest:02x?}"),
                    });
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn plain_text_becomes_lines_that_cannot_steer_a_terminal() {
        let (sender, lines) = mpsc::channel();
        let mut log = Log::new(None, Box::new(move |line| sender.send(line).unwrap()));
        log.take(b"one\ntwo \x1b[31m\xff\n");
        drop(log);
        let lines: Vec<_> = lines.iter().map(|line| line.to_string()).collect();
        assert_eq!(lines, ["one", "two \\u{1b}[31m\u{fffd}"]);
    }
}
