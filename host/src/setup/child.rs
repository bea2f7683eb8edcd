//! Programs started from within `cargo run`.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::error::StepError;
use crate::interrupt::{Interrupt, Urgency};

/// How often a running command is looked at.
const POLL: Duration = Duration::from_millis(20);

/// What `cargo run` says about the package it runs. None of it is true for another cargo, and a
/// build script that watches such a variable would run again.
const OF_THIS_RUN: [&str; 4] = [
    "CARGO_MANIFEST_",
    "CARGO_PKG_",
    "CARGO_BIN_",
    "CARGO_CRATE_",
];

/// A command whose environment is that of the shell that started us, as far as it can be known.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in env::vars_os() {
        if is_of_this_run(&name) {
            command.env_remove(name);
        }
    }
    command
}

/// The same for a program that runs others: it gets a process group of its own, all of which ends
/// with us, even when we are killed. A shell that waits for the end of our pipe, which is the
/// program's standard input to the caller and must be kept until it has ended, sees to that.
pub fn bound_group(program: impl AsRef<OsStr>) -> Command {
    let script = r#"exec 3<&0
        { read -r end <&3; kill -s KILL 0; } &
        exec "$@" </dev/null 3<&-"#;
    let mut command = command("sh");
    command
        .args(["-c", script, "sh"])
        .arg(program)
        .process_group(0)
        .stdin(Stdio::piped());
    command
}

/// The cargo that runs us, or the one that is found.
pub fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Runs a command to its end, its output among our words.
///
/// # Errors
///
/// When it cannot be started or does not succeed.
pub fn run(command: &mut Command) -> Result<(), StepError> {
    let name = name(command);
    let status = command
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .status()
        .map_err(|error| StepError::new(format!("{name} does not start: {error}")))?;
    judge(&name, status)
}

/// Runs a command that is given as words. It may ask, as sudo does.
///
/// # Errors
///
/// When it cannot be started or does not succeed.
pub fn run_words(words: &[String]) -> Result<(), StepError> {
    let Some((program, arguments)) = words.split_first() else {
        return Ok(());
    };
    let mut command = command(program);
    let status = command
        .args(arguments)
        .stdout(io::stderr())
        .status()
        .map_err(|error| StepError::new(format!("{program} does not start: {error}")))?;
    judge(&words.join(" "), status)
}

/// Runs a command, and ends it after some time.
///
/// # Errors
///
/// When it cannot be started, does not succeed or has no end.
pub fn run_within(
    command: &mut Command,
    limit: Duration,
    interrupt: &Interrupt,
) -> Result<(), StepError> {
    let name = name(command);
    match attend(command.stdout(io::stderr()), limit, interrupt) {
        Ok(Attended::Exited(status)) => judge(&name, status),
        Ok(Attended::Deadline) => Err(StepError::new(format!(
            "{name} was ended after {} s",
            limit.as_secs()
        ))),
        Ok(Attended::Interrupted) => Err(StepError::new(format!("{name} was interrupted"))),
        Err(error) => Err(StepError::new(format!("{name} does not run: {error}"))),
    }
}

/// How an attended command ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Attended {
    /// By itself.
    Exited(ExitStatus),
    /// Its time was up.
    Deadline,
    /// The user wanted it.
    Interrupted,
}

/// Runs a command that reads nothing, and ends it and all that it started when it must not go on.
///
/// # Errors
///
/// When it cannot be started or ended.
pub fn attend(
    command: &mut Command,
    limit: Duration,
    interrupt: &Interrupt,
) -> io::Result<Attended> {
    let started = Instant::now();
    let mut child = command.stdin(Stdio::null()).process_group(0).spawn()?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Attended::Exited(status));
        }
        if interrupt.urgency() > Urgency::None {
            end(&mut child)?;
            return Ok(Attended::Interrupted);
        }
        if started.elapsed() > limit {
            end(&mut child)?;
            return Ok(Attended::Deadline);
        }
        thread::sleep(POLL);
    }
}

