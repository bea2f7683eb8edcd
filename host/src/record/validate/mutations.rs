//! Whatever is changed in a run directory is found and named.
//!
//! Two kinds of change are tried. The first leaves the digests as they are: nothing of it may escape.
//! The second computes the digest of the record again, as somebody does who knows how: then every
//! key must be found that follows from others, and [`FREE`] lists those that do not.

use std::collections::BTreeMap;
use std::fs;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use super::*;
use crate::record::digest;
use crate::record::example;
use crate::record::migrate::FORMAT;
use crate::record::run_files::{self, BUILD, CAMPAIGN, VERSIONS};
use crate::record::schema::Record;
use crate::record::store::RunDirectory;

/// A run directory with the three operations of two labels, and all that belongs to it.
struct Set {
    folder: tempfile::TempDir,
    /// The content of every file, by its place.
    files: BTreeMap<PathBuf, Vec<u8>>,
    operations: Operations,
}

const SYSTEM: &str = "rpi4";

fn labelled(label: &str, operation: &str) -> Record {
    let mut record = example::record();
    record.label = label.to_owned();
    record.operation = operation.to_owned();
    record.kat_log = Some(format!("kat/pqclean/{label}.log"));
    let log = example::kat_log("pqclean", label, SYSTEM);
    record.kat_log_sha256 = Some(Sha256::of(log.as_bytes()));
    let meta = &mut record.processes[0].meta;
    meta.insert("operation".to_owned(), operation.to_owned());
    digest::seal(&mut record);
    record
}

impl Set {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let run = RunDirectory::new(folder.path());
        let mut build = json!({});
        let mut operations = Operations::new();
        for label in ["ML-KEM-768", "ML-KEM-512"] {
            let name = format!("pqclean/{label}");
            for operation in ["keygen", "enc", "dec"] {
                let record = labelled(label, operation);
                example::keep(&run, SYSTEM, &record);
                build[&name] = json!({
                    "kat": record.kat.name(), "flags": record.flags.name(),
                    "image": record.library, "image_sha256": record.library_sha256,
                    "answers_sha256": "0".repeat(64), "command_lines": ["gcc -c a.c"],
                });
                operations
                    .entry(name.clone())
                    .or_default()
                    .push(operation.to_owned());
            }
            run_files::seal(&name, &mut build[&name]);
        }
        let mut campaign = json!({
            "version": VERSIONS[0],
            "format": FORMAT,
            "plan": {
                "trial_target_seconds": 0.012, "operation_budget_seconds": 60.0, "trials": 3,
                "minimum_calls": 100, "maximum_calls_per_trial": 1000,
            },
            "cold": false, "layouts": 0, "shard": null,
        });
        run_files::seal(CAMPAIGN, &mut campaign);
        let mut set = Self {
            folder,
            files: BTreeMap::new(),
            operations,
        };
        let own = [
            (CAMPAIGN.into(), campaign),
            (format!("{SYSTEM}/{BUILD}"), build),
        ];
        for (name, content) in own {
            fs::write(set.folder.path().join(name), format!("{content:#}\n")).unwrap();
        }
        set.read(set.folder.path().to_owned());
        set
    }

    fn read(&mut self, folder: PathBuf) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                self.read(path);
            } else {
                self.files.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }

    fn findings(&self) -> Vec<Finding> {
        let mut validator = Validator::default();
        let run = RunDirectory::new(self.folder.path());
        let mut found = validator.check_files(&run.records_of(SYSTEM).unwrap());
        found.extend(validator.check_run(self.folder.path(), &self.operations));
        found
    }

    /// What is found while some files have another content, or none.
    fn findings_with(&self, changed: &[(&Path, Option<Vec<u8>>)]) -> Vec<Finding> {
        for (file, content) in changed {
            match content {
                Some(content) => fs::write(file, content).unwrap(),
                None => fs::remove_file(file).unwrap(),
            }
        }
        let found = self.findings();
        for (file, _) in changed {
            match self.files.get(*file) {
                Some(content) => fs::write(file, content).unwrap(),
                None => fs::remove_file(file).unwrap(),
            }
        }
        found
    }

    fn named(&self, name: &str) -> Vec<&Path> {
        let is_named = |path: &&PathBuf| path.to_string_lossy().contains(name);
        self.files
            .keys()
            .filter(is_named)
            .map(PathBuf::as_path)
            .collect()
    }
}

/// Every finding says where and what.
fn assert_named(found: &[Finding], what: &str) {
    assert!(!found.is_empty(), "escapes: {what}");
    for Finding { file, key, problem } in found {
        assert!(!file.as_os_str().is_empty() && !key.is_empty() && !problem.is_empty());
    }
}

