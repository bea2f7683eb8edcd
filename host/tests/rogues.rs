//! The rogues' gallery: every way in which a submission can misbehave, on every system, against
//! the table in submissions/rogues/README.md.
//!
//! Images that are not there yet are built, which takes most of the time.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use host::project::Project;
use host::system;
use serde_json::Value;
use support::processes::with_variable;

/// The variable by which processes of a campaign are known.
const MARK: &str = "NGCC_ROGUES_CAMPAIGN";

/// What the table says of one rogue.
#[derive(Debug)]
struct Row {
    label: String,
    /// The word for the known-answer test.
    kat: String,
    /// What its explanation must contain.
    kat_words: Vec<String>,
    operations: Operations,
}

/// The last column of the table.
#[derive(Debug)]
enum Operations {
    /// Nothing is run.
    None,
    /// Those that fail, each with what its record's reason must contain; all others are measured.
    Failing(BTreeMap<String, String>),
}

/// The texts between backticks.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

fn operations(cell: &str) -> Operations {
    if cell == "none" {
        return Operations::None;
    }
    let mut failing = BTreeMap::new();
    for clause in cell.split("; ") {
        if clause == "all measured" {
            continue;
        }
        let (names, words) = clause.split_once(": ").expect(cell);
        let [words] = quoted(words).try_into().expect(cell);
        for name in names.split(", ") {
            failing.insert(name.to_owned(), words.clone());
        }
    }
    Operations::Failing(failing)
}

fn table(readme: &str) -> Vec<Row> {
    let rows = readme.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [label, _category, _vice, kat, calls] = cells[..] else {
            panic!("not five columns: {line}")
        };
        Row {
            label: label.trim_matches('`').to_owned(),
            kat: kat.split([':', ' ']).next().unwrap().to_owned(),
            kat_words: quoted(kat),
            operations: operations(calls),
        }
    })
    .collect()
}

/// The labels of the package, so that no rogue is left out of the table.
fn labels(manifest: &str) -> Vec<String> {
    let manifest: toml::Table = manifest.parse().unwrap();
    let instances = manifest["instance"].as_array().unwrap().iter();
    instances
        .map(|instance| instance["label"].as_str().unwrap().to_owned())
        .collect()
}

fn host(arguments: &[&str], mark: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_host"))
        .args(arguments)
        .env("NO_COLOR", "1")
        .env("NGCC_TEST_PACKAGES", "1")
        .env(MARK, mark)
        .stdin(Stdio::null())
        .output()
        .expect("the command starts")
}

fn json(file: &Path) -> Value {
    let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    serde_json::from_str(&text).unwrap()
}

/// Records of one rogue by operation.
fn records(folder: &Path, label: &str) -> BTreeMap<String, Value> {
    let prefix = format!("{label}__");
    let entries = fs::read_dir(folder.join("records/rogues")).unwrap();
    entries
        .map(|entry| entry.unwrap().path())
        .filter_map(|path| {
            let stem = path.file_stem()?.to_str()?;
            Some((stem.strip_prefix(&prefix)?.to_owned(), json(&path)))
        })
        .collect()
}

/// What is not as the table says of one rogue.
fn differences(row: &Row, folder: &Path, build: &Value) -> Vec<String> {
    let label = &row.label;
    let mut wrong = Vec::new();
    let mut see = |right: bool, what: String| {
        if !right {
            wrong.push(format!("{label}: {what}"));
        }
    };
    let entry = &build[format!("rogues/{label}")];
    see(entry["kat"] == *row.kat, format!("KAT {}", entry["kat"]));
    let log = folder.join(format!("kat/rogues/{label}.log"));
    let explanation = match entry["reason"].as_str() {
        Some(reason) => reason.to_owned(),
        None => fs::read_to_string(log).unwrap_or_default(),
    };
    for words in &row.kat_words {
        see(
            explanation.contains(words),
            format!("`{words}` is not in {explanation}"),
        );
    }
    let records = records(folder, label);
    let failing = match &row.operations {
        Operations::None => {
            see(records.is_empty(), format!("{} records", records.len()));
            return wrong;
        }
        Operations::Failing(failing) => failing,
    };
    see(records.len() >= 3, format!("{} records", records.len()));
    for name in failing.keys() {
        see(records.contains_key(name), format!("no record of {name}"));
    }
    for (name, record) in &records {
        let status = record["status"].as_str().unwrap_or_default();
        let reason = record["meter"]["reason"].as_str().unwrap_or_default();
        see(
            record["kat"] == *row.kat,
            format!("{name} has KAT {}", record["kat"]),
        );
        match failing.get(name) {
            None => see(status == "complete", format!("{name} {status}: {reason}")),
            Some(words) => see(
                status != "complete" && reason.contains(words),
                format!("{name} {status}: {reason}"),
            ),
        }
    }
    wrong
}

