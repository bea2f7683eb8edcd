//! A meter that is a process of this machine, or the emulator around it.

use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::ioctl_fionread;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::{Life, StartError};
use crate::fault::signal;

/// Bytes of each output stream that are kept; the rest is only counted.
const KEPT_BYTES: usize = 64 * 1024;

/// How often a process that is about to end is looked at.
pub(super) const POLL: Duration = Duration::from_millis(5);

/// How long the output of a process that has ended is waited for: a grandchild that left the group
/// may hold the pipe.
const DRAIN: Duration = Duration::from_secs(1);

/// What a process wrote to one of its streams.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Captured {
    /// The first bytes.
    pub first: Vec<u8>,
    /// Bytes in all.
    pub length: u64,
}

impl Captured {
    /// What was written after `earlier`, a state of the same stream.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            first: self
                .first
                .get(earlier.first.len()..)
                .unwrap_or_default()
                .to_vec(),
            length: self.length.saturating_sub(earlier.length),
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        let room = KEPT_BYTES.saturating_sub(self.first.len()).min(bytes.len());
        self.first.extend_from_slice(&bytes[..room]);
        self.length += bytes.len() as u64;
    }
}

/// What a process wrote.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Output {
    /// To its standard output.
    pub stdout: Captured,
    /// To its standard error.
    pub stderr: Captured,
}

impl Output {
    /// What was written after `earlier`, a state of the same process.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            stdout: self.stdout.since(&earlier.stdout),
            stderr: self.stderr.since(&earlier.stderr),
        }
    }
}

/// A running process, which dies with this value, and with it all that it started in its group.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    status: Option<ExitStatus>,
    stdout: Stream,
    stderr: Stream,
}

impl Process {
    /// Starts a command with its streams captured.
    ///
    /// It gets a process group of its own, so that the terminal's Ctrl-C reaches the host alone,
    /// and the kernel ends it when the thread that started it ends, even by SIGKILL.
    ///
    /// # Errors
    ///
    /// When it cannot be started.
    pub fn start(name: &str, command: &mut Command) -> Result<Self, StartError> {
        Self::start_with(name, command, (Stdio::null(), Stdio::piped()))
    }

    /// The same with this standard input and output; one that is no pipe is not captured.
    ///
    /// # Errors
    ///
    /// When it cannot be started.
    pub fn start_with(
        name: &str,
        command: &mut Command,
        (input, output): (Stdio, Stdio),
    ) -> Result<Self, StartError> {
        let mut child = command
            .process_group(0)
            .stdin(input)
            .stdout(output)
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| StartError::Spawn {
                what: name.to_owned(),
                source,
            })?;
        Ok(Self {
            name: name.to_owned(),
            stdout: Stream::drain(child.stdout.take()),
            stderr: Stream::drain(child.stderr.take()),
            child,
            status: None,
        })
    }

    fn poll(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() && self.has_exited() {
            self.reap();
        }
        self.status
    }

    /// Whether it has exited. It is left to be reaped: until then nobody else gets its number.
    fn has_exited(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error means that there is nothing to wait for.
        !matches!(
            waitid(WaitId::Pid(Pid::from_child(&self.child)), look),
            Ok(None)
        )
    }

    /// Ends it and all that it started in its group, and takes its status.
    fn reap(&mut self) {
        // An error means that all are gone already.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        self.status = self.child.wait().ok();
    }

    /// Waits for the end until then.
    fn wait_until(&mut self, until: Instant) {
        while self.poll().is_none() && Instant::now() < until {
            thread::sleep(POLL);
        }
    }

    fn kill(&mut self) {
        if self.poll().is_none() {
            self.reap();
        }
    }
}

impl Life for Process {
    fn ended(&mut self) -> Option<String> {
        let status = self.poll()?;
        let how = match (status.signal(), status.code()) {
            (Some(signal), _) => {
                let name =
                    signal::name(signal).map_or_else(String::new, |name| format!(" ({name})"));
                format!("{} was killed by signal {signal}{name}", self.name)
            }
            (None, Some(code)) => format!("{} ended with status {code}", self.name),
            (None, None) => format!("{} ended", self.name),
        };
        let stderr = self.stderr.collect(Instant::now() + DRAIN);
        let stderr = String::from_utf8_lossy(&stderr.first);
        Some(match stderr.lines().rfind(|line| !line.trim().is_empty()) {
            Some(last) => format!("{how}: {last}"),
            None => how,
        })
    }

