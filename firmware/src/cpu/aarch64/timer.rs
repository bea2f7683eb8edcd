//! The generic timer (DDI 0487, chapter D12): the clock behind every time, and the alarm behind every
//! deadline.

use aarch64_cpu::asm::barrier;
use aarch64_cpu::registers::{
    CNTFRQ_EL0, CNTV_CTL_EL0, CNTV_CVAL_EL0, CNTVCT_EL0, Readable, Writeable,
};

/// Frequency of the virtual counter.
pub fn frequency_hz() -> u64 {
    CNTFRQ_EL0.get()
}

/// The virtual counter, after everything before this call has finished.
pub fn ticks() -> u64 {
    barrier::isb(barrier::SY);
    CNTVCT_EL0.get()
}

/// Lets the virtual timer raise its interrupt after this time, or never.
pub fn set_alarm(nanoseconds: Option<u64>) {
    CNTV_CTL_EL0.write(CNTV_CTL_EL0::ENABLE::CLEAR);
    if let Some(nanoseconds) = nanoseconds {
        let duration = u128::from(nanoseconds) * u128::from(frequency_hz()) / 1_000_000_000;
        let duration = u64::try_from(duration).unwrap_or(u64::MAX);
        CNTV_CVAL_EL0.set(ticks().saturating_add(duration));
        CNTV_CTL_EL0.write(CNTV_CTL_EL0::ENABLE::SET + CNTV_CTL_EL0::IMASK::CLEAR);
    }
    barrier::isb(barrier::SY);
}
