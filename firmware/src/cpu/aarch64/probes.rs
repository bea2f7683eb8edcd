//! Functions of known length and known stack use.

use core::arch::naked_asm;

/// Returns at once.
///
/// # Safety
///
/// A C function like any other.
#[unsafe(naked)]
pub unsafe extern "C" fn empty() {
    naked_asm!("ret")
}

/// Executes exactly `instructions` (x0) more instructions than [`empty`]; at least 5.
///
/// # Safety
///
/// A C function like any other.
#[unsafe(naked)]
pub unsafe extern "C" fn sled_long(instructions: usize) {
    naked_asm!(
        // These two, one more if the rest is odd, and two for each turn of the loop.
        "sub x0, x0, #2",
        "tbz x0, #0, 1f",
        "sub x0, x0, #1",
        "1:",
        "subs x0, x0, #2",
        "b.gt 1b",
        "ret",
    )
}

/// Executes one instruction more than [`empty`].
///
/// # Safety
///
/// A C function like any other.
#[unsafe(naked)]
pub unsafe extern "C" fn sled_one() {
    naked_asm!("nop", "ret")
}

/// Executes ten instructions more than [`empty`].
///
/// # Safety
///
/// A C function like any other.
#[unsafe(naked)]
pub unsafe extern "C" fn sled_ten() {
    naked_asm!(".rept 10", "nop", ".endr", "ret")
}

/// Uses exactly `bytes` (x0, a multiple of 16 from 16 on) of stack and writes the lowest word of them.
///
/// # Safety
///
/// A C function like any other.
#[unsafe(naked)]
pub unsafe extern "C" fn stack(bytes: usize) {
    naked_asm!(
        "sub x1, sp, x0",
        "mov x2, sp",
        "mov sp, x1",
        "str xzr, [sp]",
        "mov sp, x2",
        "ret",
    )
}

/// Writes to address 0.
///
/// # Safety
///
/// A C function like any other, but it faults.
#[unsafe(naked)]
pub unsafe extern "C" fn null_write() {
    naked_asm!("mov x0, xzr", "str xzr, [x0]", "ret")
}

/// Recurses until the stack is gone.
///
/// # Safety
///
/// A C function like any other, but it faults.
#[unsafe(naked)]
pub unsafe extern "C" fn overflow() {
    naked_asm!(
        "sub sp, sp, #4096",
        "stp x29, x30, [sp]",
        "mov x29, sp",
        "bl {overflow}",
        "ldp x29, x30, [sp]",
        "add sp, sp, #4096",
        "ret",
        overflow = sym overflow,
    )
}

/// Never returns.
///
/// # Safety
///
/// A C function like any other.
#[unsafe(naked)]
pub unsafe extern "C" fn hang() {
    naked_asm!("1:", "b 1b")
}

/// Enters a frame of `bytes` (x0, a multiple of 16) and writes its lowest word.
///
/// # Safety
///
/// A C function like any other, but it faults where the frame is larger than the stack.
#[unsafe(naked)]
pub unsafe extern "C" fn frame(bytes: usize) {
    naked_asm!(
        "stp x29, x30, [sp, #-16]!",
        "mov x29, sp",
        "sub sp, sp, x0",
        "str xzr, [sp]",
        "mov sp, x29",
        "ldp x29, x30, [sp], #16",
        "ret",
    )
}

/// Uses a stack pointer that leads nowhere.
///
/// # Safety
///
/// A C function like any other, but it faults.
#[unsafe(naked)]
pub unsafe extern "C" fn bad_stack() {
    naked_asm!(
        "mov x0, #0xdead0000",
        "lsl x0, x0, #8",
        "mov sp, x0",
        "str x30, [sp, #-16]!",
        "ret",
    )
}

/// Executes an instruction that there is not.
///
/// # Safety
///
/// A C function like any other, but it faults.
#[unsafe(naked)]
pub unsafe extern "C" fn undefined() {
    naked_asm!("udf #0", "ret")
}

/// Overflows the meter's own stack.
///
/// # Safety
///
/// A C function like any other, but it faults.
#[unsafe(naked)]
pub unsafe extern "C" fn own_overflow() {
    naked_asm!(
        "adrp x9, {saved}",
        "add x9, x9, :lo12:{saved}",
        "ldr x10, [x9]",
        "mov sp, x10",
        "1:",
        "str xzr, [sp, #-16]!",
        "b 1b",
        saved = sym super::call::SAVED_STACK_POINTER,
    )
}
