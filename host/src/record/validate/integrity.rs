//! Whether a file is what was once written.

use std::fs::File;
use std::io;
use std::path::Path;

use serde_json::Value;
use sha2::Digest;

use super::Findings;
use crate::record::assemble::MEASURED_BY;
use crate::record::digest;
use crate::record::schema::{Record, Sha256};

/// Checks the digest of a record, and that its file holds nothing but its values.
///
/// A published record has no digest. One of ours names this program in a second place, so that it
/// cannot pass for a published one when a bit of its key `meter` flips.
pub(super) fn check(record: &Record, bytes: &[u8], findings: &mut Findings<'_>) {
    let Some(meter) = &record.meter else {
        let mut processes = record.processes.iter();
        if processes.any(|process| process.meta.contains_key(MEASURED_BY)) {
            let problem = "is missing from a record that this program wrote";
            findings.add("meter", problem);
        }
        return;
    };
    // The record was parsed from these bytes, so they are JSON.
    let Ok(content) = serde_json::from_slice::<Value>(bytes) else {
        findings.add("(file)", "is no JSON");
        return;
    };
    let computed = digest::of_content(&content);
    if meter.digest != computed {
        let problem = format!(
            "is {}, but the record's content gives {computed}: some value was changed",
            meter.digest
        );
        findings.add("meter.digest", problem);
    }
    check_text(&digest::text(&content), bytes, findings);
}

/// The text of a record follows from its values.
pub(super) fn check_text(expected: &str, bytes: &[u8], findings: &mut Findings<'_>) {
    if expected.as_bytes() == bytes {
        return;
    }
    let mut expected = expected.as_bytes().split(|byte| *byte == b'\n');
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
