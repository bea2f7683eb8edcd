//! A command of this program on a large run directory: its time, its rate and its memory.

use std::fs;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use miette::{IntoDiagnostic, WrapErr};

use super::{Figure, RecordSet, Workbench, record};
use crate::system::System;

/// Records in the run directory.
const RECORDS: usize = 10_000;

/// Most memory that a command may use: 500 MB.
const MEMORY_BYTES: f64 = 500e6;

/// How often the memory of the child is looked at.
const LOOK: Duration = Duration::from_millis(2);

/// Runs `cargo host <verb>` on ten thousand records of this system, and demands that it takes no
/// longer than so many seconds.
pub(super) fn measure(
    bench: &Workbench,
    system: &dyn System,
    verb: &str,
    limit_seconds: f64,
) -> miette::Result<Vec<Figure>> {
    let folder = tempfile::tempdir().map_err(|error| {
        miette::miette!(
            help = "set TMPDIR to a folder with room for 300 MB",
            "no folder: {error}"
        )
    })?;
    let models = record::records(bench, system)?;
    let set = RecordSet::new(folder.path(), system.name(), &models, RECORDS)?;
    let (mut walls, mut rates, mut throughputs, mut peaks) = (vec![], vec![], vec![], vec![]);
    for _ in 0..bench.repeat {
        let run = run(verb, &set)?;
        walls.push(run.seconds);
        rates.push(RECORDS as f64 / run.seconds);
        throughputs.push(set.bytes as f64 / run.seconds);
        peaks.push(run.peak_bytes as f64);
    }
    let what = |what: &str| format!("{verb}: {RECORDS} records: {what}");
    Ok(vec![
        Figure::at_most(limit_seconds, what("time"), "s", walls),
        Figure::of(what("rate"), "records/s", rates),
        Figure::of(what("input"), "bytes/s", throughputs),
        Figure::at_most(MEMORY_BYTES, what("peak memory"), "bytes", peaks),
    ])
}

/// What one run of the command took.
struct Run {
    seconds: f64,
    peak_bytes: u64,
}

fn run(verb: &str, set: &RecordSet) -> miette::Result<Run> {
    let program = std::env::current_exe()
        .into_diagnostic()
        .wrap_err("this program does not know where it is")?;
    let started = Instant::now();
    let mut child = Command::new(program)
        .args([verb, "--json", "--non-interactive"])
        .arg(set.run.root())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .into_diagnostic()
        .wrap_err("this program cannot be started once more")?;
    let (status, peak_bytes) = watch(&mut child)?;
    let seconds = started.elapsed().as_secs_f64();
    if !status.success() {
        return Err(miette::miette!(
            help = "the records of this very run are not what they must be: report this",
            "`cargo host {verb}` ended with {status}"
        ));
    }
    Ok(Run {
        seconds,
        peak_bytes,
    })
}

/// Waits for the end of a child; the most memory that it was seen to have used until then.
fn watch(child: &mut Child) -> miette::Result<(ExitStatus, u64)> {
    let file = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        // The kernel keeps the peak itself; a process that has ended has none any more.
        let status = fs::read_to_string(&file).unwrap_or_default();
        peak = peak_of(&status).unwrap_or(peak);
        match child.try_wait().into_diagnostic()? {
            Some(status) => return Ok((status, peak)),
            None => thread::sleep(LOOK),
        }
    }
}

/// `VmHWM` of proc(5): the greatest resident set, in bytes.
fn peak_of(status: &str) -> Option<u64> {
    let mut lines = status.lines();
    let peak = lines.find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = peak.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_what_the_kernel_says() {
        let status = "Name:\thost\nVmPeak:\t 9999 kB\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n";
        assert_eq!(peak_of(status), Some(2 << 20));
        assert_eq!(peak_of("Name:\tzombie\n"), None);
        let own = fs::read_to_string("/proc/self/status").unwrap();
        assert!(peak_of(&own).unwrap() > 1 << 20);
    }
}
