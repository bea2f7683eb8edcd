//! Making everything cold: the branch predictor thrashed, caches and TLB emptied.
//!
//! Armv8.0 has no architected way to flush a branch predictor, hence the block of branches. It
//! comes first: what it leaves in the caches goes with the rest.

use core::arch::asm;

use aarch64_cpu::asm::barrier;
use wire::Purge;

use crate::cpu::predictor;
use crate::cpu::set_way::{Geometry, LEVELS, holds_data};

/// Empties caches and TLB.
pub struct Chiller {
    caches: heapless::Vec<Geometry, { LEVELS as usize }>,
}

impl Chiller {
    /// Asks the core for its caches.
    pub fn new() -> Option<Self> {
        let (clidr, memory_features): (u64, u64);
        // SAFETY: reading identification registers has no effect. The second is
        // ID_AA64MMFR2_EL1, which reads as 0 where it is not implemented.
        unsafe {
            asm!(
                "mrs {}, clidr_el1", "mrs {}, s3_0_c0_c7_2",
                out(reg) clidr, out(reg) memory_features,
                options(nomem, nostack, preserves_flags),
            );
        }
        // ID_AA64MMFR2_EL1.CCIDX, bits 23 to 20.
        let wide = memory_features >> 20 & 0xf == 1;
        let levels = (0..LEVELS).filter(|level| holds_data(clidr, *level));
        let caches = levels.map(|level| {
            let ccsidr: u64;
            // SAFETY: chooses the data or unified cache of this level (CSSELR_EL1: the level in
            // bits 3 to 1) and reads what it is like. Nothing else uses the choice.
            unsafe {
                asm!(
                    "msr csselr_el1, {}", "isb", "mrs {}, ccsidr_el1",
                    in(reg) u64::from(level) << 1, out(reg) ccsidr,
                    options(nomem, nostack, preserves_flags),
                );
            }
            Geometry::of_register(level, ccsidr, wide)
        });
        Some(Self {
            caches: caches.collect(),
        })
    }

    /// Makes everything cold.
    ///
    /// Lines are cleaned before they are invalidated, so that no data are lost. The set/way
    /// instructions concern this core and the levels that CLIDR_EL1 names: the other cores are
    /// parked, and a cache of the system beyond them stays as it is.
    pub fn chill(&mut self) {
        predictor::thrash();
        barrier::dsb(barrier::SY);
        for cache in &self.caches {
            cache.for_each_line(|value| {
                // SAFETY: writes a line back and forgets it: memory stays what it is.
                unsafe { asm!("dc cisw, {}", in(reg) value, options(nostack, preserves_flags)) };
            });
            barrier::dsb(barrier::SY);
        }
        // SAFETY: instructions and translations are fetched anew from memory, which has them; the
        // barriers see to it that this is over before anything else is fetched.
        unsafe {
            asm!(
                "ic iallu",
                "tlbi vmalle1",
                "dsb sy",
                "isb",
                options(nostack, preserves_flags),
            );
        }
    }

    /// What one chill does to caches and TLB.
    pub fn purge(&self) -> Purge {
        Purge::SetWay {
            levels: self.caches.len() as u32,
            lines: self.caches.iter().map(Geometry::lines).sum(),
        }
    }
}
