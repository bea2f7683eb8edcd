//! The watchdog of the power manager: the only way to reset the whole chip (device tree's
//! `brcm,bcm2835-pm-wdt`, registers as in drivers/watchdog/bcm2835_wdt.c of Linux).

use super::Register;

/// Reset control and watchdog.
const RSTC: usize = 0x1c;
const WDOG: usize = 0x24;

/// What a write must have in its upper byte.
const PASSWORD: u32 = 0x5a00_0000;

/// RSTC: what the watchdog does at its end, and that it resets everything.
const WRCFG: u32 = 0x30;
const WRCFG_FULL_RESET: u32 = 0x20;

/// Time until the reset, in units of 1/65536 s: as short as Linux has it.
const TICKS: u32 = 10;

/// Resets the chip whose power manager is at this address, whereupon its firmware starts what it
/// finds on its card anew.
///
/// QEMU resets the machine as soon as it is asked for, and ends where it was started with
/// `-no-reboot`.
///
/// # Safety
///
/// The registers must be mapped as device memory.
pub unsafe fn reset(address: usize) -> ! {
    // SAFETY: the caller's promise; the registers have these offsets.
    let register = |offset| unsafe { Register::at(address + offset) };
    register(WDOG).write(PASSWORD | TICKS);
    let control = register(RSTC).read() & !WRCFG & 0x00ff_ffff;
    register(RSTC).write(PASSWORD | control | WRCFG_FULL_RESET);
    loop {
        core::hint::spin_loop();
    }
}
