//! What a counter of calls is made of, whatever the architecture.

use core::sync::atomic::AtomicUsize;

/// A C function whose calls pass through a counter.
#[repr(C)]
pub struct Counted {
    /// The function.
    pub function: unsafe extern "C" fn(),
    /// Which one it is, by its place in [`wire::HELPERS`].
    pub helper: u8,
}

/// Not 0 while counters let calls pass: outside of measured operations, and inside of counted
/// calls, whose own calls are a part of them.
pub static IDLE: AtomicUsize = AtomicUsize::new(1);

/// Calls that counters let pass.
pub static IDLE_CALLS: AtomicUsize = AtomicUsize::new(0);

/// Where the caller of the counted function waits for it. There is one: a counted call is
/// outermost.
pub(super) static CALLER: AtomicUsize = AtomicUsize::new(0);

/// The arguments of a call, where they were found.
pub struct Arguments {
    registers: *const u64,
    in_registers: usize,
    /// The stack pointer at the call: the first argument that is in no register.
    pub stack: *const u64,
}

impl Arguments {
    /// # Safety
    ///
    /// `registers` must point to the argument registers in order, as many as `in_registers` says,
    /// and `stack` to the arguments after them, as far as the function has any.
    pub(super) unsafe fn new(
        registers: *const u64,
        in_registers: usize,
        stack: *const u64,
    ) -> Self {
        Self {
            registers,
            in_registers,
            stack,
        }
    }

    /// The argument of this number, from 0.
    ///
    /// # Safety
    ///
    /// The function must have so many arguments, all of them integers or pointers.
    pub unsafe fn get(&self, number: usize) -> u64 {
        // SAFETY: the maker's and the caller's promise.
        unsafe {
            match number.checked_sub(self.in_registers) {
                None => *self.registers.add(number),
                Some(further) => *self.stack.add(further),
            }
        }
    }
}
