//! One file per board: its line, its clock, its memory, its power switch.
//!
//! Every board offers the same names; the meter knows none of them.

pub mod stack;
mod statics;

pub use stack::MeasuringStack;

// What bare-metal boards share.
#[cfg(target_os = "none")]
mod bare;
#[cfg(target_os = "none")]
mod clock;
#[cfg(target_os = "none")]
mod log;
#[cfg(target_os = "none")]
mod memory;

// Devices that several boards have.
#[cfg(any(board = "rpi3", board = "rpi4", board = "rpi5"))]
mod bcm283x;
#[cfg(any(board = "qemu-virt", board = "rpi4", board = "rpi5"))]
mod gicv2;
#[cfg(target_os = "none")]
mod pl011;

// The boards; NGCC_BOARD chooses, see the build script.
#[cfg(board = "qemu-virt")]
mod qemu_virt;
#[cfg(board = "qemu-virt")]
pub use qemu_virt::*;
#[cfg(board = "rpi3")]
mod rpi3;
#[cfg(board = "rpi3")]
pub use rpi3::*;
#[cfg(board = "rpi4")]
mod rpi4;
#[cfg(board = "rpi4")]
pub use rpi4::*;
#[cfg(board = "rpi5")]
mod rpi5;
#[cfg(board = "rpi5")]
pub use rpi5::*;

#[cfg(target_os = "linux")]
mod confinement;
#[cfg(target_os = "linux")]
mod descriptors;
#[cfg(target_os = "linux")]
pub use descriptors::line;
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