/// Ways to every value in a JSON text, as pointers.
fn pointers(value: &Value, above: &str, found: &mut Vec<String>) {
    found.push(above.to_owned());
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(map) => map
            .iter()
            .for_each(|(key, value)| pointers(value, &format!("{above}/{}", escaped(key)), found)),
        Value::Array(values) => (0..).zip(values).for_each(|(index, value): (usize, _)| {
            pointers(value, &format!("{above}/{index}"), found)
        }),
        _ => {}
    }
}

/// Another value of the same kind where that is possible; `seed` chooses.
fn another(value: &Value, seed: u64) -> Value {
    let place = |length: usize| (seed / 16) as usize % length;
    match value {
        Value::Null => [json!(1), json!("x"), json!(true)][place(3)].clone(),
        Value::Bool(on) => json!(!on),
        Value::Number(number) => match (number.as_u64(), seed % 3) {
            (Some(number), 0) => json!(number ^ 1),
            (Some(number), 1) => json!(number.wrapping_add(seed)),
            (Some(_), _) => Value::Null,
            (None, _) => json!(number.as_f64().unwrap_or(0.0) * 1.5 + 1e-3),
        },
        Value::String(text) => match seed % 3 {
            0 => json!(format!("{text}x")),
            1 => json!(text.chars().skip(1).chain(['~']).collect::<String>()),
            _ => Value::Null,
        },
        Value::Array(values) => {
            let mut values = values.clone();
            match (seed % 4, values.len()) {
                (_, 0) => values.push(json!(1)),
                (0, length) => drop(values.remove(place(length))),
                (1, length) => values.insert(place(length), values[place(length)].clone()),
                (2, length) if length > 1 && values[0] != values[length - 1] => {
                    values.swap(0, length - 1);
                }
                _ => values.push(json!({})),
            }
            Value::Array(values)
        }
        Value::Object(map) => {
            let mut map = map.clone();
            let key = (!map.is_empty()).then(|| map.keys().nth(place(map.len())).cloned());
            match (key.flatten(), seed % 3) {
                (Some(key), 0) => drop(map.shift_remove(&key)),
                (Some(key), 1) => {
                    let value = map.shift_remove(&key).unwrap_or_default();
                    map.insert(format!("{key}x"), value);
                }
                _ => drop(map.insert("odd".to_owned(), json!(seed))),
            }
            Value::Object(map)
        }
    }
}

/// What is done to a file as a whole.
#[derive(Clone, Debug)]
enum Change {
    /// Another value somewhere in a JSON text.
    Value(Index, u64),
    /// Another byte.
    Byte(Index, u8),
    /// The end cut off.
    Cut(Index),
    /// The file gone.
    Gone,
    /// Two records in each other's place.
    Swapped(Index),
    /// A record in another's place.
    Copied(Index),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        8 => (any::<Index>(), any::<u64>()).prop_map(|(at, seed)| Change::Value(at, seed)),
        3 => (any::<Index>(), 1..=255_u8).prop_map(|(at, flip)| Change::Byte(at, flip)),
        1 => any::<Index>().prop_map(Change::Cut),
        1 => Just(Change::Gone),
        1 => any::<Index>().prop_map(Change::Swapped),
        1 => any::<Index>().prop_map(Change::Copied),
    ]
}

#[test]
fn a_hundred_changes_are_found_each_with_its_file_and_key() {
    let set = Set::new();
    assert_eq!(set.findings(), []);
    let all: Vec<&Path> = set.files.keys().map(PathBuf::as_path).collect();
    let records = set.named("/records/");
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(150)
    });
    let cases = (any::<Index>(), change());
    let result = runner.run(&cases, |(file, change)| {
        let mut file = *file.get(&all);
        if matches!(change, Change::Swapped(_) | Change::Copied(_)) && !records.contains(&file) {
            file = records[0];
        }
        let bytes = &set.files[file];
        let other = |index: &Index| {
            let others: Vec<&&Path> = records.iter().filter(|it| **it != file).collect();
            **index.get(&others)
        };
        let changed = match &change {
            Change::Value(at, seed) => {
                let Ok(mut content) = serde_json::from_slice::<Value>(bytes) else {
                    return Ok(());
                };
                let mut ways = Vec::new();
                pointers(&content, "", &mut ways);
                let place = content.pointer_mut(at.get::<String>(&ways)).unwrap();
                let changed = another(place, *seed);
                prop_assume!(*place != changed);
                *place = changed;
                vec![(file, Some(format!("{content:#}\n").into_bytes()))]
            }
            Change::Byte(at, flip) => {
                let mut bytes = bytes.clone();
                bytes[at.index(set.files[file].len())] ^= flip;
                vec![(file, Some(bytes))]
            }
            Change::Cut(at) => vec![(file, Some(bytes[..at.index(bytes.len())].to_vec()))],
            Change::Gone => vec![(file, None)],
            Change::Swapped(index) => {
                let other = other(index);
                let (ours, theirs) = (bytes.clone(), set.files[other].clone());
                vec![(file, Some(theirs)), (other, Some(ours))]
            }
            Change::Copied(index) => vec![(other(index), Some(bytes.clone()))],
        };
        let found = set.findings_with(&changed);
        assert_named(&found, &format!("{change:?} in {}", file.display()));
        Ok(())
    });
    result.unwrap();
}