/// Ends a command's whole process group: cargo alone would leave its test programs behind.
fn end(child: &mut Child) -> io::Result<()> {
    kill_process_group(Pid::from_child(child), Signal::KILL)?;
    child.wait()?;
    Ok(())
}

fn judge(name: &str, status: ExitStatus) -> Result<(), StepError> {
    if status.success() {
        Ok(())
    } else {
        Err(StepError::new(format!("{name}: {status}")))
    }
}

/// The command as it would be typed, but for the quotes.
fn name(command: &Command) -> String {
    let words: Vec<_> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect();
    words.join(" ")
}

fn is_of_this_run(name: &OsStr) -> bool {
    name == "CARGO"
        || name == "OUT_DIR"
        || name == "RUST_RECURSION_COUNT"
        || OF_THIS_RUN
            .iter()
            .any(|prefix| name.as_encoded_bytes().starts_with(prefix.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_goes_and_the_users_settings_stay() {
        for name in [
            "CARGO",
            "CARGO_PKG_NAME",
            "CARGO_MANIFEST_DIR",
            "CARGO_BIN_EXE_host",
        ] {
            assert!(is_of_this_run(name.as_ref()), "{name}");
        }
        for name in [
            "CARGO_HOME",
            "CARGO_TARGET_DIR",
            "CARGO_NET_OFFLINE",
            "RUSTFLAGS",
            "PATH",
        ] {
            assert!(!is_of_this_run(name.as_ref()), "{name}");
        }
    }

    /// cargo itself runs this test, and tells it about its package.
    #[test]
    fn a_command_does_not_inherit_the_package() {
        let removed: Vec<_> = command("true")
            .get_envs()
            .filter(|(_, value)| value.is_none())
            .map(|(name, _)| name.to_owned())
            .collect();
        assert!(
            removed.contains(&"CARGO_MANIFEST_DIR".into()),
            "{removed:?}"
        );
    }

    #[test]
    fn failures_and_endless_commands_are_reported() {
        let limit = Duration::from_millis(100);
        let going = Interrupt::new();
        assert_eq!(
            run_within(&mut command("true"), limit * 100, &going),
            Ok(())
        );
        let failed = run_within(&mut command("false"), limit * 100, &going);
        assert!(failed.is_err_and(|error| error.to_string().contains("exit status: 1")));
        let endless = run_within(command("sleep").arg("60"), limit, &going);
        assert!(endless.is_err_and(|error| error.to_string().contains("sleep 60 was ended")));
        let lost = run_words(&["/nowhere/program".into()]);
        assert!(lost.is_err_and(|error| error.to_string().contains("does not start")));
    }

    #[test]
    fn a_command_without_end_is_ended_with_all_that_it_started() {
        let short = Duration::from_millis(300);
        let long = short * 100;
        let interrupt = Interrupt::new();
        let run = |limit, script: &str, interrupt: &Interrupt| {
            attend(command("sh").args(["-c", script]), limit, interrupt).expect("sh runs")
        };
        let ended = run(long, "exit 7", &interrupt);
        assert!(matches!(ended, Attended::Exited(status) if status.code() == Some(7)));

        let folder = tempfile::tempdir().expect("a folder");
        let pid = folder.path().join("pid");
        let script = format!("sleep 60 & echo $! > {}; wait", pid.display());
        assert_eq!(run(short, &script, &interrupt), Attended::Deadline);
        let pid = std::fs::read_to_string(pid).expect("it was started");
        let pid = pid.trim().parse().ok().and_then(Pid::from_raw);
        let pid = pid.expect("a process number");
        // Whoever inherits it may take a moment to bury it.
        let gone = || {
            let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
            state.map_or(true, |state| state.contains(") Z "))
        };
        let deadline = Instant::now() + long;
        while !gone() {
            assert!(Instant::now() < deadline, "the grandchild lives on");
            thread::sleep(POLL);
        }

        interrupt.press();
        assert_eq!(run(long, "sleep 60", &interrupt), Attended::Interrupted);
    }
}
