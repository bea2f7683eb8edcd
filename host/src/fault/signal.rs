//! Signals of Linux in words: signal(7), and the codes of sigaction(2) with the numbers of the
//! kernel's `include/uapi/asm-generic/siginfo.h`.

use signal_hook::consts::{SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};

/// Numbers from here on are real-time signals, which have no names.
const FIRST_REAL_TIME: i32 = 32;

/// The name of a signal.
pub fn name(number: i32) -> Option<&'static str> {
    signal_hook::low_level::signal_name(number)
}

/// A signal and where it comes from.
pub fn words(number: i32, code: i32) -> String {
    let name = match name(number) {
        Some(name) => name.to_owned(),
        None if number >= FIRST_REAL_TIME => "real-time signal".to_owned(),
        None => "signal".to_owned(),
    };
    match origin(number, code) {
        Some(origin) => format!("{name}: {origin} (signal {number})"),
        None => format!("{name} (signal {number}, code {code})"),
    }
}

/// `si_code` in words.
fn origin(number: i32, code: i32) -> Option<&'static str> {
    Some(match (number, code) {
        (_, 0) => "sent by a process",
        (_, -1) => "queued by a process",
        (_, -2) => "a timer",
        (_, -6) => "raised by the process itself",
        // A general protection fault on x86, which tells the address of neither.
        (SIGSEGV | SIGBUS, 0x80) => "not a valid address, or an instruction of kernels alone",
        (SIGTRAP, 0x80) => "breakpoint instruction",
        (_, 0x80) => "the kernel",
        (SIGILL, 1) => "illegal opcode",
        (SIGILL, 2) => "illegal operand",
        (SIGILL, 3) => "illegal addressing mode",
        (SIGILL, 4) => "illegal trap",
        (SIGILL, 5) => "privileged opcode",
        (SIGILL, 6) => "privileged register",
        (SIGILL, 7) => "coprocessor error",
        (SIGILL, 8) => "internal stack error",
        (SIGFPE, 1) => "integer division by zero",
        (SIGFPE, 2) => "integer overflow",
        (SIGFPE, 3) => "floating-point division by zero",
        (SIGFPE, 4) => "floating-point overflow",
        (SIGFPE, 5) => "floating-point underflow",
        (SIGFPE, 6) => "inexact floating-point result",
        (SIGFPE, 7) => "invalid floating-point operation",
        (SIGFPE, 8) => "subscript out of range",
        (SIGSEGV, 1) => "nothing is mapped at the address",
        (SIGSEGV, 2) => "what is mapped at the address forbids this access",
        (SIGSEGV, 3) => "the address is outside of its bounds",
        (SIGSEGV, 4) => "a protection key forbids this access",
        (SIGBUS, 1) => "the address is not aligned",
        (SIGBUS, 2) => "there is no memory behind the address",
        (SIGBUS, 3) => "a hardware error at the address",
        (SIGTRAP, 1) => "breakpoint",
        (SIGTRAP, 2) => "trace trap",
        (SIGTRAP, 3) => "branch trap",
        (SIGTRAP, 4) => "hardware breakpoint",
        (SIGSYS, 1) => "system call that a filter forbids",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_read_as_the_kernel_means_them() {
        for (number, code, expected) in [
            (
                11,
                1,
                "SIGSEGV: nothing is mapped at the address (signal 11)",
            ),
            (
                11,
                2,
                "SIGSEGV: what is mapped at the address forbids this access (signal 11)",
            ),
            (
                11,
                0x80,
                "SIGSEGV: not a valid address, or an instruction of kernels alone (signal 11)",
            ),
            (8, 1, "SIGFPE: integer division by zero (signal 8)"),
            (4, 2, "SIGILL: illegal operand (signal 4)"),
            (5, 0x80, "SIGTRAP: breakpoint instruction (signal 5)"),
            (6, -6, "SIGABRT: raised by the process itself (signal 6)"),
            (14, 0x80, "SIGALRM: the kernel (signal 14)"),
            (7, 77, "SIGBUS (signal 7, code 77)"),
            (64, -2, "real-time signal: a timer (signal 64)"),
        ] {
            assert_eq!(words(number, code), expected);
        }
        assert_eq!(name(9), Some("SIGKILL"));
        assert_eq!(name(64), None);
    }
}
