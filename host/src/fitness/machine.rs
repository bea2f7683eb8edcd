//! The machine as a whole.

use super::Finding;
use super::observe::Observation;
use crate::machine::virtualization;

/// A hypervisor stops and moves the processor at will, and no counter of ours sees it.
pub fn is_virtual(seen: &Observation) -> Option<Finding> {
    let cpuinfo = seen.files.text("proc/cpuinfo").unwrap_or_default();
    let found = virtualization(&seen.files, &cpuinfo).filter(|found| found.is_virtual)?;
    Some(
        Finding::new(
            "it is a virtual machine, which its host may stop and slow at any time",
            "no command mends that: measure on a machine that runs Linux itself, or on a board",
        )
        .because_file(found.source, found.value),
    )
}
