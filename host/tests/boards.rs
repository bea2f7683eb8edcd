//! Boards: whatever level an image is entered at, it counts the same; another board counts the same
//! as well; and images for boards that are not here have the layout that their firmware expects.

mod support;

use std::time::Duration;

use catalogue::{Board, Catalogue, DEFAULT_INSTANCE, FlagSet};
use host::image::{Cache, Flat, Recipe, flatten};
use host::interrupt::Interrupt;
use host::measurement::Faulted;
use host::project::Project;
use host::session::Session;
use host::system::Qemu;
use object::{Object, ObjectSection, ObjectSymbol};
use support::real_meter::{Bench, faulted};
use wire::{CounterSource, FaultEvent, FaultKind, Operation, Probe};

/// QEMU's `virt` machine, entered at EL1, EL2 and EL3.
const LEVELS: [(u8, &str); 3] = [
    (1, "virt,gic-version=2"),
    (2, "virt,gic-version=2,virtualization=on"),
    (3, "virt,gic-version=2,virtualization=on,secure=on"),
];

const HANG: Operation = Operation::Probe(Probe::Hang);

fn virt(machine: &str) -> Bench {
    let qemu = Qemu::named("qemu-virt").unwrap().unwrap();
    Bench::on(Box::new(qemu.with("-M", machine)), DEFAULT_INSTANCE)
}

/// Counts of three calls of each operation and of a sled of a million instructions.
fn counts(session: &mut Session) -> Vec<u64> {
    let sled = Operation::Probe(Probe::Sled(1_000_000));
    [Operation::Keygen, Operation::Enc, Operation::Dec, sled]
        .iter()
        .flat_map(|operation| {
            let samples = session.samples(*operation, 1, 3, Duration::from_millis(5));
            samples.unwrap()
        })
        .collect()
}

