//! Events that a core counts beside its cycles, and their names in records.

use heapless::Vec;
use serde::{Deserialize, Serialize};

/// Something that happens in a core while it runs a program.
///
/// The definitions are those of the common events in the Arm Architecture Reference Manual (DDI
/// 0487, chapter D13); elsewhere the nearest event stands in.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// Core clock cycles.
    Cycles,
    /// Instructions that were executed and not thrown away.
    Instructions,
    /// Branches that the predictor was asked for.
    Branches,
    /// Those among them that it got wrong.
    BranchMispredicts,
    /// Accesses to the first-level instruction cache.
    L1iAccesses,
    /// Lines that it had to fetch.
    L1iRefills,
    /// Accesses to the first-level data cache; loads only, where stores are not counted.
    L1dAccesses,
    /// Lines that it had to fetch.
    L1dRefills,
    /// Lines that the second-level cache had to fetch.
    L2Refills,
    /// Reads that missed the last cache before memory.
    LastLevelMisses,
    /// Translations of instruction addresses that the first TLB did not hold.
    ItlbRefills,
    /// Translations of data addresses that the first TLB did not hold.
    DtlbRefills,
    /// Cycles in which nothing was issued because nothing was fetched.
    FrontendStalls,
    /// Cycles in which nothing was issued because nothing could be taken.
    BackendStalls,
}

/// Number of events.
pub const EVENTS: usize = 14;

impl Event {
    /// All of them. Those that are set in relation to each other are neighbours, so that they are
    /// counted in the same pass where a core has counters enough.
    pub const ALL: [Self; EVENTS] = [
        Self::Cycles,
        Self::Instructions,
        Self::Branches,
        Self::BranchMispredicts,
        Self::L1dAccesses,
        Self::L1dRefills,
        Self::L1iAccesses,
        Self::L1iRefills,
        Self::L2Refills,
        Self::LastLevelMisses,
        Self::ItlbRefills,
        Self::DtlbRefills,
        Self::FrontendStalls,
        Self::BackendStalls,
    ];

    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Instructions => "instructions",
            Self::Branches => "branches",
            Self::BranchMispredicts => "branch_mispredicts",
            Self::L1iAccesses => "l1i_accesses",
            Self::L1iRefills => "l1i_refills",
            Self::L1dAccesses => "l1d_accesses",
            Self::L1dRefills => "l1d_refills",
            Self::L2Refills => "l2_refills",
            Self::LastLevelMisses => "last_level_misses",
            Self::ItlbRefills => "itlb_refills",
            Self::DtlbRefills => "dtlb_refills",
            Self::FrontendStalls => "frontend_stall_cycles",
            Self::BackendStalls => "backend_stall_cycles",
        }
    }
}

/// What became of counting an event.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub enum EventReading {
    /// So many, in all calls of the pass.
    Count(u64),
    /// The core does not count it, or did not all the time.
    NotAvailable,
    /// The counter wrapped, so that its value says nothing.
    Overflowed,
}

/// One pass over the calls, in which as many events were counted as the core has counters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventPass {
    /// Passes that all events take; at least one.
    pub passes: u32,
    /// Calls inside the bracket; 0 where nothing can be counted, so that nothing was called.
    pub calls: u32,
    /// What became of each event of this pass. Those that the core does not have are in the first.
    pub readings: Vec<(Event, EventReading), EVENTS>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_listed_once_and_has_a_name_of_its_own() {
        for (index, event) in Event::ALL.iter().enumerate() {
            let others = &Event::ALL[index + 1..];
            assert!(!others.contains(event), "{event:?}");
            assert!(others.iter().all(|other| other.name() != event.name()));
        }
    }
}
