//! Figures of memory of functions whose use is known, on both systems. Those of real schemes are held
//! against valgrind's in `valgrind.rs`.

mod support;

use std::time::Duration;

use host::measurement::Spoiled;
use host::session::SessionError;
use support::real_meter::{Bench, memory};
use wire::{FaultKind, HeapUse, Live, MemoryUse, Operation};

fn live(bytes: u64, blocks: u64) -> Live {
    Live { bytes, blocks }
}

const KEM: [Operation; 3] = [Operation::Keygen, Operation::Enc, Operation::Dec];

#[test]
fn known_sequences_on_the_heap_are_counted_exactly() {
    for bench in Bench::both("memory/known-heap") {
        let [keygen, enc, dec] = memory(&bench, &KEM).try_into().unwrap();
        let available_bytes = keygen.heap.available_bytes;
        assert!(available_bytes > 250 << 20, "{available_bytes}");
        let expected = |heap: HeapUse| HeapUse {
            available_bytes,
            ..heap
        };
        let none = HeapUse::default();
        assert_eq!(
            keygen.heap,
            expected(HeapUse {
                peak_bytes: 12_400,
                largest_bytes: 10_000,
                allocations: 3,
                frees: 3,
                ..none
            })
        );
        assert_eq!(
            enc.heap,
            expected(HeapUse {
                live_after: live(8, 1),
                peak_bytes: 408,
                largest_bytes: 100,
                allocations: 5,
                frees: 4,
                failures: 2,
                ..none
            })
        );
        // One enc and one dec set it up: a text of 8 bytes and a byte are in use.
        assert_eq!(
            dec.heap,
            expected(HeapUse {
                live_before: live(9, 2),
                live_after: live(10, 3),
                peak_bytes: 5010,
                largest_bytes: 5000,
                allocations: 2,
                frees: 1,
                ..none
            })
        );
    }
}

#[test]
fn sparse_frames_are_seen_by_the_stack_pointer_or_listed_by_the_compiler() {
    const FRAME: u64 = 32 * 1024;
    for bench in Bench::both("memory/sparse-frames") {
        let [silent, calling, dec] = memory(&bench, &KEM).map_stack();
        // The paint alone shows the 512 bytes at the upper end of the frame, or what malloc wrote.
        assert!(silent.bytes() < FRAME, "{silent:?}");
        let report = bench.image.report.as_ref().unwrap();
        let largest = |operation| report.largest_frame(operation).unwrap();
        for (operation, function) in [
            (Operation::Keygen, "sparse_and_silent"),
            (Operation::Enc, "sparse_with_a_call"),
        ] {
            let frame = largest(operation);
            assert_eq!(frame.function, function);
            // A frame's part in the red zone of x86-64, of 128 bytes, is not listed.
            assert!(
                (FRAME - 128..FRAME + 256).contains(&frame.bytes),
                "{frame:?}"
            );
            assert!(frame.place.contains("/sparse.c:"), "{frame:?}");
        }
        assert!(largest(Operation::Dec).bytes < 512);
        let pointer = calling.pointer_bytes.unwrap();
        assert!((FRAME..FRAME + 512).contains(&pointer), "{calling:?}");
        assert!(calling.bytes() >= FRAME, "{calling:?}");
        assert!(dec.bytes() < 512, "{dec:?}");
    }
}

/// The stack of each of three operations.
trait MapStack {
    fn map_stack(self) -> [wire::StackUse; 3];
}

impl MapStack for Vec<MemoryUse> {
    fn map_stack(self) -> [wire::StackUse; 3] {
        let stacks: Vec<_> = self.iter().map(|used| used.stack).collect();
        stacks.try_into().unwrap()
    }
}