/// The number of the interrupt that ends an operation without an end.
fn deadline(bench: &Bench) -> Option<u32> {
    let mut session = bench.open_impatient(Duration::from_millis(500)).unwrap();
    match faulted(&mut session, HANG) {
        Faulted { fault, .. } if fault.kind == FaultKind::Deadline => match fault.event {
            FaultEvent::Interrupt(number) => number,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_level_of_entry_changes_no_count_and_no_deadline() {
    let mut seen = Vec::new();
    for (level, machine) in LEVELS {
        let bench = virt(machine);
        let mut session = bench.open().unwrap();
        let hello = session.introduction().hello.clone();
        assert_eq!(hello.entry_level, Some(level), "{machine}");
        assert_eq!(hello.counter.source, CounterSource::Icount);
        seen.push(counts(&mut session));
        drop(session);
        assert_eq!(deadline(&bench), Some(27), "{machine}");
    }
    assert_eq!(seen[0][9..], [1_000_000; 3]);
    assert_eq!(seen[1], seen[0]);
    assert_eq!(seen[2], seen[0]);
}

#[test]
fn a_raspberry_pi_3_counts_what_the_virtual_board_counts() {
    let bench = Bench::new("qemu-raspi3b", DEFAULT_INSTANCE);
    let mut session = bench.open().unwrap();
    let hello = session.introduction().hello.clone();
    assert_eq!(hello.board.as_str(), "rpi3");
    // The firmware of the board enters there, too.
    assert_eq!(hello.entry_level, Some(2));
    // What is emulated knows it, although the image is the real board's.
    assert_eq!(hello.counter.source, CounterSource::Icount);
    let pi = counts(&mut session);
    // The others are asleep, or their instructions would be among ours.
    assert_eq!(pi[9..], [1_000_000; 3]);
    // The board says goodbye with a reset, which ends the emulator.
    assert_eq!(session.bye().exit_code, Some(0));

    let other = Bench::emulated();
    for (pi, virt) in pi.iter().zip(counts(&mut other.open().unwrap())) {
        assert!(pi.abs_diff(virt) * 1000 <= virt, "{pi} and {virt}");
    }
    // The virtual timer's, in the BCM2836's controller.
    assert_eq!(deadline(&bench), Some(3));
}

/// An ELF file of one segment, which is entered at its first byte.
fn elf_of(address: u64, bytes: &[u8]) -> Vec<u8> {
    const HEADERS: u64 = 64 + 56;
    let length = bytes.len() as u64;
    // ELF64, little-endian; an executable for AArch64 (183), version 1.
    let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
    elf.resize(16, 0);
    elf.extend([2, 0, 183, 0, 1, 0, 0, 0]);
    elf.extend([address, 64, 0].iter().flat_map(|word| word.to_le_bytes()));
    // Flags; sizes of the headers, and their number.
    elf.extend([0; 4]);
    elf.extend(
        [64_u16, 56, 1, 0, 0, 0]
            .iter()
            .flat_map(|half| half.to_le_bytes()),
    );
    // PT_LOAD, readable, writable, executable.
    elf.extend([1, 0, 0, 0, 7, 0, 0, 0]);
    let segment = [HEADERS, address, address, length, length, 8];
    elf.extend(segment.iter().flat_map(|word| word.to_le_bytes()));
    elf.extend(bytes);
    elf
}

#[test]
fn an_image_that_was_loaded_elsewhere_moves_to_its_place() {
    let bench = Bench::emulated();
    let flat = flatten(&std::fs::read(&bench.image.elf.path).unwrap()).unwrap();
    let expected = counts(&mut bench.open().unwrap());
    // Upwards and downwards, so near that the two places overlap, and far away.
    for distance in [-0x8_0000_i64, -0x1000, 0x1000, 0x180_0000] {
        let address = flat.address.wrapping_add_signed(distance);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), elf_of(address, &flat.bytes)).unwrap();
        let mut session = bench.open_file(file.path()).unwrap();
        assert_eq!(counts(&mut session), expected, "{distance:#x}");
    }
}

#[test]
fn a_board_tells_its_conditions_and_others_tell_none() {
    let conditions = |bench: Bench| bench.open().unwrap().conditions().unwrap();
    // What QEMU makes up (hw/misc/bcm2835_property.c): 25 degrees, 700 MHz; of throttling it knows
    // nothing.
    let told = wire::Conditions {
        temperature_millicelsius: Some(25_000),
        throttled: None,
        clock_hz: Some(700_000_000),
    };
    assert_eq!(
        conditions(Bench::new("qemu-raspi3b", DEFAULT_INSTANCE)),
        told
    );
    for bench in Bench::both(DEFAULT_INSTANCE) {
        assert_eq!(conditions(bench), wire::Conditions::default());
    }
}

/// Memory that firmware and armstub keep: below the image, and at the end of the first GiB.
const RESERVED_BELOW: u64 = 0x80000;
const RESERVED_FROM: u64 = 0x3800_0000;

fn image(board: &Board) -> (Vec<u8>, Flat) {
    let project = Project::find().unwrap();
    let catalogue = Catalogue::load(&project.root).unwrap();
    let instance = catalogue.find(DEFAULT_INSTANCE).unwrap();
    let board = catalogue::board(board.name).unwrap();
    let recipe = Recipe::timed(instance, board, FlagSet::Guide);
    let image = Cache::new(&project).image(&recipe, &Interrupt::new());
    let elf = std::fs::read(image.unwrap().elf.path).unwrap();
    let flat = flatten(&elf).unwrap();
    (elf, flat)
}

#[test]
fn images_of_raspberry_pis_lie_where_the_firmware_loads_them_and_nothing_else_is() {
    for name in ["rpi3", "rpi4", "rpi5"] {
        let board = catalogue::board(name).unwrap();
        let (elf, flat) = image(board);
        let file = object::File::parse(&*elf).unwrap();
        let expected = board.flat_image.unwrap().address;
        assert_eq!((file.entry(), flat.address), (expected, expected), "{name}");
        let symbol = |name: &str| {
            let mut symbols = file.symbols();
            let found = symbols.find(|symbol| symbol.name() == Ok(name));
            found.unwrap_or_else(|| panic!("no {name}")).address()
        };
        assert_eq!(symbol("meter_entry"), expected, "{name}");
        // The file holds what is loaded, to its last byte, and no more.
        assert_eq!(
            flat.address + flat.bytes.len() as u64,
            symbol("load_end"),
            "{name}"
        );
        let code = file.section_by_name(".sub_text").unwrap();
        let at = (code.address() - flat.address) as usize;
        let bytes = code.data().unwrap();
        assert_eq!(flat.bytes[at..at + bytes.len()], *bytes, "{name}");
        // In order, apart from each other and from what belongs to the firmware.
        let regions = [
            (flat.memory.start, flat.memory.end),
            (symbol("buffers_begin"), symbol("buffers_end")),
            (symbol("heap_begin"), symbol("heap_end")),
            (
                symbol("measuring_stack_begin"),
                symbol("measuring_stack_end"),
            ),
        ];
        let mut free = RESERVED_BELOW;
        for (begin, end) in regions {
            assert!(
                free <= begin && begin < end,
                "{name}: {begin:#x} to {end:#x}"
            );
            free = end;
        }
        assert!(free <= RESERVED_FROM, "{name}");
        // A frame of a hundred MiB cannot jump over the hole below the stack.
        assert!(regions[3].0 - regions[2].1 > 100 << 20, "{name}");
    }
}
