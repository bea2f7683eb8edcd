//! The core to itself.

use super::Finding;
use super::observe::Observation;
use crate::machine::{PROCESSORS, cpu_list};

/// Share of its time in which others may use the core that is measured on.
const BUSY: f64 = 0.10;

/// CPUs that are threads of the same core and switched on, the measuring one among them.
fn siblings(seen: &Observation) -> Option<(String, Vec<u32>)> {
    ["topology/core_cpus_list", "topology/thread_siblings_list"]
        .into_iter()
        .find_map(|name| {
            let file = seen.of_cpu(name);
            let list = cpu_list(&seen.files.text(&file)?)?;
            Some((file, list))
        })
}

/// A second thread on the same core shares its caches and units (simultaneous multithreading).
pub fn shared(seen: &Observation) -> Option<Finding> {
    let control_file = format!("{PROCESSORS}/smt/control");
    let control = seen.environment.smt_control.as_deref();
    let finding = |problem, remedy: String| {
        let finding = Finding::new(problem, remedy);
        match control {
            Some(control) => finding.because_file(&control_file, control),
            None => finding,
        }
    };
    match siblings(seen) {
        Some((file, list)) => {
            let others: Vec<u32> = list.into_iter().filter(|cpu| *cpu != seen.cpu).collect();
            let first = others.first()?;
            let words: Vec<String> = others.iter().map(u32::to_string).collect();
            let remedy = match control {
                Some(_) => format!("echo off | sudo tee /{control_file}"),
                None => format!("echo 0 | sudo tee /{PROCESSORS}/cpu{first}/online"),
            };
            let what = format!("CPU {} shares its core with {}", seen.cpu, words.join(", "));
            Some(finding(SHARED, remedy).because_file(&file, what))
        }
        None if control == Some("on") => Some(finding(
            SHARED,
            format!("echo off | sudo tee /{control_file}"),
        )),
        None => None,
    }
}

const SHARED: &str = "another thread can run on the same core (SMT)";

/// A process that moves from core to core leaves its caches behind.
pub fn not_pinned(seen: &Observation) -> Option<Finding> {
    let reason = seen.trial.pinned.as_ref().err()?;
    Some(
        Finding::new(
            "the measuring process cannot be kept on one core",
            "let it choose: in a container, allow sched_setaffinity and give it whole CPUs \
             (cpuset)",
        )
        .because(format!("sched_setaffinity to CPU {}", seen.cpu), reason),
    )
}

/// Load over the last minute, and the CPUs that there are for it.
fn load(seen: &Observation) -> Option<(f64, usize)> {
    let online = seen.files.text(&format!("{PROCESSORS}/online"))?;
    let load = seen.files.text("proc/loadavg")?;
    let last_minute = load.split_whitespace().next()?.parse().ok()?;
    Some((last_minute, cpu_list(&online)?.len()))
}

fn load_in_words((load, cpus): (f64, usize)) -> String {
    format!("{load:.2} over the last minute, for {cpus} CPUs")
}

/// Other work on the core. The load average alone is no finding: it remembers the building of
/// this very tool.
pub fn other_work(seen: &Observation) -> Option<Finding> {
    let share = seen.activity.core.filter(|share| *share >= BUSY)?;
    let mut finding = Finding::new(
        "other work runs on the core that is measured on",
        "end it, or wait until it is done; `top` shows it",
    );
    let what = format!(
        "CPU {} was at work {:.0} % of the time",
        seen.cpu,
        share * 100.0
    );
    finding = finding.because_file("proc/stat", what);
    if let Some(load) = load(seen) {
        finding = finding.because_file("proc/loadavg", load_in_words(load));
    }
    for (name, share) in seen.activity.processes.iter().take(3) {
        let what = format!("{name}: {:.0} % of a CPU", share * 100.0);
        finding = finding.because_file("proc/<pid>/stat", what);
    }
    Some(finding)
}

/// The file that says that the core is one of the slower ones of a machine with several kinds, and
/// a CPU that is not: x86 lists the economical ones, Arm gives each a capacity.
fn slower(seen: &Observation) -> Option<(String, u32)> {
    let online = cpu_list(&seen.files.text(&format!("{PROCESSORS}/online"))?)?;
    let economical = "sys/devices/cpu_atom/cpus";
    if let Some(list) = seen.files.text(economical).and_then(|list| cpu_list(&list)) {
        let fast = online.into_iter().find(|cpu| !list.contains(cpu))?;
        return list
            .contains(&seen.cpu)
            .then(|| (economical.to_owned(), fast));
    }
    let file = |cpu: u32| format!("{PROCESSORS}/cpu{cpu}/cpu_capacity");
    let capacity = |cpu: u32| seen.files.number(&file(cpu));
    let own = capacity(seen.cpu)?;
    let fastest = online.into_iter().max_by_key(|cpu| capacity(*cpu))?;
    (capacity(fastest)? > own).then(|| (file(seen.cpu), fastest))
}

/// What is not known of the core, and what may surprise.
pub fn remarks(seen: &Observation) -> Vec<String> {
    let mut remarks = Vec::new();
    if siblings(seen).is_none() && seen.environment.smt_control.is_none() {
        let file = seen.of_cpu("topology/core_cpus_list");
        remarks.push(format!(
            "whether another thread shares the core is not known: no /{file}"
        ));
    }
    if let Some((file, fast)) = slower(seen) {
        remarks.push(format!(
            "CPU {} is one of the slower cores of this machine (/{file}): `taskset --cpu-list \
             {fast}` before the command measures on CPU {fast}",
            seen.cpu
        ));
    }
    if let Some(load) = load(seen).filter(|(load, cpus)| *load > *cpus as f64) {
        remarks.push(format!("the load average is high: {}", load_in_words(load)));
    }
    if seen.activity.core.is_none() {
        remarks.push("what others do on the core is not known: no /proc/stat".to_owned());
    }
    remarks
}
