//! The core's clock.

use super::Finding;
use super::observe::{Observation, whole};
use crate::machine::PROCESSORS;
// Below this share of what it should be a clock is low, and unsteady: as in a trial.
use crate::measure::DISTURBED_BELOW;
use crate::table::format;

/// The governor under which a clock does not follow the load.
const STEADY: &str = "performance";

/// Writing `value` into a file of the kernel.
fn write(value: impl std::fmt::Display, file: &str) -> String {
    format!("echo {value} | sudo tee /{file}")
}

/// The policy of the clock.
pub fn governor(seen: &Observation) -> Option<Finding> {
    let governor = seen.environment.cpufreq_governor.as_deref()?;
    if governor == STEADY {
        return None;
    }
    let file = seen.of_cpu("cpufreq/scaling_governor");
    let problem = format!("the clock follows the load: its governor is `{governor}`");
    Some(Finding::new(problem, write(STEADY, &file)).because_file(&file, governor))
}

/// Where boost is switched, and the number that switches it off.
fn switches(seen: &Observation) -> [(String, Option<i64>, i64); 3] {
    let of_cpu = seen.of_cpu("cpufreq/boost");
    let its = seen.files.number(&of_cpu);
    [
        (
            format!("{PROCESSORS}/intel_pstate/no_turbo"),
            whole(seen.environment.intel_pstate_no_turbo.as_ref()),
            1,
        ),
        (
            format!("{PROCESSORS}/cpufreq/boost"),
            whole(seen.environment.cpufreq_boost.as_ref()),
            0,
        ),
        (of_cpu, its, 0),
    ]
}

/// The first switch that has boost on.
fn boosting(seen: &Observation) -> Option<(String, i64, i64)> {
    switches(seen)
        .into_iter()
        .find_map(|(file, value, off)| Some((file, value.filter(|value| *value != off)?, off)))
}

/// A boosted clock depends on temperature and on what other cores do.
pub fn boost(seen: &Observation) -> Option<Finding> {
    let (file, value, off) = boosting(seen)?;
    Some(
        Finding::new(
            "the clock is boosted (turbo): it depends on heat and on the other cores",
            write(off, &file),
        )
        .because_file(&file, value),
    )
}

/// The clock that the core should have, in kHz, and the file that says so: the one that its policy
/// fixes, or its base, or without boost the greatest.
fn nominal(seen: &Observation) -> Option<(i64, String)> {
    let number = |name| seen.number_of_cpu(name);
    let (least, most) = ("cpufreq/scaling_min_freq", "cpufreq/scaling_max_freq");
    if let (Some(low), Some(high)) = (number(least), number(most))
        && low == high
    {
        return Some((high, seen.of_cpu(most)));
    }
    let base = "cpufreq/base_frequency";
    if let Some(khz) = number(base) {
        return Some((khz, seen.of_cpu(base)));
    }
    // In MHz (Documentation/admin-guide/acpi/cppc_sysfs.rst); 0 where the firmware does not say.
    let stated = "acpi_cppc/nominal_freq";
    if let Some(mhz) = number(stated).filter(|mhz| *mhz > 0) {
        return Some((mhz * 1000, seen.of_cpu(stated)));
    }
    let greatest = "cpufreq/cpuinfo_max_freq";
    let khz = number(greatest).filter(|_| boosting(seen).is_none())?;
    Some((khz, seen.of_cpu(greatest)))
}

/// A clock below its nominal one: a limit, heat, or a supply that is too weak.
pub fn below_nominal(seen: &Observation) -> Option<Finding> {
    let current_file = seen.of_cpu("cpufreq/scaling_cur_freq");
    let current = seen.files.number(&current_file)?;
    let (nominal, file) = nominal(seen)?;
    if current as f64 >= DISTURBED_BELOW * nominal as f64 {
        return None;
    }
    let limit = seen.of_cpu("cpufreq/scaling_max_freq");
    let remedy = match seen.files.number(&limit) {
        Some(limited) if limited < nominal => write(nominal, &limit),
        _ => "give it a cool minute, better cooling or a stronger supply; `cat` of the first file \
              tells when the clock is back"
            .to_owned(),
    };
    Some(
        Finding::new("the clock is below its nominal frequency", remedy)
            .because_file(&current_file, format!("{current} kHz"))
            .because_file(&file, format!("{nominal} kHz")),
    )
}

/// The processor was throttled while we looked.
pub fn throttled(seen: &Observation) -> Option<Finding> {
    let times = seen.activity.throttled.filter(|times| *times > 0)?;
    Some(
        Finding::new(
            "the processor is throttled by heat",
            "let it cool, and improve its cooling",
        )
        .because_file(
            &seen.of_cpu("thermal_throttle"),
            format!("{times} times in the 200 ms of the look"),
        ),
    )
}

/// Cycles by time, in several windows that follow each other.
pub fn unsteady(seen: &Observation) -> Option<Finding> {
    let windows = seen.trial.clock_hz.as_ref().ok()?;
    let (least, most) = (*windows.iter().min()?, *windows.iter().max()?);
    if least as f64 >= DISTURBED_BELOW * most as f64 {
        return None;
    }
    let hertz = |hertz: u64| format::gigahertz(hertz as f64);
    Some(
        Finding::new(
            "the core's clock is not steady",
            "give it a fixed frequency: governor `performance`, boost off, scaling_min_freq = \
             scaling_max_freq; end other work",
        )
        .because(
            format!("cycles by time in {} windows", windows.len()),
            format!("{} to {}", hertz(least), hertz(most)),
        ),
    )
}

/// What is not known of the clock, and what is past.
pub fn remarks(seen: &Observation) -> Vec<String> {
    let mut remarks = Vec::new();
    if seen.environment.cpufreq_governor.is_none() {
        let file = seen.of_cpu("cpufreq/scaling_governor");
        remarks.push(format!("the clock's policy is not known: no /{file}"));
    }
    if switches(seen).iter().all(|(_, value, _)| value.is_none()) {
        remarks.push(format!(
            "whether the clock is boosted is not known: neither /{PROCESSORS}/intel_pstate/no_turbo \
             nor /{PROCESSORS}/cpufreq/boost"
        ));
    }
    match seen.activity.throttled_ever {
        None => remarks.push(format!(
            "whether the processor is throttled is not known: no /{}",
            seen.of_cpu("thermal_throttle")
        )),
        Some(0) => {}
        Some(times) => remarks.push(format!(
            "the processor was throttled {times} times since the machine was started (/{})",
            seen.of_cpu("thermal_throttle")
        )),
    }
    remarks
}
