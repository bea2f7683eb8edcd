//! Memory that stays where it is.

use super::Finding;
use super::observe::Observation;

/// Swapped devices, of which the first line is a heading.
const SWAPS: &str = "proc/swaps";

/// How eager the kernel is to swap.
const SWAPPINESS: &str = "proc/sys/vm/swappiness";

/// Bit of the capability to lock memory beyond the limit, CAP_IPC_LOCK (capability.h).
const MAY_LOCK: u64 = 1 << 14;

/// Pages that were moved to a swap device come back during a call. The meter locks its memory
/// where it may.
pub fn swap(seen: &Observation) -> Option<Finding> {
    let swaps = seen.files.text(SWAPS)?;
    let devices: Vec<&str> = swaps
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let status = seen.files.text("proc/self/status").unwrap_or_default();
    let limits = seen.files.text("proc/self/limits").unwrap_or_default();
    if devices.is_empty() || may_lock(&status) || lock_limit(&limits) == Some("unlimited") {
        return None;
    }
    let finding = Finding::new(
        "memory can be swapped out and not be locked",
        "sudo swapoff --all    (or allow locking: `ulimit -l unlimited`, memlock in \
         /etc/security/limits.conf)",
    )
    .because_file(SWAPS, devices.join(", "))
    .because_file(
        "proc/self/limits",
        format!(
            "Max locked memory {}",
            lock_limit(&limits).unwrap_or("not known")
        ),
    );
    Some(match seen.files.number(SWAPPINESS) {
        Some(number) => finding.because_file(SWAPPINESS, number),
        None => finding,
    })
}

/// Whether the capabilities in force (proc_pid_status(5), CapEff) allow locking.
fn may_lock(status: &str) -> bool {
    let mask = status.lines().find_map(|line| {
        let mask = line.strip_prefix("CapEff:")?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    mask.is_some_and(|mask| mask & MAY_LOCK != 0)
}

/// The soft limit of locked memory, in bytes or `unlimited`.
fn lock_limit(limits: &str) -> Option<&str> {
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max locked memory"))?;
    line.split_whitespace().next()
}
