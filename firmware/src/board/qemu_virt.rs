//! QEMU's `virt` machine (docs/system/arm/virt in QEMU's manual; addresses from hw/arm/virt.c).

use aarch64_cpu::asm;
use aarch64_rt::{InitialPagetable, initial_pagetable};
use embedded_hal::delay::DelayNs;
use smccc::{Hvc, Smc, psci};
use wire::Conditions;

use crate::board::gicv2::Controller;
use crate::board::memory;
use crate::board::pl011::UartLine;
use crate::cpu::{counter, entry, paging};
use crate::meter::self_test::CounterDescription;

pub use crate::board::clock::*;
pub use crate::board::gicv2::DEADLINE_INTERRUPT;
pub use crate::board::memory::*;

/// Base address of the PL011.
const UART: usize = 0x0900_0000;

/// Frequency of the PL011's reference clock; QEMU's PL011 has no rate.
const UART_CLOCK_HZ: u32 = 24_000_000;

/// GIC, UART and the other devices of the low GiB that we use.
const DEVICES: (usize, usize) = (0x0800_0000, 0x0a00_0000);

/// The interrupt controller.
const INTERRUPTS: Controller = Controller {
    distributor: 0x0800_0000,
    interface: 0x0801_0000,
};

/// The start of memory, and the size of the blocks of start-up's table.
const MEMORY: usize = 0x4000_0000;

/// What start-up must know.
pub const START: entry::Start = entry::Start {
    // The other cores, if there are any, are off until PSCI switches them on.
    others: 0,
    spin_table: 0,
    distributor: INTERRUPTS.distributor,
    interface: INTERRUPTS.interface,
};

initial_pagetable!({
    let mut table = [0; 512];
    table[0] = paging::DEVICE.bits();
    table[1] = paging::NORMAL.bits() | MEMORY;
    InitialPagetable(table)
});

/// Brings up memory map and UART; the counter's description comes back.
///
/// # Safety
///
/// To be called once, first thing in `main`.
pub unsafe fn start() -> CounterDescription {
    // SAFETY: first thing in main, once. The registers are among the devices, which QEMU has there.
    unsafe {
        memory::map([DEVICES]);
        INTERRUPTS.start();
    }
    line().enable(UART_CLOCK_HZ);
    counter::start()
}

/// Number of the interrupt that is being raised, if any is.
pub fn acknowledge_interrupt() -> Option<u32> {
    // SAFETY: `start` has mapped the registers.
    unsafe { INTERRUPTS.acknowledge() }
}

/// A virtual machine has neither temperature nor clock.
pub fn conditions() -> Conditions {
    Conditions::default()
}

/// A handle on the line to the host.
pub fn line() -> UartLine {
    // SAFETY: `start` has mapped the registers.
    unsafe { UartLine::at(UART) }
}

/// Switches the power off.
///
/// PSCI answers to HVC where we were entered at EL1 and to SMC where we were entered at EL2; at
/// EL3 there is nobody below us, and the host ends the emulator.
pub fn power_off(entry_level: Option<u8>) -> ! {
    Delay.delay_us(100);
    match entry_level {
        Some(1) => drop(psci::system_off::<Hvc>()),
        Some(2) => drop(psci::system_off::<Smc>()),
        _ => {}
    }
    loop {
        asm::wfi();
    }
}