/// What records of certain rogues say beside their outcome.
fn remarks(folder: &Path, emulated: bool) {
    for (label, operation, kind, function, line) in [
        ("hangs", "enc", "deadline", "kem_enc", Some(11)),
        // Which store of the last frame is the first that does not fit is the compiler's choice.
        ("recurses", "enc", "stack overflow", "descend", None),
        ("writes-to-null", "enc", "null access", "kem_enc", Some(13)),
        ("calls-exit", "dec", "exit(3)", "kem_dec", Some(14)),
        ("calls-abort", "dec", "abort", "kem_dec", Some(14)),
        ("fails-assert", "dec", "assertion", "kem_dec", Some(10)),
        ("frees-twice", "dec", "heap", "release", Some(11)),
    ] {
        let record = &records(folder, label)[operation];
        let fault = &record["meter"]["fault"];
        let text = |key: &str| fault[key].as_str().unwrap_or_default().to_owned();
        assert_eq!(text("kind"), kind, "{label}: {fault}");
        assert_eq!(text("function"), function, "{label}: {fault}");
        let file = format!("rogues/Reference_Implementation/{label}/KEM_AlgorithmInstance.c");
        assert_eq!(text("file"), file, "{label}: {fault}");
        let found = fault["line"].as_u64().expect("a line");
        assert!(line.is_none_or(|line| line == found), "{label}: {fault}");
        let place = format!("{function} ({file}:{found})");
        let backtrace = fault["backtrace"].as_array().unwrap();
        assert!(
            backtrace.iter().any(|call| *call == *place),
            "{label}: {fault}"
        );
        let ended = match kind {
            "deadline" => "timeout",
            _ => "fault",
        };
        assert_eq!(record["processes"][0]["status"], ended, "{label}");
    }
    let fault = &records(folder, "frees-twice")["dec"]["meter"]["fault"];
    let called = "kem_dec (rogues/Reference_Implementation/frees-twice/KEM_AlgorithmInstance.c:21)";
    let backtrace = fault["backtrace"].as_array().unwrap();
    assert!(backtrace.iter().any(|call| *call == *called), "{fault}");
    let deep = &records(folder, "deep-stack")["keygen"]["meter"]["memory"];
    assert!(
        deep["stack_bytes"].as_u64().unwrap() >= 700 * 1024,
        "{deep}"
    );
    for (label, leaked) in [("leaks-in-dec", 4096), ("leaks-much", 1 << 20)] {
        let memory = &records(folder, label)["dec"]["meter"]["memory"];
        assert_eq!(memory["heap_leaked_bytes"], leaked, "{memory}");
        assert_eq!(memory["heap_leaked_blocks"], 1, "{memory}");
    }
    let never_reached = &records(folder, "deep-stack")["enc"]["meter"]["memory"];
    assert_eq!(never_reached["marks"], Value::Array(Vec::new()));
    if !emulated {
        // A board has one log, and no streams.
        let output = &records(folder, "prints")["keygen"]["meter"]["output"];
        for (stream, line) in [
            ("stdout", "keygen on standard output"),
            ("stderr", "keygen on standard error"),
        ] {
            let length = output[stream]["length_bytes"].as_u64().unwrap();
            assert!(length > line.len() as u64, "{output}");
        }
    }
}

fn gallery(system: &str, emulated: bool) {
    let package = Project::find().unwrap().root.join("submissions/rogues");
    let rows = table(&fs::read_to_string(package.join("README.md")).unwrap());
    let names: Vec<&str> = rows.iter().map(|row| &*row.label).collect();
    let manifest = fs::read_to_string(package.join("candidate.toml")).unwrap();
    assert_eq!(names, labels(&manifest), "the table and the package differ");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let mut arguments = vec!["campaign", "--system", system, "--only", "^rogues/"];
    arguments.extend(["--no-profile", "--trial-target", "0.001", "--patience", "3"]);
    arguments.extend(["--run-dir", path, "--allow-unfit"]);
    let output = host(&arguments, path);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(with_variable(MARK, path), [] as [u32; 0]);

    let results = folder.path().join(system);
    let build = json(&results.join("build.json"));
    let wrong: Vec<String> = rows
        .iter()
        .flat_map(|row| differences(row, &results, &build))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{said}");
    remarks(&results, emulated);

    let output = host(&["validate", path], path);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
}

#[test]
fn every_rogue_on_the_emulated_board_comes_to_its_documented_end() {
    gallery(&system::default_names()[0], true);
}

#[test]
fn every_rogue_on_this_machine_comes_to_its_documented_end() {
    gallery(&system::default_names()[1], false);
}

#[test]
fn processes_that_are_left_over_would_be_seen() {
    let mark = format!("probe-{}", std::process::id());
    let mut child = Command::new("sleep")
        .arg("60")
        .env(MARK, &mark)
        .spawn()
        .unwrap();
    // The variables of a process that is being replaced cannot be read for a moment.
    let seen = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        with_variable(MARK, &mark) == [child.id()]
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(seen);
}

#[test]
fn rows_of_the_table_are_read_as_people_read_them() {
    let rows = table(
        "| label | category | vice | KAT | operations |\n|---|---|---|---|---|\n\
         | `a` | KEM | x | PASS | all measured |\n\
         | `b` | KEM | x | OVERFLOW: `after the key` | enc, dec: `after the key`; keygen: `other` |\n\
         | `c` | KEM | x | BUILDFAIL: `f` | none |\n",
    );
    let summary: Vec<String> = rows
        .iter()
        .map(|row| match &row.operations {
            Operations::None => format!("{} {} {:?} none", row.label, row.kat, row.kat_words),
            Operations::Failing(failing) => {
                format!("{} {} {:?} {failing:?}", row.label, row.kat, row.kat_words)
            }
        })
        .collect();
    insta::assert_snapshot!(summary.join("\n"), @r#"
    a PASS [] {}
    b OVERFLOW ["after the key"] {"dec": "after the key", "enc": "after the key", "keygen": "other"}
    c BUILDFAIL ["f"] none
    "#);
}
