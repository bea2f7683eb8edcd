//! What a record says when something went wrong.

use wire::{FailureKind, Fault, FaultKind};

use super::{Occasion, Outcome, Subject};
use crate::measurement::{Answers, KatOutcome, Spoiled};
use crate::record::schema::{FaultReport, KatEvidence, KatStatus, Sha256, Unknown};

/// Where in the sources a fault happened, as far as the image's symbols tell.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Location {
    /// The function at fault.
    pub function: Option<String>,
    /// Its source file.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
    /// The callers, innermost first; when empty, the record has their addresses.
    pub backtrace: Vec<String>,
}

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
            Spoiled::Faulted(fault) if fault.kind == FaultKind::Deadline => KatStatus::Timeout,
            Spoiled::Deadline(_) | Spoiled::Garbage { .. } => KatStatus::Timeout,
            Spoiled::Faulted(_) | Spoiled::Vanished(_) | Spoiled::Nonsense(_) => {
                KatStatus::NoResult
            }
        },
    }
}

/// What the known-answer test computed.
pub(super) fn kat_evidence(outcome: &KatOutcome) -> KatEvidence {
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
        Err(spoiled) => Some(spoiled.to_string()),
        Ok(_) if measured < planned => Some(format!("{measured} of {planned} trials were run")),
        Ok(_) => None,
    }
}

/// How the process ended, in one word.
pub(super) fn process_status(outcome: &Outcome) -> &'static str {
    match outcome {
        Ok(_) => "ok",
        Err(Spoiled::Failed(_)) => "failed",
        Err(Spoiled::Faulted(_)) => "fault",
        Err(Spoiled::Deadline(_) | Spoiled::Garbage { .. }) => "timeout",
        Err(Spoiled::Vanished(_)) => "vanished",
        Err(Spoiled::Nonsense(_)) => "nonsense",
    }
}

/// The fault that ended the meter, if one did.
pub(super) fn fault(
    subject: &Subject,
    occasion: &Occasion,
    outcome: &Outcome,
) -> Option<FaultReport> {
    let Err(Spoiled::Faulted(fault)) = outcome else {
        return None;
    };
    let board = catalogue::board(&subject.image.board);
    let bare_metal = board.is_ok_and(|board| board.bare_metal);
    let location = occasion.fault_location.clone().unwrap_or_default();
    let address_text = |address: u64| format!("{address:#x}");
    Some(FaultReport {
        kind: kind_name(fault.kind),
        class: class(fault, bare_metal),
        address: Some(address_text(fault.address)),
        data_address: fault.data_address.map(address_text),
        stack_pointer: Some(address_text(fault.stack_pointer)),
        function: location.function,
        file: location.file,
        line: location.line,
        backtrace: if location.backtrace.is_empty() {
            fault.backtrace.iter().copied().map(address_text).collect()
        } else {
            location.backtrace
        },
        message: (!fault.message.is_empty()).then(|| fault.message.to_string()),
        unknown: Unknown::new(),
    })
}

fn kind_name(kind: FaultKind) -> String {
    match kind {
        FaultKind::StackOverflow => "stack overflow",
        FaultKind::NullAccess => "null access",
        FaultKind::Exception => "exception",
        FaultKind::Abort => "abort",
        FaultKind::Exit(status) => return format!("exit({status})"),
        FaultKind::Assertion => "assertion",
        FaultKind::Heap => "heap",
        FaultKind::Deadline => "deadline",
        FaultKind::Panic => "panic",
    }
    .to_owned()
}

/// The processor's or kernel's own word for an event that they reported.
fn class(fault: &Fault, bare_metal: bool) -> Option<String> {
    match fault.kind {
        FaultKind::StackOverflow | FaultKind::NullAccess | FaultKind::Exception => {}
        FaultKind::Abort
        | FaultKind::Exit(_)
        | FaultKind::Assertion
        | FaultKind::Heap
        | FaultKind::Deadline
        | FaultKind::Panic => return None,
    }
    let syndrome = fault.syndrome;
    if !bare_metal {
        return Some(format!("signal {syndrome}"));
    }
    // Arm ARM DDI 0487, ESR_EL1: the exception class is in bits 31 to 26.
    let class = (syndrome >> 26) & 0x3f;
    let name = match class {
        0x00 => "undefined instruction",
        0x07 => "access to SIMD or floating point",
        0x0e => "illegal execution state",
        0x15 => "supervisor call",
        0x18 => "trapped system register",
        0x20 | 0x21 => "instruction abort",
        0x22 => "PC alignment",
        0x24 | 0x25 => "data abort",
        0x26 => "SP alignment",
        0x2c => "floating-point exception",
        0x2f => "SError",
        0x3c => "breakpoint instruction",
        _ => "exception",
    };
    Some(format!("{name} (ESR_EL1 {syndrome:#010x})"))
}
