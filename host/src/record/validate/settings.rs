//! The settings of a campaign, against their digest and the records that were planned by them.

use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;

use super::run::Seen;
use super::{Finding, Findings, TOLERANCE, integrity, unreadable};
use crate::record::digest;
use crate::record::migrate::FORMAT;
use crate::record::plan::{self, PlanSettings};
use crate::record::read::{ReadError, content, parse_as};
use crate::record::run_files::{self, CAMPAIGN, CampaignFile, DIGEST, VERSIONS};
use crate::record::schema::Plan;

/// The settings, which must be there when a campaign has left records; and their format.
pub(super) fn check(file: &Path, records: &[&Seen]) -> (u32, Vec<Finding>) {
    let read = content(file).and_then(|bytes| Ok((parse_as::<CampaignFile>(file, &bytes)?, bytes)));
    let (settings, bytes) = match read {
        Ok(read) => read,
        Err(error) => {
            let found = missing_or_unreadable(file, &error, !records.is_empty());
            // Of what format it was is not known: nothing is demanded of the others.
            return (1, found);
        }
    };
    let mut findings = Findings {
        file,
        found: Vec::new(),
    };
    match parse_as::<Value>(file, &bytes) {
        Ok(content) => {
            check_seal("", CAMPAIGN, &content, settings.format, &mut findings);
            check_text(&content, &bytes, settings.format, &mut findings);
        }
        // What the settings do not need was passed over before.
        Err(error) => findings.found.extend(unreadable(&error)),
    }
    if settings.format > FORMAT {
        let problem = format!(
            "is {}, and this program knows 1 to {FORMAT}",
            settings.format
        );
        findings.add("format", problem);
    }
    if !VERSIONS.contains(&settings.version.as_str()) {
        let problem = format!(
            "is `{}`, and this program knows {}",
            settings.version,
            VERSIONS.join(", ")
        );
        findings.add("version", problem);
    }
    for (key, value) in settings.plan.by_key() {
        if value <= 0.0 || !value.is_finite() {
            findings.add(
                format!("plan.{key}"),
                format!("is {value}, not more than 0"),
            );
        }
    }
    let plans = records.iter().map(|record| (&record.plan, &record.file));
    if let Some((problem, file)) = plans
        .filter_map(|(plan, file)| Some((plan_problem(plan, &settings.plan.settings())?, file)))
        .next()
    {
        let problem = format!("gives {problem}, as {} has", file.display());
        findings.add("plan", problem);
    }
    (settings.format, findings.found)
}

/// What was planned against what these settings give for a call that takes as long: in words what
/// they do not give, if anything.
fn plan_problem(planned: &Plan, settings: &PlanSettings) -> Option<String> {
    // Numbers that were changed may be as large as they like.
    let (calls, warmups) = (planned.iterations_per_trial as f64, planned.warmups as f64);
    let loops = planned.trials as f64 * (calls + warmups);
    // When the calibration failed, nothing was planned.
    if planned.estimated_seconds <= 0.0 || loops == 0.0 {
        return None;
    }
    let call = planned.estimated_seconds / loops;
    let without_budget = PlanSettings {
        operation_budget_seconds: f64::INFINITY,
        ..*settings
    };
    let full = plan::plan(call, &without_budget);
    let (calls, trials) = (planned.iterations_per_trial, planned.trials);
    let cost = |calls: u64, trials: u64| calls as f64 * trials as f64 * call;
    let budget = settings.operation_budget_seconds;
    let is_full =
        u64::from(full.calls_per_trial).abs_diff(calls) <= 1 && u64::from(full.trials) == trials;
    // An emulator has so many seconds of its own in one on the wall, at most: only a plan that the
    // budget cuts has fewer calls.
    const SLOWEST: f64 = 100.0;
    let full_cost = cost(full.calls_per_trial.into(), full.trials.into());
    let is_cut = calls <= full.calls_per_trial.into()
        && trials <= full.trials.into()
        && full_cost * SLOWEST > budget;
    let fits = cost(calls, trials) <= budget * (1.0 + TOLERANCE) || (calls, trials) == (1, 1);
    let warmups = u64::from(full.warmups);
    let same_warmups = warmups == planned.warmups;
    (!(fits && same_warmups && (is_full || is_cut))).then(|| {
        format!(
            "no {trials} trials of {calls} calls after {} warm-ups for calls of {call} s",
            planned.warmups
        )
    })
}

/// What is sealed has its digest; files of the first format have none.
pub(super) fn check_seal(
    key: &str,
    name: &str,
    content: &Value,
    format: u32,
    findings: &mut Findings<'_>,
) {
    let computed = run_files::digest_of(name, content);
    let key = format!("{key}{DIGEST}");
    match run_files::stated_digest(content) {
        Some(stated) if stated.as_str() == Some(computed.as_str()) => {}
        Some(stated) => {
            let problem =
                format!("is {stated}, but the content gives {computed}: some value was changed");
            findings.add(key, problem);
        }
        None if format > 1 => findings.add(key, "is missing"),
        None => {}
    }
}

/// Files of the first format were written in the same way, and might have been mended by hand.
pub(super) fn check_text(content: &Value, bytes: &[u8], format: u32, findings: &mut Findings<'_>) {
    if format > 1 {
        integrity::check_text(digest::text(content).as_bytes(), bytes, findings);
    }
}

/// The finding for a file that cannot be read; one that is not there is missed only if needed.
pub(super) fn missing_or_unreadable(
    file: &Path,
    error: &ReadError,
    is_needed: bool,
) -> Vec<Finding> {
    match error {
        ReadError::File { source, .. } if source.kind() == ErrorKind::NotFound => {
            let mut findings = Findings {
                file,
                found: Vec::new(),
            };
            if is_needed {
                let problem = "is missing, and there are records of a campaign";
                findings.add("(file)", problem);
            }
            findings.found
        }
        error => unreadable(error),
    }
}
