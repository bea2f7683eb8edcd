//! The cycle counter of the performance monitors, PMCCNTR_EL0.
//!
//! Register names and fields are those of the Arm Architecture Reference Manual (DDI 0487),
//! chapter D13 "The Performance Monitors Extension" and section D24.5 for the registers.

use core::arch::asm;

use aarch64_cpu::registers::{ID_AA64DFR0_EL1, Readable};
use wire::CounterSource;

use crate::abi;
use crate::meter::self_test::CounterDescription;

/// PMCR_EL0: enable (bit 0), reset event counters (1) and the cycle counter (2), count every cycle
/// (bit 3 clear), 64-bit cycle counter overflow (6).
const PMCR_START: u64 = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 6;

/// What of it stays set: the resets read as 0.
const PMCR_KEPT: u64 = 1 << 0 | 1 << 6;

/// PMCR_EL0.D: count every 64th cycle (bit 3).
const PMCR_DIVIDED: u64 = 1 << 3;

/// The cycle counter's bit in PMCNTENSET_EL0, PMINTENCLR_EL1 and PMOVSCLR_EL0.
const CYCLE_COUNTER: u64 = 1 << 31;

/// PMCCFILTR_EL0: count at EL1 and EL0 in this security state (all filter bits clear), and at
/// EL2 as well (NSH, bit 27).
const PMCCFILTR: u64 = 1 << 27;

/// The drill: P (bit 31) excludes EL1, where we run, so that the counter stands still.
const PMCCFILTR_STILL: u64 = 1 << 31;

/// PMCEID0_EL0: the event INST_RETIRED (0x08) is implemented.
const INST_RETIRED: u64 = 1 << 0x08;

/// Multiplications of a chain each of which waits for the one before.
const CHAIN: u64 = 200;

/// Instructions that may stand between two readings beside them.
const BRACKETS: u64 = 16;

/// Starts the counter.
///
/// All registers are unknown at reset and written explicitly.
pub fn start() -> CounterDescription {
    let missing = |note| CounterDescription::new(CounterSource::Missing, note);
    match ID_AA64DFR0_EL1.read(ID_AA64DFR0_EL1::PMUVer) {
        0 => return missing("no performance monitors: ID_AA64DFR0_EL1.PMUVer is 0"),
        15 => {
            return missing(
                "performance monitors of an unknown kind: ID_AA64DFR0_EL1.PMUVer is 15",
            );
        }
        _ => {}
    }
    // SAFETY: the performance monitors exist, and nothing but this file uses them.
    unsafe {
        asm!(
            "msr pmintenclr_el1, {cycle}",
            "msr pmovsclr_el0, {cycle}",
            "msr pmccfiltr_el0, {filter}",
            "msr pmcr_el0, {start}",
            "msr pmcntenset_el0, {cycle}",
            "isb",
            cycle = in(reg) CYCLE_COUNTER,
            filter = in(reg) filter(),
            start = in(reg) PMCR_START,
            options(nostack, preserves_flags),
        );
    }
    let events: u64;
    // SAFETY: reading an identification register has no effect.
    unsafe { asm!("mrs {}, pmceid0_el0", out(reg) events, options(nostack, preserves_flags)) };
    // QEMU offers INST_RETIRED only when it counts instructions precisely; a real core always does
    // (D13.12.1, common events that PMUv3 requires).
    if events & INST_RETIRED == 0 {
        return missing("QEMU runs without -icount: its cycle counter follows the host's clock");
    }
    if counts_instructions() {
        CounterDescription::new(
            CounterSource::Icount,
            "PMCCNTR_EL0 under QEMU -icount: one count is one instruction",
        )
    } else {
        CounterDescription::new(
            CounterSource::Pmccntr,
            "PMCCNTR_EL0 between isb instructions",
        )
    }
}

/// Whether the counter counts instructions instead of cycles: one for each multiplication of a
/// chain, each of which takes any real core two cycles at the very least. An emulated count must
/// never pass for a real one, whatever board the emulator imitates.
fn counts_instructions() -> bool {
    let chain = || {
        let begin = read();
        // SAFETY: changes its own register.
        unsafe {
            asm!(
                ".rept {chain}",
                "mul {product}, {product}, {product}",
                ".endr",
                chain = const CHAIN,
                product = inout(reg) 3_u64 => _,
                options(nomem, nostack, preserves_flags),
            );
        }
        read().wrapping_sub(begin)
    };
    // The first finds everything cold.
    chain();
    chain() < CHAIN + BRACKETS
}

fn filter() -> u64 {
    if abi::image().drills.still_counter {
        PMCCFILTR_STILL
    } else {
        PMCCFILTR
    }
}

/// The register that is not as [`start`] left it: code that runs at EL1 can change all of them.
///
/// One that it puts back is not seen here; the host compares counts with the clock.
pub fn changed() -> Option<&'static str> {
    let (control, enabled, counted): (u64, u64, u64);
    // SAFETY: reading the registers has no effect.
    unsafe {
        asm!(
            "mrs {}, pmcr_el0", "mrs {}, pmcntenset_el0", "mrs {}, pmccfiltr_el0",
            out(reg) control, out(reg) enabled, out(reg) counted,
            options(nomem, nostack, preserves_flags),
        );
    }
    if control & (PMCR_KEPT | PMCR_DIVIDED) != PMCR_KEPT {
        Some("PMCR_EL0")
    } else if enabled & CYCLE_COUNTER == 0 {
        Some("PMCNTENSET_EL0")
    } else if counted != filter() {
        Some("PMCCFILTR_EL0")
    } else {
        None
    }
}

/// The counter's value, after everything before this call has finished.
#[inline(always)]
pub fn read() -> u64 {
    let value: u64;
    // SAFETY: reading the counter changes nothing. The asm is not `nomem`, so that the compiler
    // moves no memory access across it.
    unsafe {
        asm!("isb", "mrs {}, pmccntr_el0", "isb", out(reg) value, options(nostack, preserves_flags));
    }
    value
}
