//! What all commands have in common: JSON for programs, silence, no questions, no colours.
//!
//! Every command has an entry here, so that a new one cannot be forgotten. One that measures is
//! called so that it ends at once, with an error.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use host::bench::RecordSet;
use host::record::read::read;
use serde_json::Value;

/// A command, its exit code, and whether it has a result to print.
struct Case {
    arguments: Vec<String>,
    code: i32,
}

/// A record that an earlier build wrote.
const RECORD: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/src/record/migrate/format-1.json"
);

const SYSTEM: &str = "qemu-virt";

/// What is called of each command; `None` for one that would change the machine or take minutes.
fn case(verb: &str, folder: &Path) -> Option<Case> {
    let path = |name: &str| folder.join(name).display().to_string();
    let (run, none) = (path("run"), path("none"));
    let call = |code, rest: &[&str]| {
        let arguments = [verb]
            .iter()
            .chain(rest)
            .map(|it| (*it).to_owned())
            .collect();
        Some(Case { arguments, code })
    };
    match verb {
        // They set the machine up, and measure or test for minutes.
        "demo" | "test" | "setup" => None,
        "campaign" => call(
            2,
            &[
                "--only",
                "^no/such$",
                "--system",
                SYSTEM,
                "--run-dir",
                &none,
            ],
        ),
        "plan" => call(
            2,
            &[
                "--only",
                "^no/such$",
                "--system",
                SYSTEM,
                "--run-dir",
                &none,
            ],
        ),
        "run" | "replay" => call(2, &[&none]),
        "monitor" => call(2, &["--port", &none]),
        "ports" => call(0, &[]),
        "kat" => call(2, &["no/such"]),
        "import" => call(2, &[&none]),
        "bench" => call(2, &["--only", "^nothing$"]),
        "doctor" => call(2, &["--system", "no-such-board"]),
        "merge" => call(0, &[&run, "--to", &path(&format!("merged-{}", unique()))]),
        "list" => call(0, &["--only", "^pqclean/ML-KEM-768$"]),
        "report" => call(0, &[&run, "--to", &path("report")]),
        "compare" | "validate" | "export" => call(0, &[&run]),
        "schema" => call(0, &[]),
        "completions" => call(0, &["bash"]),
        other => panic!("`{other}` has no entry in this test"),
    }
}

fn unique() -> usize {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn call(case: &Case, flags: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_host"))
        .args(&case.arguments)
        .args(flags)
        // A terminal's wish for colours that NO_COLOR outweighs.
        .env("NO_COLOR", "1")
        .env("CLICOLOR_FORCE", "1")
        .env("FORCE_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .expect("the command starts");
    let said = text(&output.stderr);
    assert_eq!(
        output.status.code(),
        Some(case.code),
        "{:?}: {said}",
        case.arguments
    );
    for stream in [&output.stdout, &output.stderr] {
        assert!(
            !stream.contains(&0x1b),
            "colours: {:?} {flags:?}",
            case.arguments
        );
    }
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn every_command_speaks_json_keeps_quiet_and_asks_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let record = read(Path::new(RECORD)).unwrap();
    RecordSet::new(&folder.path().join("run"), SYSTEM, &[record], 3).unwrap();
    let command = host::cli::command();
    for verb in command.get_subcommands().map(|verb| verb.get_name()) {
        if case(verb, folder.path()).is_none() {
            continue;
        }
        let case = || case(verb, folder.path()).expect("it has one");
        for flags in [&["--json"][..], &["--json", "--quiet", "--non-interactive"]] {
            let case = case();
            let output = call(&case, flags);
            let (out, said) = (text(&output.stdout), text(&output.stderr));
            if case.code == 2 {
                // Programs read the exit code; what people read stays what it is.
                assert!(out.is_empty(), "{verb}: {out}");
                assert!(said.starts_with("error: "), "{verb}: {said}");
                assert!(said.contains("\nhelp: "), "{verb} names no remedy: {said}");
            } else {
                let document = serde_json::from_str::<Value>(&out);
                assert!(document.is_ok(), "{verb} {flags:?}: {document:?}: {out}");
            }
        }
        let output = call(&case(), &["--quiet"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.success(), said.is_empty(), "{verb}: {said}");
    }
}

#[test]
fn what_is_exported_as_csv_is_no_json() {
    let folder = tempfile::tempdir().unwrap();
    let record = read(Path::new(RECORD)).unwrap();
    let run = folder.path().join("run");
    RecordSet::new(&run, SYSTEM, &[record], 1).unwrap();
    let export = |code, rest: &[&str]| {
        let mut arguments = vec!["export".to_owned(), run.display().to_string()];
        arguments.extend(rest.iter().map(|it| (*it).to_owned()));
        let output = call(&Case { arguments, code }, &[]);
        text(&output.stdout)
    };
    export(2, &["--json", "--format", "csv"]);
    let table = export(0, &[]);
    // What was not measured is empty: no zero, and no word for it.
    let (keys, cells) = table.split_once("\r\n").unwrap();
    let place = keys
        .split(',')
        .position(|key| key == "heap_peak_bytes")
        .unwrap();
    assert_eq!(cells.split(',').nth(place), Some(""), "{cells}");
    assert!(!table.contains("NaN") && !table.contains("null"), "{table}");
    let file = folder.path().join("x.csv");
    let done = export(
        0,
        &[
            "--json",
            "--format",
            "csv",
            "--to",
            &file.display().to_string(),
        ],
    );
    let done: Value = serde_json::from_str(&done).unwrap();
    assert_eq!(done["rows"], 1);
    assert_eq!(std::fs::read_to_string(file).unwrap(), table);
}
