//! The registers that a signal interrupted.

use core::ffi::c_int;

use crate::meter::fault::Registers;

/// Places of the general registers in a context, by their DWARF numbers (System V ABI for AMD64,
/// figure 3.36).
const GENERAL: [c_int; 16] = [
    libc::REG_RAX,
    libc::REG_RDX,
    libc::REG_RCX,
    libc::REG_RBX,
    libc::REG_RSI,
    libc::REG_RDI,
    libc::REG_RBP,
    libc::REG_RSP,
    libc::REG_R8,
    libc::REG_R9,
    libc::REG_R10,
    libc::REG_R11,
    libc::REG_R12,
    libc::REG_R13,
    libc::REG_R14,
    libc::REG_R15,
];

/// What the kernel kept of them.
pub fn registers(context: &libc::ucontext_t, data_address: Option<u64>) -> Registers {
    let register = |index: c_int| context.uc_mcontext.gregs[index as usize].cast_unsigned();
    Registers {
        address: register(libc::REG_RIP),
        data_address,
        stack_pointer: register(libc::REG_RSP),
        general: GENERAL.into_iter().map(register).collect(),
        link: None,
        frame: register(libc::REG_RBP),
    }
}
