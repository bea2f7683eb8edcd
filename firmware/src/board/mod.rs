//! One file per board: its line, its clock, its memory, its power switch.
//!
//! Every board offers the same names; the meter knows none of them.

#[cfg(target_os = "none")]
mod bare;
#[cfg(target_os = "none")]
mod log;
pub mod stack;
mod statics;

pub use stack::MeasuringStack;

#[cfg(target_os = "none")]
mod qemu_virt;
#[cfg(target_os = "none")]
pub use qemu_virt::*;

#[cfg(target_os = "linux")]
mod confinement;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub use linux::*;

use embedded_io::ErrorKind;

/// What an address that must not be touched says of an access to it.
pub enum Guard {
    /// The measuring stack was not enough.
    Measuring {
        /// Bytes that there were.
        available: usize,
    },
    /// The meter's own stack was not enough.
    Own,
    /// The address lies below the measuring stack, but the stack pointer does not lead there.
    Wild,
}

/// Bytes above the low end of a stack within which the stack pointer may be when it overflows: an
/// access below it, as of a signal frame or a red zone.
const OVERFLOW_MARGIN: u64 = 4096;

/// The line to the host. Reading and writing block.
pub trait Line: embedded_io::Read<Error: embedded_io::Error> + embedded_io::Write {
    /// Whether the line is gone for good: nobody will ever answer.
    fn is_gone(error: ErrorKind) -> bool {
        matches!(error, ErrorKind::BrokenPipe | ErrorKind::ConnectionReset)
    }
}
