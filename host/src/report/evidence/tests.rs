use std::fs;

use miette::Diagnostic;
use serde_json::json;
use wire::CounterSource;

use super::*;
use crate::record::example;
use crate::record::schema::KatStatus;

fn gathered(folder: &Path) -> Result<Vec<System>, EvidenceError> {
    let known = |id: &str| {
        (id == "pqclean").then(|| Known {
            name: "PQClean".to_owned(),
            categories: BTreeMap::from([("C".to_owned(), Category::Sig)]),
        })
    };
    gather(&RunDirectory::new(folder), &known)
}

fn run_with(records: &[Record]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for record in records {
        let run = RunDirectory::new(folder.path());
        run.write("bench", record).expect("written");
    }
    folder
}

fn record(label: &str, operation: &str) -> Record {
    let mut record = example::record_of("bench", CounterSource::Tsc);
    record.label = label.to_owned();
    record.operation = operation.to_owned();
    record
}

fn write(folder: &Path, name: &str, content: &serde_json::Value) {
    let file = folder.join("bench").join(name);
    fs::create_dir_all(file.parent().expect("a folder")).expect("created");
    fs::write(file, content.to_string()).expect("written");
}

#[test]
fn everything_of_a_label_is_gathered_in_the_order_of_people() {
    let folder = run_with(&[
        record("B-10", "dec"),
        record("B-9", "dec"),
        record("B-9", "keygen"),
        record("B-9", "enc"),
    ]);
    let build = json!({
        "pqclean/B-9": {"kat": "PASS", "flags": "guide", "elf_load_bytes": 7, "more": 1},
        "pqclean/C": {"kat": "BUILDFAIL", "reason": "no compiler"},
        "other/D": {"kat": "BUILDFAIL", "reason": "no compiler"},
    });
    write(folder.path(), BUILD, &build);
    // A published one says of no record that it is for it; ours names one of another day.
    for (operation, verdict) in [("dec", None), ("enc", Some("mixed"))] {
        let profile = json!(example::profile(verdict));
        let name = format!("profile/pqclean/B-9__{operation}.json");
        write(folder.path(), &name, &profile);
    }

    let systems = gathered(folder.path()).expect("readable");
    let [system] = &systems[..] else {
        panic!("{systems:?}");
    };
    assert!(system.period.is_some());
    let ids: Vec<&str> = system.candidates.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, ["other", "pqclean"]);
    let candidate = &system.candidates[1];
    assert_eq!(candidate.name.as_deref(), Some("PQClean"));
    let labels: Vec<&str> = candidate.labels.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(labels, ["B-9", "B-10", "C"]);
    let [first, _, unbuilt] = &candidate.labels[..] else {
        panic!("{labels:?}");
    };
    let operations: Vec<String> = first.records.iter().map(operation).collect();
    assert_eq!(operations, ["keygen", "enc", "dec"]);
    let build = first.build.as_ref().expect("an entry");
    assert_eq!(build.elf_load_bytes, Some(7));
    assert_eq!(first.profiles.len(), 1);
    assert_eq!(first.profiles[0].0, "dec");
    assert_eq!(first.outdated_profiles, ["enc"]);
    let build = unbuilt.build.as_ref().expect("an entry");
    assert_eq!(build.entry.kat, KatStatus::BuildFail);
    assert_eq!(unbuilt.category(), Some(Category::Sig));
    assert_eq!(candidate.categories(), [Category::Kem, Category::Sig]);
    assert!(system.candidates[0].categories().is_empty());
}

#[test]
fn categories_follow_from_what_was_called() {
    let category = |operation: &str| {
        let label = Label {
            records: vec![record("A", operation)],
            ..Label::default()
        };
        label.category()
    };
    assert_eq!(category("enc"), Some(Category::Kem));
    assert_eq!(category("verify"), Some(Category::Sig));
    assert_eq!(category("pass2"), Some(Category::Kex));
    assert_eq!(category("exchange"), Some(Category::Kex));
    // The example has a ciphertext.
    assert_eq!(category("keygen"), Some(Category::Kem));
    assert_eq!(Label::default().category(), None);
}

#[test]
fn no_name_leads_out_of_the_report() {
    let folder = run_with(&[record("A", "dec")]);
    for name in ["../x", "x/..", "/x", "x/", "x", "./x", "x/y/z"] {
        write(folder.path(), BUILD, &json!({name: {"kat": "NOKAT"}}));
        let error = gathered(folder.path()).expect_err(name);
        assert!(
            matches!(error, EvidenceError::Name { .. }),
            "{name}: {error}"
        );
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn a_record_in_the_place_of_another_is_named_with_its_key() {
    let folder = run_with(&[record("A", "dec")]);
    let records = folder.path().join("bench/records/pqclean");
    fs::rename(records.join("A__dec.json"), records.join("A__enc.json")).expect("moved");
    let error = gathered(folder.path()).expect_err("misplaced");
    let words = error.to_string();
    assert!(
        words.contains("A__enc.json: key `label` is `A__dec`"),
        "{words}"
    );
    assert!(
        error
            .help()
            .expect("a remedy")
            .to_string()
            .contains("cargo host validate")
    );

    let other = folder.path().join("bench/records/other");
    fs::rename(&records, &other).expect("moved");
    fs::rename(other.join("A__enc.json"), other.join("A__dec.json")).expect("moved");
    let words = gathered(folder.path()).expect_err("misplaced").to_string();
    assert!(words.contains("key `candidate` is `pqclean`"), "{words}");
}

#[test]
fn a_folder_without_records_is_a_mistake() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = gathered(folder.path()).expect_err("nothing is there");
    assert!(error.to_string().contains("holds no records"), "{error}");
}
