//! Whether the meter that introduced itself is the expected one and fit to measure.

use miette::Diagnostic;
use thiserror::Error;
use wire::{CounterSource, Hello, PROTOCOL_VERSION, SCHEMA_HASH, Unit};

/// Bytes by which a stack self-test may be off: the call itself pushes a return address and keeps
/// the stack pointer aligned to 16.
const STACK_TOLERANCE_BYTES: u64 = 16;

/// Instructions by which the count of a sled may be off where instructions are counted.
const SLED_TOLERANCE_INSTRUCTIONS: u64 = 1;

/// What the meter must be.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Expectations {
    /// Build id in the ELF that was started.
    pub build_id: Option<[u8; 20]>,
    /// Board that the system is.
    pub board: Option<String>,
    /// Candidate and label that were asked for.
    pub instance: Option<(String, String)>,
    /// Whether the system is an emulated one.
    pub emulated: Option<bool>,
}

/// Why this meter is refused.
#[derive(Clone, Debug, Eq, PartialEq, Error, Diagnostic)]
pub enum Mismatch {
    /// Another version of the protocol.
    #[error("the meter speaks protocol version {theirs}, this tool version {ours}")]
    #[diagnostic(help("rebuild the image and the tool from the same source tree"))]
    Version {
        /// The meter's.
        theirs: u8,
        /// This tool's.
        ours: u8,
    },
    /// Messages defined differently.
    #[error("the meter's messages (schema {theirs:08x}) are not this tool's ({ours:08x})")]
    #[diagnostic(help("rebuild the image and the tool from the same source tree"))]
    Schema {
        /// The meter's.
        theirs: u32,
        /// This tool's.
        ours: u32,
    },
    /// Another image runs than the one that was started.
    #[error("the running image has build id {theirs}, the ELF {ours}")]
    #[diagnostic(help("an older image still runs: reset the board, or flash it again"))]
    BuildId {
        /// The running image's.
        theirs: String,
        /// The ELF's.
        ours: String,
    },
    /// Built for another board.
    #[error("the image was built for board {theirs}, and this system is {ours}")]
    #[diagnostic(help("build with NGCC_BOARD={ours}, or name the system with --system"))]
    Board {
        /// The image's.
        theirs: String,
        /// The system's.
        ours: String,
    },
    /// Another instance inside.
    #[error("the image holds {theirs}, not {ours}")]
    #[diagnostic(help("build with NGCC_INSTANCE={ours}"))]
    Instance {
        /// The image's.
        theirs: String,
        /// The one asked for.
        ours: String,
    },
    /// No counter.
    #[error("the meter has no usable counter: {note}")]
    #[diagnostic(help(
        "`cargo host doctor` says what this system lacks; nothing can be measured without a counter"
    ))]
    CounterMissing {
        /// The meter's explanation.
        note: String,
    },
    /// Instructions of an emulator from a system that is none, or cycles from one that is.
    #[error("the meter counts {theirs}, and this system {}", if *emulated { "is emulated" } else { "is not emulated" })]
    #[diagnostic(help(
        "counts of an emulator and of a real core are kept apart: name the system that this is with --system"
    ))]
    Emulation {
        /// What one of the meter's counts is.
        theirs: &'static str,
        /// Whether the system is an emulated one.
        emulated: bool,
    },
    /// A counter that does not count.
    #[error("the {counter} counter stands still: a sled of {instructions} instructions counted 0")]
    #[diagnostic(help(
        "is the counter enabled and not filtered at this exception level? QEMU needs -icount; a virtual machine may hide the counter"
    ))]
    CounterStill {
        /// Its source.
        counter: &'static str,
        /// Length of the sled.
        instructions: u32,
    },
    /// An instruction counter that does not count instructions.
    #[error("a sled of {instructions} instructions counted {count} on {counter}")]
    #[diagnostic(help(
        "start QEMU with -icount shift=0, or treat this system's counts as no instructions"
    ))]
    CounterWrong {
        /// Its source.
        counter: &'static str,
        /// Length of the sled.
        instructions: u32,
        /// What was counted.
        count: u64,
    },
    /// Stack measurement that is wrong.
    #[error("a function that uses {used} bytes of stack was measured with {measured}")]
    #[diagnostic(help(
        "the meter's own self-test fails: its stack numbers cannot be trusted; rebuild, and report this as a defect of the meter"
    ))]
    Stack {
        /// Bytes that the function uses.
        used: u32,
        /// Bytes that the meter found.
        measured: u64,
    },
}

