//! Signals end the meter: they are reported on a stack of their own, and never returned from.

use core::ffi::{c_int, c_void};
use core::{mem, ptr};
use std::sync::OnceLock;

use wire::{FaultEvent, FaultKind};

use crate::board;
use crate::cpu::context;
use crate::meter::fault;

/// The signals that a submission's misdeeds raise, or the submission itself.
const SIGNALS: [c_int; 16] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGABRT,
    libc::SIGSYS,
    libc::SIGALRM,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
];

/// Accesses below this address are taken for uses of a null pointer.
const NULL_ZONE: u64 = 0x1_0000;

/// Bytes of the stack that reports are made on.
const REPORT_STACK: usize = 256 * 1024;

/// The timer behind every deadline: a number by which the kernel knows it.
struct Alarm(libc::timer_t);

// SAFETY: the kernel's number of a timer, which every thread may use.
unsafe impl Send for Alarm {}
// SAFETY: as above; setting a timer is one system call.
unsafe impl Sync for Alarm {}

static ALARM: OnceLock<Alarm> = OnceLock::new();

/// The signal of a deadline: one that no submission is likely to use. QEMU's emulation of user mode
/// keeps the last two for itself.
fn deadline_signal() -> c_int {
    libc::SIGRTMAX() - 2
}

/// Takes over the signals of faults, on a stack of their own, and makes the timer of deadlines.
///
/// # Errors
///
/// Those of `sigaltstack`, `sigaction` and `timer_create`.
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
    for signal in SIGNALS.into_iter().chain([deadline_signal()]) {
        // SAFETY: an all-zero sigaction is a valid one, and the handler never returns.
        let result = unsafe {
            let mut action: libc::sigaction = mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            // A fault of the report itself is reported as well.
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            libc::sigaddset(&raw mut action.sa_mask, deadline_signal());
            libc::sigaction(signal, &raw const action, ptr::null_mut())
        };
        if result != 0 {
            return Err(std::io::Error::last_os_error());
        }
    }
    make_alarm()
}

/// Makes a timer whose signal goes to this very thread, wherever a submission starts others.
fn make_alarm() -> std::io::Result<()> {
    let mut timer: libc::timer_t = ptr::null_mut();
    // SAFETY: an all-zero sigevent is a valid one, and the pointers are good for the call.
    let result = unsafe {
        let mut event: libc::sigevent = mem::zeroed();
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = deadline_signal();
        event.sigev_notify_thread_id = libc::gettid();
        libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer)
    };
    if result != 0 {
        return Err(std::io::Error::last_os_error());
    }
    ALARM
        .set(Alarm(timer))
        .map_err(|_| std::io::Error::other("started twice"))
}

/// Lets the timer raise its signal after this time, or never.
pub fn set_alarm(nanoseconds: Option<u64>) {
    let Some(Alarm(timer)) = ALARM.get() else {
        return;
    };
    // 0 would never come.
    let nanoseconds = nanoseconds.map_or(0, |nanoseconds| nanoseconds.max(1));
    // SAFETY: an all-zero itimerspec is a valid one, and the timer is ours.
    unsafe {
        let mut time: libc::itimerspec = mem::zeroed();
        time.it_value.tv_sec =
            libc::time_t::try_from(nanoseconds / 1_000_000_000).unwrap_or(libc::time_t::MAX);
        time.it_value.tv_nsec = (nanoseconds % 1_000_000_000) as i64;
        // It fails for no timer and time that are valid.
        libc::timer_settime(*timer, 0, &raw const time, ptr::null_mut());
    }
}

/// Says what happened, and does not come back.
extern "C" fn handle(signal: c_int, information: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel hands over a valid context and information; both are only read.
    let (context, code, address) = unsafe {
        let address = (*information).si_addr().addr() as u64;
        let context = &*context.cast::<libc::ucontext_t>();
        (context, (*information).si_code, address)
    };
    // The kernel knows no address of an access to one that is not canonical, nor of a signal that
    // somebody sent.
    let has_address =
        matches!(signal, libc::SIGSEGV | libc::SIGBUS) && code > 0 && code != libc::SI_KERNEL;
    let data_address = has_address.then_some(address);
    let kind = match data_address {
        Some(address) if address < NULL_ZONE => FaultKind::NullAccess,
        _ if signal == libc::SIGABRT => FaultKind::Abort,
        _ if signal == deadline_signal() && code == libc::SI_TIMER => FaultKind::Deadline,
        _ => FaultKind::Exception,
    };
    fault::report_access(
        kind,
        FaultEvent::Signal {
            number: signal,
            code,
        },
        &context::registers(context, data_address),
    )
}

/// The next frame of the chain that starts at this frame pointer: its caller's frame pointer and
/// the return address.
///
/// `None` at the end of the chain, or where there is none: at -O2 C code for x86-64 keeps no frame
/// pointers, and rbp may hold anything. A record is the same there and on Arm (AAPCS64, section
/// 6.4.6).
pub fn next_frame(frame: u64) -> Option<(u64, u64)> {
    if !frame.is_multiple_of(8) || !board::is_stack(frame, 16) {
        return None;
    }
    let record = frame as *const [u64; 2];
    // SAFETY: the record lies on the measuring stack and is aligned.
    let [caller, return_address] = unsafe { record.read() };
    (return_address != 0 && (caller > frame || caller == 0)).then_some((caller, return_address))
}
