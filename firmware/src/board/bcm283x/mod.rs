//! Devices of the BCM283x family, which its successors keep at other addresses.
//!
//! Sources: "BCM2835 ARM Peripherals" (Broadcom, 2012), "BCM2711 ARM Peripherals" (Raspberry Pi,
//! 2022), "BCM2836 ARM-local peripherals" (QA7, revision 3.4), and for what they leave out the
//! device trees of Linux (arch/arm/boot/dts/broadcom/bcm283x.dtsi, bcm2711.dtsi,
//! arch/arm64/boot/dts/broadcom/bcm2712.dtsi).

#[cfg(board = "rpi3")]
pub mod local_interrupts;
pub mod mailbox;
#[cfg(any(board = "rpi3", board = "rpi4"))]
pub mod pins;
pub mod watchdog;

use core::ptr::with_exposed_provenance_mut;

use wire::Conditions;

#[cfg(any(board = "rpi3", board = "rpi4"))]
use crate::board::pl011::{BAUD, CYCLES_OF_A_BIT};
use mailbox::{Clock, Mailbox};

/// Clock that the UART is asked to have: what the firmware gives it by default (config.txt,
/// init_uart_clock), and enough for the rate of our line.
#[cfg(any(board = "rpi3", board = "rpi4"))]
const UART_CLOCK_HZ: u32 = 48_000_000;

/// Bits of "get throttled" that tell of the present: under-voltage, frequency capped, throttled,
/// and the soft temperature limit (0 to 3; 16 to 19 tell of the past).
const THROTTLED_NOW: u32 = 0xf;

/// Where a core looks for an address to go to, by its number: this one and 8 for each
/// (spin_cpu0 in armstub8.S of raspberrypi/tools, which the firmware puts at address 0).
#[cfg(any(board = "rpi3", board = "rpi4"))]
pub const SPIN_TABLE: usize = 0xd8;

/// Lets the core run as fast as it may. What came of it is among its conditions.
pub fn run_fast(mailbox: Mailbox) {
    if let Some(fastest) = mailbox.fastest_clock_hz(Clock::Arm) {
        mailbox.set_clock_hz(Clock::Arm, fastest);
    }
}

/// Lets the UART run fast enough for our line; returns the frequency of its clock, if the firmware
/// says.
#[cfg(any(board = "rpi3", board = "rpi4"))]
pub fn uart_clock_hz(mailbox: Mailbox) -> Option<u32> {
    let present = mailbox.clock_hz(Clock::Uart)?;
    if present / CYCLES_OF_A_BIT >= BAUD {
        return Some(present);
    }
    mailbox.set_clock_hz(Clock::Uart, UART_CLOCK_HZ);
    // What it really is now counts.
    mailbox.clock_hz(Clock::Uart)
}

/// What the firmware says of temperature, throttling and clock.
pub fn conditions(mailbox: Mailbox) -> Conditions {
    let throttled = mailbox.throttled();
    Conditions {
        temperature_millicelsius: mailbox.temperature_millicelsius(),
        throttled: throttled.map(|bits| bits & THROTTLED_NOW != 0),
        // What was measured tells of throttling as well; some firmware only knows what was set.
        clock_hz: mailbox
            .measured_clock_hz(Clock::Arm)
            .or_else(|| mailbox.clock_hz(Clock::Arm))
            .map(u64::from),
    }
}

/// Panics where the firmware gives the core less memory than the linker script takes.
pub fn check_memory(mailbox: Mailbox, needed_end: usize) {
    if let Some((begin, length)) = mailbox.arm_memory() {
        let end = begin as usize + length as usize;
        assert!(
            end >= needed_end,
            "the firmware leaves {end:#x} bytes of memory to the core, and the image needs \
             {needed_end:#x}: lower gpu_mem in config.txt"
        );
    }
}

/// A register of a device.
#[derive(Clone, Copy)]
struct Register(*mut u32);

impl Register {
    /// The register at this address.
    ///
    /// # Safety
    ///
    /// A device must have a register of 32 bits there, mapped as device memory, that may be read
    /// and written.
    unsafe fn at(address: usize) -> Self {
        Self(with_exposed_provenance_mut(address))
    }

    fn read(self) -> u32 {
        // SAFETY: promised when the value was made.
        unsafe { self.0.read_volatile() }
    }

    fn write(self, value: u32) {
        // SAFETY: promised when the value was made.
        unsafe { self.0.write_volatile(value) }
    }
}
