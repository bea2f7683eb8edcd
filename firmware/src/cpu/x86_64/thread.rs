//! The thread-local variables of a program.

use core::arch::asm;

/// Where they lie, by begin and end, from their size and their alignment in the program header:
/// below the thread pointer (ELF Handling for Thread-Local Storage, variant II).
pub fn thread_local(bytes: usize, alignment: usize) -> (usize, usize) {
    let end = thread_pointer();
    (end - bytes.next_multiple_of(alignment), end)
}

/// The word at its own address holds it (System V ABI for AMD64, section 3.4.2).
fn thread_pointer() -> usize {
    let pointer;
    // SAFETY: every thread of Linux has it.
    unsafe { asm!("mov {}, fs:[0]", out(reg) pointer, options(nostack, preserves_flags)) };
    pointer
}