    fn exit_code(&mut self) -> Option<i64> {
        let status = self.poll()?;
        let code = status.code().or_else(|| Some(-status.signal()?))?;
        Some(code.into())
    }

    fn output(&mut self) -> Output {
        let until = Instant::now() + DRAIN;
        // While it runs, the streams have no end to wait for.
        let collect = match self.poll() {
            Some(_) => Stream::collect,
            None => Stream::collect_written,
        };
        Output {
            stdout: collect(&mut self.stdout, until),
            stderr: collect(&mut self.stderr, until),
        }
    }

    fn stop(&mut self, grace: Duration) {
        self.wait_until(Instant::now() + grace);
        self.kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What a bound command is wrapped in, before the program and its arguments.
///
/// setpriv lets the kernel end the process when the thread that started it ends. Should the host
/// have ended before that was arranged, another process is the parent by now: then the shell starts
/// nothing.
fn binding(host: u32) -> [String; 8] {
    let only_if_host_lives = r#"[ "$PPID" = "$0" ] && exec "$@""#;
    let host = host.to_string();
    let words = [
        "setpriv",
        "--pdeathsig",
        "KILL",
        "--",
        "sh",
        "-c",
        only_if_host_lives,
        &host,
    ];
    words.map(str::to_owned)
}

/// A command as the words that would be typed, without what binds it to us.
pub fn words(command: &Command) -> Vec<String> {
    let words: Vec<String> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let binding = binding(std::process::id());
    words
        .strip_prefix(&binding[..])
        .map_or_else(|| words.clone(), <[String]>::to_vec)
}

/// The command that runs `program`, ended by the kernel when the calling thread ends. Without
/// util-linux's `setpriv` it is the bare program, which then outlives a host that was killed.
pub fn bound_to_us(program: &str) -> Command {
    if which::which("setpriv").is_err() {
        return Command::new(program);
    }
    let [setpriv, arguments @ ..] = binding(std::process::id());
    let mut command = Command::new(setpriv);
    command.args(arguments).arg(program);
    command
}

/// A stream that a thread reads to its end, so that the writer never blocks.
#[derive(Debug)]
struct Stream {
    captured: Arc<Mutex<Captured>>,
    thread: Option<JoinHandle<()>>,
    /// Tells what waits to be read.
    source: Option<OwnedFd>,
}

impl Stream {
    fn drain(source: Option<impl Read + AsFd + Send + 'static>) -> Self {
        let captured = Arc::new(Mutex::new(Captured::default()));
        let copy = source
            .as_ref()
            .and_then(|source| source.as_fd().try_clone_to_owned().ok());
        let thread = source.map(|mut source| {
            let captured = Arc::clone(&captured);
            thread::spawn(move || {
                let mut buffer = [0; 8192];
                loop {
                    // What is taken from the pipe is among the captured when the lock is free.
                    let _ = poll(&mut [PollFd::new(&source, PollFlags::IN)], None);
                    let mut captured = captured.lock().unwrap_or_else(PoisonError::into_inner);
                    match source.read(&mut buffer) {
                        Ok(0) => return,
                        Ok(length) => captured.take(&buffer[..length]),
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(_) => return,
                    }
                }
            })
        });
        Self {
            captured,
            thread,
            source: copy,
        }
    }

    /// What was written, once the stream has ended or `until` has come.
    fn collect(&mut self, until: Instant) -> Captured {
        while self
            .thread
            .as_ref()
            .is_some_and(|thread| !thread.is_finished())
            && Instant::now() < until
        {
            thread::sleep(POLL);
        }
        self.captured().clone()
    }

    /// What was written so far: nothing of it waits in the pipe, unless `until` comes first.
    fn collect_written(&mut self, until: Instant) -> Captured {
        loop {
            let captured = self.captured();
            let waiting = self
                .source
                .as_ref()
                .map_or(0, |source| ioctl_fionread(source).unwrap_or(0));
            if waiting == 0 || Instant::now() >= until {
                return captured.clone();
            }
            drop(captured);
            thread::sleep(POLL);
        }
    }

    fn captured(&self) -> MutexGuard<'_, Captured> {
        self.captured.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Process {
        Process::start("sh", bound_to_us("sh").args(["-c", script])).unwrap()
    }

    fn wait(process: &mut Process) -> String {
        process.wait_until(Instant::now() + Duration::from_secs(10));
        process.ended().unwrap()
    }

    #[test]
    fn an_end_is_told_with_the_last_words() {
        let mut process = shell("echo first >&2; echo last words >&2; exit 3");
        assert_eq!(wait(&mut process), "sh ended with status 3: last words");
        let mut process = shell("kill -9 $$");
        assert_eq!(wait(&mut process), "sh was killed by signal 9 (SIGKILL)");
        assert_eq!(process.exit_code(), Some(-9));
    }

    #[test]
    fn what_binds_a_program_is_not_among_its_words_and_starts_nothing_for_a_dead_host() {
        let command = bound_to_us("echo");
        assert_eq!(words(&command), ["echo"]);
        // Nobody's number: it is above the kernel's limit.
        let [setpriv, arguments @ ..] = binding(1 << 30);
        let mut orphan = Command::new(setpriv);
        let output = orphan
            .args(arguments)
            .args(["echo", "alive"])
            .output()
            .unwrap();
        assert_eq!((output.status.code(), output.stdout), (Some(1), Vec::new()));
    }

    #[test]
    fn output_can_be_parted() {
        let mut process = shell("echo one; read line; echo two");
        let first = Output {
            stdout: Captured {
                first: b"one\n".to_vec(),
                length: 4,
            },
            ..Output::default()
        };
        wait(&mut process);
        let rest = process.output().since(&first);
        assert_eq!(rest.stdout.first, b"two\n");
        assert_eq!(rest.stdout.length, 4);
    }

    #[test]
    fn what_a_running_process_has_written_is_there_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("mark");
        let script = "echo written; echo said >&2; : >";
        let mut process = shell(&format!("{script} '{}'; sleep 1000", mark.display()));
        while !mark.exists() {
            thread::sleep(POLL);
        }
        let output = process.output();
        assert_eq!(output.stdout.first, b"written\n");
        assert_eq!(output.stderr.first, b"said\n");
    }

    #[test]
    fn endless_output_neither_blocks_nor_fills_the_memory() {
        let mut process = shell("head -c 3000000 /dev/zero; echo done >&2");
        assert_eq!(wait(&mut process), "sh ended with status 0: done");
        let output = process.output();
        assert_eq!(output.stdout.length, 3_000_000);
        assert_eq!(output.stdout.first.len(), KEPT_BYTES);
        assert_eq!(output.stderr.first, b"done\n");
    }

    #[test]
    fn a_process_that_does_not_end_is_ended() {
        let mut process = shell("trap '' TERM INT; while :; do sleep 1; done");
        assert_eq!(process.ended(), None);
        let id = process.child.id();
        let started = Instant::now();
        process.stop(Duration::from_millis(50));
        assert!(started.elapsed() < Duration::from_secs(5));
        assert!(!std::path::Path::new(&format!("/proc/{id}")).exists());
    }

    #[test]
    fn what_a_process_leaves_behind_ends_with_it() {
        let mut process = shell("sleep 1000 & echo $! >&2");
        wait(&mut process);
        let output = process.output();
        let id = String::from_utf8(output.stderr.first).unwrap();
        // Whoever inherits it may leave it a zombie; SIGKILL takes effect a moment later.
        let status = format!("/proc/{}/status", id.trim());
        let runs = || std::fs::read_to_string(&status).is_ok_and(|text| !text.contains("\tZ ("));
        while runs() {
            thread::sleep(POLL);
        }
    }

    #[test]
    fn a_process_has_a_group_of_its_own() {
        let mut process = shell("ps -o pgid= -p $$ >&2; echo $$ >&2");
        wait(&mut process);
        let output = process.output();
        let text = String::from_utf8(output.stderr.first).unwrap();
        let ids: Vec<_> = text.split_whitespace().collect();
        assert_eq!(ids[0], ids[1]);
    }
}
