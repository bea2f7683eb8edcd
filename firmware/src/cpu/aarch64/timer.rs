//! The generic timer (DDI 0487, chapter D12): the clock behind every time.

use aarch64_cpu::asm::barrier;
use aarch64_cpu::registers::{CNTFRQ_EL0, CNTVCT_EL0, Readable};

/// Frequency of the virtual counter.
pub fn frequency_hz() -> u64 {
    CNTFRQ_EL0.get()
}

/// The virtual counter, after everything before this call has finished.
pub fn ticks() -> u64 {
    barrier::isb(barrier::SY);
    CNTVCT_EL0.get()
}
