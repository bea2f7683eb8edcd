//! Signals end the meter: they are reported on a stack of their own, and never returned from.

use core::arch::asm;
use core::ffi::{c_int, c_void};
use core::{mem, ptr};

use wire::FaultKind;

use crate::board;
use crate::meter::fault::{self, Registers};

/// The signals that a submission's misdeeds raise.
const SIGNALS: [c_int; 6] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGABRT,
];

/// Accesses below this address are taken for uses of a null pointer.
const NULL_ZONE: u64 = 0x1_0000;

/// Bytes of the stack that reports are made on.
const REPORT_STACK: usize = 256 * 1024;

/// Takes over the signals of faults, on a stack of their own.
///
/// # Errors
///
/// Those of `sigaltstack` and `sigaction`.
pub fn start() -> std::io::Result<()> {
    let stack = libc::stack_t {
        ss_sp: Box::leak(vec![0u8; REPORT_STACK].into_boxed_slice())
            .as_mut_ptr()
            .cast(),
        ss_flags: 0,
        ss_size: REPORT_STACK,
    };
    // SAFETY: the stack is never freed.
    if unsafe { libc::sigaltstack(&raw const stack, ptr::null_mut()) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    for signal in SIGNALS {
        // SAFETY: an all-zero sigaction is a valid one, and the handler never returns.
        let result = unsafe {
            let mut action: libc::sigaction = mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(signal, &raw const action, ptr::null_mut())
        };
        if result != 0 {
            return Err(std::io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Says what happened, and does not come back.
extern "C" fn handle(signal: c_int, information: *mut libc::siginfo_t, context: *mut c_void) {
    let context = context.cast::<libc::ucontext_t>();
    // SAFETY: the kernel hands over a valid context and information; both are only read.
    let (registers, data_address) = unsafe {
        let registers = (*context).uc_mcontext.gregs;
        let address = (*information).si_addr().addr() as u64;
        (registers, address)
    };
    let register = |index: c_int| registers[index as usize].cast_unsigned();
    let data_address = matches!(signal, libc::SIGSEGV | libc::SIGBUS).then_some(data_address);
    let kind = match data_address {
        Some(address) if board::is_guard(address) => FaultKind::StackOverflow,
        Some(address) if address < NULL_ZONE => FaultKind::NullAccess,
        _ if signal == libc::SIGABRT => FaultKind::Abort,
        _ => FaultKind::Exception,
    };
    fault::report(
        kind,
        &Registers {
            address: register(libc::REG_RIP),
            data_address,
            stack_pointer: register(libc::REG_RSP),
            syndrome: signal.cast_unsigned().into(),
            link: None,
            frame: register(libc::REG_RBP),
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
            "mov {}, rbp", "mov {}, rsp", "lea {}, [rip]",
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

/// The next frame of the chain that starts at this frame pointer: its caller's frame pointer and
/// the return address.
///
/// `None` at the end of the chain, or where there is none: at -O2 C code keeps no frame pointers,
/// and rbp may hold anything.
pub fn next_frame(frame: u64) -> Option<(u64, u64)> {
    if !frame.is_multiple_of(8) || !board::is_stack(frame, 16) {
        return None;
    }
    let record = frame as *const [u64; 2];
    // SAFETY: the record lies on the measuring stack and is aligned.
    let [caller, return_address] = unsafe { record.read() };
    (return_address != 0 && (caller > frame || caller == 0)).then_some((caller, return_address))
}
