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

/// Executes exactly `instructions` (rdi) more instructions than [`empty`]; at least 5.
///
/// # Safety
///
/// A C function like any other.
#[unsafe(naked)]
pub unsafe extern "C" fn sled_long(instructions: usize) {
    naked_asm!(
        // These three, one more if the rest is odd, and two for each turn of the loop.
        "sub rdi, 3",
        "test dil, 1",
        "jz 2f",
        "sub rdi, 1",
        "2:",
        "sub rdi, 2",
        "jg 2b",
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

/// Uses exactly `bytes` (rdi, a multiple of 16 from 16 on) of stack below the return address and writes the
/// lowest word of them.
///
/// # Safety
///
/// A C function like any other.
#[unsafe(naked)]
pub unsafe extern "C" fn stack(bytes: usize) {
    naked_asm!(
        "mov rax, rsp",
        "sub rsp, rdi",
        "mov qword ptr [rsp], 0",
        "mov rsp, rax",
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
    naked_asm!("xor eax, eax", "mov qword ptr [rax], 0", "ret")
}

/// Recurses until the stack is gone.
///
/// # Safety
///
/// A C function like any other, but it faults.
#[unsafe(naked)]
pub unsafe extern "C" fn overflow() {
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "sub rsp, 4096",
        "call {overflow}",
        "leave",
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
    naked_asm!("2:", "jmp 2b")
}

/// Enters a frame of `bytes` (rdi, a multiple of 16) and writes its lowest word.
///
/// # Safety
///
/// A C function like any other, but it faults where the frame is larger than the stack.
#[unsafe(naked)]
pub unsafe extern "C" fn frame(bytes: usize) {
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "sub rsp, rdi",
        "mov qword ptr [rsp], 0",
        "leave",
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
    naked_asm!("mov rsp, 0xdead000000", "push rax", "ret")
}

/// Executes an instruction that there is not.
///
/// # Safety
///
/// A C function like any other, but it faults.
#[unsafe(naked)]
pub unsafe extern "C" fn undefined() {
    naked_asm!("ud2", "ret")
}

/// Overflows the meter's own stack.
///
/// # Safety
///
/// A C function like any other, but it faults.
#[unsafe(naked)]
pub unsafe extern "C" fn own_overflow() {
    naked_asm!(
        "mov rsp, [rip + {saved}]",
        "2:",
        "push 0",
        "jmp 2b",
        saved = sym super::call::SAVED_STACK_POINTER,
    )
}
