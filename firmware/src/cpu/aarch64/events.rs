//! The event counters of the performance monitors.
//!
//! Event numbers are the common ones of the Arm Architecture Reference Manual (DDI 0487), chapter
//! D13 "The Performance Monitors Extension"; registers are described in section D24.5.

use core::arch::asm;

use aarch64_cpu::registers::{ID_AA64DFR0_EL1, Readable};
use wire::{CounterSource, Event, EventReading};

use crate::meter::events::{EventCounters, narrow};

/// PMEVTYPER<n>_EL0: count at EL1 and EL0 in this security state, and at EL2 as well (NSH, bit
/// 27); all other filter bits are clear, as for the cycle counter.
const FILTER: u64 = 1 << 27;

/// PMCR_EL0.LP: an event counter overflows at 64 bits and not at 32. FEAT_PMUv3p5.
const LONG_EVENTS: u64 = 1 << 7;

/// ID_AA64DFR0_EL1.PMUVer of FEAT_PMUv3p5, and of an implementation of its own kind.
const PMU_V3P5: u64 = 6;
const PMU_OTHER: u64 = 15;

/// Event counters that there can be; PMCR_EL0.N says how many there are.
const MOST: usize = 31;

/// The number of an event.
fn number(event: Event) -> u16 {
    match event {
        Event::Cycles => 0x11,            // CPU_CYCLES
        Event::Instructions => 0x08,      // INST_RETIRED
        Event::Branches => 0x12,          // BR_PRED
        Event::BranchMispredicts => 0x10, // BR_MIS_PRED
        Event::L1iAccesses => 0x14,       // L1I_CACHE
        Event::L1iRefills => 0x01,        // L1I_CACHE_REFILL
        Event::L1dAccesses => 0x04,       // L1D_CACHE
        Event::L1dRefills => 0x03,        // L1D_CACHE_REFILL
        Event::L2Refills => 0x17,         // L2D_CACHE_REFILL
        Event::LastLevelMisses => 0x37,   // LL_CACHE_MISS_RD
        Event::ItlbRefills => 0x02,       // L1I_TLB_REFILL
        Event::DtlbRefills => 0x05,       // L1D_TLB_REFILL
        Event::FrontendStalls => 0x23,    // STALL_FRONTEND
        Event::BackendStalls => 0x24,     // STALL_BACKEND
    }
}

/// Reads a system register.
macro_rules! read {
    ($register:literal) => {{
        let value: u64;
        // SAFETY: reading this register has no effect. Not `nomem`: it stays where it is written.
        unsafe {
            asm!(concat!("mrs {}, ", $register), out(reg) value, options(nostack, preserves_flags));
        }
        value
    }};
}

/// Writes a system register of the event counters, of which nothing else makes use.
macro_rules! write {
    ($register:literal, $value:expr) => {{
        let value: u64 = $value;
        // SAFETY: changes what is counted and nothing else.
        unsafe {
            asm!(concat!("msr ", $register, ", {}"), in(reg) value, options(nostack, preserves_flags));
        }
    }};
}

/// Chooses the counter that PMXEVTYPER_EL0 and PMXEVCNTR_EL0 stand for.
fn select(index: usize) {
    write!("pmselr_el0", index as u64);
    // The registers follow the choice after this.
    write_barrier();
}

fn write_barrier() {
    // SAFETY: a barrier.
    unsafe { asm!("isb", options(nostack, preserves_flags)) };
}

/// The event counters of this core.
pub struct Counters {
    /// How many there are.
    counters: usize,
    /// PMCEID0_EL0 and PMCEID1_EL0: the events 0x00 to 0x3f that there are, one bit for each.
    implemented: u64,
    /// Whether they are 64 bits wide.
    wide: bool,
    /// Those that are in use, one bit for each, as PMCNTENSET_EL0 has them.
    chosen: u64,
}

impl Counters {
    /// Asks the core what it can count; `source` is where the counts of cycles come from.
    pub fn new(source: CounterSource) -> Self {
        let version = ID_AA64DFR0_EL1.read(ID_AA64DFR0_EL1::PMUVer);
        if matches!(version, 0 | PMU_OTHER) || source == CounterSource::Missing {
            return Self {
                counters: 0,
                implemented: 0,
                wide: false,
                chosen: 0,
            };
        }
        let wide = version >= PMU_V3P5;
        if wide {
            write!("pmcr_el0", read!("pmcr_el0") | LONG_EVENTS);
        }
        let low = u64::from(u32::MAX);
        let implemented = read!("pmceid0_el0") & low | (read!("pmceid1_el0") & low) << 32;
        Self {
            // PMCR_EL0.N, bits 15 to 11.
            counters: (read!("pmcr_el0") >> 11 & 0x1f) as usize,
            implemented: match source {
                // An emulator lists more than it counts: its cycles are instructions, and nothing
                // ever stalls.
                CounterSource::Icount => implemented & 1 << number(Event::Instructions),
                _ => implemented,
            },
            wide,
            chosen: 0,
        }
    }
}

impl EventCounters for Counters {
    fn capacity(&self) -> usize {
        self.counters
    }

    fn offers(&self, event: Event) -> bool {
        self.implemented & 1 << number(event) != 0
    }

    fn choose(&mut self, events: &[Event]) {
        let events = &events[..events.len().min(self.counters).min(MOST)];
        let all = (1 << self.counters) - 1;
        self.chosen = (1 << events.len()) - 1;
        write!("pmcntenclr_el0", all);
        write!("pmintenclr_el1", all);
        for (index, event) in events.iter().enumerate() {
            select(index);
            write!("pmxevtyper_el0", FILTER | u64::from(number(*event)));
            write!("pmxevcntr_el0", 0);
        }
        write!("pmovsclr_el0", all);
        write_barrier();
    }

    #[inline(always)]
    fn resume(&mut self) {
        write!("pmcntenset_el0", self.chosen);
        write_barrier();
    }

    #[inline(always)]
    fn pause(&mut self) {
        write_barrier();
        write!("pmcntenclr_el0", self.chosen);
        write_barrier();
    }

    fn reading(&mut self, place: usize) -> EventReading {
        select(place);
        let value = read!("pmxevcntr_el0");
        let overflowed = read!("pmovsclr_el0") >> place & 1 == 1;
        if self.wide && !overflowed {
            EventReading::Count(value)
        } else {
            narrow(value, overflowed)
        }
    }
}
