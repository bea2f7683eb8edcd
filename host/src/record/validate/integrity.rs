//! Whether a file is what was once written.

use std::fs::File;
use std::io;
use std::path::Path;

use serde::Deserialize;
use sha2::Digest;

use super::Findings;
use crate::record::assemble::MEASURED_BY;
use crate::record::digest;
use crate::record::read::{ReadError, parse};
use crate::record::schema::{Record, Sha256};

/// Reads a record, and checks its digest and that its file holds nothing but its values.
///
/// A published record has no digest. One of ours names this program in a second place, so that it
/// cannot pass for a published one when a bit of its key `meter` flips.
///
/// # Errors
///
/// When it is no record: the error names the key.
pub(super) fn read(bytes: &[u8], findings: &mut Findings<'_>) -> Result<Record, ReadError> {
    // The text is read once; only what is wrong or published is read again, for the error's place
    // and for keys that are there twice, which the text of ours cannot hide.
    let ours = canonical::read(bytes).ok();
    let Some(content) = ours.filter(|content| content["meter"].is_object()) else {
        let record = parse(findings.file, bytes)?;
        check_published(&record, findings);
        return Ok(record);
    };
    let record = match Record::deserialize(&content) {
        Ok(record) => record,
        Err(_) => parse(findings.file, bytes)?,
    };
    let content = digest::Content::of(content);
    let text = content.text();
    if let Some(meter) = &record.meter {
        let computed = content.digest();
        if meter.digest != computed {
            let problem = format!(
                "is {}, but the record's content gives {computed}: some value was changed",
                meter.digest
            );
            findings.add("meter.digest", problem);
        }
    }
    check_text(&text, bytes, findings);
    Ok(record)
}

fn check_published(record: &Record, findings: &mut Findings<'_>) {
    let mut processes = record.processes.iter();
    if processes.any(|process| process.meta.contains_key(MEASURED_BY)) {
        let problem = "is missing from a record that this program wrote";
        findings.add("meter", problem);
    }
}

/// The text of a record follows from its values.
pub(super) fn check_text(expected: &[u8], bytes: &[u8], findings: &mut Findings<'_>) {
    if expected == bytes {
        return;
    }
    let mut expected = expected.split(|byte| *byte == b'\n');
    let mut lines = bytes.split(|byte| *byte == b'\n').enumerate();
    let (number, line) = lines
        .find(|(_, line)| expected.next() != Some(line))
        .unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let key = line.split('"').nth(1).unwrap_or("(text)").to_owned();
    let problem = format!(
        "line {} is not the text that this program writes for its value: the file was changed",
        number + 1
    );
    findings.add(key, problem);
}

/// Digest of a file; `None` when it is not there.
pub(super) fn digest_of_file(path: &Path) -> Option<Sha256> {
    let mut file = File::open(path).ok()?;
    let mut hasher = sha2::Sha256::new();
    io::copy(&mut file, &mut HashWriter(&mut hasher)).ok()?;
    Some(Sha256::from_bytes(&hasher.finalize()))
}

/// Feeds what is written to a hash.
struct HashWriter<'a>(&'a mut sha2::Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
