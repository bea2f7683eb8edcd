//! Calling a C function on the measuring stack.

use core::arch::{asm, naked_asm};
use core::mem::offset_of;

use crate::cpu::Call;

/// Bytes between the end of the measuring stack and the stack pointer at the call: the arguments
/// that do not fit in x0 to x7 (AAPCS64, section 6.8.2).
pub const STACK_AT_CALL: usize = 32;

/// Calls a C function on a stack of its own and returns what it left in x0.
///
/// The callee finds a frame record of zeros (x29 = x30 of the outermost caller = 0), so that a
/// backtrace ends there.
///
/// # Safety
///
/// `stack_end` must be the 16-byte aligned end of writable memory that nothing else uses, and the
/// function must be a C function that may be called with these arguments.
#[unsafe(naked)]
pub unsafe extern "C" fn call_on_stack(call: *const Call, stack_end: *mut u8) -> usize {
    naked_asm!(
        // AAPCS64 has x19 to x30 and d8 to d15 survive a call; a submission may break that rule,
        // so nothing but the stack pointer below is relied on afterwards.
        "stp x29, x30, [sp, #-176]!",
        "stp x19, x20, [sp, #16]",
        "stp x21, x22, [sp, #32]",
        "stp x23, x24, [sp, #48]",
        "stp x25, x26, [sp, #64]",
        "stp x27, x28, [sp, #80]",
        "stp d8, d9, [sp, #96]",
        "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]",
        "stp d14, d15, [sp, #144]",
        "mrs x9, fpcr",
        "str x9, [sp, #160]",
        "adrp x9, {saved}",
        "add x9, x9, :lo12:{saved}",
        "mov x10, sp",
        "str x10, [x9]",
        "sub x10, x1, #{stack_at_call}",
        "add x11, x0, #{arguments}",
        "ldp x12, x13, [x11, #64]",
        "ldp x14, x15, [x11, #80]",
        "mov sp, x10",
        "stp x12, x13, [sp]",
        "stp x14, x15, [sp, #16]",
        "ldr x9, [x0, #{function}]",
        "ldp x0, x1, [x11]",
        "ldp x2, x3, [x11, #16]",
        "ldp x4, x5, [x11, #32]",
        "ldp x6, x7, [x11, #48]",
        "mov x29, xzr",
        "blr x9",
        "adrp x9, {saved}",
        "add x9, x9, :lo12:{saved}",
        "ldr x10, [x9]",
        "mov sp, x10",
        "ldr x9, [sp, #160]",
        "msr fpcr, x9",
        "ldp d14, d15, [sp, #144]",
        "ldp d12, d13, [sp, #128]",
        "ldp d10, d11, [sp, #112]",
        "ldp d8, d9, [sp, #96]",
        "ldp x27, x28, [sp, #80]",
        "ldp x25, x26, [sp, #64]",
        "ldp x23, x24, [sp, #48]",
        "ldp x21, x22, [sp, #32]",
        "ldp x19, x20, [sp, #16]",
        "ldp x29, x30, [sp], #176",
        "ret",
        saved = sym SAVED_STACK_POINTER,
        stack_at_call = const STACK_AT_CALL,
        arguments = const offset_of!(Call, arguments),
        function = const offset_of!(Call, function),
    )
}

/// Where the meter's own stack pointer waits while a submission runs.
pub(super) static mut SAVED_STACK_POINTER: usize = 0;

/// The stack pointer here.
#[inline(always)]
pub fn stack_pointer() -> usize {
    let here;
    // SAFETY: reads a register only.
    unsafe { asm!("mov {}, sp", out(reg) here, options(nomem, nostack, preserves_flags)) };
    here
}
