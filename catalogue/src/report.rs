//! What a build says of itself: `build.json` beside the image.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use wire::Operation;

use crate::{CatalogueError, Symmetric};

/// How an image's C code came about.
///
/// Paths in it start with `$TREE` (the candidate's sources), `$ROOT` (this workspace) or `$OUT`
/// (the build's own folder), so that equal builds on two machines have equal reports.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct BuildReport {
    /// The candidate's id.
    pub candidate: String,
    /// The instance's label.
    pub label: String,
    /// The board that the image is for.
    pub board: String,
    /// Name of the flag set.
    pub flag_set: String,
    /// The deliberate flaws in it; empty in every image that measures.
    pub drills: Vec<String>,
    /// Name and version of the package that the sources came with.
    pub package: String,
    /// The compiler.
    pub compiler: CompilerReport,
    /// The C library.
    pub libc: LibraryReport,
    /// Everything that was compiled, in order.
    pub units: Vec<Unit>,
    /// The largest frame that each operation can reach, by the operation's name; `hash` stands for
    /// all lengths.
    pub largest_frames: BTreeMap<String, Frame>,
    /// What a profile image's objects say of its symmetric primitives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetric: Option<Symmetric>,
}

/// The compiler.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct CompilerReport {
    /// The program as it was called.
    pub program: String,
    /// The first line of what it says of its version.
    pub version: String,
}

/// The C library.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct LibraryReport {
    /// `picolibc` or `glibc`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Name of the archive with the folder it is in, which tells picolibc's builds apart; `None`
    /// where the library is a shared one.
    pub archive: Option<String>,
}

/// One source and the object made of it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// The source's name within the candidate's tree.
    pub source: String,
    /// SHA-256 of the source, in hexadecimal.
    pub source_sha256: String,
    /// SHA-256 of the object as it is linked, in hexadecimal.
    pub object_sha256: String,
    /// The complete command line.
    pub command: Vec<String>,
    /// Warnings that the compiler gave.
    pub warnings: u32,
    /// The frames of its functions, as the compiler lists them; none of an assembler's source.
    pub frames: Vec<Frame>,
}

/// The stack frame of one function.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// The function's name.
    pub function: String,
    /// Where it is defined: `<file>:<line>`.
    pub place: String,
    /// Bytes of the frame: all of them, or the part that is known beforehand.
    pub bytes: u64,
    /// What is known of it.
    pub kind: FrameKind,
}

impl Frame {
    /// What frames are compared by: one whose size only running decides is larger than any other.
    pub fn rank(&self) -> (bool, u64) {
        (self.kind == FrameKind::Dynamic, self.bytes)
    }
}

/// What a compiler knows of a frame's size.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameKind {
    /// It is always the same.
    Static,
    /// It depends on what happens at run time.
    Dynamic,
    /// Likewise, but it is never larger than the listed size.
    Bounded,
}

impl FrameKind {
    /// The name in reports and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Dynamic => "dynamic",
            Self::Bounded => "bounded",
        }
    }
}

impl BuildReport {
    /// Name of the file in the build script's output folder.
    pub const FILE: &str = "build.json";

    /// The largest frame that an operation can reach: whether it does is another question.
    pub fn largest_frame(&self, operation: Operation) -> Option<&Frame> {
        match operation {
            // It calls everything.
            Operation::Exchange => self
                .largest_frames
                .values()
                .max_by_key(|frame| frame.rank()),
            Operation::Hash(_) => self.largest_frames.get("hash"),
            other => self.largest_frames.get(&other.to_string()),
        }
    }

    /// Reads a report.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is no report.
    pub fn read(file: &Path) -> Result<Self, CatalogueError> {
        let text = fs::read_to_string(file).map_err(CatalogueError::file("read", file))?;
        serde_json::from_str(&text).map_err(|error| CatalogueError::Report {
            file: file.to_owned(),
            problem: error.to_string(),
        })
    }

    /// Writes the report.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn write(&self, file: &Path) -> Result<(), CatalogueError> {
        let text = serde_json::to_string_pretty(self).map_err(|error| CatalogueError::Report {
            file: file.to_owned(),
            problem: error.to_string(),
        })?;
        fs::write(file, text + "\n").map_err(CatalogueError::file("write", file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> BuildReport {
        BuildReport {
            candidate: "pqclean".into(),
            label: "ML-KEM-768".into(),
            board: "qemu-virt".into(),
            flag_set: "guide".into(),
            drills: vec![],
            package: "pqcrypto-mlkem 0.1.1".into(),
            compiler: CompilerReport {
                program: "aarch64-linux-gnu-gcc".into(),
                version: "aarch64-linux-gnu-gcc 12.2.0".into(),
            },
            libc: LibraryReport {
                name: "picolibc".into(),
                version: "1.8".into(),
                archive: Some("release/libc.a".into()),
            },
            units: vec![Unit {
                source: "common/aes.c".into(),
                source_sha256: "00".into(),
                object_sha256: "01".into(),
                command: vec!["aarch64-linux-gnu-gcc".into(), "-c".into()],
                warnings: 0,
                frames: vec![Frame {
                    function: "f".into(),
                    place: "common/aes.c:7".into(),
                    bytes: 64,
                    kind: FrameKind::Static,
                }],
            }],
            largest_frames: [("enc", 64), ("hash", 32), ("pass2", 128)]
                .map(|(operation, bytes)| {
                    let frame = Frame {
                        function: "f".into(),
                        place: "a.c:1".into(),
                        bytes,
                        kind: FrameKind::Bounded,
                    };
                    (operation.to_owned(), frame)
                })
                .into(),
            symmetric: Some(Symmetric::default()),
        }
    }

    #[test]
    fn frames_are_found_by_operation() {
        let bytes = |operation| Some(example().largest_frame(operation)?.bytes);
        assert_eq!(bytes(Operation::Enc), Some(64));
        assert_eq!(bytes(Operation::Hash(4096)), Some(32));
        assert_eq!(bytes(Operation::Pass(2)), Some(128));
        assert_eq!(bytes(Operation::Exchange), Some(128));
        assert_eq!(bytes(Operation::Dec), None);
    }

    #[test]
    fn a_report_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(BuildReport::FILE);
        example().write(&file).unwrap();
        assert_eq!(BuildReport::read(&file).unwrap(), example());
        fs::write(&file, "{}").unwrap();
        let error = BuildReport::read(&file).unwrap_err().to_string();
        assert!(error.contains("candidate"), "{error}");
        assert!(BuildReport::read(&folder.path().join("none")).is_err());
    }
}
