//! Rows as comma-separated values (RFC 4180), safe to open in a spreadsheet.

use csv::{Terminator, WriterBuilder};
use serde_json::Value;

use super::Row;
use crate::notice::printable;
use crate::record::digest;

/// What makes a spreadsheet take a text for a formula; the last four are the wide forms that some
/// take for the others.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// The text of a table: a line of the keys, then one for each row. What is null is empty, and
/// several texts in one cell are parted by `; `.
///
/// # Errors
///
/// When the writer fails, which it does not in memory.
pub fn text(rows: &[Row]) -> csv::Result<String> {
    let mut writer = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(Vec::new());
    for (index, row) in rows.iter().enumerate() {
        let content = digest::content(row);
        let cells = content.as_object().into_iter().flatten();
        let (keys, cells): (Vec<&str>, Vec<String>) = cells
            .map(|(key, value)| (key.as_str(), cell(value)))
            .unzip();
        if index == 0 {
            writer.write_record(keys)?;
        }
        writer.write_record(cells)?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => harmless(text),
        Value::Array(values) => {
            let texts = values.iter().filter_map(Value::as_str);
            harmless(&texts.collect::<Vec<_>>().join("; "))
        }
        other => other.to_string(),
    }
}

/// Names and reasons come from whoever wrote a submission or a record: what would be a formula gets
/// an apostrophe before it, and what steers a terminal is shown instead.
fn harmless(text: &str) -> String {
    let text = printable(text);
    match text.starts_with(FORMULA) {
        true => format!("'{text}"),
        false => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_texts_and_controls_are_shown() {
        for (hostile, safe) in [
            ("=HYPERLINK(\"http://x\")", "'=HYPERLINK(\"http://x\")"),
            ("+1", "'+1"),
            ("-2+3", "'-2+3"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("＝1", "'＝1"),
            ("\t=1", "\\t=1"),
            ("\r=1", "\\r=1"),
            ("\n=1", "\\n=1"),
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("ML-KEM-768", "ML-KEM-768"),
            ("", ""),
        ] {
            assert_eq!(harmless(hostile), safe);
        }
    }
}
