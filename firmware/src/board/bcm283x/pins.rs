//! The pins of the header that are the line.

use super::Register;

/// GPFSEL1: functions of GPIO 10 to 19, three bits each (BCM2835 ARM Peripherals, section 6.1).
const FUNCTION_SELECT_1: usize = 0x04;

/// Alternate function 0: of GPIO 14 and 15, TXD0 and RXD0 of the PL011 (section 6.2).
const ALTERNATE_0: u32 = 0b100;

/// Where GPIO 14 and 15 are in GPFSEL1.
const SHIFTS: [u32; 2] = [12, 15];

/// Leads GPIO 14 and 15, pins 8 and 10 of the header, to the PL011, which the firmware may have
/// given to Bluetooth. Their pulls stay as they are.
///
/// # Safety
///
/// The address must be that of the GPIO registers, mapped as device memory.
pub unsafe fn lead_to_uart(address: usize) {
    // SAFETY: the caller's promise.
    let select = unsafe { Register::at(address + FUNCTION_SELECT_1) };
    let functions = SHIFTS.iter().fold(select.read(), |functions, shift| {
        functions & !(0b111 << shift) | ALTERNATE_0 << shift
    });
    select.write(functions);
}
