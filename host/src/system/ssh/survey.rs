//! What another machine is: its kernel's files, as this machine's are read.

use std::process::Stdio;

use super::connection::{Destination, run};
use crate::machine::Remote;
use crate::system::StartError;

/// Prints the machine's names, the processors that we may use, and the files that describe it, each
/// as a line with its name and lines with its bytes in hexadecimal; then, twice, what every process
/// used.
const SCRIPT: &str = r#"
echo "node $(uname -n)"; echo "machine $(uname -m)"; echo "release $(uname -r)"
cd / || exit 1
show() { for f do [ -f "$f" ] && [ -r "$f" ] && { echo "file $f"; od -An -v -tx1 < "$f" 2>/dev/null; }; done; }
c=sys/devices/system/cpu
show proc/cpuinfo proc/meminfo proc/loadavg proc/swaps proc/self/status proc/self/limits etc/os-release
show proc/sys/kernel/perf_event_paranoid proc/sys/vm/swappiness proc/device-tree/model proc/device-tree/compatible
show proc/device-tree/hypervisor/compatible proc/xen/capabilities sys/class/dmi/id/product_name sys/class/dmi/id/sys_vendor
show $c/online $c/smt/control $c/cpufreq/boost $c/intel_pstate/no_turbo sys/devices/cpu_atom/cpus
show $c/cpu[0-9]*/cpufreq/* $c/cpu[0-9]*/topology/* $c/cpu[0-9]*/cpu_capacity $c/cpu[0-9]*/acpi_cppc/nominal_freq
show $c/cpu[0-9]*/thermal_throttle/*_throttle_count
show sys/devices/system/clocksource/clocksource0/current_clocksource sys/bus/event_source/devices/*/type
for look in first second; do
echo "look $look"; cat proc/stat; echo "processes"; cat proc/[0-9]*/stat 2>/dev/null
[ $look = first ] && sleep 0.2
done
echo "end"
"#;

/// Asks.
///
/// # Errors
///
/// When the machine cannot be reached, is no Arm machine, or says something else.
pub fn survey(destination: &Destination) -> Result<Remote, StartError> {
    let said = run(destination, SCRIPT, Stdio::null())?;
    let odd = |reason: &str| StartError::Unreachable {
        destination: destination.to_string(),
        said: reason.to_owned(),
        remedy: "it must run Linux on AArch64, with a shell and the usual tools".to_owned(),
    };
    let remote = Remote::parse(&said).map_err(|reason| odd(&reason))?;
    match remote.architecture.as_str() {
        "aarch64" => Ok(remote),
        other => Err(odd(&format!("its architecture is {other}"))),
    }
}
