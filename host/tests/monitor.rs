//! The commands around a line as people use them: ports, monitor, replay, and every verb that takes
//! a capture in place of a system.

mod support;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use host::capture::Capture;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use support::board::Socket;
use wire::{Kind, Response};

fn host(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_host"));
    command
        .args(arguments)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    host(arguments).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

#[test]
fn ports_are_listed_with_the_one_that_is_taken() {
    let output = run(&["ports", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let listed = json(&output.stdout);
    assert!(listed["ports"].is_array() && listed["reason"].is_string());
    let named = run(&["ports", "--json", "--port", "/dev/ttyUSB7"]);
    assert_eq!(json(&named.stdout)["choice"], "/dev/ttyUSB7");
    let said = text(&run(&["ports", "--port", "/dev/ttyUSB7"]).stdout);
    assert!(
        said.contains("taken is /dev/ttyUSB7: it is named"),
        "{said}"
    );
}

#[test]
fn a_port_that_is_not_there_is_an_error_with_a_remedy() {
    let output = run(&["monitor", "--port", "/dev/no-such-port"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("/dev/no-such-port is not there"), "{said}");
    assert!(said.contains("cargo host ports"), "{said}");
}

/// A monitor of a port, and what it says.
struct Monitor {
    child: Child,
    lines: BufReader<ChildStdout>,
    said: BufReader<std::process::ChildStderr>,
}

impl Monitor {
    fn of(port: &Path, more: &[&str]) -> Self {
        let arguments = ["monitor", "--port", port.to_str().unwrap(), "--json"];
        let mut child = host(&[&arguments, more].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        let said = BufReader::new(child.stderr.take().unwrap());
        let mut monitor = Self { child, lines, said };
        monitor.wait_for("listening to");
        monitor
    }

    /// Waits until it says this.
    fn wait_for(&mut self, words: &str) {
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            assert!(self.said.read_line(&mut line).unwrap() > 0, "no `{words}`");
        }
    }

    fn entry(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        json(line.as_bytes())
    }

    fn end(mut self) -> Option<i32> {
        let id = Pid::from_raw(self.child.id() as i32).unwrap();
        kill_process(id, Signal::INT).unwrap();
        self.child.wait().unwrap().code()
    }
}

#[test]
fn a_monitor_shows_what_comes_sends_nothing_and_waits_for_an_unplugged_board() {
    let socket = Socket::new();
    let mut board = socket.plug_in();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("line.capture");
    let mut monitor = Monitor::of(&socket.port(), &["--capture", file.to_str().unwrap()]);
    let frame = wire::encode(Kind::Response, 5, 0, &Response::Released).unwrap();
    board.write_all(b"Booting\r\n").unwrap();
    board.write_all(&frame).unwrap();
    let entry = monitor.entry();
    assert_eq!(
        (&entry["kind"], &entry["words"]),
        (&"text".into(), &"Booting".into())
    );
    let entry = monitor.entry();
    assert_eq!(
        (&entry["from"], &entry["words"]),
        (&"meter".into(), &"Released".into())
    );
    assert_eq!(entry["number"], serde_json::json!([5, 0]));

    // Another reader would take bytes away.
    let second = run(&["monitor", "--port", socket.port().to_str().unwrap()]);
    assert_eq!(second.status.code(), Some(2));
    let said = text(&second.stderr);
    assert!(said.contains("is in use by host (process"), "{said}");

    assert!(is_silent(&board));
    drop(board);
    monitor.wait_for("waiting for");
    let mut board = socket.plug_in();
    monitor.wait_for("is back");
    board.write_all(&frame).unwrap();
    assert_eq!(monitor.entry()["words"], "Released");
    assert_eq!(monitor.end(), Some(130));
    assert!(is_silent(&board));

    let output = run(&["replay", file.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let words: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| json(line)["words"].clone())
        .collect();
    assert_eq!(words, ["Booting", "Released", "Released"]);
    let raw = run(&["replay", file.to_str().unwrap(), "--raw"]);
    let raw = text(&raw.stdout);
    assert!(raw.contains("42 6f 6f 74 69 6e 67"), "{raw}");
    let output = run(&["replay", "README.md"]);
    assert_eq!(output.status.code(), Some(2));
}

/// Whether nothing was sent to a board.
fn is_silent(board: &File) -> bool {
    let mut descriptors = [PollFd::new(board, PollFlags::IN)];
    poll(&mut descriptors, Some(&Timespec::default())).unwrap();
    !descriptors[0].revents().contains(PollFlags::IN)
}

/// The records of a run directory, without what is of the occasion.
fn measured(folder: &Path) -> Vec<Value> {
    let records = folder.join("qemu-virt/records/pqclean");
    let mut files: Vec<PathBuf> = fs::read_dir(records)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| {
            let record = json(&fs::read(file).unwrap());
            let meter = &record["meter"];
            serde_json::json!({
                "operation": record["operation"],
                "kat": record["kat"],
                "trials": meter["trials"],
                "samples": meter["samples"],
                "memory": meter["memory"],
                "events": meter["events"],
            })
        })
        .collect()
}

#[test]
fn every_verb_gets_from_a_capture_what_it_got_from_the_meter() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let campaign = |system: &str, into: &Path| {
        // The target of a trial is that of `run`.
        let arguments = [
            "campaign",
            "--no-profile",
            "--capture",
            "--trial-target",
            "0.1",
        ];
        let chosen = ["--only", "^pqclean/ML-KEM-768$", "--system", system];
        let into = ["--run-dir", into.to_str().unwrap()];
        let output = run(&[&arguments[..], &chosen, &into].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    };
    campaign("qemu-virt", &first);
    let file = first.join("qemu-virt/captures/pqclean/ML-KEM-768.capture");
    let capture = Capture::read(&file).unwrap();
    let image = capture.recordings()[0].start.image.clone();
    let system = format!("capture:{}", file.display());
    campaign(&system, &second);
    let records = measured(&first);
    assert_eq!(records.len(), 3);
    assert_eq!(measured(&second), records);

    let kat = run(&["kat", "pqclean/ML-KEM-768", "--json", "--system", &system]);
    assert_eq!(kat.status.code(), Some(0), "{}", text(&kat.stderr));
    assert_eq!(json(&kat.stdout)["kat"], "PASS");

    let image = image.to_str().unwrap();
    let ran = run(&["run", image, "--json", "--system", &system]);
    assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
    let ran = json(&ran.stdout);
    assert_eq!(ran.as_array().unwrap().len(), 3);
    for record in ran.as_array().unwrap() {
        let same = records
            .iter()
            .find(|it| it["operation"] == record["operation"]);
        assert_eq!(record["meter"]["trials"], same.unwrap()["trials"]);
        assert_eq!(record["meter"]["transport"]["kind"], "capture");
    }

    // Another image was not recorded.
    let other = run(&["kat", "pqclean/ML-KEM-512", "--system", &system]);
    assert_eq!(other.status.code(), Some(2));
    let said = text(&other.stderr);
    assert!(said.contains("has no recording of"), "{said}");

    let shown = run(&["replay", file.to_str().unwrap(), "--elf", image]);
    let shown = text(&shown.stdout);
    for words in [
        "> request  1       Hello",
        "ready: ML-KEM-768",
        "samples 0..",
    ] {
        assert!(shown.contains(words), "no `{words}` in {shown}");
    }
}
