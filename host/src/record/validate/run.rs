//! A run directory as a whole: its own files, and the records that they promise.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Finding, Findings, settings, unreadable};
use crate::record::profile::RecordKey;
use crate::record::read::{content, parse_as};
use crate::record::run_files::{self, BUILD, BuildEntry, BuildFile, CAMPAIGN};
use crate::record::schema::{FlagSet, KatStatus, Plan, Record, Sha256};
use crate::record::store::{Place, is_record};

/// Names of the operations of every instance that can be measured, by `<candidate>/<label>`.
pub type Operations = BTreeMap<String, Vec<String>>;

/// What a record says that its run directory says as well.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) file: PathBuf,
    pub(super) place: Place,
    /// By what a profile knows the record again.
    pub(super) key: RecordKey,
    /// `<candidate>/<label>`.
    name: String,
    flags: FlagSet,
    kat: KatStatus,
    image: Option<String>,
    image_sha256: Option<Sha256>,
    pub(super) plan: Plan,
    /// Whether it names a log that is not there.
    pub(super) log_is_missing: bool,
    /// Whether this program measured it: a published record belongs to no campaign.
    is_ours: bool,
}

impl Seen {
    pub(super) fn new(file: &Path, place: &Place, record: &Record) -> Self {
        Self {
            file: file.to_owned(),
            place: place.clone(),
            key: RecordKey::of(record),
            name: format!("{}/{}", record.candidate, record.label),
            flags: record.flags,
            kat: record.kat,
            image: record.library.clone(),
            image_sha256: record.library_sha256.clone(),
            plan: record.plan.clone(),
            log_is_missing: false,
            is_ours: record.meter.is_some(),
        }
    }
}

/// Checks the files of a run directory against each other; `records` are those that were read.
pub(super) fn check(root: &Path, records: &[Seen], operations: &Operations) -> Vec<Finding> {
    let mut found = check_names(root);
    let ours: Vec<&Seen> = records
        .iter()
        .filter(|seen| seen.is_ours && seen.place.root == root)
        .collect();
    found.extend(ours.iter().filter(|seen| seen.log_is_missing).map(|seen| {
        let problem = "names a file that is not there".to_owned();
        let (file, key) = (seen.file.clone(), "kat_log".to_owned());
        Finding { file, key, problem }
    }));
    let (format, of_campaign) = settings::check(&root.join(CAMPAIGN), &ours);
    found.extend(of_campaign);
    for system in systems(root) {
        let is_here = |seen: &&Seen| {
            let name = system.file_name().unwrap_or_default();
            seen.place.root == root && OsStr::new(&seen.place.system) == name
        };
        let of_system: Vec<&Seen> = ours.iter().copied().filter(is_here).collect();
        if of_system.is_empty() && records.iter().any(|seen| is_here(&seen)) {
            found.extend(check_published_build(&system.join(BUILD)));
            continue;
        }
        found.extend(check_build(&system, &of_system, operations, format));
        let stripped = records.iter().filter(|seen| is_here(seen) && !seen.is_ours);
        found.extend(stripped.map(|seen| Finding {
            file: seen.file.clone(),
            key: "meter".to_owned(),
            problem: "is missing, and this program measured others on this system".to_owned(),
        }));
    }
    found
}

/// The folders that are a system's.
fn systems(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.join("records").is_dir() || exists(&path.join(BUILD)))
        .collect();
    folders.sort();
    folders
}

/// Files and folders whose names nobody could have given a record; they would be passed over.
fn check_names(root: &Path) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut findings = Findings {
            file: &folder,
            found: Vec::new(),
        };
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                findings.add("(folder)", format!("unreadable: {error}"));
                found.extend(findings.found);
                continue;
            }
        };
        for entry in entries.flatten() {
            if entry.file_name().to_str().is_none() {
                let name = entry.file_name();
                let problem = format!("{name:?} is not UTF-8: no record or system has such a name");
                findings.add("(file name)", problem);
            }
            // Links are not followed: one may lead back up.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
        found.extend(findings.found);
    }
    found.sort_by(|left, right| (&left.file, &left.problem).cmp(&(&right.file, &right.problem)));
    found
}

/// How the labels of a published system were built: others name no image of ours, and may have
/// measured only some of what they built.
fn check_published_build(file: &Path) -> Vec<Finding> {
    match run_files::read_build(file) {
        Ok(_) => Vec::new(),
        Err(error) => settings::missing_or_unreadable(file, &error, false),
    }
}

