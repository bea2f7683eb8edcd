//! The BCM2836's interrupt controller of each core, which the BCM2837 has as well (BCM2836
//! ARM-local peripherals, QA7 revision 3.4).

use super::Register;

/// Begin and end of the registers (section 3).
pub const REGISTERS: (usize, usize) = (0x4000_0000, 0x4000_1000);

/// Core 0: which timers interrupt it (section 4.6), and what is being raised (section 4.10). Bits 0
/// to 3 are the same in both: the timers, the virtual one last.
const TIMER_CONTROL: usize = 0x4000_0040;
const SOURCE: usize = 0x4000_0060;

/// Number of the interrupt that is an operation's deadline: the virtual timer's (nCNTVIRQ).
pub const DEADLINE_INTERRUPT: u32 = 3;

/// Lets the virtual timer interrupt core 0, as IRQ, and no other timer.
///
/// # Safety
///
/// The registers must be mapped as device memory.
pub unsafe fn start() {
    // SAFETY: the caller's promise.
    unsafe { Register::at(TIMER_CONTROL) }.write(1 << DEADLINE_INTERRUPT);
}

/// Number of the interrupt that is being raised, if any is.
///
/// # Safety
///
/// The registers must be mapped as device memory.
pub unsafe fn acknowledge() -> Option<u32> {
    // SAFETY: the caller's promise.
    let source = unsafe { Register::at(SOURCE) }.read();
    (source != 0).then(|| source.trailing_zeros())
}
