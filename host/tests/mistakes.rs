//! Mistakes in arguments: each is refused at once, before anything is built or written, with what is
//! wrong and what to do.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use host::bench::RecordSet;
use host::record::read::read;

/// A record that an earlier build wrote.
const RECORD: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/src/record/migrate/format-1.json"
);

const SYSTEM: &str = "qemu-virt";

/// Exit code, standard output and error output.
fn call(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_host"))
        .args(arguments)
        .env("NO_COLOR", "1")
        .env_remove("NGCC_TEST_PACKAGES")
        .stdin(Stdio::null())
        .output()
        .expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, said) = (text(&output.stdout), text(&output.stderr));
    (output.status.code(), out, said)
}

/// What is said when it is refused, in one line.
fn refused(arguments: &[&str]) -> String {
    let (code, out, said) = call(arguments);
    assert_eq!(code, Some(2), "{arguments:?}: {out}{said}");
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_campaign_refuses_what_chooses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let campaign = |more: &[&str]| {
        let start = ["campaign", "--system", SYSTEM, "--run-dir"];
        let said = refused(&[&start[..], &[run.to_str().unwrap()], more].concat());
        assert!(!run.exists(), "{more:?}");
        said
    };
    let said = campaign(&["--redo", "no-such"]);
    assert!(said.contains("no record of a chosen instance matches `--redo no-such`"));
    let said = campaign(&["--defer", "no-such"]);
    assert!(said.contains("no chosen instance matches `--defer no-such`"));
    let said = campaign(&["--only", "^rogues/calls-exit$"]);
    assert!(
        said.contains("matches none but test packages: rogues/calls-exit"),
        "{said}"
    );
    assert!(said.contains("NGCC_TEST_PACKAGES=1"), "{said}");
    let said = campaign(&["--layouts", "-1"]);
    assert!(said.contains("-1 is not in 0..="), "{said}");
    let said = campaign(&["--trial-target", "-5"]);
    assert!(said.contains("greater than 0 is needed"), "{said}");
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let said = refused(&["campaign", "--run-dir", file.to_str().unwrap()]);
    assert!(said.contains("is a file, and no run directory"), "{said}");
}

#[test]
fn a_choice_without_its_test_packages_says_so() {
    let only = "^(pqclean/ML-KEM-768|rogues/calls-exit)$";
    let (code, _, said) = call(&["plan", "--system", SYSTEM, "--only", only]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("left out, because they are of test packages: rogues/calls-exit"));
}

#[test]
fn what_reads_run_directories_refuses_what_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let record = read(Path::new(RECORD)).unwrap();
    RecordSet::new(&folder.path().join("run"), SYSTEM, &[record], 2).unwrap();
    let (run, system) = (path("run"), path("run/qemu-virt"));
    for verb in ["compare", "export", "report", "validate"] {
        let said = refused(&[verb, &system]);
        assert!(
            said.contains("is the folder of the system qemu-virt"),
            "{said}"
        );
        assert!(said.contains("the run directory that it is in"), "{said}");
    }
    let both = path("both");
    for arguments in [
        &["compare", &run, &run][..],
        &["export", &run, &run],
        &["report", &run, &run, "--to", &both],
    ] {
        let said = refused(arguments);
        assert!(said.contains("are the same run directory"), "{said}");
    }
    let said = refused(&["compare", &run, &run, "--threshold", "-5"]);
    assert!(
        said.contains("a number of percent that is not negative"),
        "{said}"
    );

    let said = refused(&["export", &run, "--to", &path("none/x.csv")]);
    assert!(said.contains("there is no folder"), "{said}");
    assert!(!folder.path().join("none").exists());
    assert_eq!(call(&["export", &run, "--to", &path("x.csv")]).0, Some(0));

    // A folder for records that has none, as a campaign leaves it that was killed early.
    fs::create_dir_all(folder.path().join("half/qemu-virt/records")).unwrap();
    fs::write(folder.path().join("half/campaign.json"), "{}").unwrap();
    for verb in ["compare", "export", "report"] {
        let said = refused(&[verb, &path("half")]);
        assert!(said.contains("has measured nothing yet"), "{said}");
    }
}

#[test]
fn a_changed_record_is_named_and_no_clean_result() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let record = read(Path::new(RECORD)).unwrap();
    let set = RecordSet::new(&run, SYSTEM, &[record], 2).unwrap();
    let file = set.run.records().unwrap()[0].clone();
    let text = fs::read_to_string(&file).unwrap();
    let stated = "\"digest\": \"";
    let place = text.rfind(stated).unwrap() + stated.len();
    let other = if text[place..].starts_with('0') {
        "1"
    } else {
        "0"
    };
    let mut changed = text.clone();
    changed.replace_range(place..=place, other);
    fs::write(&file, changed).unwrap();
    let path = run.to_str().unwrap();
    let name = file.file_name().unwrap().to_str().unwrap();
    for verb in ["compare", "export", "report"] {
        let (code, out, said) = call(&[verb, path]);
        assert_eq!(code, Some(1), "{verb}: {said}");
        let all = format!("{out}{said}");
        assert!(all.contains(name), "{verb}: {all}");
        assert!(
            all.contains("was changed since it was written"),
            "{verb}: {all}"
        );
    }
    fs::write(&file, text).unwrap();
    assert_eq!(call(&["compare", path]).0, Some(0));
}
