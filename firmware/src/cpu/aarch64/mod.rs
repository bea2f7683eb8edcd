//! AArch64, measured at EL1.

pub mod branches;
#[cfg(any(board = "rpi3", board = "rpi4", board = "rpi5"))]
pub mod cache;
mod call;
pub mod caller;
pub mod cold;
pub mod counter;
mod counting;
pub mod entry;
pub mod events;
pub mod exceptions;
pub mod paging;
pub mod probes;
pub mod timer;

pub use call::{STACK_AT_CALL, call_on_stack, stack_pointer};
pub use counting::counted_call;
