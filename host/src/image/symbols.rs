//! Addresses of a fault report as functions, files and lines.

use std::ops::Range;

use addr2line::Loader;
use object::{Object, ObjectSection, SectionKind};
use wire::{Fault, FaultEvent};

use super::{Elf, unwind};
use crate::measurement::Location;

/// Where a fault happened and by which calls it got there, as far as the image tells; `None` when
/// it tells nothing.
///
/// Named is the innermost place in the submission: what a function of the C library, or of the
/// meter, stumbles over was handed to it.
pub fn locate(elf: &Elf, fault: &Fault) -> Option<Location> {
    let symbols = Symbols::load(elf)?;
    let callers = unwind::callers(elf, fault).filter(|callers| !callers.is_empty());
    let callers = callers.unwrap_or_else(|| fault.backtrace.to_vec());
    let is_cut = callers.len() >= unwind::DEPTH;
    let mut places = match fault.event {
        FaultEvent::Call => symbols.call(fault.address),
        _ => symbols.places(fault.address),
    };
    if fault.event == FaultEvent::Call {
        // How the meter came to report what it found is of no interest.
        let reporting = places.iter().take_while(|place| place.is_of_report());
        places.drain(..reporting.count());
    }
    places.extend(callers.iter().flat_map(|address| symbols.call(*address)));
    let of_submission = places.iter().find(|place| place.is_of_submission());
    let named = of_submission.or_else(|| places.iter().find(|place| place.function.is_some()))?;
    let mut backtrace = without_repetitions(places.iter().map(Place::words));
    if is_cut {
        backtrace.push("further calls".to_owned());
    }
    Some(Location {
        function: named.function.clone(),
        file: named.file.clone(),
        line: named.line,
        backtrace,
    })
}

/// The name of a source file without the folder that the compiler was started in: names of a
/// submission's files are relative to what the build calls its root.
fn source(file: &str) -> String {
    let of_meter = file.split_once(METER_FOLDER);
    match of_meter {
        Some((_, path)) => format!("firmware/{path}"),
        None => file.strip_prefix(BUILD_FOLDER).unwrap_or(file).to_owned(),
    }
}

/// The folder of the build script in the workspace, which objects call `.`.
const BUILD_FOLDER: &str = "./firmware/";

/// The folder of the package `meter`, by which its sources are named, in the workspace.
const METER_FOLDER: &str = "/firmware/meter/../";

/// Lines of which no two that follow each other are the same: a recursion has many.
fn without_repetitions(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut counted: Vec<(String, usize)> = Vec::new();
    for line in lines {
        match counted.last_mut() {
            Some((last, count)) if *last == line => *count += 1,
            _ => counted.push((line, 1)),
        }
    }
    let words = counted.into_iter().map(|(line, count)| match count {
        1 => line,
        _ => format!("{line}, {count} times"),
    });
    words.collect()
}

/// The symbols of an image, and where its code is.
struct Symbols {
    loader: Loader,
    code: Vec<Range<u64>>,
}

/// One place.
#[derive(Clone, Debug, Default)]
struct Place {
    address: u64,
    function: Option<String>,
    file: Option<String>,
    line: Option<u32>,
}

impl Place {
    /// Whether it has a line, and that of no Rust: the meter is Rust, and a submission is not.
    fn is_of_submission(&self) -> bool {
        self.function.is_some()
            && self
                .file
                .as_ref()
                .is_some_and(|file| !file.ends_with(".rs"))
    }

    /// Whether it is where the meter makes a report.
    fn is_of_report(&self) -> bool {
        let file = self.file.as_deref();
        file.is_some_and(|file| file.ends_with("/caller.rs") || file.ends_with("meter/fault.rs"))
    }

    /// `function (file:line)`, as far as it is known.
    fn words(&self) -> String {
        let Some(function) = &self.function else {
            return format!("{:#x}", self.address);
        };
        match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{function} ({file}:{line})"),
            (Some(file), None) => format!("{function} ({file})"),
            (None, _) => function.clone(),
        }
    }
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

    /// The functions at an address, the innermost first: those that were inlined have no calls.
    fn places(&self, address: u64) -> Vec<Place> {
        let unknown = Place {
            address,
            ..Place::default()
        };
        // Linkers leave the line numbers of functions that they removed at addresses near 0: a
        // call of a null pointer must not be named after one of those.
        if !self.code.iter().any(|range| range.contains(&address)) {
            return vec![unknown];
        }
        let mut places = Vec::new();
        if let Ok(mut frames) = self.loader.find_frames(address) {
            while let Ok(Some(frame)) = frames.next() {
                let function = frame.function;
                let location = frame.location.as_ref();
                places.push(Place {
                    address,
                    function: function.and_then(|f| Some(f.demangle().ok()?.into_owned())),
                    file: location.and_then(|l| Some(source(l.file?))),
                    line: location.and_then(|l| l.line),
                });
            }
        }
        if places.is_empty() {
            places.push(unknown);
        }
        // Code without line numbers, such as assembly, still has symbols.
        if let Some(last) = places.last_mut()
            && last.function.is_none()
        {
            let symbol = self.loader.find_symbol(address);
            last.function = symbol.map(|name| addr2line::demangle_auto(name.into(), None).into());
        }
        places
    }

    /// The call that a return address follows: a return address may be the first one of another
    /// line or function, the byte before it never is.
    fn call(&self, return_address: u64) -> Vec<Place> {
        let mut places = self.places(return_address.wrapping_sub(1));
        for place in &mut places {
            place.address = return_address;
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use wire::FaultKind;

    use super::*;

    /// A function whose address in this very program is known.
    #[inline(never)]
    fn landmark() -> u64 {
        std::hint::black_box(landmark as fn() -> u64) as usize as u64
    }

    fn fault(address: u64) -> Fault {
        Fault {
            kind: FaultKind::Exception,
            event: FaultEvent::Call,
            operation: None,
            preparing: false,
            address,
            data_address: None,
            stack_pointer: 0,
            registers: heapless::Vec::new(),
            backtrace: [address, address, 8].into_iter().collect(),
            stack: heapless::Vec::new(),
            freed_blocks: 0,
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
        let address = landmark() - base() + 4;
        let location = locate(&this_program(), &fault(address)).unwrap();
        let function = location.function.unwrap();
        assert!(function.contains("landmark"), "{function}");
        let file = location.file.unwrap();
        assert!(file.ends_with("image/symbols.rs"), "{file}");
        assert!(location.line.is_some());
        let [all, strange] = location.backtrace.try_into().unwrap();
        assert!(
            all.contains("landmark") && all.ends_with(", 3 times"),
            "{all}"
        );
        assert_eq!(strange, "0x8");
    }

    #[test]
    fn an_address_outside_the_code_has_no_location() {
        for address in [0, 8, u64::MAX] {
            let fault = Fault {
                backtrace: heapless::Vec::new(),
                ..fault(address)
            };
            assert_eq!(locate(&this_program(), &fault), None);
        }
    }
}
