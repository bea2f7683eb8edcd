//! The generic timer's virtual counter, which stands in where the kernel counts no cycles: a clock
//! of a fixed rate (DDI 0487, chapter D12), which Linux lets processes read (CNTKCTL_EL1.EL0VCTEN).

use core::arch::asm;

use wire::CounterSource;

use crate::meter::self_test::CounterDescription;

/// The counter, and why there are no cycles.
pub fn describe(no_cycles: &std::io::Error) -> CounterDescription {
    let frequency_hz: u64;
    // SAFETY: reading the register has no effect.
    unsafe {
        asm!("mrs {}, cntfrq_el0", out(reg) frequency_hz, options(nostack, preserves_flags));
    }
    let note = format!(
        "CNTVCT_EL0 between isb instructions, frequency stated by CNTFRQ_EL0; no perf cycles \
         ({no_cycles})"
    );
    CounterDescription {
        frequency_hz: Some(frequency_hz),
        ..CounterDescription::new(CounterSource::Cntvct, &note)
    }
}

/// Its value.
#[inline(always)]
pub fn read() -> u64 {
    fenced(|| {
        let value: u64;
        // SAFETY: reading the counter changes nothing. Not `nomem`, so that the compiler moves no
        // memory access across it.
        unsafe { asm!("mrs {}, cntvct_el0", out(reg) value, options(nostack, preserves_flags)) };
        value
    })
}

/// Reads between barriers: nothing is executed across them (DDI 0487, ISB).
#[inline(always)]
pub fn fenced(read: impl FnOnce() -> u64) -> u64 {
    // SAFETY: a barrier.
    unsafe { asm!("isb", options(nostack, preserves_flags)) };
    let value = read();
    // SAFETY: as above.
    unsafe { asm!("isb", options(nostack, preserves_flags)) };
    value
}
