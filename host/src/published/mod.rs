//! Records that others published, as a system of a run directory.
//!
//! A data set has the layout of a system's folder: `records/<candidate>/<label>__<operation>.json`,
//! and beside them `kat/`, `profile/`, `build.json` and `campaign.json`. It is copied into a draft
//! in the run directory, the draft is checked as `validate` checks any run directory, and moved to
//! its place. From there on it is a system like any other.

mod draft;
mod error;

use std::fs;
use std::path::{Path, PathBuf};

pub use error::PublishedError;

use crate::record::read::{content, parse, read};
use crate::record::schema::Record;
use crate::record::store::RunDirectory;
use crate::record::validate::Finding;
use crate::system;
use draft::Draft;

/// A folder of published records.
#[derive(Clone, Debug)]
pub struct DataSet {
    folder: PathBuf,
    records: Vec<PathBuf>,
}

/// Into which run directory a data set goes, and how.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The run directory; it is made when it is not there.
    pub run: &'a RunDirectory,
    /// The name that the system gets in it.
    pub system: &'a str,
    /// Whether a data set that was imported under this name is replaced.
    pub force: bool,
    /// Whether it is taken in spite of findings.
    pub allow_findings: bool,
}

/// What became of a data set.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The system's folder in the run directory.
    pub folder: PathBuf,
    /// Number of records.
    pub records: usize,
    /// Number of profiles beside them.
    pub profiles: usize,
    /// What is wrong with them; the files are those of the data set.
    pub findings: Vec<Finding>,
    /// What was decided.
    pub notes: Vec<String>,
    /// Whether it was taken.
    pub is_taken: bool,
}

impl DataSet {
    /// The data set in this folder; `None` where there are no records of the published layout.
    pub fn find(folder: &Path) -> Option<Self> {
        // A data set is a system's folder, without a run directory above.
        let records = RunDirectory::new(folder).records_of("").ok()?;
        let records: Vec<PathBuf> = records.into_iter().filter(|file| is_named(file)).collect();
        (!records.is_empty()).then(|| Self {
            folder: folder.to_owned(),
            records,
        })
    }

    /// Checks it and copies it into a run directory.
    ///
    /// # Errors
    ///
    /// See [`PublishedError`]. What is readable and wrong is a finding, not an error.
    pub fn import(&self, request: &Request<'_>) -> Result<Imported, PublishedError> {
        check_name(request.system)?;
        let place = request.run.root().join(request.system);
        if fs::symlink_metadata(&place).is_ok() {
            if !request.force {
                return Err(PublishedError::Taken { folder: place });
            }
            check_replaceable(request)?;
        }
        let mut draft = Draft::new(request.run.root(), request.system)?;
        let mut without_log = 0;
        for file in &self.records {
            let (record, bytes) = published(file)?;
            draft.write(&self.folder, file, &bytes)?;
            let log = record.kat_log.as_ref().map(|log| self.folder.join(log));
            without_log += usize::from(!log.is_some_and(|log| log.is_file()));
        }
        let mut notes = draft.copy_rest(&self.folder)?;
        if without_log > 0 {
            notes.push(format!(
                "logs of known-answer tests that are not there, so that no digest of theirs was \
                 checked: those of {without_log} of {} records",
                self.records.len()
            ));
        }
        let findings = draft.check(&self.folder)?;
        let is_taken = findings.is_empty() || request.allow_findings;
        let profiles = draft.profiles;
        if is_taken {
            draft.move_to(&place)?;
        }
        Ok(Imported {
            folder: place,
            records: self.records.len(),
            profiles,
            findings,
            notes,
            is_taken,
        })
    }
}

/// Whether a file is named as a record is: a package of another kind may have a folder `records`.
fn is_named(file: &Path) -> bool {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    stem.split_once("__")
        .is_some_and(|(label, operation)| !label.is_empty() && !operation.is_empty())
}

/// A record that another program wrote, and its bytes.
fn published(file: &Path) -> Result<(Record, Vec<u8>), PublishedError> {
    draft::check_regular(file)?;
    let bytes = content(file)?;
    let record = parse(file, &bytes)?;
    match record.meter {
        None => Ok((record, bytes)),
        Some(_) => Err(PublishedError::Ours {
            file: file.to_owned(),
        }),
    }
}

/// A published system has a name that no system here can have.
fn check_name(name: &str) -> Result<(), PublishedError> {
    let name = name.to_owned();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(is_letter) {
        return Err(PublishedError::Name { name });
    }
    match system::board_of(&name) {
        Ok(_) => Err(PublishedError::OwnName { name }),
        Err(_) => Ok(()),
    }
}

/// What `--force` replaces was imported: a measurement is never lost.
fn check_replaceable(request: &Request<'_>) -> Result<(), PublishedError> {
    for file in request.run.records_of(request.system)? {
        if read(&file).is_ok_and(|record| record.meter.is_some()) {
            return Err(PublishedError::Measured { file });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
