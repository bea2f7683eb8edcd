//! Addresses of a fault report as functions, files and lines.

use std::ops::Range;

use addr2line::Loader;
use object::{Object, ObjectSection, SectionKind};
use wire::{Fault, FaultKind};

use super::Elf;
use crate::record::assemble::Location;

/// Where a fault happened, as far as the symbols of the image tell; `None` when they tell nothing,
/// as of code in a shared library.
///
/// What the submission did by a call, such as `abort`, is reported from within the meter: its
/// address says nothing of the submission, whose functions are the callers.
pub fn location(elf: &Elf, fault: &Fault) -> Option<Location> {
    let symbols = Symbols::load(elf)?;
    let place = symbols.place(fault.address)?;
    let place = match is_called(&fault.kind) {
        true => Place::default(),
        false => place,
    };
    Some(Location {
        backtrace: fault
            .backtrace
            .iter()
            .map(|address| symbols.caller(*address))
            .collect(),
        function: place.function,
        file: place.file,
        line: place.line,
    })
}

/// Whether a fault of this kind is reported by a call, and not by the processor or the kernel.
fn is_called(kind: &FaultKind) -> bool {
    match kind {
        FaultKind::Abort
        | FaultKind::Exit(_)
        | FaultKind::Assertion
        | FaultKind::Heap
        | FaultKind::Deadline
        | FaultKind::Panic => true,
        FaultKind::StackOverflow | FaultKind::NullAccess | FaultKind::Exception => false,
    }
}

/// The symbols of an image, and where its code is.
struct Symbols {
    loader: Loader,
    code: Vec<Range<u64>>,
}

/// One address.
#[derive(Default)]
struct Place {
    function: Option<String>,
    file: Option<String>,
    line: Option<u32>,
}

impl Symbols {
    fn load(elf: &Elf) -> Option<Self> {
        let file = object::File::parse(elf.bytes()).ok()?;
        let code = file
            .sections()
            .filter(|section| section.kind() == SectionKind::Text)
            .map(|section| section.address()..section.address() + section.size())
            .collect();
        Some(Self {
            loader: Loader::new(&elf.path).ok()?,
            code,
        })
    }

    /// The innermost function at an address, inlined ones included.
    fn place(&self, address: u64) -> Option<Place> {
        // Linkers leave the line numbers of functions that they removed at addresses near 0: a
        // call of a null pointer must not be named after one of those.
        if !self.code.iter().any(|range| range.contains(&address)) {
            return None;
        }
        let mut place = Place::default();
        if let Ok(mut frames) = self.loader.find_frames(address)
            && let Ok(Some(frame)) = frames.next()
        {
            place.function = frame
                .function
                .and_then(|function| Some(function.demangle().ok()?.into_owned()));
            if let Some(location) = frame.location {
                place.file = location.file.map(str::to_owned);
                place.line = location.line;
            }
        }
        // Code without line numbers, such as assembly, still has symbols.
        place.function = place
            .function
            .or_else(|| self.loader.find_symbol(address).map(str::to_owned));
        place.function.is_some().then_some(place)
    }

    /// The call that a return address follows, in words: a return address may be the first one of
    /// another line or function, the byte before it never is.
    fn caller(&self, return_address: u64) -> String {
        let address = format!("{return_address:#x}");
        let Some(place) = self.place(return_address.wrapping_sub(1)) else {
            return address;
        };
        let function = place.function.unwrap_or(address);
        match (place.file, place.line) {
            (Some(file), Some(line)) => format!("{function} ({file}:{line})"),
            (Some(file), None) => format!("{function} ({file})"),
            (None, _) => function,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function whose address in this very program is known.
    #[inline(never)]
    fn landmark() -> u64 {
        std::hint::black_box(landmark as fn() -> u64) as usize as u64
    }

    fn fault(address: u64) -> Fault {
        Fault {
            kind: FaultKind::Exception,
            operation: None,
            address,
            data_address: None,
            stack_pointer: 0,
            syndrome: 0,
            backtrace: [address.wrapping_add(4), 8].into_iter().collect(),
            message: wire::Text::default(),
        }
    }

    /// Where this program was loaded: the start of its first mapping.
    fn base() -> u64 {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let program = std::env::current_exe().unwrap();
        let line = maps
            .lines()
            .find(|line| line.ends_with(&*program.to_string_lossy()))
            .unwrap();
        u64::from_str_radix(line.split('-').next().unwrap(), 16).unwrap()
    }

    fn this_program() -> Elf {
        Elf::read(&std::env::current_exe().unwrap()).unwrap()
    }

    #[test]
    fn addresses_are_named_and_strange_ones_stay_addresses() {
        let address = landmark() - base();
        let location = location(&this_program(), &fault(address)).unwrap();
        let function = location.function.unwrap();
        assert!(function.contains("landmark"), "{function}");
        let file = location.file.unwrap();
        assert!(file.ends_with("image/symbols.rs"), "{file}");
        assert!(location.line.is_some());
        assert!(location.backtrace[0].contains("landmark"));
        assert_eq!(location.backtrace[1], "0x8");
    }

    #[test]
    fn the_meter_s_own_code_is_not_where_a_submission_called_abort() {
        let called = Fault {
            kind: FaultKind::Abort,
            ..fault(landmark() - base())
        };
        let location = location(&this_program(), &called).unwrap();
        assert_eq!((location.function, location.file), (None, None));
        assert!(location.backtrace[0].contains("landmark"));
    }

    #[test]
    fn an_address_outside_the_code_has_no_location() {
        for address in [0, 8, u64::MAX] {
            assert_eq!(location(&this_program(), &fault(address)), None);
        }
    }
}
