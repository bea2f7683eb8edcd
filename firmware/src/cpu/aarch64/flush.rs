//! Sending lines of memory out of the caches, which Linux allows at EL0 (SCTLR_EL1.UCI).

use core::arch::asm;

/// Sends the line of this address to memory, and forgets what was fetched of it as instructions
/// (DDI 0487, section D7.5.9: DC CIVAC before IC IVAU).
///
/// # Safety
///
/// The address must be mapped.
#[inline(always)]
pub unsafe fn line(address: usize) {
    // SAFETY: memory stays what it is; the caller promises that it is mapped.
    unsafe {
        asm!(
            "dc civac, {address}",
            "dsb ish",
            "ic ivau, {address}",
            address = in(reg) address,
            options(nostack, preserves_flags),
        );
    }
}

/// Returns when all lines are there, and instructions are fetched anew.
pub fn finish() {
    // SAFETY: barriers.
    unsafe { asm!("dsb ish", "isb", options(nostack, preserves_flags)) };
}
