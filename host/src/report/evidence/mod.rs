//! What pages are made from: everything that a run directory holds of each candidate.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Component, Path};

use jiff::Timestamp;
use miette::Diagnostic;
use serde::Deserialize;
use thiserror::Error;
use wire::{Category, Operation};

use super::names::Known;
use crate::record::profile::Profile;
use crate::record::read::{ReadError, read_as};
use crate::record::run_files::{BUILD, BuildEntry};
use crate::record::schema::Record;
use crate::record::store::{self, Place, RunDirectory, StoreError};
use crate::record::validate::{Finding, read_all};
use crate::table::order;

/// One machine in one configuration, and what was measured on it.
#[derive(Clone, Debug)]
pub struct System {
    /// The name of its folder.
    pub name: String,
    /// Start of its first record and end of its last, of all candidates.
    pub period: Option<(Timestamp, Timestamp)>,
    /// The candidates, by id.
    pub candidates: Vec<Candidate>,
    /// What was changed in its records since they were written.
    pub damage: Vec<Finding>,
}

/// What there is of one candidate on one system.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The system's name.
    pub system: String,
    /// The candidate's id.
    pub id: String,
    /// Its name for people, where that is known.
    pub name: Option<String>,
    /// Its labels, in the order of people.
    pub labels: Vec<Label>,
}

/// What there is of one label.
#[derive(Clone, Debug, Default)]
pub struct Label {
    /// The label.
    pub name: String,
    /// Its records, in the order of the published pages.
    pub records: Vec<Record>,
    /// How it was built.
    pub build: Option<BuildFacts>,
    /// The profiles of its operations, in the same order as the records.
    pub profiles: Vec<(String, Profile)>,
    /// Operations that have been measured again since their profile was made.
    pub outdated_profiles: Vec<String>,
    /// What kind of scheme its package says that it is.
    pub stated_category: Option<Category>,
}

/// How a label was built.
#[derive(Clone, Debug, Deserialize)]
pub struct BuildFacts {
    /// What every data set says of it.
    #[serde(flatten)]
    pub entry: BuildEntry,
    /// Bytes of the library's loadable segments, where a data set states them.
    pub elf_load_bytes: Option<u64>,
    /// The complete command lines of its compiler.
    pub command_lines: Option<Vec<String>>,
}

/// Why there are no pages.
#[derive(Debug, Error, Diagnostic)]
pub enum EvidenceError {
    /// A file is not what it must be.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Read(#[from] ReadError),
    /// A folder cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Store(#[from] StoreError),
    /// A record lies where another one belongs.
    #[error("{file}: key `{key}` is `{found}`, and the file's place says `{expected}`")]
    #[diagnostic(help(
        "move the file to where it belongs, or delete it and measure this operation again; \
         `cargo host validate` lists all such files"
    ))]
    Place {
        /// The file.
        file: String,
        /// The key that disagrees.
        key: &'static str,
        /// What it says.
        found: String,
        /// What the path says.
        expected: String,
    },
    /// A key of `build.json` is no name of a label.
    #[error("{file}: key `{key}` is not of the form <id>/<label>")]
    #[diagnostic(help("delete this entry; a campaign writes the file anew"))]
    Name {
        /// The file.
        file: String,
        /// The key.
        key: String,
    },
}

/// Reads everything that a run directory holds; `known` says what is known of a candidate beside.
///
/// # Errors
///
/// See [`EvidenceError`].
pub fn gather(
    run: &RunDirectory,
    known: &dyn Fn(&str) -> Option<Known>,
) -> Result<Vec<System>, EvidenceError> {
    // A folder without any record is a mistake, not an empty report.
    run.records()?;
    let systems = run.systems()?;
    systems
        .iter()
        .map(|name| system(run, name, known))
        .collect()
}

fn system(
    run: &RunDirectory,
    name: &str,
    known: &dyn Fn(&str) -> Option<Known>,
) -> Result<System, EvidenceError> {
    let folder = run.root().join(name);
    let mut labels: BTreeMap<(String, String), Label> = BTreeMap::new();
    let mut period: Option<(Timestamp, Timestamp)> = None;
    let files = run.records_of(name)?;
    let mut damage = Vec::new();
    for (file, (record, findings)) in files.iter().zip(read_all(&files)?) {
        damage.extend(findings);
        let record = in_place(file, record)?;
        let (start, end) = (record.started_utc.instant(), record.ended_utc.instant());
        let (first, last) = period.unwrap_or((start, end));
        period = Some((first.min(start), last.max(end)));
        let label = labels.entry((record.candidate.clone(), record.label.clone()));
        label.or_default().records.push(record);
    }
    for (label, facts) in build_file(&folder.join(BUILD))? {
        let (candidate, label) = name_in_build_file(&folder, &label)?;
        let label = labels.entry((candidate.to_owned(), label.to_owned()));
        label.or_default().build = Some(facts);
    }
    let mut candidates: BTreeMap<String, (Candidate, Known)> = BTreeMap::new();
    for ((id, name_of_label), mut label) in labels {
        label.name = name_of_label;
        label.finish(&folder, &id)?;
        let (candidate, known) = candidates.entry(id.clone()).or_insert_with(|| {
            let known = known(&id);
            let candidate = Candidate {
                system: name.to_owned(),
                name: known.as_ref().map(|known| known.name.clone()),
                id,
                labels: Vec::new(),
            };
            (candidate, known.unwrap_or_default())
        });
        label.stated_category = known.categories.get(&label.name).copied();
        candidate.labels.push(label);
    }
    let candidates = candidates.into_values();
    let mut candidates: Vec<Candidate> = candidates.map(|(candidate, _)| candidate).collect();
    for candidate in &mut candidates {
        candidate
            .labels
            .sort_by(|a, b| order::natural(&a.name, &b.name));
    }
    candidates.sort_by(|a, b| order::natural(&a.id, &b.id));
    Ok(System {
        name: name.to_owned(),
        period,
        candidates,
        damage,
    })
}

