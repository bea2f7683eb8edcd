//! x86-64, measured in user mode.

mod call;
pub mod caller;
pub mod counter;
pub mod exceptions;
pub mod probes;

pub use call::{STACK_AT_CALL, call_on_stack};
