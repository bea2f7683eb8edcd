//! The end of the meter's life: report what happened, then stop.
//!
//! After a fault the image is not trusted any more. Nothing is recovered: the report goes out on
//! the line, the power goes off, and the host starts the image anew.

use core::fmt::{self, Write};
use core::sync::atomic::{AtomicU32, Ordering};

use heapless::Vec;
use spin::Mutex;
use wire::{
    BACKTRACE, Fault, FaultEvent, FaultKind, Kind, Operation, REGISTERS, STACK_WORDS, StackWord,
    Text,
};

use crate::abi::heap;
use crate::board::stack::Live;
use crate::board::{self, Guard};
use crate::cpu::{caller, exceptions};
use crate::meter::link;

/// The registers that a report is made from.
pub struct Registers {
    /// The instruction at fault, or where a call returns to.
    pub address: u64,
    /// The data address at fault, where the event has one.
    pub data_address: Option<u64>,
    /// The stack pointer.
    pub stack_pointer: u64,
    /// Registers that lead to the callers, as [`Fault::registers`] has them.
    pub general: Vec<u64, REGISTERS>,
    /// The link register, which holds a leaf function's return address.
    pub link: Option<u64>,
    /// The frame pointer.
    pub frame: u64,
}

/// What the meter was doing, for the report of a fault in the middle of it.
struct Activity {
    /// Number of the request.
    request: u16,
    /// The operation that runs.
    operation: Option<Operation>,
    /// Whether it is its set-up.
    preparing: bool,
}

/// The present activity.
static ACTIVITY: Mutex<Activity> = Mutex::new(Activity {
    request: 0,
    operation: None,
    preparing: false,
});

/// Exception level at entry, which decides how the power is switched off; 0 where there is none.
static ENTRY_LEVEL: AtomicU32 = AtomicU32::new(0);

/// Reports that have begun. More than one: a report has faulted.
static REPORTS: AtomicU32 = AtomicU32::new(0);

/// Notes where we were entered.
pub fn note_entry_level(level: Option<u8>) {
    ENTRY_LEVEL.store(level.unwrap_or(0).into(), Ordering::Relaxed);
}

/// Notes what happens now.
pub fn note(request: u16, operation: Option<Operation>) {
    *ACTIVITY.lock() = Activity {
        request,
        operation,
        preparing: false,
    };
}

/// Notes that the set-up of the operation begins or has ended.
pub fn note_preparing(preparing: bool) {
    ACTIVITY.lock().preparing = preparing;
}

/// Reports an exception or a signal and switches the power off: one of the kind that was found,
/// unless the access was to the guard of a stack.
pub fn report_access(kind: FaultKind, event: FaultEvent, registers: &Registers) -> ! {
    let guard = registers
        .data_address
        .and_then(|address| board::guard(address, registers.stack_pointer));
    match guard {
        Some(Guard::Measuring { available }) => report(
            FaultKind::StackOverflow,
            event,
            registers,
            format_args!("{available} bytes available"),
        ),
        Some(Guard::Own) => report(
            FaultKind::StackOverflow,
            event,
            registers,
            format_args!("on the meter's own stack"),
        ),
        Some(Guard::Wild) => report(
            kind,
            event,
            registers,
            format_args!("the address lies between heap and stack"),
        ),
        None if Live::of(registers.stack_pointer).is_none() => report(
            kind,
            event,
            registers,
            format_args!("the stack pointer points to no stack"),
        ),
        None => report(kind, event, registers, format_args!("")),
    }
}

/// Reports a fault and switches the power off.
///
/// A fault of the report itself is reported in brief; a fault of that one switches the power off.
pub fn report(
    kind: FaultKind,
    event: FaultEvent,
    registers: &Registers,
    message: fmt::Arguments,
) -> ! {
    board::set_deadline(None);
    let nested = REPORTS.fetch_add(1, Ordering::Relaxed);
    if nested < 2 {
        send(kind, event, registers, message, nested > 0);
    }
    let level = ENTRY_LEVEL.load(Ordering::Relaxed);
    board::power_off(u8::try_from(level).ok().filter(|level| *level > 0))
}

fn send(
    kind: FaultKind,
    event: FaultEvent,
    registers: &Registers,
    message: fmt::Arguments,
    brief: bool,
) {
    // A fault while the activity is being noted leaves the lock held.
    let (request, operation, preparing) = match ACTIVITY.try_lock() {
        Some(activity) => (activity.request, activity.operation, activity.preparing),
        None => (0, None, false),
    };
    let mut fault = Fault {
        kind,
        event,
        operation,
        preparing,
        address: board::linked(registers.address),
        data_address: registers.data_address,
        stack_pointer: registers.stack_pointer,
        registers: registers.general.clone(),
        backtrace: Vec::new(),
        stack: Vec::new(),
        freed_blocks: heap::freed_blocks(),
        message: Text::new(),
    };
    if brief {
        // The report before this one may have stumbled over what is left out.
        let _ = fault.message.push_str("in the report of another fault");
    } else {
        fault.backtrace = backtrace(registers);
        fault.stack = stack_words(registers.stack_pointer);
        // A message that is longer than the field is cut: its beginning is what matters.
        let _ = Cutting(&mut fault.message).write_fmt(message);
    }
    link::send_once(Kind::Fault, request, &fault);
}

/// Reports a fault that a call tells of, with the registers of the caller.
pub fn report_call(kind: FaultKind, caller: &caller::Caller, message: fmt::Arguments) -> ! {
    report(kind, FaultEvent::Call, &caller.registers(), message)
}

/// Reports a fault that the meter's own code found.
#[inline(always)]
pub fn report_here(kind: FaultKind, message: fmt::Arguments) -> ! {
    report(kind, FaultEvent::Call, &caller::registers_here(), message)
}

/// Return addresses, as linked, from the link register and the chain of frame records.
fn backtrace(registers: &Registers) -> Vec<u64, BACKTRACE> {
    let mut addresses = Vec::new();
    // A full list ends the walk.
    let _ = registers
        .link
        .map(|link| addresses.push(board::linked(link)));
    let mut frame = registers.frame;
    while let Some((caller, return_address)) = exceptions::next_frame(frame) {
        let return_address = board::linked(return_address);
        if addresses.last() != Some(&return_address) && addresses.push(return_address).is_err() {
            break;
        }
        frame = caller;
    }
    addresses
}

/// The words of the stack that may lead to the callers.
fn stack_words(stack_pointer: u64) -> Vec<StackWord, STACK_WORDS> {
    let mut words = Vec::new();
    let Some(live) = Live::of(stack_pointer) else {
        return words;
    };
    for (address, value) in live.words() {
        let value = match value {
            _ if board::is_code(value) => board::linked(value),
            _ if live.contains(value) => value,
            _ => continue,
        };
        let Ok(offset) = u32::try_from(address - stack_pointer) else {
            break;
        };
        if words.push(StackWord { offset, value }).is_err() {
            break;
        }
    }
    words
}

/// Writes as much as fits.
struct Cutting<'a>(&'a mut Text);

impl Write for Cutting<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            self.0.push(character).map_err(|_| fmt::Error)?;
        }
        Ok(())
    }
}
