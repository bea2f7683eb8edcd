//! Profiles: every share computed again, and each against the record that it stands beside.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::run::Seen;
use super::{Finding, Findings, close, integrity, unreadable};
use crate::record::digest;
use crate::record::profile::Profile;
use crate::record::profile::passes::{Pass, typical};
use crate::record::profile::shares::{Shares, Spreads, functions};
use crate::record::read::{content, parse_as};
use crate::record::store::{Place, RunDirectory};

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
    let files: Vec<PathBuf> = files.collect();
    let here = records.iter().filter(|seen| seen.place.root == root);
    let records: Records = here.map(|seen| (name(&seen.place), seen)).collect();
    let found = files.par_iter().map(|file| check_file(file, &records));
    found.flatten_iter().collect()
}

/// The records of a run directory, by system, candidate and the rest of their name.
type Records<'a> = BTreeMap<(&'a str, &'a str, &'a str), &'a Seen>;

fn name(place: &Place) -> (&str, &str, &str) {
    (&place.system, &place.candidate, &place.stem)
}

fn check_file(file: &Path, records: &Records<'_>) -> Vec<Finding> {
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
    check_passes(&profile, &mut findings);
    check_digest(&profile, &bytes, &mut findings);
    check_record(&profile, file, records, &mut findings);
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
        let overflow: u64 = meter
            .overflow
            .iter()
            .fold(0, |sum, it| it.calls.saturating_add(sum));
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

/// A profile of several passes says what the typical one does, and how far all lie apart.
fn check_passes(profile: &Profile, findings: &mut Findings<'_>) {
    let Some(meter) = &profile.meter else { return };
    let spreads = Spreads::of(&meter.passes);
    let stated = [meter.hash_share_spread, meter.drng_share_spread];
    let keys = ["meter.hash_share_spread", "meter.drng_share_spread"];
    for ((key, stated), computed) in keys
        .into_iter()
        .zip(stated)
        .zip([spreads.hash, spreads.drng])
    {
        let agree = match (stated, computed) {
            (Some(stated), Some(computed)) => close(stated, computed),
            (stated, computed) => stated == computed,
        };
        if !agree {
            let text = |value: Option<f64>| value.map_or("null".to_owned(), |it| it.to_string());
            let (stated, computed) = (text(stated), text(computed));
            findings.add(key, format!("is {stated}, but the passes give {computed}"));
        }
    }
    let parts = |pass: &Pass| {
        pass.functions
            .values()
            .fold(0, |sum: u64, it| sum.saturating_add(*it))
    };
    if let Some(place) = meter.passes.iter().position(|it| parts(it) > it.ticks) {
        let problem = "is less than its parts";
        findings.add(format!("meter.passes[{place}].ticks"), problem);
    }
    let Some(place) = typical(&meter.passes) else {
        return;
    };
    let whole = (
        profile.total.ticks,
        functions(&profile.calls, &meter.overflow),
        &meter.counting,
    );
    let pass = &meter.passes[place];
    if whole != (pass.ticks, pass.functions.clone(), &pass.counting) {
        findings.add(
            format!("meter.passes[{place}]"),
            "is the one with the median share, and not what the profile says",
        );
    }
}

fn check_digest(profile: &Profile, bytes: &[u8], findings: &mut Findings<'_>) {
    // A published profile has no digest. The profile was parsed from these bytes: they are JSON.
    let (Some(meter), Ok(content)) = (&profile.meter, canonical::read(bytes)) else {
        return;
    };
    let content = digest::Content::of(content);
    let text = content.text();
    let why = "the profile's content gives";
    findings.equal("meter.digest", &meter.digest, &content.digest(), why);
    integrity::check_text(&text, bytes, findings);
}

/// A profile of ours belongs to a record that is there.
fn check_record(
    profile: &Profile,
    file: &Path,
    records: &Records<'_>,
    findings: &mut Findings<'_>,
) {
    let Some(meter) = &profile.meter else { return };
    let text = |path: Option<&OsStr>| path.unwrap_or_default().to_string_lossy().into_owned();
    let above = |levels| text(file.ancestors().nth(levels).and_then(Path::file_name));
    let (system, candidate, stem) = (above(3), above(1), text(file.file_stem()));
    let record = records.get(&(&*system, &*candidate, &*stem));
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
    let why = "the system's folder is";
    findings.equal("meter.system", &meter.system, &system, why);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::example::profile_in_passes;

    fn keys(change: impl FnOnce(&mut Profile)) -> Vec<String> {
        let mut profile = profile_in_passes(&[150, 160, 800]);
        change(&mut profile);
        let mut findings = Findings {
            file: Path::new("profile.json"),
            found: Vec::new(),
        };
        check_arithmetic(&profile, &mut findings);
        check_passes(&profile, &mut findings);
        let found = findings.found.into_iter();
        found.map(|finding| finding.key).collect()
    }

    #[test]
    fn what_passes_say_is_computed_anew() {
        let none: [&str; 0] = [];
        assert_eq!(keys(|_| {}), none);
        assert_eq!(
            keys(|it| it.meter.as_mut().unwrap().drng_share_spread = Some(0.01)),
            ["meter.drng_share_spread"]
        );
        assert_eq!(
            keys(|it| it.meter.as_mut().unwrap().passes[2].ticks = 840),
            [
                "meter.hash_share_spread",
                "meter.drng_share_spread",
                "meter.passes[2].ticks"
            ]
        );
        // The pass with the median share is then the first.
        assert_eq!(
            keys(|it| {
                let meter = it.meter.as_mut().unwrap();
                meter.passes[1].functions["drng"] = 100;
                meter.drng_share_spread = Some(0.7);
            }),
            ["meter.passes[0]"]
        );
    }
}
