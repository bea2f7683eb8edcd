//! Why a data set is not taken.

use std::io;
use std::path::PathBuf;

use miette::Diagnostic;
use thiserror::Error;

use crate::record::read::ReadError;
use crate::record::store::StoreError;

/// Why a data set is not taken. Nothing of it is kept then.
#[derive(Debug, Error, Diagnostic)]
pub enum PublishedError {
    /// The folder has no records of the published layout.
    #[error("{} is no folder of published records", folder.display())]
    #[diagnostic(help(
        "such a folder holds records/<candidate>/<label>__<operation>.json; name the one above \
         `records`, or leave out --system and --run-dir to import a submission package"
    ))]
    NoDataSet {
        /// The folder.
        folder: PathBuf,
    },
    /// The name cannot be one of a system.
    #[error("`{name}` cannot be the name of a system")]
    #[diagnostic(help("use letters, digits, `-` and `_`, such as x86_1 or arm_1"))]
    Name {
        /// The name.
        name: String,
    },
    /// The name is one that this machine measures under.
    #[error("`{name}` is a system that is measured here, and not that of published records")]
    #[diagnostic(help(
        "name the system as its publisher does, such as x86_1 or arm_1: these names are never \
         given to a measurement of one's own"
    ))]
    OwnName {
        /// The name.
        name: String,
    },
    /// There is such a system in the run directory.
    #[error("{} is there already", folder.display())]
    #[diagnostic(help("give another --system, or replace what was imported before with --force"))]
    Taken {
        /// The system's folder.
        folder: PathBuf,
    },
    /// What is to be replaced was measured, not imported.
    #[error("{} was measured by this program, and would be lost", file.display())]
    #[diagnostic(help("give another --system or --run-dir"))]
    Measured {
        /// A record of the system.
        file: PathBuf,
    },
    /// The folder is a system's of a run directory.
    #[error("{}: key `meter`: this program measured it", file.display())]
    #[diagnostic(help(
        "this is a system's folder of a run directory and no published data set: its records can \
         be used where they are, such as with `cargo host compare`"
    ))]
    Ours {
        /// A record.
        file: PathBuf,
    },
    /// Something is where a file belongs.
    #[error("{} is no regular file", path.display())]
    #[diagnostic(help("put the file itself there: links and devices are not followed"))]
    NotAFile {
        /// What is there.
        path: PathBuf,
    },
    /// A file or folder could not be used.
    #[error("cannot {verb} {}", path.display())]
    #[diagnostic(help("check the path, its permissions, and whether there is room"))]
    Path {
        /// What was tried.
        verb: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A record is not what it must be.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Read(#[from] ReadError),
    /// A folder cannot be walked.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Store(#[from] StoreError),
}
