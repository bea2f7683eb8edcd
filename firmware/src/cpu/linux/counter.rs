//! Cycles of this thread in user mode from the kernel's perf events, or else ticks of a clock,
//! which are called ticks.

use std::sync::OnceLock;

use perf_event::events::Hardware;
use perf_event::{Builder, Counter, Sampler};
use wire::CounterSource;

use crate::cpu::ticks;
use crate::meter::self_test::CounterDescription;

/// Where counts come from.
enum Source {
    /// perf event read in user mode with `rdpmc` (Intel SDM volume 2, RDPMC; the kernel's
    /// `perf_event_mmap_page` says how).
    UserRead(Sampler),
    /// perf event read with a system call, where the kernel forbids `rdpmc`.
    SystemCall(spin::Mutex<Counter>),
    /// The processor's clock.
    Clock,
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
        Err(error) => (Source::Clock, ticks::describe(&error)),
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
    // The crate reads without the kernel on no other architecture.
    if cfg!(target_arch = "x86_64")
        && let Ok(counter) = builder().build()
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

/// The counter's value, after everything before this call has finished.
#[inline(always)]
pub fn read() -> u64 {
    match SOURCE.get() {
        // A counter that fails in the middle of a measurement stands still from there on, which
        // the totals show as 0.
        Some(Source::UserRead(sampler)) => {
            ticks::fenced(|| sampler.read_user().count().unwrap_or(0))
        }
        Some(Source::SystemCall(counter)) => counter.lock().read().unwrap_or(0),
        Some(Source::Clock) | None => ticks::read(),
    }
}
