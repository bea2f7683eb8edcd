//! x86-64, measured in user mode.

pub mod branches;
mod call;
pub mod caller;
pub mod context;
mod counting;
pub mod flush;
pub mod probes;
mod thread;
pub mod ticks;

pub use call::{STACK_AT_CALL, call_on_stack, stack_pointer};
pub use counting::counted_call;
pub use thread::thread_local;
