//! What a process of Linux uses of its processor through the kernel, the same on every
//! architecture: signals for exceptions, perf events for counters.

pub mod cold;
pub mod counter;
pub mod events;
pub mod exceptions;
