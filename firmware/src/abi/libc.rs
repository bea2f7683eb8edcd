//! The ways in which C ends a program, and the streams that it prints to.
//!
//! The build renames the submission's calls of `abort`, `exit` and `__assert_fail` to these
//! names. None of them returns: each becomes a report of the call.

use core::ffi::{CStr, c_char, c_int, c_uint};

use wire::FaultKind;

use crate::cpu::caller::{Caller, with_caller};
use crate::meter::fault;

with_caller!(
    /// `void abort(void)`
    meter_abort,
    0,
    aborted
);

with_caller!(
    /// `void exit(int status)`
    meter_exit,
    1,
    exited
);

with_caller!(
    /// glibc's `void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)`
    meter_assert_fail,
    4,
    failed_assertion
);

with_caller!(
    /// picolibc's `void __assert_func(const char *file, int line, const char *function, const char *expression)`
    meter_assert_func,
    4,
    failed_assertion_of_picolibc
);

extern "C" fn aborted(caller: &Caller) -> ! {
    fault::report_call(FaultKind::Abort, caller, format_args!(""))
}

extern "C" fn exited(status: c_int, caller: &Caller) -> ! {
    fault::report_call(FaultKind::Exit(status), caller, format_args!(""))
}

/// # Safety
///
/// The texts must be null or end in a zero byte.
unsafe extern "C" fn failed_assertion(
    expression: *const c_char,
    file: *const c_char,
    line: c_uint,
    function: *const c_char,
    caller: &Caller,
) -> ! {
    // SAFETY: the caller's promise.
    let (expression, file, function) = unsafe { (text(expression), text(file), text(function)) };
    fault::report_call(
        FaultKind::Assertion,
        caller,
        format_args!("{expression} in {function}, {file}:{line}"),
    )
}

/// # Safety
///
/// The texts must be null or end in a zero byte.
unsafe extern "C" fn failed_assertion_of_picolibc(
    file: *const c_char,
    line: c_int,
    function: *const c_char,
    expression: *const c_char,
    caller: &Caller,
) -> ! {
    // SAFETY: the caller's promise.
    unsafe { failed_assertion(expression, file, line.cast_unsigned(), function, caller) }
}

/// A C text, as far as it is UTF-8.
///
/// # Safety
///
/// The text must be null or end in a zero byte, and live as long as the report.
unsafe fn text(text: *const c_char) -> &'static str {
    if text.is_null() {
        return "?";
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("?")
}

#[cfg(target_os = "none")]
mod freestanding {
    //! What picolibc expects its platform to define.

    use core::ffi::{c_char, c_int};

    use spin::Mutex;

    use super::meter_exit;

    /// picolibc's stream (`struct __file` in its `stdio.h`).
    #[repr(C)]
    struct Stream {
        unget: u16,
        flags: u8,
        put: extern "C" fn(c_char, *mut Stream) -> c_int,
        get: extern "C" fn(*mut Stream) -> c_int,
        flush: extern "C" fn(*mut Stream) -> c_int,
    }

    /// `__SRD | __SWR`: the stream can be read and written.
    const READ_WRITE: u8 = 1 | 2;

    /// `EOF`, and `_FDEV_EOF` for a stream that has nothing to read.
    const END: c_int = -2;

    static mut STREAM: Stream = Stream {
        unget: 0,
        flags: READ_WRITE,
        put,
        get,
        flush,
    };

    /// A `FILE *const` as C sees it.
    #[repr(transparent)]
    struct StreamPointer(*mut Stream);

    // SAFETY: one core, and C alone follows the pointer.
    unsafe impl Sync for StreamPointer {}

    #[unsafe(no_mangle)]
    static stdin: StreamPointer = StreamPointer(&raw mut STREAM);
    #[unsafe(no_mangle)]
    static stdout: StreamPointer = StreamPointer(&raw mut STREAM);
    #[unsafe(no_mangle)]
    static stderr: StreamPointer = StreamPointer(&raw mut STREAM);

    /// The line that is being printed.
    static LINE: Mutex<heapless::String<128>> = Mutex::new(heapless::String::new());

    /// Collects a line of what C prints and logs it.
    extern "C" fn put(character: c_char, _stream: *mut Stream) -> c_int {
        let mut line = LINE.lock();
        let character = char::from(character);
        let full = character != '\n' && line.push(character).is_err();
        if full || character == '\n' {
            defmt::warn!("submission prints: {=str}", line.as_str());
            line.clear();
        }
        0
    }

    extern "C" fn get(_stream: *mut Stream) -> c_int {
        END
    }

    extern "C" fn flush(_stream: *mut Stream) -> c_int {
        0
    }

    /// For calls from within the C library.
    ///
    /// # Safety
    ///
    /// A C function like any other.
    #[unsafe(naked)]
    #[unsafe(no_mangle)]
    unsafe extern "C" fn _exit(status: c_int) -> ! {
        core::arch::naked_asm!("b {}", sym meter_exit)
    }
}
