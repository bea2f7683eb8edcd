//! The outcome of the known-answer test, against its evidence and its log.

use super::Findings;
use crate::record::schema::{KatStatus, Meter, Record};

/// Checks the outcome against the digests under `meter`.
pub(super) fn check(record: &Record, meter: &Meter, findings: &mut Findings<'_>) {
    let Some(evidence) = &meter.kat else {
        // What was not tested has no outcome.
        let expected = KatStatus::NoKat.name();
        findings.equal(
            "kat",
            record.kat.name(),
            expected,
            "there was no test, so it is",
        );
        return;
    };
    let computed = evidence
        .computed_sha256
        .as_ref()
        .map(|digest| digest.as_str());
    let expected = evidence.expected_sha256.as_deref();
    let fits = match record.kat {
        KatStatus::Pass => expected == computed,
        KatStatus::Mismatch => expected.is_some() && expected != computed,
        _ => expected.is_none(),
    };
    if !fits {
        let text = |digest: Option<&str>| digest.unwrap_or("null").to_owned();
        let problem = format!(
            "is {}, and meter.kat.computed_sha256 is {}: that is not {}",
            text(expected),
            text(computed),
            record.kat.name()
        );
        findings.add("meter.kat.expected_sha256", problem);
    }
    let has_reason = !matches!(record.kat, KatStatus::Pass | KatStatus::Mismatch);
    if evidence.reason.is_some() != has_reason {
        let problem = format!(
            "must be null for PASS and MISMATCH, and only there: the outcome is {}",
            record.kat.name()
        );
        findings.add("meter.kat.reason", problem);
    }
    if evidence.first_difference.is_some() && record.kat != KatStatus::Mismatch {
        let problem = format!("is not null, but the outcome is {}", record.kat.name());
        findings.add("meter.kat.first_difference", problem);
    }
}

/// What the first lines of a log say.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// The outcome and what it is about.
    heading: String,
    /// The digest of the answers, where they are one text.
    computed: Option<String>,
}

impl Log {
    /// What this log says.
    pub(super) fn of(content: &[u8]) -> Self {
        let text = String::from_utf8_lossy(content);
        let mut lines = text.lines();
        Self {
            heading: lines.next().unwrap_or_default().to_owned(),
            computed: lines.find_map(|line| {
                // Behind the digest stands how it was computed, where there is a choice.
                let digest = line.strip_prefix("computed ")?.split(' ').next()?;
                Some(digest.to_owned())
            }),
        }
    }
}

/// What a record's log must say.
#[derive(Debug)]
pub(super) struct Expected {
    heading: String,
    computed: Option<String>,
}

impl Expected {
    /// What the log of this record must say; nothing is known of a published one's.
    pub(super) fn of(record: &Record) -> Option<Self> {
        let meter = record.meter.as_ref()?;
        let evidence = meter.kat.as_ref();
        let computed = evidence.and_then(|kat| kat.computed_sha256.as_ref());
        Some(Self {
            heading: heading(record.kat, &record.candidate, &record.label, &meter.system),
            computed: computed.map(ToString::to_string),
        })
    }

    /// Checks a log against it.
    pub(super) fn check(&self, log: &Log, findings: &mut Findings<'_>) {
        let why = "its log begins with";
        findings.equal("kat", &self.heading, &log.heading, why);
        if let (Some(stated), Some(computed)) = (&self.computed, &log.computed) {
            let key = "meter.kat.computed_sha256";
            findings.equal(key, stated, computed, "its log has");
        }
    }
}

/// The first line of a log.
pub(crate) fn heading(kat: KatStatus, candidate: &str, label: &str, system: &str) -> String {
    format!("{} {candidate}/{label} on {system}", kat.name())
}
