//! One folder per architecture: the counter, the call on another stack, exceptions, probes.
//!
//! Every architecture offers the same names; nothing else in the meter knows which one it is on.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "aarch64")]
pub use aarch64::*;

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
pub use x86_64::*;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub use linux::{cold, counter, events, exceptions};

pub mod counting;
pub mod predictor;
#[cfg(any(target_os = "none", test))]
mod set_way;

use core::fmt;

use wire::{FaultKind, Probe};

use crate::meter::fault;

/// Arguments that a C function of a submission takes at most, all of them pointers or integers.
pub const MAX_ARGUMENTS: usize = 12;

/// A C function and the arguments for one call of it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Address of the function.
    pub function: usize,
    /// Arguments in C order; the unused ones are 0.
    pub arguments: [usize; MAX_ARGUMENTS],
}

impl Call {
    /// A call of this function with these arguments.
    ///
    /// # Safety
    ///
    /// The address must be that of a C function which takes these arguments, all of them integers
    /// or pointers to memory that it may use as its interface says. That it does no more is not
    /// promised: what it breaks is found out by guards, faults and known answers.
    pub unsafe fn new<const N: usize>(function: usize, arguments: [usize; N]) -> Self {
        const { assert!(N <= MAX_ARGUMENTS) }
        let mut all = [0; MAX_ARGUMENTS];
        all[..N].copy_from_slice(&arguments);
        Self {
            function,
            arguments: all,
        }
    }

    /// The call of one of the meter's own probes; `None` for a length that no probe has.
    pub fn of_probe(probe: Probe) -> Option<Self> {
        let function = |function: unsafe extern "C" fn()| function as usize;
        let with_length = |function: unsafe extern "C" fn(usize)| function as usize;
        let (function, argument) = match probe {
            Probe::Empty => (function(probes::empty), 0),
            Probe::Sled(1) => (function(probes::sled_one), 0),
            Probe::Sled(10) => (function(probes::sled_ten), 0),
            Probe::Sled(length @ 5..) => (with_length(probes::sled_long), length as usize),
            Probe::Stack(bytes @ 16..) if bytes.is_multiple_of(16) => {
                (with_length(probes::stack), bytes as usize)
            }
            Probe::Frame(bytes) if bytes.is_multiple_of(16) => {
                (with_length(probes::frame), bytes as usize)
            }
            Probe::Sled(_) | Probe::Stack(_) | Probe::Frame(_) => return None,
            Probe::Hang => (function(probes::hang), 0),
            Probe::NullWrite => (function(probes::null_write), 0),
            Probe::Overflow => (function(probes::overflow), 0),
            Probe::BadStack => (function(probes::bad_stack), 0),
            Probe::Undefined => (function(probes::undefined), 0),
            Probe::FaultInReport => (function(fault_in_report), 0),
            Probe::OwnOverflow => (function(probes::own_overflow), 0),
        };
        // SAFETY: these are C functions of at most one integer.
        Some(unsafe { Self::new(function, [argument]) })
    }
}

/// Reports a fault in words that cannot be written without another one.
unsafe extern "C" fn fault_in_report() {
    /// Faults where it should say something.
    struct Faulty;

    impl fmt::Display for Faulty {
        fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
            // SAFETY: a C function that faults, which is what it is called for.
            unsafe { probes::null_write() };
            Ok(())
        }
    }

    fault::report_here(FaultKind::Panic, format_args!("{Faulty}"))
}
