//! The clock of a board that has the architecture's generic timer, and the alarm behind deadlines.

#[cfg(board = "qemu-virt")]
use embedded_hal::delay::DelayNs;

use crate::cpu::{exceptions, timer};

/// Time since power-on, in nanoseconds.
pub fn nanoseconds() -> u64 {
    let scaled = u128::from(timer::ticks()) * 1_000_000_000 / u128::from(timer::frequency_hz());
    scaled as u64
}

/// Frequency of the clock behind [`nanoseconds`].
pub fn clock_hz() -> u64 {
    timer::frequency_hz()
}

/// Delays on the board's clock.
#[cfg(board = "qemu-virt")]
pub struct Delay;

#[cfg(board = "qemu-virt")]
impl DelayNs for Delay {
    fn delay_ns(&mut self, ns: u32) {
        let end = nanoseconds() + u64::from(ns);
        while nanoseconds() < end {
            core::hint::spin_loop();
        }
    }
}

/// Ends the meter after this time with the report of a deadline that passed, or lets it live.
///
/// All other interrupts stay masked, and so does this one while there is no deadline. It costs the
/// measured program nothing until it fires.
pub fn set_deadline(nanoseconds: Option<u64>) {
    exceptions::admit_interrupts(false);
    timer::set_alarm(nanoseconds);
    exceptions::admit_interrupts(nanoseconds.is_some());
}
