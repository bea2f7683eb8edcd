//! Run directories that are whole, and what is found when they are not.

use std::os::unix::ffi::OsStrExt;

use serde_json::{Value, json};

use super::*;
use crate::record::example;
use crate::record::run_files::VERSIONS;
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
        let path = example::keep(&RunDirectory::new(folder.path()), "rpi4", &record);
        let run = Self {
            record: path,
            folder,
        };
        run.write(
            CAMPAIGN,
            &json!({ "version": VERSIONS[0], "plan": {
                "trial_target_seconds": 0.012,
                "operation_budget_seconds": 60.0,
                "trials": 3,
                "minimum_calls": 100,
                "maximum_calls_per_trial": 1000,
            }}),
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
    insta::assert_snapshot!(run.findings(), @r#"
    campaign.json: key `version`: is `9.0.0`, and this program knows 0.1.0
    campaign.json: key `plan.trials`: is 0, not more than 0
    campaign.json: key `plan`: gives no 3 trials of 40 calls after 3 warm-ups for calls of 0.0003 s, as rpi4/records/pqclean/ML-KEM-768__dec.json has
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
