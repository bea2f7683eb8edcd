//! What a session brings home for one operation, before it becomes a record.

use std::fmt;

use wire::{CanonicalReport, Failure, FailureKind, Fault, FaultKind, Hello, KatReport, Operation};

use crate::outcome::Outcome;
use crate::session::hexadecimal;

/// One bracket around `calls` calls.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Trial {
    /// Calls inside the bracket.
    pub calls: u32,
    /// What the counter advanced by, in its own unit, nothing taken off.
    pub count: u64,
    /// The same bracket on the target's clock.
    pub nanoseconds: u64,
}

/// How often an operation is called.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Calls in each trial.
    pub calls_per_trial: u32,
    /// Untimed calls before each trial.
    pub warmups: u32,
    /// Number of trials.
    pub trials: u32,
    /// Time that all trials are expected to take on the target's clock.
    pub estimated_seconds: f64,
}

/// Stack that one call used.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct StackUse {
    /// Bytes from the stack pointer at the call down to the lowest byte that changed.
    pub bytes: u64,
    /// Bytes that the operation could have used.
    pub available: u64,
    /// The 64-bit word that filled the stack beforehand.
    pub pattern: u64,
}

/// What was measured of one operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The operation.
    pub operation: Operation,
    /// How often it was called.
    pub plan: Plan,
    /// Loop totals.
    pub trials: Vec<Trial>,
    /// Per-call counts net of the empty call, from a pass of their own.
    pub samples: Vec<u64>,
    /// Stack of one call.
    pub stack: Option<StackUse>,
}

/// What happened on the line while something was measured.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Traffic {
    /// Frames that arrived whole.
    pub frames: u64,
    /// Runs of bytes that were no frame.
    pub bad_frames: u64,
    /// Blocks of results that had to be asked for again.
    pub lost_frames: u64,
    /// Requests that had to be sent again.
    pub retries: u64,
}

impl Traffic {
    /// What happened after `earlier`, a state of the same line.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            frames: self.frames - earlier.frames,
            bad_frames: self.bad_frames - earlier.bad_frames,
            lost_frames: self.lost_frames - earlier.lost_frames,
            retries: self.retries - earlier.retries,
        }
    }
}

/// Why an operation has no measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum Spoiled {
    /// A call came back, but did not do what it must.
    Failed(Failure),
    /// The meter reported a fault and is gone.
    Faulted(Box<Fault>),
    /// The meter fell silent, and this deadline (in seconds) passed.
    Deadline(u64),
    /// The meter's deadline (in seconds) passed, and all that arrived in that time was damaged.
    Garbage {
        /// The deadline.
        seconds: u64,
        /// Bytes that arrived and were no frame.
        bytes: u64,
    },
    /// The meter went away without a word: the emulator or process ended, or the line closed.
    Vanished(String),
    /// The meter said what cannot be an answer: its memory may have been overwritten.
    Nonsense(String),
}

impl Spoiled {
    /// Whether the meter survived and may be asked for the next operation. Otherwise it must be
    /// started anew.
    pub fn meter_is_well(&self) -> bool {
        matches!(self, Self::Failed(_))
    }

    /// How a command ends that met this.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Faulted(_) => Outcome::Faulted,
            Self::Deadline(_) | Self::Garbage { .. } => Outcome::Deadline,
            Self::Failed(_) | Self::Vanished(_) | Self::Nonsense(_) => Outcome::NotClean,
        }
    }
}

impl fmt::Display for Spoiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(failure) => {
                // What the function did follows its name; what the meter found, a colon.
                let colon = match failure.kind {
                    FailureKind::Disagreement => ":",
                    _ => "",
                };
                let (call, operation) = (failure.call, failure.operation);
                write!(f, "call {call} of {operation}{colon} {}", failure.kind)
            }
            Self::Faulted(fault) => describe_fault(fault, f),
            Self::Deadline(seconds) => {
                write!(f, "the meter was silent past its deadline of {seconds} s")
            }
            Self::Garbage { seconds, bytes } => write!(
                f,
                "the meter sent {bytes} bytes and no valid frame before its deadline of {seconds} s"
            ),
            Self::Vanished(how) => write!(f, "the meter vanished: {how}"),
            Self::Nonsense(what) => write!(f, "the meter's answer makes no sense: {what}"),
        }
    }
}