/// Checks an introduction.
///
/// # Errors
///
/// The first reason to refuse this meter.
pub fn check(hello: &Hello, expected: &Expectations) -> Result<(), Mismatch> {
    check_schema(hello.schema)?;
    check_identity(hello, expected)?;
    check_counter(hello, expected)?;
    for probe in hello.self_test.stack {
        if probe.measured_bytes.abs_diff(u64::from(probe.used_bytes)) > STACK_TOLERANCE_BYTES {
            return Err(Mismatch::Stack {
                used: probe.used_bytes,
                measured: probe.measured_bytes,
            });
        }
    }
    Ok(())
}

/// The mismatch of a frame of another protocol version.
pub fn version(theirs: u8) -> Mismatch {
    Mismatch::Version {
        theirs,
        ours: PROTOCOL_VERSION,
    }
}

/// Checks the schema of an introduction that cannot be read with our definitions.
///
/// # Errors
///
/// [`Mismatch::Schema`], when the payload starts as an introduction does and names another one.
pub fn check_foreign(payload: &[u8]) -> Result<(), Mismatch> {
    // The number of the variant, then the first field: that much must never change.
    match postcard::take_from_bytes::<(u32, u32)>(payload) {
        Ok(((0, schema), _)) => check_schema(schema),
        _ => Ok(()),
    }
}

fn check_schema(theirs: u32) -> Result<(), Mismatch> {
    if theirs == SCHEMA_HASH {
        return Ok(());
    }
    Err(Mismatch::Schema {
        theirs,
        ours: SCHEMA_HASH,
    })
}

fn check_identity(hello: &Hello, expected: &Expectations) -> Result<(), Mismatch> {
    if let Some(board) = &expected.board
        && *board != hello.board.as_str()
    {
        return Err(Mismatch::Board {
            theirs: hello.board.to_string(),
            ours: board.clone(),
        });
    }
    if let Some((candidate, label)) = &expected.instance
        && (*candidate != hello.candidate.as_str() || *label != hello.label.as_str())
    {
        return Err(Mismatch::Instance {
            theirs: format!("{}/{}", hello.candidate, hello.label),
            ours: format!("{candidate}/{label}"),
        });
    }
    if let Some(build_id) = expected.build_id
        && build_id != hello.build_id
    {
        return Err(Mismatch::BuildId {
            theirs: hexadecimal(&hello.build_id),
            ours: hexadecimal(&build_id),
        });
    }
    Ok(())
}

fn check_counter(hello: &Hello, expected: &Expectations) -> Result<(), Mismatch> {
    let source = hello.counter.source;
    let sled = hello.self_test.sled;
    if source == CounterSource::Missing {
        return Err(Mismatch::CounterMissing {
            note: hello.counter.note.to_string(),
        });
    }
    if sled.count == 0 {
        return Err(Mismatch::CounterStill {
            counter: source.name(),
            instructions: sled.instructions,
        });
    }
    // Ticks of a clock pass alike on both.
    let on_an_emulator = match source.unit() {
        Unit::Instructions => Some(true),
        Unit::Cycles => Some(false),
        _ => None,
    };
    if let (Some(emulated), Some(counted)) = (expected.emulated, on_an_emulator)
        && emulated != counted
    {
        return Err(Mismatch::Emulation {
            theirs: source.unit().heading(),
            emulated,
        });
    }
    if source.unit() == Unit::Instructions
        && sled.count.abs_diff(u64::from(sled.instructions)) > SLED_TOLERANCE_INSTRUCTIONS
    {
        return Err(Mismatch::CounterWrong {
            counter: source.name(),
            instructions: sled.instructions,
            count: sled.count,
        });
    }
    Ok(())
}

/// Bytes as lower-case hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
