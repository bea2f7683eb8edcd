//! What a record is made of, beside the measurement itself.

use catalogue::{BuildReport, FlagSet};
use wire::Hello;

use crate::measurement::{KatOutcome, Traffic};
use crate::record::schema::{Environment, Sha256, StaticMemory, UtcTime};
use crate::system;

/// What all operations of one image on one system have in common.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The system's name.
    pub system: String,
    /// Kind of line to it.
    pub transport: String,
    /// What emulates it, if anything does.
    pub emulator: Option<system::Emulator>,
    /// The machine.
    pub environment: Environment,
    /// What the system lacks for a trustworthy measurement and was told to do without.
    pub fitness: Vec<String>,
    /// The candidate's id.
    pub candidate: String,
    /// Unique within the candidate.
    pub label: String,
    /// The parameter set, as its package names it.
    pub instance: String,
    /// The implementation.
    pub variant: String,
    /// Sizes that the instance claims.
    pub sizes: wire::Sizes,
    /// Bytes of each message of a key exchange, once one was run.
    pub messages: Option<Vec<u32>>,
    /// The image.
    pub image: ImageFacts,
    /// What the meter said of itself, once it did.
    pub hello: Option<Hello>,
    /// Outcome of the known-answer test; `None` when there are no published answers.
    pub kat: Option<KatOutcome>,
    /// Log of that test, relative to the system's folder, and its digest.
    pub kat_log: Option<(String, Sha256)>,
}

/// What is known of an image from its build.
#[derive(Clone, Debug)]
pub struct ImageFacts {
    /// Its name in the image cache.
    pub name: String,
    /// SHA-256 of the ELF file.
    pub elf_sha256: [u8; 32],
    /// The linker's build id.
    pub build_id: [u8; 20],
    /// The flag set that it was built with.
    pub flag_set: FlagSet,
    /// The board that it was built for.
    pub board: String,
    /// What the build says of itself, where that is known.
    pub report: Option<BuildReport>,
    /// The linker, as it introduces itself.
    pub linker: Option<String>,
    /// Sections of the submission's own objects.
    pub static_memory: Option<StaticMemory>,
    /// Sections of the whole image.
    pub image_static: Option<StaticMemory>,
}

impl ImageFacts {
    /// The C compiler, as it introduces itself.
    pub fn compiler(&self) -> Option<String> {
        let report = self.report.as_ref()?;
        Some(report.compiler.version.clone())
    }
}

/// What happened around one operation.
#[derive(Clone, Debug)]
pub struct Occasion {
    /// When it started.
    pub started: UtcTime,
    /// When it ended.
    pub ended: UtcTime,
    /// Load of the host at the start.
    pub load_start: Option<[f64; 3]>,
    /// Load of the host at the end.
    pub load_end: Option<[f64; 3]>,
    /// Time that it took on the wall.
    pub wall_seconds: f64,
    /// The host's deadline.
    pub timeout_seconds: f64,
    /// The command that started the meter.
    pub command: Vec<String>,
    /// How the meter's process exited, if it has one and did.
    pub exit_code: Option<i64>,
    /// What happened on the line.
    pub traffic: Traffic,
    /// What the submission printed.
    pub output: system::Output,
    /// Trials that were repeated because the clock fell during them.
    pub disturbed_retries: u64,
}
