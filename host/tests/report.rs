//! Pages of a real run directory: made, made again with the same bytes, and found when changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use host::system;

/// The candidate that is measured.
const CANDIDATE: &str = "pqclean";

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_host"));
    command
        .args(arguments)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    command.output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs the command and expects this exit code; its standard output.
fn expect(code: i32, arguments: &[&str]) -> String {
    let output = run(arguments);
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    text(&output.stdout)
}

/// Every file below a folder with its content, by path.
fn content(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                files.push((path, bytes));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn pages_of_a_campaign_are_made_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let [emulated, _] = system::default_names();
    expect(
        0,
        &[
            "campaign",
            "--system",
            &emulated,
            "--only",
            "^pqclean/ML-KEM-768$",
            "--trial-target",
            "0.02",
            "--run-dir",
            path,
        ],
    );

    // Nothing is there yet.
    let said = expect(1, &["report", path, "--check"]);
    assert!(said.contains("index.html: it is missing"), "{said}");

    let said = expect(0, &["report", path]);
    let report = folder.path().join("report");
    assert_eq!(said.trim(), report.join("index.html").to_str().unwrap());
    let made = content(&report);
    assert_eq!(made.len(), 6);
    let page = report.join(&emulated).join(CANDIDATE).join("page.md");
    let words = fs::read_to_string(&page).unwrap();
    for word in [
        "| instance | operation | mean instructions (emulated) | mean time (virtual) |",
        "**Emulated.**",
        "| `ML-KEM-768` | guide | PASS |",
        "| `ML-KEM-768` | 1184 | 2400 | 1088 | 32 |",
        "`records/pqclean/ML-KEM-768__dec.json`",
    ] {
        assert!(words.contains(word), "{word} is missing from\n{words}");
    }
    // Every link of the HTML page leads to a file.
    let html_file = page.with_extension("html");
    let html = fs::read_to_string(&html_file).unwrap();
    let links: Vec<&str> = html
        .split("href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert!(links.len() > 4, "{links:?}");
    for link in links {
        let target = html_file.parent().unwrap().join(link);
        assert!(target.is_file(), "{link} leads nowhere");
    }

    // The same records give the same bytes, and a report is no part of the run.
    expect(0, &["report", path]);
    assert_eq!(content(&report), made);
    expect(0, &["report", path, "--check"]);
    expect(0, &["report", path, "--check", "--candidate", "^pqclean$"]);
    expect(0, &["validate", path]);
    let elsewhere = tempfile::tempdir().unwrap();
    let to = elsewhere.path().to_str().unwrap();
    expect(0, &["report", path, "--to", to, "--candidate", "pqclean"]);
    assert_eq!(content(elsewhere.path()).len(), 2);

    // One changed figure is found with its line.
    let number = words
        .lines()
        .position(|line| line.starts_with("| `ML-KEM-768` | enc | "))
        .unwrap();
    let mut lines: Vec<String> = words.lines().map(str::to_owned).collect();
    lines[number] = lines[number].replacen(" k |", " M |", 1);
    fs::write(&page, lines.join("\n") + "\n").unwrap();
    let said = expect(1, &["report", path, "--check"]);
    let place = format!("{}, line {}: it has `", page.display(), number + 1);
    assert!(said.starts_with(&place), "{said}");
    expect(0, &["report", path]);
    expect(0, &["report", path, "--check"]);

    // A wrong choice names what there is; a record that is none is named.
    let output = run(&["report", path, "--candidate", "kem-99"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("candidates there: pqclean"));
    let output = run(&["report", path, "--candidate", "kem-(3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("example: --candidate"));
    let record = folder
        .path()
        .join(&emulated)
        .join("records/pqclean/ML-KEM-768__dec.json");
    fs::write(&record, "{").unwrap();
    let output = run(&["report", path]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(
        said.contains("ML-KEM-768__dec.json") && said.contains("help:"),
        "{said}"
    );
}
