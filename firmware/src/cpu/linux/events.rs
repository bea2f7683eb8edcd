//! Events from the kernel's perf events, of this thread in user mode.

use perf_event::events::{Cache, CacheId, CacheOp, CacheResult, Hardware};
use perf_event::{Builder, Counter, Group};
use wire::{CounterSource, Event, EventReading};

use crate::meter::events::{EventCounters, shared};

/// Events that are counted at the same time. The kernel does not say how many a processor has
/// counters for; three beside the cycle counter is what all have, whatever of it the kernel keeps
/// for itself. Events that have to share nevertheless are not available.
const AT_ONCE: usize = 3;

/// The kernel's event that is the nearest; `None` where it has none.
fn builder(event: Event) -> Option<Builder<'static>> {
    let cache = |which, result| {
        let operation = CacheOp::READ;
        Builder::new(Cache {
            which,
            operation,
            result,
        })
    };
    let (access, miss) = (CacheResult::ACCESS, CacheResult::MISS);
    let mut builder = match event {
        Event::Cycles => Builder::new(Hardware::CPU_CYCLES),
        Event::Instructions => Builder::new(Hardware::INSTRUCTIONS),
        Event::Branches => Builder::new(Hardware::BRANCH_INSTRUCTIONS),
        Event::BranchMispredicts => Builder::new(Hardware::BRANCH_MISSES),
        Event::L1iAccesses => cache(CacheId::L1I, access),
        Event::L1iRefills => cache(CacheId::L1I, miss),
        Event::L1dAccesses => cache(CacheId::L1D, access),
        Event::L1dRefills => cache(CacheId::L1D, miss),
        // The kernel knows the first level and the last.
        Event::L2Refills => return None,
        Event::LastLevelMisses => cache(CacheId::LL, miss),
        Event::ItlbRefills => cache(CacheId::ITLB, miss),
        Event::DtlbRefills => cache(CacheId::DTLB, miss),
        Event::FrontendStalls => Builder::new(Hardware::STALLED_CYCLES_FRONTEND),
        Event::BackendStalls => Builder::new(Hardware::STALLED_CYCLES_BACKEND),
    };
    builder.exclude_kernel(true).exclude_hv(true);
    Some(builder)
}

/// The kernel's counters.
pub struct Counters {
    offered: Vec<Event>,
    group: Option<Counted>,
}

impl Counters {
    /// Tries which events this machine counts. Where it has no cycles for this process, as in most
    /// virtual machines, it has none of the others.
    pub fn new(source: CounterSource) -> Self {
        let counts = |event: &Event| builder(*event).is_some_and(|builder| builder.build().is_ok());
        let offered = match source {
            CounterSource::PerfEvent => Event::ALL.into_iter().filter(counts).collect(),
            _ => Vec::new(),
        };
        Self {
            offered,
            group: None,
        }
    }
}

impl EventCounters for Counters {
    fn capacity(&self) -> usize {
        if self.offered.is_empty() { 0 } else { AT_ONCE }
    }

    fn offers(&self, event: Event) -> bool {
        self.offered.contains(&event)
    }

    fn choose(&mut self, events: &[Event]) {
        let builders = events.iter().filter_map(|event| builder(*event));
        // A group that the kernel refuses counts nothing, and its events are not available.
        self.group = Counted::new(builders).ok();
    }

    fn resume(&mut self) {
        if let Some(group) = &mut self.group {
            group.resume();
        }
    }

    fn pause(&mut self) {
        if let Some(group) = &mut self.group {
            group.pause();
        }
    }

    fn reading(&mut self, place: usize) -> EventReading {
        let group = self.group.as_mut();
        group.map_or(EventReading::NotAvailable, |group| group.reading(place))
    }
}

/// Events that the kernel counts together or not at all.
struct Counted {
    group: Group,
    members: Vec<Counter>,
    failed: bool,
}

impl Counted {
    fn new(builders: impl Iterator<Item = Builder<'static>>) -> std::io::Result<Self> {
        let mut builder = Group::builder();
        builder.exclude_kernel(true).exclude_hv(true);
        let mut group = builder.build_group()?;
        let members = builders.map(|builder| group.add(&builder));
        Ok(Self {
            members: members.collect::<Result<_, _>>()?,
            group,
            failed: false,
        })
    }

    fn resume(&mut self) {
        self.failed |= self.group.enable().is_err();
    }

    fn pause(&mut self) {
        self.failed |= self.group.disable().is_err();
    }

    fn reading(&mut self, place: usize) -> EventReading {
        let Ok(data) = self.group.read() else {
            return EventReading::NotAvailable;
        };
        let value = data.get(&self.members[place]).map(|entry| entry.value());
        let times = data.time_enabled().zip(data.time_running());
        match (value, times) {
            (Some(value), Some((enabled, running))) if !self.failed => {
                shared(value, enabled.as_nanos() as u64, running.as_nanos() as u64)
            }
            _ => EventReading::NotAvailable,
        }
    }
}

#[cfg(test)]
mod tests {
    use perf_event::events::Software;

    use super::*;

    /// Bytes of a page, or less.
    const PAGE: usize = 4096;

    /// What a group of these events shows of `work`.
    fn count(events: &[Software], work: impl FnOnce()) -> Vec<EventReading> {
        let builders = events.iter().map(|event| {
            let mut builder = Builder::new(*event);
            builder.exclude_kernel(true).exclude_hv(true);
            builder
        });
        let Ok(mut group) = Counted::new(builders) else {
            return vec![EventReading::NotAvailable; events.len()];
        };
        group.resume();
        work();
        group.pause();
        (0..events.len())
            .map(|place| group.reading(place))
            .collect()
    }

    #[test]
    fn a_group_counts_what_happens_inside_the_bracket_or_says_that_it_cannot() {
        let events = [Software::PAGE_FAULTS, Software::ALIGNMENT_FAULTS];
        let readings = count(&events, || {
            // Fresh from the kernel: each page faults when it is first written.
            let mut pages = vec![0u8; 1 << 20];
            pages.iter_mut().step_by(PAGE).for_each(|byte| *byte = 1);
            std::hint::black_box(&mut pages);
        });
        // A kernel that keeps perf events from us is one of the answers.
        if readings.contains(&EventReading::NotAvailable) {
            assert_eq!(readings, [EventReading::NotAvailable; 2]);
            return;
        }
        let EventReading::Count(faults) = readings[0] else {
            panic!("{readings:?}");
        };
        assert!(faults > 0, "{readings:?}");
        assert_eq!(readings[1], EventReading::Count(0));
    }

    #[test]
    fn a_machine_without_cycles_has_no_events() {
        let counters = Counters::new(CounterSource::Tsc);
        assert_eq!(counters.capacity(), 0);
        assert!(Event::ALL.iter().all(|event| !counters.offers(*event)));
    }
}
