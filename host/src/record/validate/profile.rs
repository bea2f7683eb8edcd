//! Profiles: every share computed again, and each against the record that it stands beside.

use std::path::Path;

use serde_json::Value;

use super::run::Seen;
use super::{Finding, Findings, close, integrity, unreadable};
use crate::record::digest;
use crate::record::profile::Profile;
use crate::record::profile::shares::Shares;
use crate::record::read::{content, parse_as};
use crate::record::store::RunDirectory;

/// How much more than all a sum of fractions may be.
const ROUNDING: f64 = 1e-9;

/// Checks the profiles of a run directory, whose records were read before.
pub(super) fn check(root: &Path, records: &[Seen]) -> Vec<Finding> {
    let run = RunDirectory::new(root);
    let systems = run.systems().unwrap_or_default();
    let files = systems
        .iter()
        // A folder that cannot be read is reported where all names are checked.
        .flat_map(|system| run.profiles_of(system).unwrap_or_default());
    files
        .flat_map(|file| check_file(&file, root, records))
        .collect()
}

fn check_file(file: &Path, root: &Path, records: &[Seen]) -> Vec<Finding> {
    let read = content(file).and_then(|bytes| Ok((parse_as::<Profile>(file, &bytes)?, bytes)));
    let (profile, bytes) = match read {
        Ok(read) => read,
        Err(error) => return unreadable(&error),
    };
    let mut findings = Findings {
        file,
        found: Vec::new(),
    };
    check_arithmetic(&profile, &mut findings);
    check_digest(&profile, &bytes, &mut findings);
    check_record(&profile, file, root, records, &mut findings);
    findings.found
}

fn check_arithmetic(profile: &Profile, findings: &mut Findings<'_>) {
    let computed = Shares::of_profile(profile);
    let mut check = |key: String, stated: Option<&f64>, computed: Option<&f64>| {
        let agree = match (stated, computed) {
            (Some(stated), Some(computed)) => close(*stated, *computed),
            (stated, computed) => stated == computed,
        };
        if !agree {
            let text = |value: Option<&f64>| value.map_or("nothing".to_owned(), f64::to_string);
            let (stated, computed) = (text(stated), text(computed));
            findings.add(key, format!("is {stated}, but the calls give {computed}"));
        }
    };
    let names = profile.share.keys().chain(computed.by_name.keys());
    let mut names: Vec<&String> = names.collect();
    names.sort();
    names.dedup();
    for name in names {
        // Published profiles state a share of 0 for functions that were not called.
        let called = computed.by_name.get(name).or(Some(&0.0));
        check(format!("share.{name}"), profile.share.get(name), called);
    }
    check(
        "hash_share".to_owned(),
        Some(&profile.hash_share),
        Some(&computed.hash),
    );
    if let Some(meter) = &profile.meter {
        let key = "meter.drng_share".to_owned();
        check(key, Some(&meter.drng_share), Some(&computed.drng));
        let overflow: u64 = meter.overflow.iter().map(|it| it.calls).sum();
        let why = "meter.overflow gives";
        let stated = profile.meta.overflow_calls;
        findings.equal("meta.overflow_calls", stated, overflow, why);
    }
    if computed.sum() > 1.0 + ROUNDING {
        let problem = format!("is less than its parts: they are {} of it", computed.sum());
        findings.add("total.ticks", problem);
    }
    if profile.total.operations == 0 {
        findings.add("total.operations", "is 0: a profile of nothing");
    }
}

fn check_digest(profile: &Profile, bytes: &[u8], findings: &mut Findings<'_>) {
    // A published profile has no digest. The profile was parsed from these bytes: they are JSON.
    let (Some(meter), Ok(content)) = (&profile.meter, serde_json::from_slice::<Value>(bytes))
    else {
        return;
    };
    let computed = digest::of_content(&content);
    let why = "the profile's content gives";
    findings.equal("meter.digest", &meter.digest, &computed, why);
    integrity::check_text(&digest::text(&content), bytes, findings);
}

/// A profile of ours belongs to a record that is there.
fn check_record(
    profile: &Profile,
    file: &Path,
    root: &Path,
    records: &[Seen],
    findings: &mut Findings<'_>,
) {
    let Some(meter) = &profile.meter else { return };
    let name = |path: Option<&Path>| Some(path?.file_name()?.to_string_lossy().into_owned());
    let (candidate, stem) = (name(file.parent()), file.file_stem());
    let system = name(file.ancestors().nth(3));
    let record = records.iter().find(|seen| {
        seen.place.root == root
            && Some(&seen.place.system) == system.as_ref()
            && Some(&seen.place.candidate) == candidate.as_ref()
            && stem.is_some_and(|stem| stem == seen.place.stem.as_str())
    });
    match record {
        None => findings.add("(file)", "there is no record of this operation"),
        Some(seen) if seen.key != meter.record => findings.add(
            "meter.record",
            format!(
                "is that of another measurement than {}, which has started_utc {}",
                seen.file.display(),
                String::from(seen.key.started_utc.clone())
            ),
        ),
        Some(_) => {}
    }
    if let Some(system) = &system {
        let why = "the system's folder is";
        findings.equal("meter.system", &meter.system, system, why);
    }
}
