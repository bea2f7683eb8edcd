//! Caches, for those who share memory with a device that does not look into them.

use core::arch::asm;

use aarch64_cpu::asm::barrier;

/// Bytes of the shortest line of a data cache that any core of ours has.
const LINE: usize = 64;

/// Writes what the caches hold of these bytes to memory, and forgets it.
pub fn clean_and_invalidate(begin: usize, length: usize) {
    barrier::dsb(barrier::SY);
    for line in (begin..begin + length).step_by(LINE) {
        // SAFETY: what a cache holds of a line is written back, so that no data change.
        unsafe { asm!("dc civac, {}", in(reg) line, options(nostack, preserves_flags)) };
    }
    barrier::dsb(barrier::SY);
}