/// Pages are named after candidates: nothing but the folder's name may become one of a page's.
fn in_place(file: &Path, record: Record) -> Result<Record, EvidenceError> {
    let wrong = |key, found: &str, expected: &str| EvidenceError::Place {
        file: file.display().to_string(),
        key,
        found: found.to_owned(),
        expected: expected.to_owned(),
    };
    let Some(place) = Place::of_path(file) else {
        return Ok(record);
    };
    if record.candidate != place.candidate {
        return Err(wrong("candidate", &record.candidate, &place.candidate));
    }
    let stem = store::stem(&record);
    if stem != place.stem {
        return Err(wrong("label", &stem, &place.stem));
    }
    Ok(record)
}

/// The candidate and the label that a key of `build.json` names.
fn name_in_build_file<'a>(
    folder: &Path,
    key: &'a str,
) -> Result<(&'a str, &'a str), EvidenceError> {
    let plain = |name: &str| {
        let mut components = Path::new(name).components();
        let first = components.next();
        matches!(first, Some(Component::Normal(first)) if first == name)
            && components.next().is_none()
    };
    let names = key.split_once('/');
    let names = names.filter(|(candidate, label)| plain(candidate) && plain(label));
    names.ok_or_else(|| EvidenceError::Name {
        file: folder.join(BUILD).display().to_string(),
        key: key.to_owned(),
    })
}

/// How labels were built; nothing where a data set does not say.
fn build_file(file: &Path) -> Result<BTreeMap<String, BuildFacts>, ReadError> {
    match read_as(file) {
        Err(ReadError::File { source, .. }) if source.kind() == ErrorKind::NotFound => {
            Ok(BTreeMap::new())
        }
        result => result,
    }
}

impl Label {
    /// Puts what there is in order, and reads the profiles.
    fn finish(&mut self, folder: &Path, candidate: &str) -> Result<(), ReadError> {
        self.records
            .sort_by(|a, b| order::operations(&operation(a), &operation(b)));
        for record in &self.records {
            let name = format!("profile/{candidate}/{}.json", store::stem(record));
            match read_as(&folder.join(name)) {
                // A published profile does not say which record it is for.
                Ok(profile @ Profile { meter: Some(_), .. }) if !profile.belongs_to(record) => {
                    self.outdated_profiles.push(operation(record));
                }
                Ok(profile) => self.profiles.push((operation(record), profile)),
                Err(ReadError::File { source, .. }) if source.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// What kind of scheme it is: from what was called, or what its package says; `None` where
    /// nothing tells.
    pub fn category(&self) -> Option<Category> {
        let by_operation = |record: &Record| match operation(record).parse().ok()? {
            Operation::Enc | Operation::Dec => Some(Category::Kem),
            Operation::Sign | Operation::Verify => Some(Category::Sig),
            Operation::Hash(_) => Some(Category::Hash),
            operation if operation.is_step() || operation == Operation::Exchange => {
                Some(Category::Kex)
            }
            _ => None,
        };
        let by_size = |record: &Record| {
            let sizes = &record.sizes;
            let has = |size: Option<u64>| size.is_some_and(|size| size > 0);
            if has(sizes.signature_bytes) {
                Some(Category::Sig)
            } else {
                has(sizes.ct_bytes).then_some(Category::Kem)
            }
        };
        let records = &self.records;
        let found = records.iter().find_map(by_operation);
        found
            .or(self.stated_category)
            .or_else(|| records.iter().find_map(by_size))
    }

    /// The name of what was measured, the same in all records.
    pub fn instance(&self) -> &str {
        let first = self.records.first();
        first.map_or(&self.name, |record| &record.instance)
    }
}

impl Candidate {
    /// The categories of its labels, in their usual order.
    pub fn categories(&self) -> Vec<Category> {
        let has = |category: &Category| {
            let mut labels = self.labels.iter();
            labels.any(|label| label.category() == Some(*category))
        };
        CATEGORIES.into_iter().filter(has).collect()
    }

    /// Its labels of one category.
    pub fn labels_of(&self, category: Category) -> impl Iterator<Item = &Label> {
        let labels = self.labels.iter();
        labels.filter(move |label| label.category() == Some(category))
    }

    /// All its records, in order.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.labels.iter().flat_map(|label| &label.records)
    }
}

/// All categories, in their usual order.
pub const CATEGORIES: [Category; 4] = [Category::Kem, Category::Sig, Category::Kex, Category::Hash];

/// A record's operation, with the length of its input where it has one.
pub fn operation(record: &Record) -> String {
    match record.operation.as_str() {
        "hash" => format!("hash_{}", record.input_bytes),
        operation => operation.to_owned(),
    }
}

#[cfg(test)]
mod tests;
