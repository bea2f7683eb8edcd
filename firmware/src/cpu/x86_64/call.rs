//! Calling a C function on the measuring stack.

use core::arch::{asm, naked_asm};
use core::mem::offset_of;

use crate::cpu::{Call, MAX_ARGUMENTS};

/// Arguments that go in registers (System V ABI for AMD64, section 3.2.3).
const IN_REGISTERS: usize = 6;

/// Bytes between the end of the measuring stack and the stack pointer at the call: the arguments
/// that do not fit in registers.
pub const STACK_AT_CALL: usize = (MAX_ARGUMENTS - IN_REGISTERS) * size_of::<usize>();

/// Calls a C function on a stack of its own and returns what it left in rax.
///
/// The callee finds rbp = 0, so that a chain of frames ends there.
///
/// # Safety
///
/// `stack_end` must be the 16-byte aligned end of writable memory that nothing else uses, and the
/// function must be a C function that may be called with these arguments.
#[unsafe(naked)]
pub unsafe extern "sysv64" fn call_on_stack(call: *const Call, stack_end: *mut u8) -> usize {
    naked_asm!(
        // The registers that survive a call, and the control words that must (section 3.2.1).
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 16",
        "stmxcsr [rsp]",
        "fnstcw [rsp + 8]",
        "mov [rip + {saved}], rsp",
        "lea rsp, [rsi - {stack_at_call}]",
        "lea r11, [rdi + {arguments}]",
        "mov rax, [r11 + 48]",
        "mov [rsp], rax",
        "mov rax, [r11 + 56]",
        "mov [rsp + 8], rax",
        "mov rax, [r11 + 64]",
        "mov [rsp + 16], rax",
        "mov rax, [r11 + 72]",
        "mov [rsp + 24], rax",
        "mov rax, [r11 + 80]",
        "mov [rsp + 32], rax",
        "mov rax, [r11 + 88]",
        "mov [rsp + 40], rax",
        "mov r10, [rdi + {function}]",
        "mov rdi, [r11]",
        "mov rsi, [r11 + 8]",
        "mov rdx, [r11 + 16]",
        "mov rcx, [r11 + 24]",
        "mov r8, [r11 + 32]",
        "mov r9, [r11 + 40]",
        "xor ebp, ebp",
        "xor eax, eax",
        "call r10",
        "mov rsp, [rip + {saved}]",
        "cld",
        "ldmxcsr [rsp]",
        "fldcw [rsp + 8]",
        "add rsp, 16",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
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
    unsafe { asm!("mov {}, rsp", out(reg) here, options(nomem, nostack, preserves_flags)) };
    here
}
