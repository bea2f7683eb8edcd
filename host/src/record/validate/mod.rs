//! Checks a record against itself, its place and the files that it names.
//!
//! Every number that is computed is computed again from the raw trials, every digest is checked,
//! and what is said twice must agree. A record that was written by this program and then changed,
//! be it by a single bit, has a finding.

mod arithmetic;
mod derived;
mod identity;
mod integrity;
mod known_answers;
mod memory;
mod meter;
mod passes;
mod profile;
mod run;
mod settings;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Serialize, Serializer};

use super::read::{ReadError, content};
use super::schema::{Record, Sha256};
use super::store::Place;
use identity::Sibling;
use known_answers::Log;
pub(crate) use known_answers::heading;
pub use run::Operations;
use run::Seen;

/// Relative difference up to which two computations of a number agree.
pub const TOLERANCE: f64 = 1e-9;

/// Files that are examined before what they say is put together.
const PART: usize = 512;

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

/// What is found in one record by itself, and what it says that other files say as well.
struct Examined {
    findings: Vec<Finding>,
    /// `None` when it cannot be read, or lies in no run directory.
    claims: Option<Claims>,
}

/// What a record says that other files say as well.
struct Claims {
    /// Files that it names, and the key of their digest, with the folders that they may be in.
    kat_log: Option<(String, Sha256)>,
    /// What that log says, where this program wrote it.
    log: Option<known_answers::Expected>,
    library: Option<(String, Sha256)>,
    sibling: Sibling,
    seen: Seen,
}

/// Checks records, alone and against each other.
#[derive(Debug, Default)]
pub struct Validator {
    /// Folders that images are looked for in.
    image_folders: Vec<PathBuf>,
    /// Digests of files that several records name; `None` for files that are not there.
    digests: BTreeMap<PathBuf, Option<Sha256>>,
    /// What the logs among them say.
    logs: BTreeMap<PathBuf, Log>,
    /// The first record of each label, which the others must agree with.
    labels: BTreeMap<(PathBuf, String, String), Sibling>,
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

    /// Checks files, on all cores; the findings are in the order of the files.
    pub fn check_files(&mut self, files: &[PathBuf]) -> Vec<Finding> {
        let mut found = Vec::new();
        // In parts, so that not all of what was read is kept at a time.
        for part in files.chunks(PART) {
            let examined: Vec<Examined> = part.par_iter().map(|it| examine_file(it)).collect();
            found.extend(
                examined
                    .into_iter()
                    .flat_map(|examined| self.join(examined)),
            );
        }
        found
    }

    /// Checks a file.
    pub fn check_file(&mut self, file: &Path) -> Vec<Finding> {
        self.join(examine_file(file))
    }

    /// Checks the content of a file, whose path says what the record must be about.
    pub fn check(&mut self, file: &Path, bytes: &[u8]) -> Vec<Finding> {
        self.join(examine(file, bytes))
    }

    /// Checks a run directory's own files: its settings, how its labels were built, and whether
    /// the records that these promise are there and agree, and its profiles. To be called after the
    /// records in it were checked; where the operations of a label are not known, any record will
    /// do.
    pub fn check_run(&self, root: &Path, operations: &Operations) -> Vec<Finding> {
        let mut found = run::check(root, &self.seen, operations);
        found.extend(profile::check(root, &self.seen));
        found
    }

    /// Checks what a record says against the files that it names and the records before it.
    fn join(&mut self, examined: Examined) -> Vec<Finding> {
        let Examined { findings, claims } = examined;
        let Some(mut claims) = claims else {
            return findings;
        };
        let place = claims.seen.place.clone();
        let file = claims.seen.file.clone();
        let mut findings = Findings {
            file: &file,
            found: findings,
        };
        claims.seen.log_is_missing = !self.check_named_files(&claims, &mut findings);
        let label = (
            place.system_folder(),
            place.candidate,
            claims.sibling.label.clone(),
        );
        match self.labels.get(&label) {
            Some(first) => claims.sibling.check(first, &mut findings),
            None => {
                self.labels.insert(label, claims.sibling);
            }
        }
        self.seen.push(claims.seen);
        findings.found
    }

