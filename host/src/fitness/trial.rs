//! What can only be found out by trying: whether a thread can be pinned, and whether the kernel
//! counts core cycles, at a steady clock.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use perf_event::events::Hardware;
use perf_event::{Builder, Counter};
use rustix::thread::{CpuSet, sched_setaffinity};

/// Windows over which the clock is looked at.
const WINDOWS: usize = 10;

/// Length of one.
const WINDOW: Duration = Duration::from_millis(5);

/// What came of trying.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Trial {
    /// Whether a thread can be kept on the processor, or why not.
    pub pinned: Result<(), String>,
    /// Frequency of the core's clock in each window, in hertz, or why no cycles are counted; no
    /// window where it was not tried.
    pub clock_hz: Result<Vec<u64>, String>,
}

impl Trial {
    /// What is known without trying, from why the kernel cannot count cycles, if it cannot.
    pub fn untried(obstacle: Option<String>) -> Self {
        Self {
            pinned: Ok(()),
            clock_hz: match obstacle {
                Some(reason) => Err(reason),
                None => Ok(Vec::new()),
            },
        }
    }

    /// Tries on this processor, which is at work for the time of all windows.
    pub fn on(cpu: u32) -> Self {
        let trial = thread::spawn(move || Self {
            pinned: pin(cpu).map_err(|error| error.to_string()),
            clock_hz: clock().map_err(|error| error.to_string()),
        });
        trial.join().unwrap_or_else(|_| Self {
            pinned: Err("the trial panicked".to_owned()),
            clock_hz: Err("the trial panicked".to_owned()),
        })
    }
}

/// Keeps this thread on a processor.
fn pin(cpu: u32) -> rustix::io::Result<()> {
    let mut only = CpuSet::new();
    only.set(cpu as usize);
    sched_setaffinity(None, &only)
}

/// Cycles of this thread in user mode by the time in which it ran, over several windows. Where
/// there are no cycles, the processor is kept at work all the same, so that its clock shows.
fn clock() -> std::io::Result<Vec<u64>> {
    let counter = counter();
    let mut frequencies = Vec::new();
    match counter {
        Ok(mut counter) => {
            for _ in 0..WINDOWS {
                let first = counter.read_full()?;
                work(WINDOW);
                let last = counter.read_full()?;
                let running = |data: &perf_event::CounterData| data.time_running();
                let time = running(&last).zip(running(&first));
                let nanoseconds = time.map_or(0, |(last, first)| (last - first).as_nanos());
                let cycles = u128::from(last.count().saturating_sub(first.count()));
                let hertz = (cycles * 1_000_000_000).checked_div(nanoseconds);
                frequencies.extend(hertz.and_then(|hertz| u64::try_from(hertz).ok()));
            }
            match frequencies.iter().any(|hertz| *hertz > 0) {
                true => Ok(frequencies),
                // As some virtual machines have it.
                false => Err(std::io::Error::other(
                    "the kernel's cycle event stands still",
                )),
            }
        }
        Err(error) => {
            work(WINDOW * WINDOWS as u32);
            Err(error)
        }
    }
}

/// The event that the meter counts with, see the meter's own counter.
fn counter() -> std::io::Result<Counter> {
    let mut builder = Builder::new(Hardware::CPU_CYCLES);
    builder.exclude_kernel(true).exclude_hv(true);
    let mut counter = builder.build()?;
    counter.enable()?;
    Ok(counter)
}

/// Keeps the processor at work.
fn work(time: Duration) {
    let until = Instant::now() + time;
    let mut value = 1_u64;
    while Instant::now() < until {
        for _ in 0..10_000 {
            value = black_box(
                value
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_pins_and_counts_or_says_why_not() {
        let trial = Trial::on(crate::machine::measuring_cpu());
        assert_eq!(trial.pinned, Ok(()));
        match trial.clock_hz {
            Ok(windows) => assert_eq!(windows.len(), WINDOWS),
            Err(reason) => assert!(!reason.is_empty()),
        }
    }

    #[test]
    fn a_processor_that_is_not_there_takes_no_thread() {
        assert!(Trial::on(CpuSet::MAX_CPU as u32 - 1).pinned.is_err());
    }
}
