//! The log of a known-answer test, which records point to.

use std::fmt::Write;

use crate::measurement::{Answers, FileAnswer, KatOutcome};
use crate::record::assemble::{Subject, kat_status};
use crate::record::schema::Sha256;
use crate::record::store::{RunDirectory, StoreError, write_whole};
use crate::record::validate::heading;
use crate::session::hexadecimal;

/// Writes the log; returns its name in the system's folder, and its digest.
///
/// # Errors
///
/// When the file cannot be written.
pub fn write(directory: &RunDirectory, subject: &Subject) -> Result<(String, Sha256), StoreError> {
    let text = text(subject);
    let name = name(&subject.candidate, &subject.label);
    let file = directory.root().join(&subject.system).join(&name);
    write_whole(&file, text.as_bytes())?;
    Ok((name, Sha256::of(text.as_bytes())))
}

/// Name of the log in the system's folder.
pub fn name(candidate: &str, label: &str) -> String {
    format!("kat/{candidate}/{label}.log")
}

/// The log: what was computed, what is published, and the digest of every field.
fn text(subject: &Subject) -> String {
    let Subject {
        candidate,
        label,
        system,
        ..
    } = subject;
    let mut text = heading(kat_status(subject.kat.as_ref()), candidate, label, system) + "\n";
    let mut line = |words: std::fmt::Arguments| {
        // Writing to a String cannot fail.
        let _ = text.write_fmt(words);
        text.push('\n');
    };
    if let Some(detail) = subject.kat.as_ref().and_then(KatOutcome::detail) {
        line(format_args!("{detail}"));
    }
    if let Some(KatOutcome::Mismatch { expected, .. }) = &subject.kat {
        line(format_args!("published {expected}"));
    }
    match subject.kat.as_ref().and_then(KatOutcome::answers) {
        None => {}
        Some(Answers::Before(digest)) => line(format_args!("computed {digest}")),
        Some(Answers::Record(report)) => {
            line(format_args!("computed {}", hexadecimal(&report.digest)));
            for field in &report.fields {
                line(format_args!(
                    "field {} {} {}",
                    field.name,
                    field.characters,
                    hexadecimal(&field.digest)
                ));
            }
        }
        Some(Answers::Files(files)) => {
            for FileAnswer {
                name,
                report,
                compared,
            } in files
            {
                line(format_args!(
                    "file {name}: {} bytes, {} records",
                    report.bytes, report.records
                ));
                match compared {
                    Some((mode, digest)) => {
                        line(format_args!("computed {} {mode}", hexadecimal(digest)));
                    }
                    None => line(format_args!(
                        "computed {} strict, and nothing is published of it",
                        hexadecimal(&report.strict)
                    )),
                }
            }
        }
    }
    text
}
