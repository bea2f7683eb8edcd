//! What a campaign says while it measures: a bar on a terminal, plain lines elsewhere, and nothing
//! when it is to be quiet.

use std::fs::OpenOptions;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use host::line::{PtyLine, Reading, read};

fn campaign(run: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_host"));
    command
        .args(["campaign", "--system", "qemu-virt", "--no-profile"])
        .args(["--only", "^pqclean/ML-KEM-512$", "--trial-target", "0.005"])
        .args(arguments)
        .arg("--run-dir")
        .arg(run)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .env_remove("NO_COLOR")
        .env("TERM", "xterm-256color");
    command
}

/// What a campaign says on a terminal.
fn on_a_terminal(mut command: Command) -> String {
    let (mut line, slave) = PtyLine::open().unwrap();
    let terminal = OpenOptions::new()
        .read(true)
        .write(true)
        .open(&slave.path)
        .unwrap();
    let size = Command::new("stty")
        .args(["rows", "30", "cols", "120"])
        .stdin(terminal.try_clone().unwrap())
        .status();
    assert!(size.unwrap().success());
    let mut host = command.stderr(terminal).spawn().unwrap();
    drop(command);
    let reader = thread::spawn(move || {
        let mut said = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let ended = host.try_wait().unwrap();
            match read(&mut line, &mut buffer) {
                Reading::Bytes(length) => said.extend_from_slice(&buffer[..length]),
                _ if ended.is_none() => {}
                _ => return (said, ended.unwrap()),
            }
        }
    });
    let (said, status) = reader.join().unwrap();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(status.success(), "{said}");
    said
}

/// What it says to a pipe.
fn to_a_pipe(mut command: Command) -> String {
    let output = command.stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    said
}

#[test]
fn a_bar_on_a_terminal_plain_lines_in_a_pipe_and_nothing_in_quiet() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path();
    let terminal = on_a_terminal(campaign(run, &[]));
    for part in ["\u{1b}[", "/3] pqclean/ML-KEM-512", ": measure: ", "ETA"] {
        assert!(terminal.contains(part), "no {part:?} in {terminal:?}");
    }
    let records = |said: &str, operation: &str| {
        let record = format!("pqclean/ML-KEM-512 {operation}: ");
        // What was drawn on the same line before is erased.
        let lines = said
            .lines()
            .filter_map(|line| line.rsplit("\u{1b}[2K").next());
        lines
            .filter(|line| line.contains(&record) && line.contains("(n = 100)"))
            .count()
    };
    for operation in ["keygen", "enc", "dec"] {
        assert_eq!(records(&terminal, operation), 1, "{terminal:?}");
    }

    let pipe = to_a_pipe(campaign(run, &["--redo", "__(keygen|enc)$"]));
    assert!(
        !pipe.contains(|c: char| c.is_control() && c != '\n'),
        "{pipe:?}"
    );
    assert_eq!(
        records(&pipe, "keygen") + records(&pipe, "enc"),
        2,
        "{pipe}"
    );
    assert!(!pipe.contains("measure: "), "{pipe}");

    let quiet = to_a_pipe(campaign(run, &["--redo", "__keygen$", "--quiet"]));
    assert_eq!(quiet, "");
    let log = std::fs::read_to_string(run.join("campaign.log")).unwrap();
    for phase in ["check", "build", "kat", "calibrate", "measure", "memory"] {
        assert!(log.contains(&format!(": {phase}")), "no {phase} in {log}");
    }
}
