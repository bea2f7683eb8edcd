//! The way through a counter: any C function of integers and pointers, called as it expects.

use core::arch::naked_asm;
use core::mem::offset_of;

use crate::abi::counting::{enter, leave};
use crate::cpu::counting::{Arguments, CALLER, Counted, IDLE, IDLE_CALLS};

/// Arguments that are passed in registers (System V ABI for AMD64, section 3.2.3).
const IN_REGISTERS: usize = 6;

/// The name under which the objects of a submission call a counted function: puts the address of
/// its description into r11, which a call may change (System V ABI, section 3.2.1).
#[doc(hidden)]
#[macro_export]
macro_rules! counter {
    ($counted:ident, $(#[$attribute:meta])* $visibility:vis $name:ident) => {
        $(#[$attribute])*
        #[unsafe(naked)]
        $visibility unsafe extern "C" fn $name() {
            ::core::arch::naked_asm!(
                "lea r11, [rip + {counted}]",
                "jmp {call}",
                counted = sym $counted,
                call = sym $crate::abi::counting::counted_call,
            )
        }
    };
}

/// Calls the function whose description is in r11, with everything as its caller left it: registers
/// of arguments, the number of vector registers (al), the static chain (r10) and the stack. Only
/// the return address is another, so that the call comes back here.
///
/// # Safety
///
/// To be reached from a `counter!` only.
#[unsafe(naked)]
pub unsafe extern "C" fn counted_call() {
    naked_asm!(
        "cmp qword ptr [rip + {idle}], 0",
        "jne 2f",
        "push rax",
        "push r10",
        "push r11",
        "push r9",
        "push r8",
        "push rcx",
        "push rdx",
        "push rsi",
        "push rdi",
        "mov rdi, r11",
        "mov rsi, rsp",
        // Behind nine registers and the return address.
        "lea rdx, [rsp + 80]",
        "call {enter}",
        "pop rdi",
        "pop rsi",
        "pop rdx",
        "pop rcx",
        "pop r8",
        "pop r9",
        "pop r11",
        "pop r10",
        "pop rax",
        "pop qword ptr [rip + {caller}]",
        "call qword ptr [r11 + {function}]",
        // What a function of integers and pointers can return.
        "push rax",
        "push rdx",
        "call {leave}",
        "pop rdx",
        "pop rax",
        "push qword ptr [rip + {caller}]",
        "ret",
        "2:",
        "inc qword ptr [rip + {idle_calls}]",
        "jmp qword ptr [r11 + {function}]",
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
/// `registers` must point to the argument registers in order, and `stack` to where the stack
/// pointer was before the call.
unsafe extern "C" fn begin(counted: &'static Counted, registers: *const u64, stack: *const u64) {
    // SAFETY: the caller's promise.
    enter(counted, &unsafe {
        Arguments::new(registers, IN_REGISTERS, stack)
    });
}
