//! Exceptions end the meter: they are reported on a stack of their own, and never returned from.

use core::arch::global_asm;

use aarch64_cpu::registers::{DAIF, ESR_EL1, FAR_EL1, Readable, SP_EL0, SPSR_EL1, Writeable};
use wire::{FaultEvent, FaultKind};

use crate::board;
use crate::meter::fault::{self, Registers};

/// General registers that are kept, from x19 on: those that lead to the callers.
const FIRST_KEPT: usize = 19;

/// Kinds of vectors, in the order of the table (DDI 0487, D1.4.1).
const INTERRUPT: u64 = 1;
const FAST_INTERRUPT: u64 = 2;
const SYSTEM_ERROR: u64 = 3;

/// ESR_ELx.EC values (DDI 0487, D24.2.40) for which FAR_ELx holds the address at fault: instruction
/// aborts, PC alignment, data aborts, watchpoints; each from a lower level and from this one.
const WITH_ADDRESS: [u64; 7] = [0x20, 0x21, 0x22, 0x24, 0x25, 0x34, 0x35];

/// ESR_ELx.ISS.FnV of an abort: FAR_ELx is not valid.
const ADDRESS_NOT_VALID: u64 = 1 << 10;

/// PC alignment has no syndrome beyond its class.
const PC_ALIGNMENT: u64 = 0x22;

/// Accesses below this address are taken for uses of a null pointer.
const NULL_ZONE: u64 = 0x1_0000;

// The vector table. All registers are kept on the exception stack, from its end on: the program
// runs on SP_EL0, so that whatever SP_EL1 was, nothing is lost that is still needed. An exception
// on SP_EL1 interrupted a report, whose stack may be used up or broken. TPIDR_EL1 and TPIDRRO_EL0,
// which nothing else uses, hold what there is no register for.
global_asm!(
    ".pushsection .text.meter_vectors, \"ax\", @progbits",
    ".macro meter_vector number",
    ".balign 128",
    "msr tpidr_el1, x0",
    "mov x0, sp",
    "msr tpidrro_el0, x0",
    "adrp x0, exception_stack_end",
    "add x0, x0, :lo12:exception_stack_end",
    "mov sp, x0",
    "mrs x0, tpidr_el1",
    "sub sp, sp, #256",
    "stp x0, x1, [sp]",
    "stp x2, x3, [sp, #16]",
    "stp x4, x5, [sp, #32]",
    "stp x6, x7, [sp, #48]",
    "stp x8, x9, [sp, #64]",
    "stp x10, x11, [sp, #80]",
    "stp x12, x13, [sp, #96]",
    "stp x14, x15, [sp, #112]",
    "stp x16, x17, [sp, #128]",
    "stp x18, x19, [sp, #144]",
    "stp x20, x21, [sp, #160]",
    "stp x22, x23, [sp, #176]",
    "stp x24, x25, [sp, #192]",
    "stp x26, x27, [sp, #208]",
    "stp x28, x29, [sp, #224]",
    "mrs x0, tpidrro_el0",
    "stp x30, x0, [sp, #240]",
    "mov x0, sp",
    r"mov x1, #\number",
    "b {exception}",
    ".endm",
    ".balign 2048",
    ".globl meter_vectors",
    "meter_vectors:",
    // With SP_EL0, with SP_ELx, from a lower level in AArch64 and in AArch32.
    ".rept 4",
    "meter_vector 0",
    "meter_vector 1",
    "meter_vector 2",
    "meter_vector 3",
    ".endr",
    ".popsection",
    exception = sym exception,
);

unsafe extern "C" {
    /// The vector table, for VBAR_EL1.
    pub fn meter_vectors();
}

/// What a vector keeps.
#[repr(C)]
struct Kept {
    /// x0 to x30.
    general: [u64; 31],
    /// SP_EL1 at the exception.
    exception_stack_pointer: u64,
}

/// Says what happened, and does not come back.
extern "C" fn exception(kept: &Kept, vector: u64) -> ! {
    let syndrome = ESR_EL1.get();
    // M[0] of the interrupted state says which stack pointer it used (DDI 0487, C5.2.19).
    let stack_pointer = match SPSR_EL1.get() & 1 {
        0 => SP_EL0.get(),
        _ => kept.exception_stack_pointer,
    };
    let data_address = data_address(vector, syndrome);
    let (kind, event) = match vector {
        INTERRUPT => match board::acknowledge_interrupt() {
            Some(board::DEADLINE_INTERRUPT) => {
                let number = Some(board::DEADLINE_INTERRUPT);
                (FaultKind::Deadline, FaultEvent::Interrupt(number))
            }
            other => (FaultKind::Exception, FaultEvent::Interrupt(other)),
        },
        FAST_INTERRUPT => (FaultKind::Exception, FaultEvent::Interrupt(None)),
        SYSTEM_ERROR => (FaultKind::Exception, FaultEvent::SystemError(syndrome)),
        _ => (FaultKind::Exception, FaultEvent::Exception(syndrome)),
    };
    fault::report_access(
        match data_address {
            Some(address) if address < NULL_ZONE => FaultKind::NullAccess,
            _ => kind,
        },
        event,
        &Registers {
            address: aarch64_cpu::registers::ELR_EL1.get(),
            data_address,
            stack_pointer,
            general: kept.general[FIRST_KEPT..].iter().copied().collect(),
            link: Some(kept.general[30]),
            frame: kept.general[29],
        },
    )
}

/// FAR_EL1, where the exception sets it.
fn data_address(vector: u64, syndrome: u64) -> Option<u64> {
    let class = syndrome >> 26 & 0x3f;
    let is_synchronous = !matches!(vector, INTERRUPT | FAST_INTERRUPT | SYSTEM_ERROR);
    let is_valid = class == PC_ALIGNMENT || syndrome & ADDRESS_NOT_VALID == 0;
    (is_synchronous && is_valid && WITH_ADDRESS.contains(&class)).then(|| FAR_EL1.get())
}

/// Lets the one interrupt in that is enabled, or keeps it out.
pub fn admit_interrupts(yes: bool) {
    let masked = DAIF::D::Masked + DAIF::A::Masked + DAIF::F::Masked;
    DAIF.write(match yes {
        true => masked + DAIF::I::Unmasked,
        false => masked + DAIF::I::Masked,
    });
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
