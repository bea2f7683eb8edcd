//! Exceptions end the meter: they are reported on a stack of their own, and never returned from.

use core::arch::asm;

use aarch64_cpu::registers::{ESR_EL1, FAR_EL1, Readable, SP_EL0};
use aarch64_rt::{ExceptionHandlers, RegisterStateRef, exception_handlers};
use wire::FaultKind;

use crate::board;
use crate::meter::fault::{self, Registers};

/// ESR_ELx.EC values (DDI 0487, D24.2.40) for which FAR_ELx holds the address at fault.
const INSTRUCTION_ABORT: u64 = 0x21;
const PC_ALIGNMENT: u64 = 0x22;
const DATA_ABORT: u64 = 0x25;

/// Accesses below this address are taken for uses of a null pointer.
const NULL_ZONE: u64 = 0x1_0000;

struct Handlers;

exception_handlers!(Handlers);

impl ExceptionHandlers for Handlers {
    extern "C" fn sync_current(state: RegisterStateRef) {
        report(&state)
    }

    extern "C" fn irq_current(state: RegisterStateRef) {
        report(&state)
    }

    extern "C" fn fiq_current(state: RegisterStateRef) {
        report(&state)
    }

    extern "C" fn serror_current(state: RegisterStateRef) {
        report(&state)
    }
}

/// Says what happened, and does not come back.
fn report(state: &RegisterStateRef) -> ! {
    let syndrome = ESR_EL1.get();
    let class = syndrome >> 26 & 0x3f;
    let data_address =
        matches!(class, INSTRUCTION_ABORT | PC_ALIGNMENT | DATA_ABORT).then(|| FAR_EL1.get());
    let kind = match data_address {
        Some(address) if board::is_guard(address) => FaultKind::StackOverflow,
        Some(address) if address < NULL_ZONE => FaultKind::NullAccess,
        _ => FaultKind::Exception,
    };
    fault::report(
        kind,
        &Registers {
            address: state.elr as u64,
            data_address,
            stack_pointer: SP_EL0.get(),
            syndrome,
            // aarch64-rt's field `sp` holds x30, the link register.
            link: Some(state.sp),
            frame: state.fp,
        },
        format_args!(""),
    )
}

/// The registers of the caller, for faults that are reported by a call.
#[inline(always)]
pub fn registers_here() -> Registers {
    let (frame, stack_pointer, address): (u64, u64, u64);
    // SAFETY: reads registers only.
    unsafe {
        asm!(
            "mov {}, x29", "mov {}, sp", "adr {}, .",
            out(reg) frame, out(reg) stack_pointer, out(reg) address,
            options(nomem, nostack, preserves_flags),
        );
    }
    Registers {
        address,
        data_address: None,
        stack_pointer,
        syndrome: 0,
        link: None,
        frame,
    }
}

/// The next frame record of the chain that starts at this frame pointer: its caller's frame
/// pointer and the return address (AAPCS64, section 6.4.6).
///
/// `None` at the end of the chain or where it leaves memory that may be read.
pub fn next_frame(frame: u64) -> Option<(u64, u64)> {
    if !frame.is_multiple_of(8) || !board::is_stack(frame, 16) {
        return None;
    }
    let record = frame as *const [u64; 2];
    // SAFETY: the record lies on one of the stacks and is aligned.
    let [caller, return_address] = unsafe { record.read() };
    // A chain only ever leads to higher addresses: anything else would not end.
    (return_address != 0 && (caller > frame || caller == 0)).then_some((caller, return_address))
}
