//! What came over a line, kept as it came, and meters that are made of it.
//!
//! A capture is a file that says what it is: a line of text, a line of JSON (the [`Header`]), then
//! chunks to the end of the file. A chunk is one byte for its [`Kind`], the microseconds since the
//! chunk before and the number of its bytes, both as LEB128, and these bytes. A file that ends in
//! the middle of a chunk was not written to its end; what is before it counts.

mod read;
mod recorder;
mod replayed;
mod tape;

use std::io;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use read::{Capture, Chunk, Recording};
pub use recorder::{Recorded, Recorder};
pub use replayed::Replayed;

use crate::record::schema::UtcTime;
use crate::system::{Emulator, System};

/// The first line of a capture.
const MAGIC: &str = "ngcc-meter capture 1";

/// What the header says of what follows it.
const FORMAT: &str = "chunks to the end of the file: one byte ('|' a meter is started, as JSON; '<' \
    bytes from the meter; '>' bytes to it), microseconds since the chunk before and number of bytes \
    as LEB128, the bytes";

/// What a chunk is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// A meter is started: a [`Start`] as JSON.
    Start,
    /// Bytes that arrived at the host.
    FromMeter,
    /// Bytes that the host sent.
    ToMeter,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Start, Self::FromMeter, Self::ToMeter];

    fn byte(self) -> u8 {
        match self {
            Self::Start => b'|',
            Self::FromMeter => b'<',
            Self::ToMeter => b'>',
        }
    }

    fn of_byte(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.byte() == byte)
    }
}

/// Where a capture is from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// What follows the header, for whoever has nothing but the file.
    pub format: String,
    /// Version of the program that wrote it.
    pub tool_version: String,
    /// Version of the protocol on the line.
    pub protocol: u8,
    /// Of which definitions the messages are.
    pub schema: u32,
    /// The system's name.
    pub system: String,
    /// Its board.
    pub board: String,
    /// Kind of line.
    pub transport: String,
    /// What emulated the machine, if anything did.
    pub emulator: Option<Emulator>,
    /// Wall-clock seconds for one second on the target's clock, at first.
    pub wall_per_target: f64,
    /// The same as it usually is: plans depend on it.
    pub usual_wall_per_target: f64,
}

impl Header {
    /// Of a system.
    pub fn of(system: &dyn System) -> Self {
        Self {
            format: FORMAT.to_owned(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: wire::PROTOCOL_VERSION,
            schema: wire::SCHEMA_HASH,
            system: system.name().to_owned(),
            board: system.board().to_owned(),
            transport: system.transport().to_owned(),
            emulator: system.emulator().cloned(),
            wall_per_target: system.wall_per_target(),
            usual_wall_per_target: system.usual_wall_per_target(),
        }
    }

    /// Of a line to something that nobody has asked who it is.
    pub fn of_line(name: &Path) -> Self {
        Self {
            format: FORMAT.to_owned(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: wire::PROTOCOL_VERSION,
            schema: wire::SCHEMA_HASH,
            system: "unknown".to_owned(),
            board: "unknown".to_owned(),
            transport: name.display().to_string(),
            emulator: None,
            wall_per_target: 1.0,
            usual_wall_per_target: 1.0,
        }
    }
}

/// Which meter is started.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The image.
    pub image: PathBuf,
    /// Its SHA-256, in hexadecimal.
    pub elf_sha256: String,
    /// When.
    pub started: UtcTime,
}

/// Why a capture cannot be written, read or played.
#[derive(Debug, Error, Diagnostic)]
pub enum CaptureError {
    /// The file cannot be used.
    #[error("cannot {verb} {}: {source}", path.display())]
    #[diagnostic(help("is the file there, and the disk neither full nor read-only?"))]
    File {
        /// What was tried.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is none.
    #[error("{} is no capture: {reason}", path.display())]
    #[diagnostic(help(
        "captures are <run>/<system>/captures/<id>/<label>.capture, or what `cargo host monitor \
         --capture` wrote"
    ))]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The messages in it are not this program's.
    #[error("{} holds messages of schema {theirs:08x}, and this tool's are {ours:08x}", path.display())]
    #[diagnostic(help(
        "a meter can be made of it by the version of this tool that wrote it; `cargo host replay \
         --raw` shows its bytes"
    ))]
    Schema {
        /// The file.
        path: PathBuf,
        /// The capture's.
        theirs: u32,
        /// This program's.
        ours: u32,
    },
    /// No meter of this image was recorded, or all were played already.
    #[error("{} has no {}recording of {}", path.display(), if *played { "other " } else { "" }, image.display())]
    #[diagnostic(help(
        "a capture plays the image that it is of, as often as it was started; it has: {}",
        there.join(", ")
    ))]
    Image {
        /// The file.
        path: PathBuf,
        /// The image that was to be started.
        image: PathBuf,
        /// Whether it was played before.
        played: bool,
        /// The images whose meters were recorded.
        there: Vec<String>,
    },
}
