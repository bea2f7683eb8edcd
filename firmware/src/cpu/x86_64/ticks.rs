//! The time-stamp counter, which stands in where the kernel counts no cycles: a clock of a rate that
//! is the same whatever the core does.

use core::arch::x86_64::{__cpuid, _mm_lfence, _rdtsc};
use std::time::{Duration, Instant};

use wire::CounterSource;

use crate::meter::self_test::CounterDescription;

/// The counter, and why there are no cycles.
pub fn describe(no_cycles: &std::io::Error) -> CounterDescription {
    if !has_invariant_time_stamp() {
        let note = format!("no perf cycles ({no_cycles}) and no invariant time-stamp counter");
        return CounterDescription::new(CounterSource::Missing, &note);
    }
    let (frequency_hz, origin) = match stated_frequency() {
        Some(stated) => (stated, "stated by CPUID leaf 0x15"),
        None => (measured_frequency(), "measured against CLOCK_MONOTONIC"),
    };
    let note = format!(
        "time-stamp counter between lfence instructions, frequency {origin}; no perf cycles \
         ({no_cycles})"
    );
    CounterDescription {
        frequency_hz: Some(frequency_hz),
        ..CounterDescription::new(CounterSource::Tsc, &note)
    }
}

/// CPUID leaf 8000_0007, EDX bit 8: the time-stamp counter runs at a constant rate (Intel SDM
/// volume 3, section 19.17.1).
fn has_invariant_time_stamp() -> bool {
    __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & 1 << 8 != 0
}

/// CPUID leaf 15H: the frequency of the crystal in hertz (ECX), times EBX / EAX (Intel SDM volume
/// 3, section 19.7.3). A processor that does not say has a 0 in one of them.
fn stated_frequency() -> Option<u64> {
    if __cpuid(0).eax < 0x15 {
        return None;
    }
    let leaf = __cpuid(0x15);
    let hertz = u64::from(leaf.ecx) * u64::from(leaf.ebx);
    (hertz > 0 && leaf.eax > 0).then(|| hertz / u64::from(leaf.eax))
}

/// Time over which the counter is compared with the kernel's clock: an error of 100 ns in reading
/// both is then 2 parts in a million.
const COMPARED: Duration = Duration::from_millis(50);

/// Pairs of readings of which the closest is taken: interrupts pull the others apart.
const PAIRS: u32 = 16;

/// Ticks in a second of the kernel's monotonic clock, which is [`Instant`]'s.
fn measured_frequency() -> u64 {
    let (first_ticks, first) = both_clocks();
    std::thread::sleep(COMPARED);
    let (last_ticks, last) = both_clocks();
    let ticks = u128::from(last_ticks.wrapping_sub(first_ticks));
    let nanoseconds = last.duration_since(first).as_nanos().max(1);
    u64::try_from(ticks * 1_000_000_000 / nanoseconds).unwrap_or(u64::MAX)
}

/// The counter and the kernel's clock at the same moment, as nearly as can be had.
fn both_clocks() -> (u64, Instant) {
    let pair = || {
        let before = read();
        let now = Instant::now();
        let gap = read().wrapping_sub(before);
        (gap, before.wrapping_add(gap / 2), now)
    };
    let mut closest = pair();
    for _ in 1..PAIRS {
        let next = pair();
        if next.0 < closest.0 {
            closest = next;
        }
    }
    (closest.1, closest.2)
}

/// Its value.
#[inline(always)]
pub fn read() -> u64 {
    // SAFETY: every x86-64 processor has this instruction.
    fenced(|| unsafe { _rdtsc() })
}

/// Reads between load fences: nothing is executed across them (Intel SDM volume 2, LFENCE).
#[inline(always)]
pub fn fenced(read: impl FnOnce() -> u64) -> u64 {
    // SAFETY: every x86-64 processor has this instruction.
    unsafe { _mm_lfence() };
    let value = read();
    // SAFETY: as above.
    unsafe { _mm_lfence() };
    value
}
