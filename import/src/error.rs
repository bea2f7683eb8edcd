//! What can be wrong with a package, and what to do about it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

/// Why a package was not imported.
#[derive(Debug, Error, Diagnostic)]
pub enum ImportError {
    /// The package's identity cannot be a folder's name.
    #[error("{id:?} cannot be a candidate's id")]
    #[diagnostic(help(
        "give another --id: 1 to 64 letters, digits, '-', '_', '+' and '.', beginning with a letter or digit, such as kem-36"
    ))]
    Id {
        /// What was asked for.
        id: String,
    },

    /// There is a package of this identity.
    #[error("{folder} is there already", folder = folder.display())]
    #[diagnostic(help("give another --id, or --force to replace what was imported before"))]
    Exists {
        /// Its folder.
        folder: PathBuf,
    },

    /// The identity belongs to the repository.
    #[error("{id} is a package of this repository, not an imported one")]
    #[diagnostic(help("give another --id; --force replaces only what was imported before"))]
    Ours {
        /// The identity.
        id: String,
    },

    /// An entry is one that no honest package has.
    #[error("{archive} is refused: entry {entry:?} {refusal}")]
    #[diagnostic(help("nothing was kept; {}", refusal.remedy()))]
    Refused {
        /// The archive or folder, within others where it is packed in them.
        archive: String,
        /// The entry.
        entry: String,
        /// What is wrong with it.
        refusal: Refusal,
    },

    /// It is no archive.
    #[error("{archive} is neither a zip archive nor a gzip-compressed tar archive")]
    #[diagnostic(help(
        "unpack it with its own program and import the folder, or fetch it again if it should be one"
    ))]
    Format {
        /// The file, within others where it is packed in them.
        archive: String,
    },

    /// It is an archive that cannot be read to its end.
    #[error("{archive} is damaged: {problem}")]
    #[diagnostic(help(
        "nothing was kept; fetch the archive again and compare its published digest"
    ))]
    Damaged {
        /// The archive, within others where it is packed in them.
        archive: String,
        /// Where reading ended and why.
        problem: String,
    },

    /// It holds nothing that can be measured.
    #[error("{source_path} holds no instance", source_path = source_path.display())]
    #[diagnostic(help(
        "an instance is a file KEM_AlgorithmInstance.h, SIG_AlgorithmInstance.h, KEX_AlgorithmInstance.h or CryptHash_AlgorithmInstance.h (or .c); packages that are packed as .rar or .7z inside must be unpacked by hand"
    ))]
    NoInstance {
        /// The package.
        source_path: PathBuf,
    },

    /// A `kat/<id>/` of the repository is not what it must be.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Catalogue(#[from] catalogue::CatalogueError),

    /// A file or folder could not be worked with.
    #[error("cannot {action} {path}: {source}", path = path.display())]
    #[diagnostic(help(
        "see that the path is right, that it may be read or written, and that there is space"
    ))]
    File {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },

    /// The user wished an end.
    #[error("interrupted; nothing was kept")]
    Interrupted,
}

impl ImportError {
    /// A problem of the file system with this path.
    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File {
            action,
            path,
            source,
        }
    }
}

/// What is wrong with an entry.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Refusal {
    /// Its path has a component `..`.
    Parent,
    /// Its path begins at the root or with a drive.
    Absolute,
    /// Its path has a backslash.
    Backslash,
    /// Its name has a NUL or another control character.
    Control,
    /// Its path is empty, or longer or deeper than any file system's.
    Name,
    /// Its name is in none of the encodings.
    Encoding,
    /// It is a symbolic or hard link.
    Link,
    /// It is a device, a pipe, a socket or something else that is neither file nor folder.
    Special,
    /// Another entry has its path, or stands where it needs a folder.
    Duplicate,
    /// It is encrypted.
    Encrypted,
    /// It is compressed in a way that is not read.
    Method,
    /// It is larger than a file may be, in bytes.
    File(u64),
    /// With it the package is larger than a package may be, in bytes.
    Total(u64),
    /// It is one more than the entries that a package may have.
    Entries(u64),
    /// It unpacks to more than this many times its size.
    Ratio(u64),
    /// It is an archive within more archives than may be within each other.
    Depth(u64),
}

impl Refusal {
    fn remedy(self) -> &'static str {
        match self {
            Self::File(_) | Self::Total(_) | Self::Entries(_) | Self::Ratio(_) | Self::Depth(_) => {
                "an honest package of this size can be unpacked by hand, thinned out and imported as a folder"
            }
            Self::Encrypted | Self::Method => {
                "unpack the archive with its own program and import the folder"
            }
            _ => "do not unpack it by other means before you know why it is so",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MIB: u64 = 1 << 20;
        f.write_str(match self {
            Self::Parent => "leaves the package's folder by `..`",
            Self::Absolute => "has an absolute path",
            Self::Backslash => "has a backslash in its path",
            Self::Control => "has a control character in its name",
            Self::Name => "has an empty, overlong or overdeep path",
            Self::Encoding => "has a name that is neither UTF-8 nor GB18030 nor code page 437",
            Self::Link => "is a link",
            Self::Special => "is neither a file nor a folder",
            Self::Duplicate => "has the path of another entry",
            Self::Encrypted => "is encrypted",
            Self::Method => "is compressed by a method other than deflate",
            Self::File(limit) => {
                return write!(f, "is larger than the limit of {} MiB a file", limit / MIB);
            }
            Self::Total(limit) => {
                return write!(
                    f,
                    "brings the package above the limit of {} MiB",
                    limit / MIB
                );
            }
            Self::Entries(limit) => {
                return write!(f, "is above the limit of {limit} entries");
            }
            Self::Ratio(limit) => {
                return write!(
                    f,
                    "unpacks to more than the limit of {limit} times its packed size"
                );
            }
            Self::Depth(limit) => {
                return write!(
                    f,
                    "is above the limit of {limit} archives within each other"
                );
            }
        })
    }
}
