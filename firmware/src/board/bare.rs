//! Where every bare-metal board begins, and where a panic of the meter ends.

use core::panic::PanicInfo;

use wire::FaultKind;

use crate::cpu::entry;
use crate::meter::fault;

// 64 pages of stack for the meter itself; submissions run on the measuring stack.
aarch64_rt::entry!(main, 64);

/// x0 to x2 are the loader's, x3 is the level that `cpu::entry` was entered at.
fn main(_x0: u64, _x1: u64, _x2: u64, level: u64) -> ! {
    // SAFETY: first thing in main, once.
    let (counter, stack) = unsafe { (super::start(), super::measuring_stack()) };
    let entry_level = Some(level as u8);
    if !entry::others_are_parked() {
        defmt::warn!("other cores may still be running and disturb the measurement");
    }
    crate::run(counter, entry_level, stack);
    super::power_off(entry_level)
}

#[panic_handler]
fn panic(information: &PanicInfo) -> ! {
    fault::report_here(FaultKind::Panic, format_args!("{information}"))
}
