//! AArch64, measured at EL1 where there is no operating system, and otherwise at EL0.

pub mod branches;
#[cfg(any(board = "rpi3", board = "rpi4", board = "rpi5"))]
pub mod cache;
mod call;
pub mod caller;
mod counting;
pub mod probes;

#[cfg(target_os = "none")]
pub mod cold;
#[cfg(target_os = "none")]
pub mod counter;
#[cfg(target_os = "none")]
pub mod entry;
#[cfg(target_os = "none")]
pub mod events;
#[cfg(target_os = "none")]
pub mod exceptions;
#[cfg(target_os = "none")]
pub mod paging;
#[cfg(target_os = "none")]
pub mod timer;

#[cfg(target_os = "linux")]
pub mod context;
#[cfg(target_os = "linux")]
pub mod flush;
#[cfg(target_os = "linux")]
mod thread;
#[cfg(target_os = "linux")]
pub mod ticks;

pub use call::{STACK_AT_CALL, call_on_stack, stack_pointer};
pub use counting::counted_call;
#[cfg(target_os = "linux")]
pub use thread::thread_local;
