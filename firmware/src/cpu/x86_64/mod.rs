//! x86-64, measured in user mode.

mod call;
pub mod counter;
mod counting;
pub mod exceptions;
pub mod probes;

pub use call::{STACK_AT_CALL, call_on_stack};
pub use counting::counted_call;
