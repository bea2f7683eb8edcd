//! A run directory as a whole: its own files, and the records that they promise.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{Finding, Findings, unreadable};
use crate::record::profile::RecordKey;
use crate::record::read::ReadError;
use crate::record::run_files::{self, BUILD, BuildEntry, BuildFile, CAMPAIGN, VERSIONS};
use crate::record::schema::{FlagSet, KatStatus, Record, Sha256};
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
    image_sha256: Option<Sha256>,
    /// Whether this program measured it: a published record belongs to no campaign.
    is_ours: bool,
    /// Whether its system was not fit for a trustworthy measurement.
    is_unfit: bool,
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
            image_sha256: record.library_sha256.clone(),
            is_ours: record.meter.is_some(),
            is_unfit: record
                .meter
                .as_ref()
                .is_some_and(|it| !it.fitness.is_empty()),
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
    found.extend(check_campaign(&root.join(CAMPAIGN), &ours));
    for system in systems(root) {
        let is_here = |seen: &&Seen| {
            let name = system.file_name().unwrap_or_default();
            seen.place.root == root && OsStr::new(&seen.place.system) == name
        };
        let of_system: Vec<&Seen> = ours.iter().copied().filter(is_here).collect();
        if of_system.is_empty() && records.iter().any(|seen| is_here(&seen)) {
            found.extend(check_published_build(&system.join(BUILD)));
        } else {
            found.extend(check_build(&system, &of_system, operations));
        }
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

/// The settings, which must be there when a campaign has left records.
fn check_campaign(file: &Path, records: &[&Seen]) -> Vec<Finding> {
    let settings = match run_files::read_campaign(file) {
        Ok(settings) => settings,
        Err(error) => return missing_or_unreadable(file, &error, !records.is_empty()),
    };
    let mut findings = Findings {
        file,
        found: Vec::new(),
    };
    if !VERSIONS.contains(&settings.version.as_str()) {
        let problem = format!(
            "is `{}`, and this program knows {}",
            settings.version,
            VERSIONS.join(", ")
        );
        findings.add("version", problem);
    }
    for (key, value) in settings.plan.by_key() {
        if value <= 0.0 || !value.is_finite() {
            findings.add(
                format!("plan.{key}"),
                format!("is {value}, not more than 0"),
            );
        }
    }
    if let Some(unfit) = records.iter().find(|record| record.is_unfit)
        && !settings.allow_unfit
    {
        let file = unfit.file.strip_prefix(file.parent().unwrap_or(file));
        let file = file.unwrap_or(&unfit.file).display();
        let problem = format!("is false, and {file} was measured on a system that was not fit");
        findings.add("allow_unfit", problem);
    }
    findings.found
}

/// How the labels of a published system were built: others name no image of ours, and may have
/// measured only some of what they built.
fn check_published_build(file: &Path) -> Vec<Finding> {
    match run_files::read_build(file) {
        Ok(_) => Vec::new(),
        Err(error) => missing_or_unreadable(file, &error, false),
    }
}

/// How the labels of a system were built, against the records that are there and that must be.
fn check_build(system: &Path, records: &[&Seen], operations: &Operations) -> Vec<Finding> {
    let file = system.join(BUILD);
    let labels: BuildFile = match run_files::read_build(&file) {
        Ok(labels) => labels,
        Err(error) => return missing_or_unreadable(&file, &error, !records.is_empty()),
    };
    let mut findings = Findings {
        file: &file,
        found: Vec::new(),
    };
    for (name, entry) in &labels {
        check_entry(name, entry, &mut findings);
        if entry.kat != KatStatus::BuildFail {
            check_promise(system, name, operations, &mut findings);
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
    for (key, _) in needed.into_iter().filter(|(_, is_there)| !is_there) {
        let problem = format!("is missing, and the outcome is {}", entry.kat.name());
        findings.add(format!("{name}.{key}"), problem);
    }
}

/// A label that was built has a record of each operation.
fn check_promise(system: &Path, name: &str, operations: &Operations, findings: &mut Findings<'_>) {
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
    if known.is_empty() && !has_record(&folder, label) {
        let place = folder.join(format!("{label}__*.json"));
        findings.add(
            name,
            format!("was built, and there is no {}", place.display()),
        );
    }
}

/// Whether there is any record of a label whose operations are not known.
fn has_record(folder: &Path, label: &str) -> bool {
    let start = format!("{label}__");
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| {
        entry.file_name().to_string_lossy().starts_with(&start) && is_record(&entry.path())
    })
}

/// A record was measured with the image that its label's entry names.
fn check_agreement(entry: &BuildEntry, record: &Seen, findings: &mut Findings<'_>) {
    // A label that does not build any more keeps what was measured before.
    if entry.kat == KatStatus::BuildFail {
        return;
    }
    let why = format!("{} has", record.file.display());
    let key = |key: &str| format!("{}.{key}", record.name);
    if let (Some(stated), Some(found)) = (&entry.image_sha256, &record.image_sha256) {
        findings.equal(&key("image_sha256"), stated, found, &why);
    }
    if let Some(flags) = entry.flags {
        findings.equal(&key("flags"), flags.name(), record.flags.name(), &why);
    }
    findings.equal(&key("kat"), entry.kat.name(), record.kat.name(), &why);
}

/// The finding for a file that cannot be read; one that is not there is missed only if needed.
fn missing_or_unreadable(file: &Path, error: &ReadError, is_needed: bool) -> Vec<Finding> {
    match error {
        ReadError::File { source, .. } if source.kind() == ErrorKind::NotFound => {
            let mut findings = Findings {
                file,
                found: Vec::new(),
            };
            if is_needed {
                let problem = "is missing, and there are records of a campaign";
                findings.add("(file)", problem);
            }
            findings.found
        }
        error => unreadable(error),
    }
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use serde_json::{Value, json};

    use super::*;
    use crate::record::example;
    use crate::record::store::RunDirectory;
    use crate::record::validate::Validator;

    /// A run directory of one label, whose only operation is the example's.
    struct Run {
        folder: tempfile::TempDir,
        record: PathBuf,
    }

    impl Run {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let record = example::record();
            let path = RunDirectory::new(folder.path()).write("rpi4", &record);
            let run = Self {
                record: path.unwrap(),
                folder,
            };
            run.write(
                CAMPAIGN,
                &json!({ "version": VERSIONS[0], "plan": {
                    "trial_target_seconds": 1.0,
                    "operation_budget_seconds": 60.0,
                    "trials": 7,
                    "minimum_calls": 100,
                    "maximum_calls_per_trial": 1000,
                }, "allow_unfit": true }),
            );
            run.write(
                "rpi4/build.json",
                &json!({ "pqclean/ML-KEM-768": {
                    "kat": record.kat.name(),
                    "flags": record.flags.name(),
                    "image": record.library,
                    "image_sha256": record.library_sha256,
                }}),
            );
            run
        }

        fn write(&self, name: &str, content: &Value) {
            fs::write(self.folder.path().join(name), format!("{content:#}")).unwrap();
        }

        /// The file after one value was changed.
        fn change(&self, name: &str, pointer: &str, value: Value) {
            let text = fs::read_to_string(self.folder.path().join(name)).unwrap();
            let mut content: Value = serde_json::from_str(&text).unwrap();
            *content.pointer_mut(pointer).unwrap() = value;
            self.write(name, &content);
        }

        /// Findings as people see them, with paths below the run directory.
        fn findings(&self) -> String {
            let mut validator = Validator::default();
            let operations = vec!["dec".to_owned()];
            let known = Operations::from([("pqclean/ML-KEM-768".to_owned(), operations)]);
            let mut found = Vec::new();
            if self.record.exists() {
                found.extend(validator.check_file(&self.record));
            }
            found.extend(validator.check_run(self.folder.path(), &known));
            let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
            let root = self.folder.path().to_string_lossy().into_owned();
            lines
                .join("\n")
                .replace(&format!("{root}/"), "")
                .replace(&root, "run")
        }
    }

    #[test]
    fn a_whole_run_directory_has_no_findings() {
        assert_eq!(Run::new().findings(), "");
    }

    #[test]
    fn files_of_a_campaign_are_missed() {
        let run = Run::new();
        fs::remove_file(run.folder.path().join(CAMPAIGN)).unwrap();
        fs::remove_file(run.folder.path().join("rpi4/build.json")).unwrap();
        insta::assert_snapshot!(run.findings(), @r"
        campaign.json: key `(file)`: is missing, and there are records of a campaign
        rpi4/build.json: key `(file)`: is missing, and there are records of a campaign
        ");
    }

    #[test]
    fn wrong_settings_are_named_by_their_key() {
        let run = Run::new();
        run.change(CAMPAIGN, "/version", json!("9.0.0"));
        run.change(CAMPAIGN, "/plan/trials", json!(0));
        run.change(CAMPAIGN, "/allow_unfit", json!(false));
        insta::assert_snapshot!(run.findings(), @r#"
        campaign.json: key `version`: is `9.0.0`, and this program knows 0.1.0
        campaign.json: key `plan.trials`: is 0, not more than 0
        campaign.json: key `allow_unfit`: is false, and rpi4/records/pqclean/ML-KEM-768__dec.json was measured on a system that was not fit
        "#);
        run.change(CAMPAIGN, "/plan/trials", json!("7"));
        insta::assert_snapshot!(run.findings(), @r#"campaign.json: key `plan.trials`: line 6: invalid type: string "7", expected u32"#);
        fs::write(run.folder.path().join(CAMPAIGN), "{").unwrap();
        insta::assert_snapshot!(run.findings(), @"campaign.json: key `(top level)`: line 1: EOF while parsing an object");
    }

    #[test]
    fn a_missing_record_is_named() {
        let run = Run::new();
        fs::remove_file(&run.record).unwrap();
        insta::assert_snapshot!(run.findings(), @"rpi4/build.json: key `pqclean/ML-KEM-768`: was built, and rpi4/records/pqclean/ML-KEM-768__dec.json is missing");
        // Nothing is promised by what did not build.
        let failed = json!({ "kat": "BUILDFAIL", "reason": "no such function" });
        run.write("rpi4/build.json", &json!({ "pqclean/ML-KEM-768": failed }));
        assert_eq!(run.findings(), "");
        let entry = json!({ "kat": "PASS" });
        run.write(
            "rpi4/build.json",
            &json!({ "other/X": entry, "../../x": entry }),
        );
        insta::assert_snapshot!(run.findings(), @r"
        rpi4/build.json: key `../../x.flags`: is missing, and the outcome is PASS
        rpi4/build.json: key `../../x.image`: is missing, and the outcome is PASS
        rpi4/build.json: key `../../x.image_sha256`: is missing, and the outcome is PASS
        rpi4/build.json: key `../../x`: is no name of the form <id>/<label>
        rpi4/build.json: key `other/X.flags`: is missing, and the outcome is PASS
        rpi4/build.json: key `other/X.image`: is missing, and the outcome is PASS
        rpi4/build.json: key `other/X.image_sha256`: is missing, and the outcome is PASS
        rpi4/build.json: key `other/X`: was built, and there is no rpi4/records/other/X__*.json
        ");
    }

    #[test]
    fn a_label_of_another_image_or_none_is_named() {
        let run = Run::new();
        let entry = "/pqclean~1ML-KEM-768";
        run.change(
            "rpi4/build.json",
            &format!("{entry}/image_sha256"),
            json!("0".repeat(64)),
        );
        run.change(
            "rpi4/build.json",
            &format!("{entry}/flags"),
            json!("harness-default"),
        );
        run.change(
            "rpi4/build.json",
            &format!("{entry}/kat"),
            json!("MISMATCH"),
        );
        insta::assert_snapshot!(run.findings(), @r"
        rpi4/build.json: key `pqclean/ML-KEM-768.image_sha256`: is 0000000000000000000000000000000000000000000000000000000000000000, but rpi4/records/pqclean/ML-KEM-768__dec.json has 3031323334353637383961626364656630313233343536373839616263646566
        rpi4/build.json: key `pqclean/ML-KEM-768.flags`: is harness-default, but rpi4/records/pqclean/ML-KEM-768__dec.json has guide
        rpi4/build.json: key `pqclean/ML-KEM-768.kat`: is MISMATCH, but rpi4/records/pqclean/ML-KEM-768__dec.json has PASS
        ");
        run.change("rpi4/build.json", &format!("{entry}/kat"), json!("GOOD"));
        insta::assert_snapshot!(run.findings(), @"rpi4/build.json: key `pqclean/ML-KEM-768.kat`: line 3: unknown variant `GOOD`, expected one of `PASS`, `MISMATCH`, `NOKAT`, `PARTIAL`, `CRYPTOFAIL`, `TIMEOUT`, `OVERFLOW`, `BUILDFAIL`, `NORESULT`, `NOLOG`");
        run.write("rpi4/build.json", &json!({}));
        insta::assert_snapshot!(run.findings(), @"rpi4/build.json: key `pqclean/ML-KEM-768`: is missing, and rpi4/records/pqclean/ML-KEM-768__dec.json is there");
    }

    #[test]
    fn names_that_are_not_text_are_reported() {
        let run = Run::new();
        let folder = run.record.parent().unwrap();
        let odd = |bytes| folder.join(OsStr::from_bytes(bytes));
        fs::copy(&run.record, odd(b"ML-KEM-\xff__dec.json")).unwrap();
        fs::create_dir(run.folder.path().join(OsStr::from_bytes(b"\xfe"))).unwrap();
        insta::assert_snapshot!(run.findings(), @r#"
        run: key `(file name)`: "\xFE" is not UTF-8: no record or system has such a name
        rpi4/records/pqclean: key `(file name)`: "ML-KEM-\xFF__dec.json" is not UTF-8: no record or system has such a name
        "#);
    }
}
