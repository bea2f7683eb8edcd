//! Raspberry Pi 4 Model B, 400 and Compute Module 4: BCM2711, four Cortex-A72 cores, from 1 GiB on.
//!
//! The firmware enters kernel8.img at EL2, on core 0, at 0x80000; armstub8.S holds the others.

use aarch64_rt::{InitialPagetable, initial_pagetable};
use wire::Conditions;

use crate::board::bcm283x::mailbox::Mailbox;
use crate::board::bcm283x::{self, pins, watchdog};
use crate::board::gicv2::Controller;
use crate::board::memory;
use crate::board::pl011::UartLine;
use crate::cpu::{counter, entry, paging};
use crate::meter::self_test::CounterDescription;

pub use crate::board::clock::*;
pub use crate::board::gicv2::DEADLINE_INTERRUPT;
pub use crate::board::memory::*;

/// The peripherals in "low peripheral" mode, the firmware's choice for the core ("BCM2711 ARM
/// Peripherals", section 1.2.4): the main ones, and those of the cores behind them.
const PERIPHERALS: (usize, usize) = (0xfe00_0000, 0x1_0000_0000);

/// Devices among them, by the offsets of bcm283x.dtsi.
const MAILBOX: Mailbox = {
    // SAFETY: `start` maps the peripherals before anybody can use it.
    unsafe { Mailbox::at(PERIPHERALS.0 + 0xb880) }
};
const POWER: usize = PERIPHERALS.0 + 0x10_0000;
const GPIO: usize = PERIPHERALS.0 + 0x20_0000;
const UART: usize = PERIPHERALS.0 + 0x20_1000;

/// The GIC-400 (section 6.5.1).
const INTERRUPTS: Controller = Controller {
    distributor: 0xff84_1000,
    interface: 0xff84_2000,
};

/// Clock of the UART where the firmware does not say (config.txt, init_uart_clock).
const UART_CLOCK_HZ: u32 = 48_000_000;

/// What start-up must know.
pub const START: entry::Start = entry::Start {
    others: 3,
    spin_table: bcm283x::SPIN_TABLE,
    distributor: INTERRUPTS.distributor,
    interface: INTERRUPTS.interface,
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
        pins::lead_to_uart(GPIO);
    }
    bcm283x::run_fast(MAILBOX);
    let clock = bcm283x::uart_clock_hz(MAILBOX);
    line().enable(clock.unwrap_or(UART_CLOCK_HZ));
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
