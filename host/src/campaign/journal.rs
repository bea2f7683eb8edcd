//! The log of a run directory: what was done when, over all campaigns into it.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use jiff::Timestamp;

use crate::notice::printable;

/// Name of the log in the run directory.
pub const JOURNAL: &str = "campaign.log";

/// A log that lines are added to.
#[derive(Debug)]
pub struct Journal(Option<File>);

impl Journal {
    /// The log of a run directory. One that cannot be written to is none: what it tells is told on
    /// the error output as well, and a disk that is full is found where a record is kept.
    pub fn open(run_directory: &Path) -> Self {
        let file = run_directory.join(JOURNAL);
        Self(OpenOptions::new().create(true).append(true).open(file).ok())
    }

    /// Adds a line with the time, whole or not at all as far as a write is.
    pub fn line(&self, words: &str) {
        if let Some(mut file) = self.0.as_ref() {
            let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ");
            let _ = file.write_all(format!("{now} {}\n", printable(words)).as_bytes());
        }
    }
}
