//! Checks a record against itself, its place and the files that it names.
//!
//! Every number that is computed is computed again from the raw trials, every digest is checked,
//! and what is said twice must agree. A record that was written by this program and then changed,
//! be it by a single bit, has a finding.

mod arithmetic;
mod identity;
mod integrity;
mod memory;
mod meter;
mod passes;
mod profile;
mod run;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::read::{ReadError, content, parse};
use super::schema::{Record, Sha256};
use super::store::Place;
pub use run::Operations;
use run::Seen;

/// Relative difference up to which two computations of a number agree.
pub const TOLERANCE: f64 = 1e-9;

/// Something that is not as it must be.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Finding {
    /// The file.
    #[serde(serialize_with = "lossy")]
    pub file: PathBuf,
    /// The key in it, from the top.
    pub key: String,
    /// What is wrong with its value.
    pub problem: String,
}

/// A path as text, even where its name is none.
fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, key, problem } = self;
        write!(f, "{}: key `{key}`: {problem}", file.display())
    }
}

/// Findings in one file.
struct Findings<'a> {
    file: &'a Path,
    found: Vec<Finding>,
}

impl Findings<'_> {
    fn add(&mut self, key: impl Into<String>, problem: impl Into<String>) {
        self.found.push(Finding {
            file: self.file.to_owned(),
            key: key.into(),
            problem: problem.into(),
        });
    }

    /// Adds a finding unless the two agree.
    fn equal<T: PartialEq + fmt::Display>(&mut self, key: &str, stated: T, expected: T, why: &str) {
        if stated != expected {
            self.add(key, format!("is {stated}, but {why} {expected}"));
        }
    }
}

/// Checks records, one after the other; remembers what they must have in common.
#[derive(Debug, Default)]
pub struct Validator {
    /// Folders that images are looked for in.
    image_folders: Vec<PathBuf>,
    /// Digests of files that several records name; `None` for files that are not there.
    digests: BTreeMap<PathBuf, Option<Sha256>>,
    /// The first record of each label, which the others must agree with.
    labels: BTreeMap<(String, String, String), (PathBuf, Record)>,
    /// What every record says that its run directory says as well.
    seen: Vec<Seen>,
}

impl Validator {
    /// A validator that looks for images in these folders, beside the run directory itself.
    pub fn new(image_folders: Vec<PathBuf>) -> Self {
        Self {
            image_folders,
            ..Self::default()
        }
    }

    /// Checks a file.
    pub fn check_file(&mut self, file: &Path) -> Vec<Finding> {
        match content(file) {
            Ok(bytes) => self.check(file, &bytes),
            Err(error) => unreadable(&error),
        }
    }

    /// Checks a run directory's own files: its settings, how its labels were built, and whether
    /// the records that these promise are there and agree, and its profiles. To be called after the records in it
    /// were checked; where the operations of a label are not known, any record will do.
    pub fn check_run(&self, root: &Path, operations: &Operations) -> Vec<Finding> {
        let mut found = run::check(root, &self.seen, operations);
        found.extend(profile::check(root, &self.seen));
        found
    }

    /// Checks the content of a file, whose path says what the record must be about.
    pub fn check(&mut self, file: &Path, bytes: &[u8]) -> Vec<Finding> {
        let record = match parse(file, bytes) {
            Ok(record) => record,
            Err(error) => return unreadable(&error),
        };
        let mut findings = Findings {
            file,
            found: Vec::new(),
        };
        integrity::check(&record, bytes, &mut findings);
        arithmetic::check(&record, &mut findings);
        if let Some(meter) = &record.meter {
            meter::check(&record, meter, &mut findings);
            passes::check(meter, record.library_sha256.as_ref(), &mut findings);
        }
        if let Some(place) = Place::of_path(file) {
            identity::check_place(&record, &place, &mut findings);
            self.check_files(&record, &place, &mut findings);
            self.check_label(&record, &place, &mut findings);
            self.seen.push(Seen::new(file, &place, &record));
        }
        findings.found
    }

    /// Checks the digests of the files that a record names, where those files are there.
    fn check_files(&mut self, record: &Record, place: &Place, findings: &mut Findings<'_>) {
        let here = [place.system_folder(), place.root.clone()];
        if let (Some(log), Some(stated)) = (&record.kat_log, &record.kat_log_sha256) {
            self.check_digest(&here, log, ("kat_log_sha256", stated), findings);
        }
        if let (Some(library), Some(stated)) = (&record.library, &record.library_sha256) {
            let folders = [&here[..], &self.image_folders].concat();
            self.check_digest(&folders, library, ("library_sha256", stated), findings);
        }
    }

    fn check_digest(
        &mut self,
        folders: &[PathBuf],
        name: &str,
        (key, stated): (&str, &Sha256),
        findings: &mut Findings<'_>,
    ) {
        for folder in folders {
            let path = folder.join(name);
            let digest = self
                .digests
                .entry(path.clone())
                .or_insert_with(|| integrity::digest_of_file(&path));
            if let Some(digest) = digest {
                let why = format!("the digest of {} is", path.display());
                findings.equal(key, stated, digest, &why);
                return;
            }
        }
    }

    /// Checks that all operations of a label are about the same thing.
    fn check_label(&mut self, record: &Record, place: &Place, findings: &mut Findings<'_>) {
        let label = (
            place.system.clone(),
            record.candidate.clone(),
            record.label.clone(),
        );
        if let Some((file, first)) = self.labels.get(&label) {
            identity::check_siblings(record, first, file, findings);
        } else {
            let value = (findings.file.to_owned(), record.clone());
            self.labels.insert(label, value);
        }
    }
}

/// The finding that a file cannot be read.
pub(crate) fn unreadable(error: &ReadError) -> Vec<Finding> {
    let (ReadError::File { file, .. } | ReadError::Content { file, .. }) = error;
    let (key, problem) = error.key_and_problem();
    vec![Finding {
        file: file.clone(),
        key,
        problem,
    }]
}

/// Whether two computations of a number agree.
fn close(stated: f64, computed: f64) -> bool {
    (stated - computed).abs() <= TOLERANCE * stated.abs().max(computed.abs())
}

/// Adds a finding unless the stated number is the computed one, or neither is there.
fn check_number(
    key: &str,
    stated: Option<f64>,
    computed: Option<f64>,
    findings: &mut Findings<'_>,
) {
    let agree = match (stated, computed) {
        (Some(stated), Some(computed)) => close(stated, computed),
        (stated, computed) => stated == computed,
    };
    if !agree {
        let text = |value: Option<f64>| value.map_or("null".to_owned(), |value| value.to_string());
        let (stated, computed) = (text(stated), text(computed));
        findings.add(key, format!("is {stated}, but the trials give {computed}"));
    }
}

#[cfg(test)]
mod tests;
