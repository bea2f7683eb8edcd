//! An ELF file: who made it, what it runs on, and how to read its log.

use std::fs;
use std::path::{Path, PathBuf};

use defmt_decoder::Table;
use miette::Diagnostic;
use object::{Architecture, Object, ObjectKind, ObjectSection, ObjectSegment};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::sizes::{self, StaticSizes};
use crate::session::{Log, Sink};

/// Bytes of the linker's build id, a SHA-1.
const BUILD_ID_BYTES: usize = 20;

/// What runs an image.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Machine {
    /// An AArch64 board without an operating system.
    BareAarch64,
    /// Linux on the architecture of this machine.
    ThisMachine,
    /// Linux on an Arm machine, which this one is not.
    LinuxAarch64,
}

/// An image that can be started.
#[derive(Clone, Debug)]
pub struct Elf {
    /// The file.
    pub path: PathBuf,
    /// SHA-256 of the file.
    pub sha256: [u8; 32],
    /// The linker's build id, which the meter repeats in its introduction.
    pub build_id: [u8; BUILD_ID_BYTES],
    /// What runs it.
    pub machine: Machine,
    bytes: Vec<u8>,
}

/// Why a file is no image of a meter.
#[derive(Debug, Error, Diagnostic)]
pub enum ElfError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}", path = path.display())]
    #[diagnostic(help("name the ELF file that cargo built, or run `cargo run -p firmware`"))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It is no ELF file.
    #[error("{path} is no ELF file: {reason}", path = path.display())]
    #[diagnostic(help("name the ELF file that cargo built, or run `cargo run -p firmware`"))]
    Format {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// It is an ELF file, but no meter.
    #[error("{path} is no image of a meter: {reason}", path = path.display())]
    #[diagnostic(help("build one with `cargo build -p firmware`"))]
    NoMeter {
        /// The file.
        path: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// It runs nowhere that this tool knows.
    #[error("{path} is for {architecture}, which no system here runs", path = path.display())]
    #[diagnostic(help("systems are listed by `cargo host list --json`"))]
    Architecture {
        /// The file.
        path: PathBuf,
        /// Its architecture.
        architecture: String,
    },
}

impl Elf {
    /// Reads an image.
    ///
    /// # Errors
    ///
    /// Why it is none.
    pub fn read(path: &Path) -> Result<Self, ElfError> {
        let bytes = fs::read(path).map_err(|source| ElfError::Read {
            path: path.to_owned(),
            source,
        })?;
        let malformed = |error: object::Error| ElfError::Format {
            path: path.to_owned(),
            reason: error.to_string(),
        };
        let no_meter = |reason: &str| ElfError::NoMeter {
            path: path.to_owned(),
            reason: reason.to_owned(),
        };
        let file = object::File::parse(&*bytes).map_err(malformed)?;
        if !matches!(file.kind(), ObjectKind::Executable | ObjectKind::Dynamic) {
            return Err(no_meter("it is not linked"));
        }
        let build_id = file
            .build_id()
            .map_err(malformed)?
            .and_then(|id| id.try_into().ok())
            .ok_or_else(|| no_meter("it has no build id of 20 bytes"))?;
        let machine = machine(&file).ok_or_else(|| ElfError::Architecture {
            path: path.to_owned(),
            architecture: format!("{:?}", file.architecture()),
        })?;
        Ok(Self {
            path: path.to_owned(),
            sha256: Sha256::digest(&bytes).into(),
            build_id,
            machine,
            bytes,
        })
    }

    /// What the submission takes, which the image keeps in sections of its own; `None` where the
    /// image has none of them.
    pub fn static_sizes(&self) -> Option<StaticSizes> {
        let file = object::File::parse(&*self.bytes).ok()?;
        sizes::of_submission(&file)
    }

    /// What the whole image takes.
    pub fn whole_sizes(&self) -> Option<StaticSizes> {
        let file = object::File::parse(&*self.bytes).ok()?;
        Some(sizes::of_image(&file))
    }

    /// The linker and its version, in its own words, where it signs what it links: LLD and mold do,
    /// GNU ld does not.
    pub fn linker(&self) -> Option<String> {
        let file = object::File::parse(&*self.bytes).ok()?;
        let signatures = file.section_by_name(".comment")?.data().ok()?;
        linker_among(signatures).map(str::to_owned)
    }

    /// The file's contents.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A reader of this image's log. An image without defmt's table logs plain text.
    pub fn log(&self, sink: Sink) -> Log {
        // A table that cannot be read costs the log, not the measurement: the raw frames are shown.
        Log::new(Table::parse(&self.bytes).ok().flatten(), sink)
    }
}

/// Bare metal is told from Linux by the segments: an image for a board starts at its own address,
/// a program for Linux at zero (when its place is the kernel's choice) or at its loader's.
fn machine(file: &object::File) -> Option<Machine> {
    let is_position_independent = file.segments().any(|segment| segment.address() == 0);
    let this = match std::env::consts::ARCH {
        "x86_64" => Architecture::X86_64,
        "aarch64" => Architecture::Aarch64,
        _ => Architecture::Unknown,
    };
    match file.architecture() {
        Architecture::Aarch64 if !is_position_independent => Some(Machine::BareAarch64),
        architecture if architecture == this => Some(Machine::ThisMachine),
        Architecture::Aarch64 => Some(Machine::LinuxAarch64),
        _ => None,
    }
}

/// The linker's text among those that tools leave behind, each of which ends with a zero byte.
fn linker_among(signatures: &[u8]) -> Option<&str> {
    let texts = signatures.split(|byte| *byte == 0);
    texts
        .filter_map(|text| str::from_utf8(text).ok())
        .find_map(|text| match text.strip_prefix("Linker: ") {
            Some(linker) => Some(linker),
            None => text.starts_with("mold ").then_some(text),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linker_is_known_by_its_signature() {
        let compilers = b"rustc version 1.95.0\0GCC: (Debian 12.2.0) 12.2.0\0";
        assert_eq!(linker_among(compilers), None);
        for (signature, linker) in [
            ("Linker: LLD 22.1.2 (llvm 1cb4)", "LLD 22.1.2 (llvm 1cb4)"),
            ("mold 2.30.0", "mold 2.30.0"),
        ] {
            let mut signatures = compilers.to_vec();
            signatures.extend(signature.bytes().chain([0, 0xff, 0]));
            assert_eq!(linker_among(&signatures), Some(linker));
        }
    }
}
