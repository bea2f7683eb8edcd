//! Sending lines of memory out of the caches.

use core::arch::x86_64::{_mm_clflush, _mm_mfence};
use core::ptr;

/// Sends the line of this address to memory.
///
/// # Safety
///
/// The address must be mapped.
#[inline(always)]
pub unsafe fn line(address: usize) {
    // SAFETY: the line goes to memory and stays what it is; the caller promises that it is mapped.
    unsafe { _mm_clflush(ptr::with_exposed_provenance(address)) };
}

/// Returns when all lines are there: flushes are ordered by this (Intel SDM volume 2, CLFLUSH).
pub fn finish() {
    // SAFETY: every x86-64 processor has this instruction.
    unsafe { _mm_mfence() };
}
