//! Cycles of this thread in user mode from the kernel's perf events, or else the time-stamp
//! counter, which is a clock and is called one.

use core::arch::x86_64::{__cpuid, _mm_lfence, _rdtsc};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use perf_event::events::Hardware;
use perf_event::{Builder, Counter, Sampler};
use wire::CounterSource;

use crate::meter::self_test::CounterDescription;

/// Where counts come from.
enum Source {
    /// perf event read in user mode with `rdpmc` (Intel SDM volume 2, RDPMC; the kernel's
    /// `perf_event_mmap_page` says how).
    UserRead(Sampler),
    /// perf event read with a system call, where the kernel forbids `rdpmc`.
    SystemCall(spin::Mutex<Counter>),
    /// The invariant time-stamp counter.
    TimeStamp,
}

static SOURCE: OnceLock<Source> = OnceLock::new();

/// Pages of the ring buffer behind a sampler: the kernel asks for one besides the header.
const RING_BYTES: usize = 4096;

/// Starts the counter and says what it is.
pub fn start() -> CounterDescription {
    let (source, description) = match perf_event() {
        Ok(source) => {
            let note = match source {
                Source::UserRead(_) => "perf cycles in user mode, read with rdpmc",
                _ => "perf cycles in user mode, read with a system call",
            };
            (
                source,
                CounterDescription::new(CounterSource::PerfEvent, note),
            )
        }
        Err(error) if has_invariant_time_stamp() => (Source::TimeStamp, time_stamp(&error)),
        Err(error) => (
            Source::TimeStamp,
            CounterDescription::new(
                CounterSource::Missing,
                &format!("no perf cycles ({error}) and no invariant time-stamp counter"),
            ),
        ),
    };
    // `start` is called once.
    let _ = SOURCE.set(source);
    description
}

/// Opens the cycle event of this thread, user mode only.
fn perf_event() -> std::io::Result<Source> {
    let builder = || {
        let mut builder = Builder::new(Hardware::CPU_CYCLES);
        builder.exclude_kernel(true).exclude_hv(true);
        builder
    };
    let mut counter = builder().build()?;
    counter.enable()?;
    // A counter that stands still, as some virtual machines have it, is none.
    let first = counter.read()?;
    if counter.read()? == first {
        return Err(std::io::Error::other(
            "the kernel's cycle event stands still",
        ));
    }
    if let Ok(counter) = builder().build()
        && let Ok(mut sampler) = counter.sampled(RING_BYTES)
        && sampler.enable().is_ok()
        && user_read_advances(&sampler)
    {
        return Ok(Source::UserRead(sampler));
    }
    Ok(Source::SystemCall(spin::Mutex::new(counter)))
}

/// Whether reading without the kernel's help shows progress, as it does only where `rdpmc` works.
fn user_read_advances(sampler: &Sampler) -> bool {
    let first = sampler.read_user().count();
    first.is_some() && sampler.read_user().count() > first
}

/// The register that is not as [`start`] left it: none, for a process cannot change the counter.
pub fn changed() -> Option<&'static str> {
    None
}

/// CPUID leaf 8000_0007, EDX bit 8: the time-stamp counter runs at a constant rate (Intel SDM
/// volume 3, section 19.17.1).
fn has_invariant_time_stamp() -> bool {
    __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & 1 << 8 != 0
}

/// The time-stamp counter, its frequency and where that is known from.
fn time_stamp(no_cycles: &std::io::Error) -> CounterDescription {
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
    // SAFETY: every x86-64 processor has this instruction.
    let ticks = || fenced(|| unsafe { _rdtsc() });
    let pair = || {
        let before = ticks();
        let now = Instant::now();
        let gap = ticks().wrapping_sub(before);
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

/// The counter's value, after everything before this call has finished.
#[inline(always)]
pub fn read() -> u64 {
    match SOURCE.get() {
        // A counter that fails in the middle of a measurement stands still from there on, which
        // the totals show as 0.
        Some(Source::UserRead(sampler)) => fenced(|| sampler.read_user().count().unwrap_or(0)),
        Some(Source::SystemCall(counter)) => counter.lock().read().unwrap_or(0),
        Some(Source::TimeStamp) | None => {
            // SAFETY: every x86-64 processor has this instruction.
            fenced(|| unsafe { _rdtsc() })
        }
    }
}

/// Reads between load fences: nothing is executed across them (Intel SDM volume 2, LFENCE).
#[inline(always)]
fn fenced(read: impl FnOnce() -> u64) -> u64 {
    // SAFETY: every x86-64 processor has this instruction.
    unsafe { _mm_lfence() };
    let value = read();
    // SAFETY: as above.
    unsafe { _mm_lfence() };
    value
}