#[test]
fn a_heap_that_is_misused_is_told_with_what_was_asked_and_what_is_live() {
    for (name, words) in [
        (
            "rogues/frees-twice",
            "): no block in use starts there, 0 bytes in 0 blocks are live",
        ),
        (
            "rogues/wants-a-terabyte",
            ": malloc(1099511627776): no room, 0 bytes in 0 blocks are live in a heap of ",
        ),
        (
            "memory/calloc-overflows",
            ": calloc(9223372036854775807, 4): no room, 0 bytes in 0 blocks are live in a heap of ",
        ),
        (
            "memory/frees-the-midst",
            "): no block in use starts there, 100 bytes in 1 blocks are live",
        ),
        (
            "memory/reallocs-freed",
            "): no block in use starts there, 0 bytes in 0 blocks are live",
        ),
        (
            "memory/writes-before",
            "): the bytes before it were overwritten, 100 bytes in 1 blocks are live",
        ),
    ] {
        for bench in Bench::both(name) {
            let mut session = bench.open().unwrap();
            session.sizes().unwrap();
            let Err(SessionError::Spoiled(Spoiled::Faulted(fault))) =
                session.memory(Operation::Dec, !0)
            else {
                panic!("{name} on {} goes unnoticed", bench.system.name());
            };
            assert_eq!(fault.fault.kind, FaultKind::Heap);
            let said = Spoiled::Faulted(fault).to_string();
            assert!(said.contains("dec exhausted or misused the heap"), "{said}");
            assert!(said.contains(words), "{said}");
            session.abandon();
        }
    }
}

#[test]
fn what_leaks_is_called_as_often_as_is_asked() {
    // 20 GB of one, in a heap of a quarter of one; 80 MB of the other.
    for (label, leaked) in [("leaks-much", 1 << 20), ("leaks-in-dec", 4096)] {
        for bench in Bench::both(&format!("rogues/{label}")) {
            let mut session = bench.open().unwrap();
            session.sizes().unwrap();
            let used = session.memory(Operation::Dec, !0).unwrap().heap;
            assert_eq!(used.live_after.bytes - used.live_before.bytes, leaked);
            assert_eq!((used.allocations, used.frees), (1, 0));
            let patience = Duration::from_secs(600);
            let calls = 20_000;
            let [one, two] =
                [(); 2].map(|()| session.trial(Operation::Dec, 3, calls, patience).unwrap());
            assert_eq!(one.sweeps, two.sweeps);
            assert!(one.sweeps.count > 0, "{label}");
            let lost = live(leaked * u64::from(calls), u64::from(calls));
            let freed = one.sweeps.freed;
            // What is left is less than half of the heap.
            assert!(freed.bytes <= lost.bytes + 5 * leaked, "{label}: {freed:?}");
            assert!(lost.bytes - freed.bytes < 128 << 20, "{label}: {freed:?}");
            assert_eq!(freed.bytes, freed.blocks * leaked, "{label}: {freed:?}");
            let samples = session.samples(Operation::Dec, 3, 1000, patience).unwrap();
            assert_eq!(samples.len(), 1000);
            session.bye();
        }
    }
}

#[test]
fn a_step_of_an_exchange_has_what_happens_in_it_alone() {
    let steps = [
        Operation::Exchange,
        Operation::InitA,
        Operation::InitB,
        Operation::Pass(1),
        Operation::DeriveA,
        Operation::DeriveB,
    ];
    // A block of 1000 bytes from the first initialisation to its derivation, and one of 300 within
    // the pass: in use before and after, peak, allocations and frees.
    let (none, kept) = (live(0, 0), live(1000, 1));
    let expected = [
        (none, none, 1300, 2, 2),
        (none, kept, 1000, 1, 0),
        (kept, kept, 1000, 0, 0),
        (kept, kept, 1300, 1, 1),
        (kept, none, 1000, 0, 1),
        (none, none, 0, 0, 0),
    ];
    for bench in Bench::both("memory/kept-state") {
        let found = memory(&bench, &steps).into_iter().map(|used| {
            let heap = used.heap;
            let counts = (heap.peak_bytes, heap.allocations, heap.frees);
            let (peak, allocations, frees) = counts;
            (heap.live_before, heap.live_after, peak, allocations, frees)
        });
        let found: Vec<_> = found.collect();
        assert_eq!(found, expected, "{}", bench.system.name());
    }
}