/// Keys of a record that nothing else in its run directory decides. A number in brackets stands for
/// any place in a list, a star for any key.
///
/// They are what was observed: who changes one of them and computes the digest again tells a lie
/// that only a second measurement shows. What follows from one of them must be changed with it.
const FREE: &[&str] = &include!("free_keys.in");

#[test]
fn what_follows_from_other_keys_is_found_in_spite_of_a_new_digest() {
    let set = Set::new();
    let file = set.named("ML-KEM-768__dec")[0];
    let whole: Value = serde_json::from_slice(&set.files[file]).unwrap();
    let mut ways = Vec::new();
    pointers(&whole, "", &mut ways);
    let mut escaped = std::collections::BTreeSet::new();
    let mut tried = std::collections::BTreeSet::new();
    for way in &ways {
        let pattern = pattern(way);
        let value = whole.pointer(way).unwrap();
        let is_leaf = !(value.is_object() || value.is_array());
        // One call in a hundred is enough.
        let is_late = way.starts_with("/meter/samples/0/") && !way.ends_with("/7");
        if !is_leaf || is_late || way == "/meter/digest" {
            continue;
        }
        tried.insert(pattern.clone());
        for seed in 0..2 {
            let mut content = whole.clone();
            let place = content.pointer_mut(way).unwrap();
            let changed = another(place, seed);
            if *place == changed {
                continue;
            }
            *place = changed;
            content["meter"]["digest"] = digest::of_content(&content).as_str().into();
            let text = digest::text(&content);
            // The record alone is quickly checked; the rest only where that finds nothing.
            let alone = Validator::default().check(file, text.as_bytes());
            let found = match alone.is_empty() {
                true => set.findings_with(&[(file, Some(text.into_bytes()))]),
                false => alone,
            };
            match found.is_empty() {
                true => drop(escaped.insert(pattern.clone())),
                false => assert_named(&found, way),
            }
        }
    }
    let listed: std::collections::BTreeSet<String> =
        FREE.iter().map(|key| (*key).to_owned()).collect();
    let more: Vec<_> = escaped.difference(&listed).collect();
    assert!(
        more.is_empty(),
        "these escape and are not listed: {more:#?}"
    );
    let less: Vec<_> = listed
        .intersection(&tried)
        .filter(|key| !escaped.contains(*key))
        .collect();
    assert!(
        less.is_empty(),
        "these are listed and do not escape: {less:#?}"
    );
    assert!(
        tried.len() > escaped.len() * 3 / 2,
        "{} of {}",
        escaped.len(),
        tried.len()
    );
}

/// A key as a reader writes it, any place of a list as `[]`.
fn pattern(way: &str) -> String {
    let mut text = String::new();
    for part in way.split('/').skip(1) {
        match part.parse::<usize>() {
            Ok(_) => text.push_str("[]"),
            Err(_) if text.is_empty() => text.push_str(part),
            Err(_) => text.push_str(&format!(".{part}")),
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Readers keep what they do not know, on every level.
    #[test]
    fn unknown_keys_are_read_and_written_back(
        at in any::<Index>(), name in "[a-z]{3}~[a-z]{0,5}", seed: u64,
    ) {
        let mut content = digest::content(&example::record());
        let mut ways = Vec::new();
        pointers(&content, "", &mut ways);
        // Lists of names and numbers that are somebody else's have no keys beside these.
        let closed = ["/processes/0/meta", "/kex", "/meter/events"];
        ways.retain(|way| content.pointer(way).is_some_and(Value::is_object)
            && !closed.contains(&way.as_str()));
        prop_assert!(ways.len() > 20, "{ways:?}");
        let odd = json!({ "nested": [seed, 0.5, null, "x", { "deep": true }] });
        content.pointer_mut(at.get::<String>(&ways)).unwrap()[&name] = odd;
        let text = digest::text(&content);
        let record = crate::record::read::parse(Path::new("x.json"), text.as_bytes()).unwrap();
        prop_assert_eq!(digest::content(&record), content);
    }
}
