//! Raspberry Pi 5, 500 and Compute Module 5: BCM2712, four Cortex-A76 cores, from 2 GiB on.
//!
//! The firmware enters kernel_2712.img at EL2, on core 0; the others are off until PSCI, which its
//! armstub offers, switches them on. The line is the debug connector between the two HDMI sockets.
//! Addresses are those of arch/arm64/boot/dts/broadcom/bcm2712.dtsi in Linux, whose soc node puts
//! 0x7c000000 at 0x10_7c000000.

use aarch64_rt::{InitialPagetable, initial_pagetable};
use wire::Conditions;

use crate::board::bcm283x::mailbox::Mailbox;
use crate::board::bcm283x::{self, watchdog};
use crate::board::gicv2::Controller;
use crate::board::memory;
use crate::board::pl011::UartLine;
use crate::cpu::{counter, entry, paging};
use crate::meter::self_test::CounterDescription;

pub use crate::board::clock::*;
pub use crate::board::gicv2::DEADLINE_INTERRUPT;
pub use crate::board::memory::*;

/// The peripherals of the chip itself; those behind RP1 are not used.
const PERIPHERALS: (usize, usize) = (0x10_7c00_0000, 0x10_8000_0000);

/// mailbox@7c013880.
const MAILBOX: Mailbox = {
    // SAFETY: `start` maps the peripherals before anybody can use it.
    unsafe { Mailbox::at(0x10_7c01_3880) }
};

/// serial@7d001000.
const UART: usize = 0x10_7d00_1000;

/// watchdog@7d200000.
const POWER: usize = 0x10_7d20_0000;

/// interrupt-controller@7fff9000: a GIC-400.
const INTERRUPTS: Controller = Controller {
    distributor: 0x10_7fff_9000,
    interface: 0x10_7fff_a000,
};

/// Clock of the UART where it has to be set up and the firmware does not say (clk_uart).
const UART_CLOCK_HZ: u32 = 9_216_000;

/// What start-up must know. It comes below EL3, where the interrupts are the armstub's to hand out.
pub const START: entry::Start = entry::Start {
    others: 0,
    spin_table: 0,
    distributor: 0,
    interface: 0,
};

/// Bytes of a block of start-up's table.
const GIB: usize = 1 << 30;

initial_pagetable!({
    let mut table = [0; 512];
    table[0] = paging::NORMAL.bits();
    table[PERIPHERALS.0 / GIB] = paging::DEVICE.bits() | (PERIPHERALS.0 & !(GIB - 1));
    InitialPagetable(table)
});

/// Brings up memory map, clocks and UART; the counter's description comes back.
///
/// # Safety
///
/// To be called once, first thing in `main`.
pub unsafe fn start() -> CounterDescription {
    // SAFETY: first thing in main, once. The registers are among the devices.
    unsafe {
        memory::map([PERIPHERALS]);
        INTERRUPTS.start();
    }
    bcm283x::run_fast(MAILBOX);
    // Its clock is too slow for the usual rate of our line. The firmware's own messages run at
    // 115200; where it has not set the UART up, so do we.
    // SAFETY: the registers are mapped now.
    if unsafe { !UartLine::is_on(UART) } {
        line().enable(UART_CLOCK_HZ);
    }
    bcm283x::check_memory(MAILBOX, memory::end());
    counter::start()
}

/// Number of the interrupt that is being raised, if any is.
pub fn acknowledge_interrupt() -> Option<u32> {
    // SAFETY: `start` has mapped the registers.
    unsafe { INTERRUPTS.acknowledge() }
}

/// A handle on the line to the host.
pub fn line() -> UartLine {
    // SAFETY: `start` has mapped the registers.
    unsafe { UartLine::at(UART) }
}

/// What the firmware says of temperature, throttling and clock.
pub fn conditions() -> Conditions {
    bcm283x::conditions(MAILBOX)
}

/// Resets the board, once the line has said everything.
pub fn power_off(_entry_level: Option<u8>) -> ! {
    line().drain();
    // SAFETY: `start` has mapped the registers.
    unsafe { watchdog::reset(POWER) }
}
