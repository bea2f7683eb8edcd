//! Raspberry Pi 3 Model B and B+: BCM2837, four Cortex-A53 cores, 1 GiB; also QEMU's `raspi3b`.
//!
//! The firmware enters kernel8.img at EL2, on core 0, at 0x80000; armstub8.S holds the others. QEMU
//! does the same with a flat image; an ELF file it enters at EL3 on all four.

use core::arch::global_asm;

use aarch64_rt::{InitialPagetable, enable_mmu};
use wire::Conditions;

use crate::board::bcm283x::mailbox::Mailbox;
use crate::board::bcm283x::{self, local_interrupts, pins, watchdog};
use crate::board::memory;
use crate::board::pl011::UartLine;
use crate::cpu::{counter, entry, paging};
use crate::meter::self_test::CounterDescription;

pub use crate::board::bcm283x::local_interrupts::DEADLINE_INTERRUPT;
pub use crate::board::clock::*;
pub use crate::board::memory::*;

/// The peripherals, where the core sees them (BCM2837's difference to "BCM2835 ARM Peripherals",
/// section 1.2.3: 0x3f000000 instead of 0x20000000).
const PERIPHERALS: (usize, usize) = (0x3f00_0000, 0x4000_0000);

/// Devices among them, by the offsets of bcm283x.dtsi.
const MAILBOX: Mailbox = {
    // SAFETY: `start` maps the peripherals before anybody can use it.
    unsafe { Mailbox::at(PERIPHERALS.0 + 0xb880) }
};
const POWER: usize = PERIPHERALS.0 + 0x10_0000;
const GPIO: usize = PERIPHERALS.0 + 0x20_0000;
const UART: usize = PERIPHERALS.0 + 0x20_1000;

/// Clock of the UART where the firmware does not say (config.txt, init_uart_clock).
const UART_CLOCK_HZ: u32 = 48_000_000;

/// What start-up must know.
pub const START: entry::Start = entry::Start {
    others: 3,
    spin_table: bcm283x::SPIN_TABLE,
    distributor: 0,
    interface: 0,
};

/// Bytes of a block of the table for the first GiB.
const BLOCK: usize = 0x20_0000;

/// The first GiB for start-up: memory, and peripherals at its end.
static FIRST_GIB: InitialPagetable = {
    let mut table = [0; 512];
    let mut block = 0;
    while block < table.len() {
        let address = block * BLOCK;
        let attributes = if address < PERIPHERALS.0 {
            paging::NORMAL
        } else {
            paging::DEVICE
        };
        table[block] = attributes.bits() | address;
        block += 1;
    }
    InitialPagetable(table)
};

// The root: a reference to that table (a table descriptor, DDI 0487, D8.3.1), for which Rust has no
// constant.
global_asm!(
    ".pushsection .rodata.initial_root, \"a\", @progbits",
    ".balign 4096",
    ".globl initial_root",
    "initial_root:",
    ".quad {first} + 3",
    ".skip 4096 - 8",
    ".popsection",
    first = sym FIRST_GIB,
);

unsafe extern "C" {
    static initial_root: InitialPagetable;
}

enable_mmu!(initial_root);

/// Brings up memory map, clocks and UART; the counter's description comes back.
///
/// # Safety
///
/// To be called once, first thing in `main`.
pub unsafe fn start() -> CounterDescription {
    // SAFETY: first thing in main, once. The registers are among the devices.
    unsafe {
        memory::map([PERIPHERALS, local_interrupts::REGISTERS]);
        local_interrupts::start();
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
    unsafe { local_interrupts::acknowledge() }
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
