//! What ended a meter, in words.

pub mod signal;
mod syndrome;

use std::fmt::{self, Display};

use wire::{Fault, FaultEvent, FaultKind};

use crate::measurement::{Faulted, Location};

/// What a signal's number or an exception's syndrome means; `None` for what a call told of.
pub fn class(event: FaultEvent) -> Option<String> {
    Some(match event {
        FaultEvent::Call => return None,
        FaultEvent::Exception(esr) => format!("{} (ESR_EL1 {esr:#010x})", syndrome::words(esr)),
        FaultEvent::SystemError(esr) => format!("SError (ESR_EL1 {esr:#010x})"),
        FaultEvent::Interrupt(Some(number)) => format!("interrupt {number}"),
        FaultEvent::Interrupt(None) => "interrupt without a number".to_owned(),
        FaultEvent::Signal { number, code } => signal::words(number, code),
    })
}

/// The kind, as records name it.
pub fn kind(kind: FaultKind) -> String {
    match kind {
        FaultKind::StackOverflow => "stack overflow",
        FaultKind::NullAccess => "null access",
        FaultKind::Exception => "exception",
        FaultKind::Abort => "abort",
        FaultKind::Exit(status) => return format!("exit({status})"),
        FaultKind::Assertion => "assertion",
        FaultKind::Heap => "heap",
        FaultKind::Counter => "counter",
        FaultKind::Deadline => "deadline",
        FaultKind::Panic => "panic",
    }
    .to_owned()
}

impl Display for Faulted {
    /// In one line: what happened, in which operation, where.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fault, location } = self;
        let subject = Subject(fault);
        match fault.kind {
            FaultKind::StackOverflow => write!(f, "stack overflow in {subject}")?,
            FaultKind::NullAccess => write!(f, "{subject} used a null pointer")?,
            FaultKind::Exception => {
                let class = class(fault.event).unwrap_or_default();
                write!(f, "{subject} faulted: {class}")?;
            }
            FaultKind::Abort => write!(f, "{subject} called abort")?,
            FaultKind::Exit(status) => write!(f, "{subject} called exit({status})")?,
            FaultKind::Assertion => write!(f, "{subject} failed an assertion")?,
            FaultKind::Heap => write!(f, "{subject} exhausted or misused the heap")?,
            FaultKind::Counter => write!(f, "{subject} changed how the meter counts")?,
            FaultKind::Deadline => write!(f, "{subject} did not end before its deadline")?,
            FaultKind::Panic => f.write_str("the meter panicked")?,
        }
        if fault.kind == FaultKind::StackOverflow && !fault.message.is_empty() {
            write!(f, ", {}", fault.message)?;
        }
        match Place(location).to_string() {
            place if place.is_empty() => write!(f, " at {:#x}", fault.address)?,
            place => write!(f, " in {place}")?,
        }
        if let Some(address) = fault.data_address {
            write!(f, ", address {address:#x}")?;
        }
        if fault.kind != FaultKind::StackOverflow && !fault.message.is_empty() {
            write!(f, ": {}", fault.message)?;
        }
        Freed(fault.freed_blocks).fmt(f)
    }
}

/// What the meter had freed before something went wrong; nothing in most cases.
///
/// It is said because it may be the meter's doing: a block whose address a submission keeps
/// shifted or encrypted seems lost.
pub struct Freed(pub u64);

impl Display for Freed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            1 => f.write_str(" (after 1 block that seemed lost was freed)"),
            blocks => write!(f, " (after {blocks} blocks that seemed lost were freed)"),
        }
    }
}

/// What ran.
struct Subject<'a>(&'a Fault);

impl Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.operation {
            Some(operation) if self.0.preparing => write!(f, "the set-up of {operation}"),
            Some(operation) => operation.fmt(f),
            // Sizes, messages and known answers take operations of every kind.
            None => f.write_str("the submission"),
        }
    }
}

/// `function (file:line)`, as far as it is known.
struct Place<'a>(&'a Location);

impl Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Location {
            function,
            file,
            line,
            ..
        } = self.0;
        let Some(function) = function else {
            return Ok(());
        };
        f.write_str(function)?;
        match (file, line) {
            (Some(file), Some(line)) => write!(f, " ({file}:{line})"),
            (Some(file), None) => write!(f, " ({file})"),
            (None, _) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use heapless::Vec;
    use wire::Operation;

    use super::*;

    fn faulted(kind: FaultKind, event: FaultEvent, message: &str) -> Faulted {
        Faulted {
            fault: Fault {
                kind,
                event,
                operation: Some(Operation::Dec),
                preparing: false,
                address: 0x4008_1234,
                data_address: None,
                stack_pointer: 0,
                registers: Vec::new(),
                backtrace: Vec::new(),
                stack: Vec::new(),
                freed_blocks: 0,
                message: message.try_into().unwrap(),
            },
            location: Location::default(),
        }
    }

    #[test]
    fn a_fault_is_told_in_one_line() {
        let overflow = faulted(
            FaultKind::StackOverflow,
            FaultEvent::Exception(0x9600_0047),
            "65536 bytes available",
        );
        assert_eq!(
            overflow.to_string(),
            "stack overflow in dec, 65536 bytes available at 0x40081234"
        );
        let mut undefined = faulted(FaultKind::Exception, FaultEvent::Exception(0x0200_0000), "");
        undefined.fault.operation = None;
        undefined.location = Location {
            function: Some("decode".into()),
            file: Some("decode.c".into()),
            line: Some(7),
            backtrace: vec![],
        };
        assert_eq!(
            undefined.to_string(),
            "the submission faulted: undefined instruction (ESR_EL1 0x02000000) in decode (decode.c:7)"
        );
        let assertion = faulted(FaultKind::Assertion, FaultEvent::Call, "a == b in f, f.c:9");
        assert_eq!(
            assertion.to_string(),
            "dec failed an assertion at 0x40081234: a == b in f, f.c:9"
        );
    }
}
