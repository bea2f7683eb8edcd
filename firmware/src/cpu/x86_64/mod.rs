//! x86-64, measured in user mode.

mod call;
pub mod counter;
pub mod exceptions;
pub mod probes;

pub use call::{STACK_AT_CALL, call_on_stack, stack_pointer, thread_pointer};
