//! What a session brings home for one operation, before it becomes a record.

use std::fmt;

use wire::{
    CanonicalReport, ColdSequence, Event, EventReading, Failure, FailureKind, Fault, FaultKind,
    Hello, KatReport, Operation, Sweeps,
};

use crate::fault::Freed;
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
    /// What was freed between the calls, outside the bracket, because the heap ran low.
    pub sweeps: Sweeps,
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

/// Memory that one call used.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct MemoryUse {
    /// On the stack and on the heap.
    pub used: wire::MemoryUse,
    /// The 64-bit word that filled the stack beforehand.
    pub pattern: u64,
    /// Whether a call on another pattern did the same to the heap.
    pub heap_repeats: bool,
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
    /// The board's conditions before the first trial and after the last, where it tells any.
    pub conditions: Option<[wire::Conditions; 2]>,
    /// Per-call counts net of the empty call, from a pass of their own.
    pub samples: Vec<u64>,
    /// What became of each event.
    pub events: Vec<EventTotal>,
    /// Calls that found everything cold, if they were asked for.
    pub cold: Option<ColdCalls>,
    /// Trials on images of other layouts, if they were asked for.
    pub layouts: Vec<LayoutTrials>,
    /// Memory of one call.
    pub memory: Option<MemoryUse>,
}

/// An event in all calls of the pass in which it was counted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct EventTotal {
    /// The event.
    pub event: Event,
    /// Calls of the pass.
    pub calls: u32,
    /// What became of it.
    pub reading: EventReading,
}

/// Calls that found everything cold.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ColdCalls {
    /// Count of each, net of an empty call that is as cold.
    pub samples: Vec<u64>,
    /// What was done before each.
    pub sequence: ColdSequence,
}

/// Trials on an image whose code lies elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutTrials {
    /// Bytes by which the code is shifted.
    pub shift_bytes: u32,
    /// SHA-256 of the image; `None` when there is none.
    pub elf_sha256: Option<[u8; 32]>,
    /// The trials, or why there are none.
    pub outcome: Result<Vec<Trial>, String>,
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
    /// Lines that broke, after each of which everything was done again.
    pub lost_lines: u64,
}

impl Traffic {
    /// What happened after `earlier`, a state of the same line.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            frames: self.frames - earlier.frames,
            bad_frames: self.bad_frames - earlier.bad_frames,
            lost_frames: self.lost_frames - earlier.lost_frames,
            retries: self.retries - earlier.retries,
            lost_lines: self.lost_lines - earlier.lost_lines,
        }
    }

    /// What happened here and there together.
    pub fn and(self, other: Self) -> Self {
        Self {
            frames: self.frames + other.frames,
            bad_frames: self.bad_frames + other.bad_frames,
            lost_frames: self.lost_frames + other.lost_frames,
            retries: self.retries + other.retries,
            lost_lines: self.lost_lines + other.lost_lines,
        }
    }
}

/// Why a measurement did not come to its end, and how far it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Unfinished {
    /// What happened.
    pub spoiled: Spoiled,
    /// The step in which it did, in words; `None` before the first.
    pub step: Option<String>,
    /// What was measured before, if anything was.
    pub kept: Option<Measurement>,
}

impl From<Spoiled> for Unfinished {
    fn from(spoiled: Spoiled) -> Self {
        Self {
            spoiled,
            step: None,
            kept: None,
        }
    }
}

/// The report of a fault, and what the image makes of its addresses.
#[derive(Clone, Debug, PartialEq)]
pub struct Faulted {
    /// The report.
    pub fault: Fault,
    /// Where it happened.
    pub location: Location,
}

/// Where in the sources a fault happened, as far as the image's symbols tell.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Location {
    /// The innermost function of the submission, or the function at fault where there is none.
    pub function: Option<String>,
    /// Its source file.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
    /// From the place of the fault to its outermost caller; when empty, the record has addresses.
    pub backtrace: Vec<String>,
}

/// Why an operation has no measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum Spoiled {
    /// A call came back, but did not do what it must.
    Failed(Failure),
    /// The meter reported a fault and is gone.
    Faulted(Box<Faulted>),
    /// The meter fell silent, and this deadline (in seconds) passed.
    Deadline(u64),
    /// The meter's deadline (in seconds) passed, and all that arrived in that time was damaged.
    Garbage {
        /// The deadline.
        seconds: u64,
        /// Bytes that arrived and were no frame.
        bytes: u64,
    },
    /// The meter went away without a word: the emulator or process ended.
    Vanished(String),
    /// The line to the meter broke, such as a cable that was unplugged; of the meter itself nothing
    /// bad is known.
    LineLost(String),
    /// The meter said what cannot be an answer: its memory may have been overwritten.
    Nonsense(String),
}

impl Spoiled {
    /// Whether the meter survived and may be asked for the next operation. Otherwise it must be
    /// started anew.
    pub fn meter_is_well(&self) -> bool {
        matches!(self, Self::Failed(_))
    }

    /// Whether it is no fault of the submission's, so that the same is to be measured again.
    pub fn is_of_the_line(&self) -> bool {
        matches!(self, Self::LineLost(_))
    }

    /// How a command ends that met this.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Faulted(faulted) if faulted.fault.kind == FaultKind::Deadline => {
                Outcome::Deadline
            }
            Self::Faulted(_) => Outcome::Faulted,
            Self::Deadline(_) | Self::Garbage { .. } => Outcome::Deadline,
            Self::Failed(_) | Self::Vanished(_) | Self::LineLost(_) | Self::Nonsense(_) => {
                Outcome::NotClean
            }
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
                write!(f, "call {call} of {operation}{colon} {}", failure.kind)?;
                Freed(failure.freed_blocks).fmt(f)
            }
            Self::Faulted(faulted) => faulted.fmt(f),
            Self::Deadline(seconds) => {
                write!(f, "the meter was silent past its deadline of {seconds} s")
            }
            Self::Garbage { seconds, bytes } => write!(
                f,
                "the meter sent {bytes} bytes and no valid frame before its deadline of {seconds} s"
            ),
            Self::Vanished(how) => write!(f, "the meter vanished: {how}"),
            Self::LineLost(how) => write!(f, "the line to the meter was lost: {how}"),
            Self::Nonsense(what) => write!(f, "the meter's answer makes no sense: {what}"),
        }
    }
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
    /// Those of an earlier test of the same image, of which the digest was kept.
    Before(String),
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
            Self::Before(digest) => Some(digest.clone()),
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
