//! Why there is no image.

use std::io;
use std::path::{Path, PathBuf};

use catalogue::CatalogueError;
use miette::Diagnostic;
use thiserror::Error;

use super::ElfError;

/// Why there is no image.
#[derive(Debug, Error, Diagnostic)]
pub enum BuildError {
    /// The instance does not compile or link. Belongs into the record: the tool is well.
    #[error("{name} does not build for {board} with the flags `{flags}`: {reason}")]
    #[diagnostic(help("the whole output of the build:\n{log}"))]
    Failed {
        /// `<candidate>/<label>`.
        name: String,
        /// The board.
        board: String,
        /// Name of the flag set.
        flags: String,
        /// The first error.
        reason: String,
        /// What the build said.
        log: String,
    },
    /// This machine cannot build, whatever the instance.
    #[error("this machine cannot build images: {reason}")]
    #[diagnostic(help(
        "`cargo host setup` installs what is missing; the whole output of the build:\n{log}"
    ))]
    Machine {
        /// The line that says what is wrong.
        reason: String,
        /// What the build said.
        log: String,
    },
    /// The user wants an end.
    #[error("interrupted while building")]
    Interrupted,
    /// cargo succeeded and yet there is no image.
    #[error("cargo built no {what}")]
    #[diagnostic(help("does `cargo build -p firmware` work by itself?"))]
    NoResult {
        /// What is missing.
        what: &'static str,
    },
    /// A program cannot be run.
    #[error("`{program}` cannot be run: {source}")]
    #[diagnostic(help("`cargo host setup` installs what is missing"))]
    Tool {
        /// The program.
        program: String,
        /// The system's error.
        source: io::Error,
    },
    /// A file or folder cannot be used.
    #[error("cannot {verb} {path}: {source}", path = path.display())]
    #[diagnostic(help("check that it exists, that you may access it, and that the disk has room"))]
    File {
        /// What was tried.
        verb: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The catalogue, the tools or the linker map.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The image is none.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Elf(#[from] ElfError),
}

impl BuildError {
    /// A file error with its path.
    pub(super) fn file(verb: &'static str, path: &Path, source: io::Error) -> Self {
        Self::File {
            verb,
            path: path.to_owned(),
            source,
        }
    }
}