    /// Checks the digests of the files that a record names, where those files are there, and says
    /// whether its log is.
    fn check_named_files(&mut self, claims: &Claims, findings: &mut Findings<'_>) -> bool {
        let mut log_is_there = true;
        let place = &claims.seen.place;
        let here = [place.system_folder(), place.root.clone()];
        if let Some((log, stated)) = &claims.kat_log {
            let found = self.check_digest(&here, log, ("kat_log_sha256", stated), findings);
            match (&claims.log, found) {
                (Some(expected), Some(file)) => {
                    let read = || Log::of(&content(&file).unwrap_or_default());
                    expected.check(self.logs.entry(file.clone()).or_insert_with(read), findings);
                }
                (Some(_), None) => log_is_there = false,
                (None, _) => {}
            }
        }
        if let Some((library, stated)) = &claims.library {
            let folders = [&here[..], &self.image_folders].concat();
            self.check_digest(&folders, library, ("library_sha256", stated), findings);
        }
        log_is_there
    }

    /// Checks the digest of the first file of this name that is there, and says which that is.
    fn check_digest(
        &mut self,
        folders: &[PathBuf],
        name: &str,
        (key, stated): (&str, &Sha256),
        findings: &mut Findings<'_>,
    ) -> Option<PathBuf> {
        for folder in folders {
            let path = folder.join(name);
            let digest = self
                .digests
                .entry(path.clone())
                .or_insert_with(|| integrity::digest_of_file(&path));
            if let Some(digest) = digest {
                let why = format!("the digest of {} is", path.display());
                findings.equal(key, stated, digest, &why);
                return Some(path);
            }
        }
        None
    }
}

fn examine_file(file: &Path) -> Examined {
    match content(file) {
        Ok(bytes) => examine(file, &bytes),
        Err(error) => Examined {
            findings: unreadable(&error),
            claims: None,
        },
    }
}

/// Reads records on all cores, each with what was changed in its file since it was written; they are
/// in the order of the files. Only a part of what [`Validator`] checks: the digest and the text.
///
/// # Errors
///
/// That of the first file that is no record, see [`ReadError`].
pub fn read_all(files: &[PathBuf]) -> Result<Vec<(Record, Vec<Finding>)>, ReadError> {
    let results: Vec<_> = files.par_iter().map(|file| read(file)).collect();
    results.into_iter().collect()
}

fn read(file: &Path) -> Result<(Record, Vec<Finding>), ReadError> {
    let mut findings = Findings {
        file,
        found: Vec::new(),
    };
    let record = integrity::read(&content(file)?, &mut findings)?;
    Ok((record, findings.found))
}

/// Checks the content of a file by itself.
fn examine(file: &Path, bytes: &[u8]) -> Examined {
    let mut findings = Findings {
        file,
        found: Vec::new(),
    };
    let record = match integrity::read(bytes, &mut findings) {
        Ok(record) => record,
        Err(error) => {
            return Examined {
                findings: unreadable(&error),
                claims: None,
            };
        }
    };
    arithmetic::check(&record, &mut findings);
    if let Some(meter) = &record.meter {
        meter::check(&record, meter, &mut findings);
        passes::check(meter, record.library_sha256.as_ref(), &mut findings);
        derived::check(&record, meter, &mut findings);
        known_answers::check(&record, meter, &mut findings);
    }
    let place = Place::of_path(file);
    if let Some(place) = &place {
        identity::check_place(&record, place, &mut findings);
    }
    let claims = place.map(|place| Claims {
        kat_log: record.kat_log.clone().zip(record.kat_log_sha256.clone()),
        log: known_answers::Expected::of(&record),
        library: record.library.clone().zip(record.library_sha256.clone()),
        sibling: Sibling::of(file, &record),
        seen: Seen::new(file, &place, &record),
    });
    Examined {
        findings: findings.found,
        claims,
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
mod mutations;
#[cfg(test)]
mod tests;
