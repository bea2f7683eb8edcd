//! The meter as a process of an Arm machine, which QEMU emulates here: by itself, and behind a
//! program that stands in for ssh.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The host tool, with nobody to ask.
fn host(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_host"));
    command
        .args(arguments)
        .arg("--non-interactive")
        .env("NO_COLOR", "1")
        .env("NGCC_TEST_PACKAGES", "1");
    command
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn an_emulated_process_computes_the_known_answers() {
    for instance in [
        "pqclean/ML-KEM-512",
        "pqclean/ML-KEM-512-aarch64",
        "pqclean/ML-DSA-44",
        "x25519/X25519",
    ] {
        let output = host(&["kat", instance, "--system", "qemu-user"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let words = format!("{instance} on qemu-user: PASS");
        assert!(said(&output).contains(&words), "{}", said(&output));
    }
}

/// The records of a campaign's system, by their operation.
fn record(run: &Path, system: &str, name: &str) -> Value {
    let file = run.join(system).join("records/rogues").join(name);
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

fn campaign(only: &str, run: &Path) -> Command {
    let run = run.to_str().unwrap();
    let mut arguments = vec!["campaign", "--only", only, "--run-dir", run];
    arguments.extend(["--trial-target", "0.01", "--op-budget", "1"]);
    arguments.extend(["--allow-unfit", "--no-profile"]);
    host(&arguments)
}

#[test]
fn faults_of_an_emulated_process_have_their_line_and_counts_their_mark() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let output = campaign("^rogues/(writes-to-null|recurses)$", &run)
        .args(["--system", "qemu-user"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    for (label, line) in [
        ("writes-to-null", "c:13)"),
        ("recurses", "in descend (rogues/"),
    ] {
        let record = record(&run, "qemu-user", &format!("{label}__enc.json"));
        let reason = record["meter"]["reason"].as_str().unwrap();
        assert!(reason.contains(line), "{reason}");
    }
    let keygen = record(&run, "qemu-user", "recurses__keygen.json");
    let meter = &keygen["meter"];
    assert_eq!(meter["emulator"]["name"], "qemu-aarch64");
    assert_eq!(meter["counter"]["unit"], "timer_ticks");
    assert!(meter["counter"]["frequency_hz"].as_u64() > Some(0));
    assert_eq!(keygen["mean_cycles"], Value::Null);
    let fitness = meter["fitness"][0].as_str().unwrap();
    assert!(fitness.contains("emulated"), "{fitness}");
}

/// A machine that is reached by a program called ssh: its shell is this machine's, with an emulator
/// around the meter and another name.
struct Board {
    folder: tempfile::TempDir,
}

impl Board {
    fn new() -> Self {
        let board = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(board.path("tmp")).unwrap();
        let place = board.folder.path().display();
        // Away, it cannot be reached; otherwise it runs what follows the destination. The first
        // connection is the one that keeps the folder.
        let ssh = format!(
            "[ -e {place}/away ] && echo no route >&2 && exit 255\n\
             while [ \"$1\" != -- ]; do shift; done\n\
             echo \"$2\" >> {place}/destinations\n\
             [ -e {place}/keeper ] || echo $$ > {place}/keeper\n\
             shift 2\n\
             PATH={place}/there:$PATH TMPDIR={place}/tmp exec sh -c \"$*\"\n"
        );
        board.program("here/ssh", &ssh);
        // The last words are the meter's path; a board that is to vanish does so when it is started.
        let env = format!(
            "if [ -e {place}/vanish ]; then\n\
             mv {place}/vanish {place}/away; kill $(cat {place}/keeper); rm {place}/keeper; exit 255\n\
             fi\n\
             NGCC_METER_UNCONFINED=1 exec /usr/bin/env \"$1\" \
             qemu-aarch64 -cpu cortex-a72 -L /usr/aarch64-linux-gnu \"$2\"\n"
        );
        board.program("there/env", &env);
        let uname = "case $1 in -m) echo aarch64;; -n) echo board;; *) echo 6.1.0;; esac\n";
        board.program("there/uname", uname);
        board
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{script}")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A campaign on it.
    fn campaign(&self, run: &Path) -> Output {
        let path = std::env::var("PATH").unwrap();
        campaign("^rogues/prints$", run)
            .args(["--system", "arm_lab", "--ssh", "me@board"])
            .env("PATH", format!("{}:{path}", self.path("here").display()))
            .output()
            .unwrap()
    }
}

#[test]
fn a_campaign_over_ssh_survives_a_lost_connection_and_leaves_nothing_behind() {
    let board = Board::new();
    let run = board.path("run");
    fs::write(board.path("vanish"), "").unwrap();
    let output = board.campaign(&run);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let words = "me@board cannot be measured on over ssh: no route";
    assert!(said(&output).contains(words), "{}", said(&output));

    fs::remove_file(board.path("away")).unwrap();
    let output = board.campaign(&run);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let record = record(&run, "arm_lab", "prints__enc.json");
    let environment = &record["environment"];
    assert_eq!(environment["hostname"], "board");
    assert_eq!(environment["architecture"], "aarch64");
    assert_eq!(environment["kernel"], "6.1.0");
    assert_eq!(record["load_average_start"], Value::Null);
    let meter = &record["meter"];
    assert_eq!(meter["transport"]["kind"], "ssh");
    assert_eq!(meter["transport"]["bad_frames"], 0);
    // What a submission prints is not among the frames, but with its errors.
    assert_eq!(meter["output"]["stdout"]["length_bytes"], 0);
    let printed = meter["output"]["stderr"]["beginning"].as_str().unwrap();
    assert!(printed.contains("enc on standard"), "{printed}");
    let left: Vec<_> = fs::read_dir(board.path("tmp")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    let destinations = fs::read_to_string(board.path("destinations")).unwrap();
    assert!(destinations.lines().all(|line| line == "me@board"));
}

#[test]
fn a_published_name_is_not_anybodys() {
    let output = host(&[
        "kat",
        "pqclean/ML-KEM-512",
        "--system",
        "arm_1",
        "--ssh",
        "me@board",
    ])
    .output()
    .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("systems.toml"), "{}", said(&output));
}
