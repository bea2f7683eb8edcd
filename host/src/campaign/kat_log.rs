//! The log of a known-answer test, which records point to.

use std::fmt::Write;

use crate::measurement::KatOutcome;
use crate::record::assemble::{Subject, kat_status};
use crate::record::schema::Sha256;
use crate::record::store::{RunDirectory, StoreError, write_whole};
use crate::session::hexadecimal;

/// Writes the log and notes it in the subject.
///
/// # Errors
///
/// When the file cannot be written.
pub fn write(directory: &RunDirectory, subject: &mut Subject) -> Result<(), StoreError> {
    let text = text(subject);
    let name = format!("kat/{}/{}.log", subject.candidate, subject.label);
    let file = directory.root().join(&subject.system).join(&name);
    write_whole(&file, text.as_bytes())?;
    subject.kat_log = Some((name, Sha256::of(text.as_bytes())));
    Ok(())
}

/// The log: what was computed, what is published, and the digest of every field.
fn text(subject: &Subject) -> String {
    let status = kat_status(subject.kat.as_ref()).name();
    let mut text = format!(
        "{status} {}/{} on {}\n",
        subject.candidate, subject.label, subject.system
    );
    let mut line = |words: std::fmt::Arguments| {
        // Writing to a String cannot fail.
        let _ = text.write_fmt(words);
        text.push('\n');
    };
    let report = match &subject.kat {
        None => {
            line(format_args!("no answers are published for this instance"));
            None
        }
        Some(KatOutcome::Spoiled(spoiled)) => {
            line(format_args!("{spoiled}"));
            None
        }
        Some(KatOutcome::Mismatch {
            report,
            expected,
            first_difference,
        }) => {
            line(format_args!("published {expected}"));
            if let Some(field) = first_difference {
                line(format_args!("first difference {field}"));
            }
            Some(report)
        }
        Some(KatOutcome::Pass(report)) => Some(report),
    };
    if let Some(report) = report {
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
    text
}
