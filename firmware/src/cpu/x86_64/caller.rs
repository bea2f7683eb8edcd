//! The registers of a caller, for faults that are reported by a call.

use core::arch::asm;

use crate::meter::fault::Registers;

/// What [`with_caller`] keeps: rax to r15 by their DWARF numbers (System V ABI for AMD64, figure
/// 3.36), and the return address.
#[repr(C)]
pub struct Caller {
    kept: [u64; 16],
    return_address: u64,
}

/// DWARF numbers.
const RBP: usize = 6;
const RSP: usize = 7;

impl Caller {
    /// As they will be when the call returns.
    pub fn registers(&self) -> Registers {
        Registers {
            address: self.return_address,
            data_address: None,
            stack_pointer: self.kept[RSP],
            general: self.kept.iter().copied().collect(),
            link: None,
            frame: self.kept[RBP],
        }
    }
}

/// Defines a C function that hands its arguments on to a Rust one, and behind them the registers
/// of its caller. It never returns. The meaning of the arguments is that of the Rust function.
macro_rules! with_caller {
    ($(#[$attribute:meta])* $name:ident, 0, $to:path) => { with_caller!(@ $(#[$attribute])* $name, "rdi", $to); };
    ($(#[$attribute:meta])* $name:ident, 1, $to:path) => { with_caller!(@ $(#[$attribute])* $name, "rsi", $to); };
    ($(#[$attribute:meta])* $name:ident, 4, $to:path) => { with_caller!(@ $(#[$attribute])* $name, "r8", $to); };
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
                "lea r11, [rsp + 8]",
                "mov r10, [rsp]",
                "sub rsp, 144",
                "and rsp, -16",
                "mov [rsp], rax",
                "mov [rsp + 8], rdx",
                "mov [rsp + 16], rcx",
                "mov [rsp + 24], rbx",
                "mov [rsp + 32], rsi",
                "mov [rsp + 40], rdi",
                "mov [rsp + 48], rbp",
                "mov [rsp + 56], r11",
                "mov [rsp + 64], r8",
                "mov [rsp + 72], r9",
                "mov [rsp + 80], r10",
                "mov [rsp + 88], r11",
                "mov [rsp + 96], r12",
                "mov [rsp + 104], r13",
                "mov [rsp + 112], r14",
                "mov [rsp + 120], r15",
                "mov [rsp + 128], r10",
                concat!("mov ", $register, ", rsp"),
                "call {to}",
                "ud2",
                to = sym $to,
            )
        }
    };
}
pub(crate) use with_caller;

/// The registers here, for reports that begin in the meter's own code.
#[inline(always)]
pub fn registers_here() -> Registers {
    let address: u64;
    let mut kept = [0_u64; 16];
    // SAFETY: reads registers only, and writes them to the array, which has room for them.
    unsafe {
        asm!(
            "lea {address}, [rip]",
            "mov [{kept} + 24], rbx",
            "mov [{kept} + 48], rbp",
            "mov [{kept} + 56], rsp",
            "mov [{kept} + 96], r12",
            "mov [{kept} + 104], r13",
            "mov [{kept} + 112], r14",
            "mov [{kept} + 120], r15",
            address = out(reg) address,
            kept = in(reg) &raw mut kept,
            options(nostack, preserves_flags),
        );
    }
    Registers {
        address,
        data_address: None,
        stack_pointer: kept[RSP],
        general: kept.iter().copied().collect(),
        link: None,
        frame: kept[RBP],
    }
}
