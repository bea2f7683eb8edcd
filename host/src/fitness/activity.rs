//! What happened on a machine between two looks at its counters.

use std::collections::BTreeMap;

use crate::machine::{Files, PROCESSORS};

/// Share of a core's time from which a process is named.
const NAMED_FROM: f64 = 0.10;

/// Counters at one moment. Times are in the kernel's ticks, which are the same everywhere.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Ticks of the core that is measured on: those in which it worked, and all.
    core: Option<(u64, u64)>,
    /// Name and ticks of every process.
    processes: BTreeMap<u32, (String, u64)>,
    /// How often core and package were throttled.
    throttled: Option<u64>,
}

impl Snapshot {
    /// Reads the counters.
    pub fn take(files: &Files, cpu: u32) -> Self {
        let own = std::process::id();
        let processes = files.names("proc").into_iter().filter_map(|name| {
            let id = name.parse().ok().filter(|id| *id != own)?;
            Some((id, process(&files.text(&format!("proc/{id}/stat"))?)?))
        });
        Self {
            core: files.text("proc/stat").and_then(|text| core(&text, cpu)),
            processes: processes.collect(),
            throttled: throttled(files, cpu),
        }
    }
}

/// Working and all ticks of a core, out of `/proc/stat` (proc_stat(5)): user, nice, system, idle,
/// waiting for devices, interrupts, soft interrupts, stolen; guests are contained in the first.
fn core(stat: &str, cpu: u32) -> Option<(u64, u64)> {
    let name = format!("cpu{cpu}");
    let line = stat.lines().find_map(|line| {
        let (first, rest) = line.split_once(' ')?;
        (first == name).then_some(rest)
    })?;
    let ticks = line.split_whitespace().take(8).map(str::parse);
    let ticks: Vec<u64> = ticks.collect::<Result<_, _>>().ok()?;
    let all: u64 = ticks.iter().sum();
    let idle = ticks.get(3)? + ticks.get(4)?;
    Some((all.saturating_sub(idle), all))
}

/// Name and ticks, out of `/proc/<pid>/stat` (proc_pid_stat(5), fields 2, 14 and 15). The name is
/// whatever the process wants, and ends at the last parenthesis.
fn process(stat: &str) -> Option<(String, u64)> {
    let (before, after) = stat.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    let mut fields = after.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some((name.to_owned(), ticks()? + ticks()?))
}

/// How often core and package were throttled since the machine was started.
fn throttled(files: &Files, cpu: u32) -> Option<u64> {
    let counts = ["core", "package"].map(|what| {
        let name = format!("{PROCESSORS}/cpu{cpu}/thermal_throttle/{what}_throttle_count");
        files
            .number(&name)
            .and_then(|count| u64::try_from(count).ok())
    });
    counts.into_iter().flatten().reduce(|a, b| a + b)
}

/// What happened between two looks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Activity {
    /// Share of its time in which the core worked.
    pub core: Option<f64>,
    /// Processes that used much of one core's time, with the share; the busiest first.
    pub processes: Vec<(String, f64)>,
    /// How often core and package were throttled in between.
    pub throttled: Option<u64>,
    /// How often they were throttled since the machine was started.
    pub throttled_ever: Option<u64>,
}

impl Activity {
    /// What happened after the first of two looks.
    pub fn between(first: &Snapshot, second: &Snapshot) -> Self {
        let elapsed = match (first.core, second.core) {
            (Some(first), Some(second)) => second.1.saturating_sub(first.1),
            _ => 0,
        };
        let share = |ticks: u64| ticks as f64 / elapsed as f64;
        let core = (elapsed > 0)
            .then(|| Some(share(second.core?.0.saturating_sub(first.core?.0))))
            .flatten();
        let mut processes: Vec<_> = second
            .processes
            .iter()
            .filter(|_| elapsed > 0)
            .filter_map(|(id, (name, ticks))| {
                // One that has just been started spent all of it in between.
                let before = first.processes.get(id).map_or(0, |(_, ticks)| *ticks);
                let share = share(ticks.saturating_sub(before));
                (share >= NAMED_FROM).then(|| (format!("{name} ({id})"), share))
            })
            .collect();
        processes.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let throttled = |snapshot: &Snapshot| snapshot.throttled;
        Self {
            core,
            processes,
            throttled: throttled(second)
                .zip(throttled(first))
                .map(|(second, first)| second.saturating_sub(first)),
            throttled_ever: second.throttled,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::fake::Machine;

    fn at(core: &str, process: &str, throttled: &str) -> Snapshot {
        let machine = Machine::new()
            .with(
                "proc/stat",
                &format!("cpu  9 9 9 9 9 9 9 9 0 0\ncpu1 {core}\n"),
            )
            .with("proc/7/stat", process)
            .with(
                "sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count",
                throttled,
            );
        Snapshot::take(&machine.files(), 1)
    }

    /// A process with this name and these ticks.
    fn process_of(name: &str, user: u32, system: u32) -> String {
        format!("7 ({name}) R 1 1 1 0 -1 0 1 2 3 4 {user} {system} 0 0 20 0 1 0 5 6 7\n")
    }

    #[test]
    fn what_happened_is_the_difference() {
        let before = at(
            "10 0 5 100 5 0 0 0 0 0",
            &process_of("a) b", 100, 50),
            "3\n",
        );
        let after = at(
            "18 0 7 108 5 2 0 0 0 0",
            &process_of("a) b", 107, 52),
            "4\n",
        );
        let activity = Activity::between(&before, &after);
        assert_eq!(activity.core, Some(0.6));
        assert_eq!(activity.processes, [("a) b (7)".to_owned(), 0.45)]);
        assert_eq!(activity.throttled, Some(1));
        assert_eq!(activity.throttled_ever, Some(4));
    }

    #[test]
    fn nothing_is_known_without_counters() {
        let none = Snapshot::take(&Machine::new().files(), 0);
        assert_eq!(Activity::between(&none, &none), Activity::default());
    }

    #[test]
    fn this_machine_has_counters() {
        let files = Files::of_this_machine();
        let cpu = crate::machine::measuring_cpu();
        let snapshot = Snapshot::take(&files, cpu);
        assert!(snapshot.core.is_some() && !snapshot.processes.is_empty());
    }
}
