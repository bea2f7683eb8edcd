//! Who a record is about, against its path and its neighbours.

use std::path::Path;

use super::Findings;
use crate::record::schema::Record;
use crate::record::store::{Place, stem};

/// Checks a record against the path that it was found at.
pub(super) fn check_place(record: &Record, place: &Place, findings: &mut Findings<'_>) {
    let why = "its folder is";
    let candidate = record.candidate.as_str();
    findings.equal("candidate", candidate, &place.candidate, why);
    let expected = stem(record);
    if expected != place.stem {
        let label = place.stem.strip_prefix(&record.label);
        let key = match label.is_some_and(|rest| rest.starts_with("__")) {
            true => "operation",
            false => "label",
        };
        let problem = format!("gives the file name {expected}.json, but it is another");
        findings.add(key, problem);
    }
    if let Some(meter) = &record.meter {
        let why = "the system's folder is";
        findings.equal("meter.system", &meter.system, &place.system, why);
    }
}

/// Checks a record against another operation of the same label on the same system.
pub(super) fn check_siblings(
    record: &Record,
    first: &Record,
    file: &Path,
    findings: &mut Findings<'_>,
) {
    let why = format!("{} has", file.display());
    for (key, ours, theirs) in [
        ("instance", &record.instance, &first.instance),
        ("variant", &record.variant, &first.variant),
        ("build_flags", &record.build_flags, &first.build_flags),
    ] {
        findings.equal(key, ours, theirs, &why);
    }
    let flags = (record.flags.name(), first.flags.name());
    findings.equal("flags", flags.0, flags.1, &why);
    let kat = (record.kat.name(), first.kat.name());
    findings.equal("kat", kat.0, kat.1, &why);
    // The length of the input is the operation's own.
    let sizes = record.sizes.by_key().into_iter().zip(first.sizes.by_key());
    for ((key, ours), (_, theirs)) in sizes.skip(1) {
        if let (Some(ours), Some(theirs)) = (ours, theirs) {
            findings.equal(&format!("sizes.{key}"), ours, theirs, &why);
        }
    }
    if let (Some(ours), Some(theirs)) = (&record.library_sha256, &first.library_sha256) {
        findings.equal("library_sha256", ours, theirs, &why);
    }
}
