//! What is counted.

use super::Finding;
use super::observe::{Observation, whole};
use crate::machine::{Files, cpuinfo_value};
use crate::record::schema::Environment;

/// Kernel's restriction of performance counters (Documentation/admin-guide/sysctl/kernel.rst).
const PARANOID: &str = "proc/sys/kernel/perf_event_paranoid";

/// The greatest restriction under which a process may count its own cycles in user mode.
const OWN_CYCLES: i64 = 2;

/// What counters the kernel found.
const DEVICES: &str = "sys/bus/event_source/devices";

/// The clock that the kernel trusts.
const CLOCK_SOURCE: &str = "sys/devices/system/clocksource/clocksource0/current_clocksource";

/// What counts of this machine are.
pub fn purpose(seen: &Observation) -> String {
    match &seen.trial.clock_hz {
        Ok(_) => "core cycles in user mode".to_owned(),
        Err(_) if is_arm(seen) => {
            "ticks of the generic timer, which are not core cycles".to_owned()
        }
        Err(_) => "ticks of the time-stamp counter, which are not core cycles".to_owned(),
    }
}

/// Arm's kernels name who made the core, and x86's what it is called.
fn is_arm(seen: &Observation) -> bool {
    let cpuinfo = seen.files.text("proc/cpuinfo").unwrap_or_default();
    cpuinfo_value(&cpuinfo, seen.cpu, "CPU implementer").is_some()
}

/// Why a kernel with these files cannot count cycles for a process, as far as they tell.
pub fn obstacle(files: &Files, environment: &Environment) -> Option<String> {
    if !files.names(DEVICES).iter().any(|name| is_core(name)) {
        return Some("the kernel sees no counters of the core".to_owned());
    }
    let restriction = whole(environment.perf_event_paranoid.as_ref())?;
    (restriction > OWN_CYCLES).then(|| format!("perf_event_paranoid is {restriction}"))
}

/// Without cycles nothing shows what the core's clock did.
pub fn no_cycles(seen: &Observation) -> Option<Finding> {
    let reason = seen.trial.clock_hz.as_ref().err()?;
    let restriction = whole(seen.environment.perf_event_paranoid.as_ref());
    let has_counters = seen.files.names(DEVICES).iter().any(|name| is_core(name));
    let remedy = match restriction {
        Some(level) if level > OWN_CYCLES => {
            format!("sudo sysctl kernel.perf_event_paranoid={OWN_CYCLES}")
        }
        _ if !has_counters => "no command mends that: the kernel sees no counters of the core; a \
             virtual machine needs a virtual PMU from its host"
            .to_owned(),
        _ => "let the process count: in a container, allow perf_event_open (seccomp, \
             CAP_PERFMON)"
            .to_owned(),
    };
    let finding = Finding::new("core cycles cannot be counted", remedy)
        .because("perf_event_open of the cycle event", reason);
    let finding = match restriction {
        Some(level) => finding.because_file(PARANOID, level),
        None => finding,
    };
    Some(match has_counters {
        true => finding,
        false => finding.because_file(DEVICES, "no counters of the core"),
    })
}

/// Whether an event source is a core: `cpu`, `cpu_core` and `cpu_atom` on x86, `armv8_...` and
/// `apple_...` on Arm.
fn is_core(name: &str) -> bool {
    ["cpu", "armv8_", "armv9_", "apple_"]
        .iter()
        .any(|begin| name.starts_with(begin))
}

/// Where ticks stand in for cycles, they must be a clock.
pub fn unsteady_ticks(seen: &Observation) -> Option<Finding> {
    if seen.trial.clock_hz.is_ok() {
        return None;
    }
    let cpuinfo = seen.files.text("proc/cpuinfo").unwrap_or_default();
    // Arm has a generic timer instead, of a fixed rate.
    let flags: Vec<&str> = cpuinfo_value(&cpuinfo, seen.cpu, "flags")?
        .split_whitespace()
        .collect();
    let missing: Vec<String> = ["constant_tsc", "nonstop_tsc"]
        .into_iter()
        .filter(|flag| !flags.contains(flag))
        .map(|flag| format!("no flag `{flag}`"))
        .collect();
    let source = seen.files.text(CLOCK_SOURCE);
    let distrusted = source.filter(|name| ["hpet", "acpi_pm", "jiffies"].contains(&name.as_str()));
    if missing.is_empty() && distrusted.is_none() {
        return None;
    }
    let mut finding = Finding::new(
        "the time-stamp counter is no steady clock",
        "no command mends that: measure where core cycles can be counted",
    );
    if !missing.is_empty() {
        finding = finding.because_file("proc/cpuinfo", missing.join(", "));
    }
    Some(match distrusted {
        Some(name) => finding.because_file(CLOCK_SOURCE, name),
        None => finding,
    })
}
