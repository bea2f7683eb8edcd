//! What a record says of the machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Reading, Unknown, nullable};

/// The machine and its state; null is what could not be read.
///
/// Numbers may be texts: harnesses differ in how they write what sysfs told them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// Name of the machine, or of the host of an emulator.
    #[serde(deserialize_with = "nullable")]
    pub hostname: Option<String>,
    /// What `uname -m` says, or the architecture of the target.
    #[serde(deserialize_with = "nullable")]
    pub architecture: Option<String>,
    /// Model of the core.
    #[serde(deserialize_with = "nullable")]
    pub cpu_model: Option<String>,
    /// Model of the machine or board.
    #[serde(deserialize_with = "nullable")]
    pub machine: Option<String>,
    /// The logical CPU that the process is pinned to.
    #[serde(deserialize_with = "nullable")]
    pub cpu_number: Option<Reading>,
    /// Logical CPUs that are switched on.
    #[serde(deserialize_with = "nullable")]
    pub logical_cpus_online: Option<Reading>,
    /// Whether this is a virtual machine; or its kind.
    #[serde(deserialize_with = "nullable")]
    pub virtualized: Option<Reading>,
    /// Main memory.
    #[serde(deserialize_with = "nullable")]
    pub memory_total_kib: Option<Reading>,
    /// The distribution.
    #[serde(deserialize_with = "nullable")]
    pub os: Option<String>,
    /// What `uname -r` says.
    #[serde(deserialize_with = "nullable")]
    pub kernel: Option<String>,
    /// The C compiler, as it introduces itself.
    #[serde(deserialize_with = "nullable")]
    pub compiler: Option<String>,
    /// Version of cmake, where it built the submission.
    #[serde(deserialize_with = "nullable")]
    pub cmake: Option<String>,
    /// Version of Python, where it ran the campaign.
    #[serde(deserialize_with = "nullable")]
    pub python: Option<String>,
    /// The kernel's restriction of performance counters.
    #[serde(deserialize_with = "nullable")]
    pub perf_event_paranoid: Option<Reading>,
    /// Policy of the clock.
    #[serde(deserialize_with = "nullable")]
    pub cpufreq_governor: Option<String>,
    /// Driver of the clock.
    #[serde(deserialize_with = "nullable")]
    pub cpufreq_driver: Option<String>,
    /// Lowest clock that the policy allows.
    #[serde(deserialize_with = "nullable")]
    pub cpufreq_min_khz: Option<Reading>,
    /// Highest clock that the policy allows.
    #[serde(deserialize_with = "nullable")]
    pub cpufreq_max_khz: Option<Reading>,
    /// Average clock that the kernel observed.
    #[serde(deserialize_with = "nullable")]
    pub cpufreq_avg_khz: Option<Reading>,
    /// 1 when turbo is off, on Intel.
    #[serde(deserialize_with = "nullable")]
    pub intel_pstate_no_turbo: Option<Reading>,
    /// 0 when boost is off, elsewhere.
    #[serde(deserialize_with = "nullable")]
    pub cpufreq_boost: Option<Reading>,
    /// Whether cores run several threads.
    #[serde(deserialize_with = "nullable")]
    pub smt_control: Option<String>,
    /// Clock of the core over all trials: cycles by seconds.
    #[serde(deserialize_with = "nullable")]
    pub core_clock_hz: Option<Reading>,
    /// The same for the trial where it was lowest.
    #[serde(deserialize_with = "nullable")]
    pub core_clock_min_hz: Option<Reading>,
    /// The same for the trial where it was highest.
    #[serde(deserialize_with = "nullable")]
    pub core_clock_max_hz: Option<Reading>,
    /// `core_clock_hz` in megahertz.
    #[serde(deserialize_with = "nullable")]
    pub core_clock_mhz: Option<Reading>,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl Environment {
    /// What makes the machine and its configuration what they are, without what tells of the moment
    /// or of the processor that was free.
    pub fn configuration(&self) -> Self {
        Self {
            cpu_number: None,
            cpufreq_avg_khz: None,
            core_clock_hz: None,
            core_clock_min_hz: None,
            core_clock_max_hz: None,
            core_clock_mhz: None,
            // A machine may get more memory or processors, and is the same.
            memory_total_kib: None,
            logical_cpus_online: None,
            unknown: Unknown::new(),
            ..self.clone()
        }
    }
}
