//! Functions of known length and known stack use, measured as a submission's functions are.

mod support;

use std::time::Duration;

use support::real_meter::Bench;
use wire::{CounterSource, Operation, Probe};

/// Calls of each probe.
const CALLS: u32 = 20;

/// How far a reported stack use may be off.
const STACK_TOLERANCE: u64 = 16;

#[test]
fn a_sled_of_n_instructions_measures_n_and_the_empty_call_nothing() {
    let bench = Bench::emulated();
    let mut session = bench.open().unwrap();
    let mut samples = |probe| {
        session
            .samples(Operation::Probe(probe), 1, CALLS, Duration::from_secs(1))
            .unwrap()
    };
    assert_eq!(samples(Probe::Empty), vec![0; CALLS as usize]);
    for length in [1, 10, 1000, 1_000_000] {
        for sample in samples(Probe::Sled(length)) {
            let difference = sample.abs_diff(length.into());
            assert!(difference <= 1, "{length} instructions measured {sample}");
        }
    }
    session.bye();
}

#[test]
fn a_longer_sled_counts_more_on_this_machine() {
    let bench = Bench::local();
    let mut session = bench.open().unwrap();
    assert_ne!(
        session.introduction().hello.counter.source,
        CounterSource::Missing
    );
    let mut least = |length| {
        let probe = Operation::Probe(Probe::Sled(length));
        let samples = session
            .samples(probe, 3, CALLS, Duration::from_secs(1))
            .unwrap();
        samples.into_iter().min().unwrap()
    };
    let (short, long) = (least(100_000), least(1_000_000));
    // The least of twenty is undisturbed: ten times the work is ten times the count.
    let ratio = long as f64 / short as f64;
    assert!((8.0..12.0).contains(&ratio), "{short} and {long}");
    session.bye();
}

#[test]
fn known_stack_use_is_reported_on_both_systems() {
    for bench in [Bench::emulated(), Bench::local()] {
        let mut session = bench.open().unwrap();
        for bytes in [16, 400, 800, 4096, 70_000] {
            for pattern in [u64::MAX, 0x0123_4567_89ab_cdef] {
                let probe = Operation::Probe(Probe::Stack(bytes));
                let used = session.memory(probe, pattern).unwrap();
                assert_eq!((used.stack.pointer_bytes, used.heap.allocations), (None, 0));
                let found = used.stack.bytes();
                let difference = found.abs_diff(bytes.into());
                assert!(
                    difference <= STACK_TOLERANCE,
                    "{bytes} bytes measured {found} on {}",
                    bench.system.name()
                );
            }
        }
        session.bye();
    }
}
