//! The end of the meter's life: report what happened, then stop.
//!
//! After a fault the image is not trusted any more. Nothing is recovered: the report goes out on
//! the line, the power goes off, and the host starts the image anew.

use core::fmt::{self, Write};

use heapless::Vec;
use spin::Mutex;
use wire::{Fault, FaultKind, Kind, Operation, Text};

use crate::board;
use crate::cpu::exceptions;
use crate::meter::link;

/// The registers that a report is made from.
pub struct Registers {
    /// The instruction at fault.
    pub address: u64,
    /// The data address at fault, where the event has one.
    pub data_address: Option<u64>,
    /// The stack pointer.
    pub stack_pointer: u64,
    /// Exception syndrome or signal number.
    pub syndrome: u64,
    /// The link register, which holds a leaf function's return address.
    pub link: Option<u64>,
    /// The frame pointer.
    pub frame: u64,
}

/// What the meter was doing, for the report of a fault in the middle of it.
pub struct Activity {
    /// Number of the request.
    pub request: u16,
    /// The operation that runs.
    pub operation: Option<Operation>,
    /// Exception level at entry, which decides how the power is switched off.
    pub entry_level: Option<u8>,
}

/// The present activity.
static ACTIVITY: Mutex<Activity> = Mutex::new(Activity {
    request: 0,
    operation: None,
    entry_level: None,
});

/// Notes where we were entered.
pub fn note_entry_level(level: Option<u8>) {
    ACTIVITY.lock().entry_level = level;
}

/// Notes what happens now.
pub fn note(request: u16, operation: Option<Operation>) {
    let mut activity = ACTIVITY.lock();
    activity.request = request;
    activity.operation = operation;
}

/// Reports a fault and switches the power off.
pub fn report(kind: FaultKind, registers: &Registers, message: fmt::Arguments) -> ! {
    // A fault while the activity is being noted leaves the lock held.
    let (request, operation, entry_level) = match ACTIVITY.try_lock() {
        Some(activity) => (activity.request, activity.operation, activity.entry_level),
        None => (0, None, None),
    };
    let mut text = Text::new();
    // A message that is longer than the field is cut: its beginning is what matters.
    let _ = match kind {
        FaultKind::StackOverflow => {
            let available = board::stack::available();
            write!(Cutting(&mut text), "{available} bytes available")
        }
        _ => Cutting(&mut text).write_fmt(message),
    };
    let fault = Fault {
        kind,
        operation,
        address: board::linked(registers.address),
        data_address: registers.data_address,
        stack_pointer: registers.stack_pointer,
        syndrome: registers.syndrome,
        backtrace: backtrace(registers),
        message: text,
    };
    link::send_once(Kind::Fault, request, &fault);
    board::power_off(entry_level)
}

/// Reports a fault that a call tells of, with the caller's registers.
#[inline(always)]
pub fn report_here(kind: FaultKind, message: fmt::Arguments) -> ! {
    report(kind, &exceptions::registers_here(), message)
}

/// Return addresses, as linked, from the link register and the chain of frame records.
fn backtrace(registers: &Registers) -> Vec<u64, 16> {
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
