//! What a record says when something went wrong.

use wire::{FailureKind, FaultKind};

use super::Outcome;
use crate::fault;
use crate::measurement::{Answers, Faulted, KatOutcome, Spoiled, Unfinished};
use crate::record::schema::{FaultReport, KatEvidence, KatStatus, Sha256, Unknown};

/// The harness's word for the outcome of a known-answer test.
pub fn kat_status(outcome: Option<&KatOutcome>) -> KatStatus {
    match outcome {
        None | Some(KatOutcome::NotPublished(_)) => KatStatus::NoKat,
        Some(KatOutcome::Pass(_)) => KatStatus::Pass,
        Some(KatOutcome::Partial { .. }) => KatStatus::Partial,
        Some(KatOutcome::Mismatch { .. }) => KatStatus::Mismatch,
        Some(KatOutcome::Spoiled(spoiled)) => match spoiled {
            Spoiled::Failed(failure) => match failure.kind {
                FailureKind::Guard { .. }
                | FailureKind::Length { .. }
                | FailureKind::Memory { .. } => KatStatus::Overflow,
                FailureKind::ReturnCode(_)
                | FailureKind::Disagreement
                | FailureKind::Forgery
                | FailureKind::Passes { .. } => KatStatus::CryptoFail,
            },
            Spoiled::Faulted(faulted) if faulted.fault.kind == FaultKind::Deadline => {
                KatStatus::Timeout
            }
            Spoiled::Deadline(_) | Spoiled::Garbage { .. } => KatStatus::Timeout,
            Spoiled::Faulted(_)
            | Spoiled::Vanished(_)
            | Spoiled::LineLost(_)
            | Spoiled::Nonsense(_) => KatStatus::NoResult,
        },
    }
}

/// What the known-answer test computed.
pub fn kat_evidence(outcome: &KatOutcome) -> KatEvidence {
    let computed = outcome.answers().and_then(Answers::digest);
    let (expected_sha256, first_difference) = match outcome {
        // What passed has the published digest.
        KatOutcome::Pass(_) => (computed.clone(), None),
        KatOutcome::Mismatch {
            expected,
            difference,
            ..
        } => (Some(expected.clone()), difference.clone()),
        KatOutcome::NotPublished(_) | KatOutcome::Partial { .. } | KatOutcome::Spoiled(_) => {
            (None, None)
        }
    };
    KatEvidence {
        computed_sha256: computed.and_then(|digest| Sha256::try_from(digest).ok()),
        expected_sha256,
        reason: match outcome {
            KatOutcome::Mismatch { .. } => None,
            other => other.detail(),
        },
        first_difference,
        unknown: Unknown::new(),
    }
}

/// Why the record is not complete, in words; `None` when it is.
pub(super) fn reason(measured: usize, planned: usize, outcome: &Outcome) -> Option<String> {
    match outcome {
        Err(Unfinished {
            spoiled,
            step: Some(step),
            kept: Some(_),
        }) => Some(format!("{step}: {spoiled}")),
        Err(unfinished) => Some(unfinished.spoiled.to_string()),
        Ok(_) if measured < planned => Some(format!("{measured} of {planned} trials were run")),
        Ok(_) => None,
    }
}

/// How the process ended, in one word.
pub(super) fn process_status(outcome: &Outcome) -> &'static str {
    let Err(unfinished) = outcome else {
        return "ok";
    };
    match &unfinished.spoiled {
        Spoiled::Failed(_) => "failed",
        Spoiled::Faulted(faulted) if faulted.fault.kind == FaultKind::Deadline => "timeout",
        Spoiled::Faulted(_) => "fault",
        Spoiled::Deadline(_) | Spoiled::Garbage { .. } => "timeout",
        Spoiled::Vanished(_) | Spoiled::LineLost(_) => "vanished",
        Spoiled::Nonsense(_) => "nonsense",
    }
}

/// The fault that ended the meter, if one did.
pub(super) fn fault(outcome: &Outcome) -> Option<FaultReport> {
    let Err(Unfinished {
        spoiled: Spoiled::Faulted(faulted),
        ..
    }) = outcome
    else {
        return None;
    };
    Some(faulted.report())
}

impl Faulted {
    /// The report as records have it.
    pub fn report(&self) -> FaultReport {
        let Self { fault, location } = self;
        let address_text = |address: u64| format!("{address:#x}");
        FaultReport {
            kind: fault::kind(fault.kind),
            class: fault::class(fault.event),
            address: Some(address_text(fault.address)),
            data_address: fault.data_address.map(address_text),
            stack_pointer: Some(address_text(fault.stack_pointer)),
            function: location.function.clone(),
            file: location.file.clone(),
            line: location.line,
            backtrace: if location.backtrace.is_empty() {
                fault.backtrace.iter().copied().map(address_text).collect()
            } else {
                location.backtrace.clone()
            },
            message: (!fault.message.is_empty()).then(|| fault.message.to_string()),
            unknown: Unknown::new(),
        }
    }
}
