//! x86-64, measured in user mode.

pub mod branches;
mod call;
pub mod caller;
pub mod cold;
pub mod counter;
mod counting;
pub mod events;
pub mod exceptions;
pub mod probes;

pub use call::{STACK_AT_CALL, call_on_stack, stack_pointer, thread_pointer};
pub use counting::counted_call;
