//! The real command, interrupted: what is measured is kept, and nothing is left running.

mod support;

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use host::record::read::read;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use support::processes::{children_of, exists};
use tempfile::TempDir;

/// Long enough for anything that a test waits for, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(240);

/// Operations of the instance, in the order of their records.
const OPERATIONS: usize = 3;

/// A campaign of one instance on the emulated board, in a process group of its own, as a shell
/// would start it.
struct Campaign {
    folder: TempDir,
    host: Child,
}

fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_host"));
    command
        .args([
            "campaign",
            "--no-profile",
            "--system",
            "qemu-virt",
            "--only",
            "^pqclean/ML-KEM-768$",
        ])
        .args(["--trial-target", "0.5", "--run-dir"])
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    command
}

impl Campaign {
    /// Starts one and waits until its first record is kept and the next one is being measured.
    fn with_one_record() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let host = command(folder.path()).spawn().unwrap();
        let campaign = Self { folder, host };
        campaign.wait_for("a record", || !campaign.records().is_empty());
        campaign
    }

    fn wait_for(&self, what: &str, mut is_there: impl FnMut() -> bool) {
        let until = Instant::now() + PATIENCE;
        while !is_there() {
            assert!(Instant::now() < until, "no {what}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn records(&self) -> Vec<PathBuf> {
        let folder = self.folder.path().join("qemu-virt/records/pqclean");
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|e| e == "json"))
            .collect()
    }

    fn id(&self) -> Pid {
        Pid::from_child(&self.host)
    }

    /// The emulator that measures now.
    fn emulator(&self) -> u32 {
        let mut found = Vec::new();
        self.wait_for("emulator", || {
            found = children_of(self.host.id())
                .into_iter()
                .filter(|id| {
                    let line = fs::read_to_string(format!("/proc/{id}/cmdline"));
                    line.is_ok_and(|line| line.starts_with("qemu-system-aarch64"))
                })
                .collect();
            found.len() == 1
        });
        found[0]
    }

    /// Waits for the end; everything in the folder must be whole.
    fn end(self) -> (TempDir, Output) {
        let records = self.records();
        let Self { folder, host } = self;
        let output = host.wait_with_output().unwrap();
        for record in records {
            assert!(read(&record).unwrap().is_clean(), "{}", record.display());
        }
        (folder, output)
    }
}

fn wait_until_gone(id: u32) {
    let until = Instant::now() + Duration::from_secs(5);
    while exists(id) {
        assert!(Instant::now() < until, "process {id} is still there");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn one_interruption_ends_after_the_record_and_a_second_campaign_goes_on_from_there() {
    let campaign = Campaign::with_one_record();
    let emulator = campaign.emulator();
    let before = campaign.records().len();
    // As the terminal does it: to the whole group.
    kill_process_group(campaign.id(), Signal::INT).unwrap();
    let (folder, output) = campaign.end();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("ending after the current record"), "{said}");
    assert!(!exists(emulator));

    let kept = |folder: &Path| {
        let folder = folder.join("qemu-virt/records/pqclean");
        let mut kept: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                (entry.path(), entry.metadata().unwrap().modified().unwrap())
            })
            .collect();
        kept.sort();
        kept
    };
    let first = kept(folder.path());
    // The record that was being measured, if one was, is there as well; the next one is not.
    assert!((before..=before + 1).contains(&first.len()), "{said}");
    assert!(first.len() < OPERATIONS, "{said}");

    let output = command(folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let second = kept(folder.path());
    assert_eq!(second.len(), OPERATIONS);
    for record in first {
        assert!(
            second.contains(&record),
            "{} was touched",
            record.0.display()
        );
    }
}

#[test]
fn a_build_ends_with_the_first_interruption() {
    let target = tempfile::tempdir().unwrap();
    let runs = tempfile::tempdir().unwrap();
    let host = command(runs.path())
        .env("CARGO_TARGET_DIR", target.path())
        .spawn()
        .unwrap();
    let campaign = Campaign { folder: runs, host };
    let started_building = target.path().join("ngcc/build/debug");
    campaign.wait_for("build", || started_building.is_dir());
    let builders = children_of(campaign.host.id());
    kill_process_group(campaign.id(), Signal::INT).unwrap();
    let interrupted = Instant::now();
    let (_folder, output) = campaign.end();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    let delay = interrupted.elapsed();
    assert!(delay < Duration::from_secs(3), "{delay:?}");
    assert!(builders.iter().all(|id| !exists(*id)));
}

#[test]
fn two_interruptions_end_at_once() {
    let campaign = Campaign::with_one_record();
    let emulator = campaign.emulator();
    kill_process(campaign.id(), Signal::INT).unwrap();
    thread::sleep(Duration::from_millis(100));
    kill_process(campaign.id(), Signal::INT).unwrap();
    let started = Instant::now();
    let (_folder, output) = campaign.end();
    assert_eq!(output.status.code(), Some(130));
    let delay = started.elapsed();
    assert!(delay < Duration::from_secs(3), "{delay:?}");
    assert!(!exists(emulator));
}

#[test]
fn an_emulator_does_not_outlive_a_host_that_is_killed() {
    let campaign = Campaign::with_one_record();
    let emulator = campaign.emulator();
    kill_process(campaign.id(), Signal::KILL).unwrap();
    campaign.end();
    wait_until_gone(emulator);
}