/// How the labels of a system were built, against the records that are there and that must be.
fn check_build(
    system: &Path,
    records: &[&Seen],
    operations: &Operations,
    format: u32,
) -> Vec<Finding> {
    let file = system.join(BUILD);
    let read = content(&file).and_then(|bytes| Ok((parse_as::<BuildFile>(&file, &bytes)?, bytes)));
    let (labels, bytes) = match read {
        Ok(read) => read,
        Err(error) => return settings::missing_or_unreadable(&file, &error, !records.is_empty()),
    };
    let mut findings = Findings {
        file: &file,
        found: Vec::new(),
    };
    match parse_as::<Value>(&file, &bytes) {
        Ok(content) => {
            for (name, entry) in content.as_object().into_iter().flatten() {
                settings::check_seal(&format!("{name}."), name, entry, format, &mut findings);
            }
            settings::check_text(&content, &bytes, format, &mut findings);
        }
        // What the entries do not need was passed over before.
        Err(error) => findings.found.extend(unreadable(&error)),
    }
    let mut shelves = Shelves::new();
    for (name, entry) in &labels {
        check_entry(name, entry, &mut findings);
        if entry.kat != KatStatus::BuildFail {
            check_promise(system, name, operations, &mut shelves, &mut findings);
        }
    }
    for record in records {
        match labels.get(&record.name) {
            Some(entry) => check_agreement(entry, record, &mut findings),
            None => {
                let problem = format!("is missing, and {} is there", record.file.display());
                findings.add(&record.name, problem);
            }
        }
    }
    findings.found
}

/// An entry names an image, or why there is none.
fn check_entry(name: &str, entry: &BuildEntry, findings: &mut Findings<'_>) {
    let needed = match entry.kat {
        KatStatus::BuildFail => vec![("reason", entry.reason.is_some())],
        _ => vec![
            ("flags", entry.flags.is_some()),
            ("image", entry.image.is_some()),
            ("image_sha256", entry.image_sha256.is_some()),
        ],
    };
    if entry.kat != KatStatus::BuildFail && entry.reason.is_some() {
        let problem = format!("is there, and the outcome is {}", entry.kat.name());
        findings.add(format!("{name}.reason"), problem);
    }
    for (key, _) in needed.into_iter().filter(|(_, is_there)| !is_there) {
        let problem = format!("is missing, and the outcome is {}", entry.kat.name());
        findings.add(format!("{name}.{key}"), problem);
    }
}

/// Names of the records in each folder that was looked into: a folder may have thousands.
type Shelves = BTreeMap<PathBuf, BTreeSet<String>>;

/// A label that was built has a record of each operation.
fn check_promise(
    system: &Path,
    name: &str,
    operations: &Operations,
    shelves: &mut Shelves,
    findings: &mut Findings<'_>,
) {
    let parts: Vec<&str> = name.split('/').collect();
    let [candidate, label] = parts[..] else {
        return findings.add(name, "is no name of the form <id>/<label>");
    };
    let folder = system.join("records").join(candidate);
    let known = operations.get(name).map_or(&[][..], Vec::as_slice);
    let missing = known
        .iter()
        .map(|operation| folder.join(format!("{label}__{operation}.json")))
        .filter(|record| !exists(record));
    for record in missing {
        findings.add(
            name,
            format!("was built, and {} is missing", record.display()),
        );
    }
    if !known.is_empty() {
        return;
    }
    // Of a label whose operations are not known, any record will do.
    let start = format!("{label}__");
    let place = folder.join(format!("{start}*.json"));
    let shelf = shelves.entry(folder).or_insert_with_key(|it| names(it));
    let first = shelf.range(start.clone()..).next();
    if !first.is_some_and(|name| name.starts_with(&start)) {
        findings.add(
            name,
            format!("was built, and there is no {}", place.display()),
        );
    }
}

/// Names of the records in a folder; none where it cannot be read.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let records = entries.filter(|entry| is_record(&entry.path()));
    records
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

/// A record was measured with the image that its label's entry names.
fn check_agreement(entry: &BuildEntry, record: &Seen, findings: &mut Findings<'_>) {
    // A label that does not build any more keeps what was measured before.
    if entry.kat == KatStatus::BuildFail {
        return;
    }
    let why = format!("{} has", record.file.display());
    let key = |key: &str| format!("{}.{key}", record.name);
    // Other sources may give the same image under another name.
    if let (Some(stated), Some(found)) = (&entry.image_sha256, &record.image_sha256) {
        findings.equal(&key("image_sha256"), stated, found, &why);
    } else if let (Some(stated), Some(found)) = (&entry.image, &record.image) {
        findings.equal(&key("image"), stated, found, &why);
    }
    if let Some(flags) = entry.flags {
        findings.equal(&key("flags"), flags.name(), record.flags.name(), &why);
    }
    findings.equal(&key("kat"), entry.kat.name(), record.kat.name(), &why);
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

#[cfg(test)]
mod tests;
