//! The registers that a signal interrupted.

use crate::meter::fault::Registers;

/// General registers that a report has, from x19 on: those that lead to the callers.
const FIRST_KEPT: usize = 19;

/// What the kernel kept of them.
pub fn registers(context: &libc::ucontext_t, data_address: Option<u64>) -> Registers {
    let kept = &context.uc_mcontext;
    Registers {
        address: kept.pc,
        data_address,
        stack_pointer: kept.sp,
        general: kept.regs[FIRST_KEPT..].iter().copied().collect(),
        link: Some(kept.regs[30]),
        frame: kept.regs[29],
    }
}
