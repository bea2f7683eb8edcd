//! The way through a counter: any C function of integers and pointers, called as it expects.

use core::arch::naked_asm;
use core::mem::offset_of;

use crate::abi::counting::{enter, leave};
use crate::cpu::counting::{Arguments, CALLER, Counted, IDLE, IDLE_CALLS};

/// Arguments that are passed in x0 to x7 (AAPCS64, section 6.8.2).
const IN_REGISTERS: usize = 8;

/// The name under which the objects of a submission call a counted function: puts the address of
/// its description into x15, which a call may change (AAPCS64, section 6.1.1).
#[doc(hidden)]
#[macro_export]
macro_rules! counter {
    ($counted:ident, $(#[$attribute:meta])* $visibility:vis $name:ident) => {
        $(#[$attribute])*
        #[unsafe(naked)]
        $visibility unsafe extern "C" fn $name() {
            ::core::arch::naked_asm!(
                "adrp x15, {counted}",
                "add x15, x15, :lo12:{counted}",
                "b {call}",
                counted = sym $counted,
                call = sym $crate::abi::counting::counted_call,
            )
        }
    };
}

/// Calls the function whose description is in x15, with everything as its caller left it: registers
/// of arguments, the indirect result (x8) and the stack. Only the return address is another, so
/// that the call comes back here.
///
/// # Safety
///
/// To be reached from a `counter!` only.
#[unsafe(naked)]
pub unsafe extern "C" fn counted_call() {
    naked_asm!(
        "adrp x9, {idle}",
        "ldr x10, [x9, :lo12:{idle}]",
        "cbnz x10, 2f",
        "stp x0, x1, [sp, #-96]!",
        "stp x2, x3, [sp, #16]",
        "stp x4, x5, [sp, #32]",
        "stp x6, x7, [sp, #48]",
        "stp x8, x15, [sp, #64]",
        "stp x29, x30, [sp, #80]",
        "mov x0, x15",
        "mov x1, sp",
        "add x2, sp, #96",
        "bl {enter}",
        "ldp x2, x3, [sp, #16]",
        "ldp x4, x5, [sp, #32]",
        "ldp x6, x7, [sp, #48]",
        "ldp x8, x15, [sp, #64]",
        "ldp x29, x30, [sp, #80]",
        "ldp x0, x1, [sp], #96",
        "adrp x9, {caller}",
        "str x30, [x9, :lo12:{caller}]",
        "ldr x10, [x15, #{function}]",
        "blr x10",
        // What a function of integers and pointers can return.
        "stp x0, x1, [sp, #-16]!",
        "bl {leave}",
        "ldp x0, x1, [sp], #16",
        "adrp x9, {caller}",
        "ldr x30, [x9, :lo12:{caller}]",
        "ret",
        "2:",
        "adrp x9, {idle_calls}",
        "ldr x10, [x9, :lo12:{idle_calls}]",
        "add x10, x10, #1",
        "str x10, [x9, :lo12:{idle_calls}]",
        "ldr x10, [x15, #{function}]",
        "br x10",
        idle = sym IDLE,
        idle_calls = sym IDLE_CALLS,
        caller = sym CALLER,
        function = const offset_of!(Counted, function),
        enter = sym begin,
        leave = sym leave,
    )
}

/// A counted call begins.
///
/// # Safety
///
/// `registers` must point to x0 to x7, and `stack` to where the stack pointer was at the call.
unsafe extern "C" fn begin(counted: &'static Counted, registers: *const u64, stack: *const u64) {
    // SAFETY: the caller's promise.
    enter(counted, &unsafe {
        Arguments::new(registers, IN_REGISTERS, stack)
    });
}
