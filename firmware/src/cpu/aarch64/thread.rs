//! The thread-local variables of a program.

use core::arch::asm;

/// Bytes of the thread control block, which the thread pointer leads to.
const CONTROL_BLOCK: usize = 16;

/// Where they lie, by begin and end, from their size and their alignment in the program header:
/// behind the control block (ELF Handling for Thread-Local Storage, variant I; AAELF64, "TLS").
pub fn thread_local(bytes: usize, alignment: usize) -> (usize, usize) {
    let begin = thread_pointer() + CONTROL_BLOCK.next_multiple_of(alignment);
    (begin, begin + bytes)
}

/// TPIDR_EL0, which the kernel leaves to the C library.
fn thread_pointer() -> usize {
    let pointer;
    // SAFETY: reading the register has no effect.
    unsafe { asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nostack, preserves_flags)) };
    pointer
}
