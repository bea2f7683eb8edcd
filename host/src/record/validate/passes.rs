//! What follows from the passes beside the trials.

use wire::{Event, Unit};

use super::{Findings, check_number};
use crate::record::schema::{EventCount, Layouts, Meter, Sha256};
use crate::record::statistics;

/// Checks clocks, events, cold calls and layouts.
pub(super) fn check(meter: &Meter, own_image: Option<&Sha256>, findings: &mut Findings<'_>) {
    let unit = meter.counter.as_ref().map(|counter| counter.unit);
    for (index, trial) in meter.trials.iter().enumerate() {
        let computed = statistics::clock_hz(unit, trial.count, trial.seconds);
        let key = format!("meter.trials[{index}].clock_hz");
        check_number(&key, trial.clock_hz, computed, findings);
    }
    check_events(meter, unit, findings);
    if let Some(cold) = &meter.cold {
        if cold.samples.is_empty() {
            findings.add("meter.cold.samples", "is empty: no call was cold");
        }
        if cold.method.is_empty() {
            findings.add("meter.cold.method", "is empty: what made the calls cold?");
        }
    }
    if let Some(layouts) = &meter.layouts {
        check_layouts(layouts, meter, own_image, findings);
    }
}

fn check_events(meter: &Meter, unit: Option<Unit>, findings: &mut Findings<'_>) {
    let events = meter.events.as_ref();
    for (name, count) in events.into_iter().flatten() {
        if let EventCount::Mean(mean) = count
            && !(mean.is_finite() && *mean >= 0.0)
        {
            let problem = format!("is {mean}: no count of events");
            findings.add(format!("meter.events.{name}"), problem);
        }
    }
    let cycles = events.and_then(|events| events.get(Event::Cycles.name()));
    if matches!(cycles, Some(EventCount::Mean(_))) && unit != Some(Unit::Cycles) {
        let problem = "is a number, but the counter counts no cycles here";
        findings.add("meter.events.cycles", problem);
    }
    let computed = events.and_then(statistics::ipc);
    check_number("meter.ipc", meter.ipc, computed, findings);
}

fn check_layouts(
    layouts: &Layouts,
    meter: &Meter,
    own_image: Option<&Sha256>,
    findings: &mut Findings<'_>,
) {
    match layouts.images.first() {
        Some(own) if own.shift_bytes == 0 => {
            let key = "meter.layouts.images[0].mean_count";
            check_number(key, own.mean_count, meter.mean_count, findings);
            if own.elf_sha256.as_ref() != own_image {
                let problem = "differs from library_sha256";
                findings.add("meter.layouts.images[0].elf_sha256", problem);
            }
        }
        _ => {
            let problem = "does not begin with the record's own image, whose shift is 0";
            findings.add("meter.layouts.images", problem);
        }
    }
    for (index, layout) in layouts.images.iter().enumerate() {
        let key = |name| format!("meter.layouts.images[{index}].{name}");
        if layout.mean_count.is_some() == layout.reason.is_some() {
            let problem = "an image has a mean count, or the reason why it has none";
            findings.add(key("reason"), problem);
        }
        let before = &layouts.images[..index];
        if before
            .iter()
            .any(|other| other.shift_bytes == layout.shift_bytes)
        {
            let problem = format!("is {} in another image as well", layout.shift_bytes);
            findings.add(key("shift_bytes"), problem);
        }
    }
    let computed = statistics::spread(&layouts.images);
    check_number("meter.layouts.spread", layouts.spread, computed, findings);
}
