//! Pages of a real run directory: made, made again with the same bytes, and found when changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use host::system;

/// The candidate that is measured.
const CANDIDATE: &str = "pqclean";

fn run_command(arguments: &[&str]) -> Output {
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
    let output = run_command(arguments);
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

/// Runs that are compared have one interactive report in a folder of their own, and no pages.
fn several_runs_are_one_file(run: &Path, system: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (before, after) = (folder.path().join("before"), folder.path().join("after"));
    for (file, bytes) in content(&run.join(system)) {
        for other in [&before, &after] {
            let copy = other.join(file.strip_prefix(run).unwrap());
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            fs::write(copy, &bytes).unwrap();
        }
    }
    let to = folder.path().join("both");
    let [before, after, to] = [&before, &after, &to].map(|path| path.to_str().unwrap());
    let said = expect(0, &["report", before, after, "--to", to]);
    assert!(said.trim().ends_with("both/report.html"), "{said}");
    let made = content(Path::new(to));
    assert_eq!(made.len(), 1);
    let html = text(&made[0].1);
    for name in ["before", "after"] {
        assert!(
            html.contains(&format!("<td>{name}/{system}</td>")),
            "{name}"
        );
    }
    expect(0, &["report", before, after, "--to", to, "--check"]);

    for (arguments, remedy) in [
        (&["report", before, after][..], "name one: --to FOLDER"),
        (
            &["report", before, after, "--to", to, "--candidate", "x"][..],
            "leave --candidate out",
        ),
    ] {
        let output = run_command(arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            text(&output.stderr).contains(remedy),
            "{}",
            text(&output.stderr)
        );
    }
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
    assert_eq!(made.len(), 7);
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

    several_runs_are_one_file(folder.path(), &emulated);

    // One changed figure is found with its line, in a page and in the interactive report.
    let interactive = report.join("report.html");
    let html = fs::read_to_string(&interactive).unwrap();
    fs::write(&interactive, html.replacen(" k</td>", " M</td>", 1)).unwrap();
    let said = expect(1, &["report", path, "--check"]);
    let place = format!("{}, line ", interactive.display());
    assert!(said.starts_with(&place), "{said}");
    expect(0, &["report", path]);
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
    let output = run_command(&["report", path, "--candidate", "kem-99"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("candidates there: pqclean"));
    let output = run_command(&["report", path, "--candidate", "kem-(3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("example: --candidate"));
    let record = folder
        .path()
        .join(&emulated)
        .join("records/pqclean/ML-KEM-768__dec.json");
    fs::write(&record, "{").unwrap();
    let output = run_command(&["report", path]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(
        said.contains("ML-KEM-768__dec.json") && said.contains("help:"),
        "{said}"
    );
}
