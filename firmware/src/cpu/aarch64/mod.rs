//! AArch64, measured at EL1.

mod call;
pub mod caller;
pub mod counter;
pub mod entry;
pub mod exceptions;
pub mod paging;
pub mod probes;
pub mod timer;

pub use call::{STACK_AT_CALL, call_on_stack};
