//! The known-answer test: what the meter computes against what was published.

use wire::KatReport;

use crate::measurement::KatOutcome;
use crate::session::{Session, SessionError, hexadecimal, keep_spoiled};

/// Lets the meter compute its first known-answer record and compares.
///
/// `verified` is the report of a run of the same label that passed, where there was one: it tells
/// which field differs.
///
/// # Errors
///
/// Every error that is not the target's doing.
pub fn known_answer(
    session: &mut Session,
    published: &[u8; 32],
    verified: Option<&KatReport>,
) -> Result<KatOutcome, SessionError> {
    Ok(match keep_spoiled(session.kat())? {
        Ok(report) => judge(report, published, verified),
        Err(spoiled) => KatOutcome::Spoiled(spoiled),
    })
}

fn judge(report: KatReport, published: &[u8; 32], verified: Option<&KatReport>) -> KatOutcome {
    if report.digest == *published {
        return KatOutcome::Pass(report);
    }
    KatOutcome::Mismatch {
        expected: hexadecimal(published),
        first_difference: verified.and_then(|verified| first_difference(&report, verified)),
        report,
    }
}

/// Name of the first field that differs.
fn first_difference(report: &KatReport, verified: &KatReport) -> Option<String> {
    let theirs = &verified.fields;
    report
        .fields
        .iter()
        .enumerate()
        .find(|(index, field)| theirs.get(*index) != Some(field))
        .map(|(_, field)| field.name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::FieldDigest;

    fn report(fields: &[(&str, u8)]) -> KatReport {
        KatReport {
            digest: [fields.last().unwrap().1; 32],
            fields: fields
                .iter()
                .map(|(name, value)| FieldDigest {
                    name: (*name).try_into().unwrap(),
                    characters: 64,
                    digest: [*value; 32],
                })
                .collect(),
        }
    }

    #[test]
    fn the_digest_decides() {
        let computed = report(&[("pk", 1), ("ct", 2)]);
        let outcome = judge(computed.clone(), &[2; 32], None);
        assert_eq!(outcome, KatOutcome::Pass(computed.clone()));
        let outcome = judge(computed.clone(), &[3; 32], None);
        let expected = KatOutcome::Mismatch {
            report: computed,
            expected: "03".repeat(32),
            first_difference: None,
        };
        assert_eq!(outcome, expected);
    }

    #[test]
    fn a_verified_run_tells_the_field() {
        let verified = report(&[("pk", 1), ("ct", 2), ("ss", 3)]);
        let difference = |fields| first_difference(&report(fields), &verified);
        assert_eq!(
            difference(&[("pk", 1), ("ct", 9), ("ss", 9)]).unwrap(),
            "ct"
        );
        assert_eq!(difference(&[("pk", 1), ("ct", 2), ("ss", 3)]), None);
        assert_eq!(
            difference(&[("pk", 1), ("ct", 2), ("ss", 3), ("x", 4)]).unwrap(),
            "x"
        );
    }
}