fn describe_fault(fault: &Fault, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match fault.operation {
        Some(operation) => write!(f, "{operation} ")?,
        None => f.write_str("the meter ")?,
    }
    match fault.kind {
        FaultKind::StackOverflow => f.write_str("overflowed its stack")?,
        FaultKind::NullAccess => f.write_str("used a null pointer")?,
        FaultKind::Exception => write!(f, "faulted (syndrome {:#x})", fault.syndrome)?,
        FaultKind::Abort => f.write_str("called abort")?,
        FaultKind::Exit(status) => write!(f, "called exit({status})")?,
        FaultKind::Assertion => f.write_str("failed an assertion")?,
        FaultKind::Heap => f.write_str("exhausted or misused the heap")?,
        FaultKind::Deadline => f.write_str("did not end before its deadline on the target")?,
        FaultKind::Panic => f.write_str("panicked")?,
    }
    write!(f, " at {:#x}", fault.address)?;
    if let Some(address) = fault.data_address {
        write!(f, ", address {address:#x}")?;
    }
    if !fault.message.is_empty() {
        write!(f, ": {}", fault.message)?;
    }
    Ok(())
}

/// Outcome of the known-answer test.
#[derive(Clone, Debug, PartialEq)]
pub enum KatOutcome {
    /// Everything that is published was computed, and is the same.
    Pass(Answers),
    /// Something is not.
    Mismatch {
        /// What the meter computed.
        answers: Answers,
        /// SHA-256 of what is published of the first that differs, in hexadecimal.
        expected: String,
        /// Where it differs first, in words, as far as that is known.
        difference: Option<String>,
    },
    /// Nothing is published.
    NotPublished(Answers),
    /// What was computed is as published, but not everything could be.
    Partial {
        /// What the meter computed.
        answers: Answers,
        /// What was left out, and why.
        reason: String,
    },
    /// The operations failed while the answers were computed.
    Spoiled(Spoiled),
}

/// Answers that a meter computed.
#[derive(Clone, Debug, PartialEq)]
pub enum Answers {
    /// The first record of NIST's known answers.
    Record(Box<KatReport>),
    /// Official files of the NGCC interface.
    Files(Vec<FileAnswer>),
}

/// One official known-answer file that a meter computed.
#[derive(Clone, Debug, PartialEq)]
pub struct FileAnswer {
    /// Its name.
    pub name: String,
    /// Its digests.
    pub report: CanonicalReport,
    /// The digest that was compared, and the way in which it is made; `None` when nothing is
    /// published of this file.
    pub compared: Option<(String, [u8; 32])>,
}

impl KatOutcome {
    /// What the meter computed, if it got that far.
    pub fn answers(&self) -> Option<&Answers> {
        match self {
            Self::Pass(answers) | Self::NotPublished(answers) => Some(answers),
            Self::Mismatch { answers, .. } | Self::Partial { answers, .. } => Some(answers),
            Self::Spoiled(_) => None,
        }
    }

    /// What there is to say beyond the outcome's name.
    pub fn detail(&self) -> Option<String> {
        match self {
            Self::Pass(_) => None,
            Self::NotPublished(_) => Some("no answers are published for this instance".into()),
            Self::Mismatch { difference, .. } => Some(difference.clone().unwrap_or_else(|| {
                "only a digest is published, which does not tell where they differ".into()
            })),
            Self::Partial { reason, .. } => Some(reason.clone()),
            Self::Spoiled(spoiled) => Some(spoiled.to_string()),
        }
    }

    /// Whether other flags might do better.
    pub fn failed(&self) -> bool {
        matches!(self, Self::Mismatch { .. } | Self::Spoiled(_))
    }

    /// How a command ends that met this.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Pass(_) | Self::NotPublished(_) | Self::Partial { .. } => Outcome::Clean,
            Self::Mismatch { .. } => Outcome::NotClean,
            Self::Spoiled(spoiled) => spoiled.outcome(),
        }
    }
}

impl Answers {
    /// One digest for all of them, in hexadecimal: that of the record, or of the first file as it
    /// was compared.
    pub fn digest(&self) -> Option<String> {
        match self {
            Self::Record(report) => Some(hexadecimal(&report.digest)),
            Self::Files(files) => {
                let file = files.first()?;
                let compared = file.compared.as_ref().map(|(_, digest)| digest);
                Some(hexadecimal(compared.unwrap_or(&file.report.strict)))
            }
        }
    }
}

/// The meter's introduction and how long it took to get there.
#[derive(Clone, Debug, PartialEq)]
pub struct Introduction {
    /// What the meter says of itself.
    pub hello: Hello,
    /// Seconds on the wall from start to the first answer.
    pub ready_seconds: f64,
}
