//! The registers of a caller, for faults that are reported by a call.

use core::arch::asm;

use crate::meter::fault::Registers;

/// What [`with_caller`] keeps: x19 to x30, and the stack pointer.
#[repr(C)]
pub struct Caller {
    kept: [u64; 12],
    stack_pointer: u64,
}

impl Caller {
    /// As they will be when the call returns.
    pub fn registers(&self) -> Registers {
        let [.., frame, link] = self.kept;
        Registers {
            address: link,
            data_address: None,
            stack_pointer: self.stack_pointer,
            general: self.kept.iter().copied().collect(),
            // It was the way into the function that reports, and no caller's.
            link: None,
            frame,
        }
    }
}

/// Defines a C function that hands its arguments on to a Rust one, and behind them the registers
/// of its caller: `with_caller!(meter_abort, x0, aborted)` for a function without arguments. It
/// never returns. The meaning of the arguments is that of the Rust function.
macro_rules! with_caller {
    ($(#[$attribute:meta])* $name:ident, 0, $to:path) => { with_caller!(@ $(#[$attribute])* $name, "x0", $to); };
    ($(#[$attribute:meta])* $name:ident, 1, $to:path) => { with_caller!(@ $(#[$attribute])* $name, "x1", $to); };
    ($(#[$attribute:meta])* $name:ident, 4, $to:path) => { with_caller!(@ $(#[$attribute])* $name, "x4", $to); };
    (@ $(#[$attribute:meta])* $name:ident, $register:literal, $to:path) => {
        $(#[$attribute])*
        ///
        /// # Safety
        ///
        /// As for the C function of this name.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() -> ! {
            core::arch::naked_asm!(
                "mov x9, sp",
                "sub sp, sp, #112",
                "stp x19, x20, [sp]",
                "stp x21, x22, [sp, #16]",
                "stp x23, x24, [sp, #32]",
                "stp x25, x26, [sp, #48]",
                "stp x27, x28, [sp, #64]",
                "stp x29, x30, [sp, #80]",
                "str x9, [sp, #96]",
                concat!("mov ", $register, ", sp"),
                "bl {to}",
                "brk #0",
                to = sym $to,
            )
        }
    };
}
pub(crate) use with_caller;

/// The registers here, for reports that begin in the meter's own code.
#[inline(always)]
pub fn registers_here() -> Registers {
    let (frame, stack_pointer, address): (u64, u64, u64);
    let mut kept = [0_u64; 12];
    // SAFETY: reads registers only, and writes them to the array, which has room for them.
    unsafe {
        asm!(
            "mov {frame}, x29",
            "mov {stack_pointer}, sp",
            "adr {address}, .",
            "stp x19, x20, [{kept}]",
            "stp x21, x22, [{kept}, #16]",
            "stp x23, x24, [{kept}, #32]",
            "stp x25, x26, [{kept}, #48]",
            "stp x27, x28, [{kept}, #64]",
            "stp x29, x30, [{kept}, #80]",
            frame = out(reg) frame,
            stack_pointer = out(reg) stack_pointer,
            address = out(reg) address,
            kept = in(reg) &raw mut kept,
            options(nostack, preserves_flags),
        );
    }
    Registers {
        address,
        data_address: None,
        stack_pointer,
        general: kept.iter().copied().collect(),
        link: None,
        frame,
    }
}
