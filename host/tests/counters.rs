//! Event counters and cold calls of real meters: exact where instructions are counted, plainly not
//! available where there is nothing to count with.

mod support;

use std::collections::BTreeMap;
use std::time::Duration;

use host::session::{Session, SessionError};
use support::real_meter::Bench;
use wire::{Event, EventReading, Operation, Probe, Purge};

const SECOND: Duration = Duration::from_secs(1);

/// What became of each event in a loop of calls, in all passes.
fn events(session: &mut Session, operation: Operation, calls: u32) -> BTreeMap<&str, EventReading> {
    let mut readings = BTreeMap::new();
    let mut pass = 0;
    loop {
        let counted = session.events(operation, 1, calls, pass, SECOND).unwrap();
        for (event, reading) in counted.readings {
            assert_eq!(readings.insert(event.name(), reading), None);
        }
        pass += 1;
        if pass == counted.passes {
            return readings;
        }
    }
}

fn instructions(session: &mut Session, operation: Operation, calls: u32) -> u64 {
    match events(session, operation, calls)["instructions"] {
        EventReading::Count(count) => count,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_emulated_core_counts_instructions_exactly_and_nothing_else() {
    let mut session = Bench::emulated().open().unwrap();
    let all = events(&mut session, Operation::Enc, 2);
    assert_eq!(all.len(), Event::ALL.len());
    for (name, reading) in &all {
        let is_there = *reading != EventReading::NotAvailable;
        assert_eq!(is_there, *name == "instructions", "{name}: {reading:?}");
    }
    let mut sled = |length, calls| {
        let probe = match length {
            0 => Probe::Empty,
            length => Probe::Sled(length),
        };
        instructions(&mut session, Operation::Probe(probe), calls)
    };
    for (length, calls) in [(1000, 1), (1000, 20), (1_000_000, 5)] {
        let expected = u64::from(length) * u64::from(calls);
        assert_eq!(sled(length, calls) - sled(0, calls), expected);
    }
}

#[test]
fn the_event_counter_agrees_with_the_cycle_counter_and_repeats() {
    let bench = Bench::emulated();
    let mut session = bench.open().unwrap();
    let mut counts = |operation| {
        let trial = session.trial(operation, 1, 20, SECOND).unwrap().count;
        (trial, instructions(&mut session, operation, 20))
    };
    for operation in [Operation::Keygen, Operation::Enc, Operation::Dec] {
        let (trial, events) = counts(operation);
        // The brackets are not the same instructions, and that is all that is between them.
        assert!(trial.abs_diff(events) < 200, "{trial} and {events}");
        assert_eq!(counts(operation), (trial, events));
    }
    drop(session);
    let mut again = bench.open().unwrap();
    let first = instructions(&mut again, Operation::Enc, 20);
    assert_eq!(instructions(&mut again, Operation::Enc, 20), first);
}

/// With NGCC_TEST_ALL set only: it takes as long as an emulator takes for 2^32 instructions.
#[test]
fn a_loop_of_more_instructions_than_a_counter_holds_overflows_and_says_so() {
    if std::env::var_os("NGCC_TEST_ALL").is_none() {
        return;
    }
    let mut session = Bench::emulated().open().unwrap();
    // A cortex-a72 has counters of 32 bits, and this is a little more than they hold.
    let sled = Operation::Probe(Probe::Sled(1 << 31));
    session.calibrate(sled).unwrap();
    let counted = session.events(sled, 0, 2, 0, 6 * SECOND).unwrap();
    let overflowed = (Event::Instructions, EventReading::Overflowed);
    assert!(counted.readings.contains(&overflowed), "{counted:?}");
    // The next pass starts from 0.
    let short = Operation::Probe(Probe::Sled(1000));
    assert!(instructions(&mut session, short, 1) < 2000);
}

#[test]
fn a_pass_that_does_not_exist_counts_nothing() {
    let mut session = Bench::emulated().open().unwrap();
    let counted = session.events(Operation::Enc, 0, 1, 9, SECOND).unwrap();
    assert_eq!((counted.calls, counted.readings.len()), (0, 0));
}

#[test]
fn this_machine_counts_events_or_has_none_at_all() {
    let mut session = Bench::local().open().unwrap();
    let source = session.introduction().hello.counter.source;
    let all = events(&mut session, Operation::Enc, 100);
    assert_eq!(all.len(), Event::ALL.len());
    // Where the kernel has no cycles for us, as in most virtual machines, it has nothing else.
    if source != wire::CounterSource::PerfEvent {
        let absent = |reading: &EventReading| *reading == EventReading::NotAvailable;
        assert!(all.values().all(absent), "{all:?}");
    } else if let EventReading::Count(count) = all["instructions"] {
        assert!(count > 100_000, "{all:?}");
    }
}

#[test]
fn making_everything_cold_visits_every_line_and_repeats_to_the_instruction() {
    let bench = Bench::emulated();
    let sequence = || bench.open().unwrap().cold_sequence().unwrap();
    let first = sequence();
    // 32 KiB and 1 MiB in lines of 64 bytes, as the registers of a cortex-a72 say.
    let (levels, lines) = (2, 512 + 16_384);
    assert_eq!(first.purge, Purge::SetWay { levels, lines });
    assert_eq!(first.branches, 4 * 8192);
    // Each line takes an instruction, and each branch of the block comes with a rotation and, in
    // half of the cases, another branch.
    let least = lines + first.branches * 5 / 2;
    assert!((least..3 * least).contains(&first.count), "{first:?}");
    let again = sequence();
    assert_eq!((again.count, again.overhead), (first.count, first.overhead));
}

#[test]
fn a_cold_call_is_the_same_call() {
    let mut session = Bench::emulated().open().unwrap();
    let overhead = session.introduction().hello.counter.overhead;
    assert_eq!(session.cold_sequence().unwrap().overhead, overhead);
    for operation in [Operation::Keygen, Operation::Enc, Operation::Dec] {
        let call = session.calibrate(operation).unwrap();
        let expected = Duration::from_nanos(call.nanoseconds * 40);
        let warm = session.samples(operation, 3, 20, expected).unwrap();
        // An emulator has no caches: what is executed is all that counts, and it did not change.
        let cold = session.cold(operation, 3, 20, expected + SECOND).unwrap();
        assert_eq!(cold, warm);
    }
    // Nothing was lost with the caches' contents.
    session.kat().unwrap();
}

#[test]
fn a_process_thrashes_at_least_what_its_caches_hold() {
    let mut session = Bench::local().open().unwrap();
    let sequence = session.cold_sequence().unwrap();
    let Purge::Thrash {
        bytes,
        last_level_bytes,
        flushed_lines,
    } = sequence.purge
    else {
        panic!("{sequence:?}");
    };
    let cache = last_level_bytes.unwrap_or(1 << 20);
    assert!(bytes >= (2 * cache).min(2 << 30), "{sequence:?}");
    // The measuring stack alone is 8 MiB.
    assert!(flushed_lines >= (8 << 20) / 64, "{sequence:?}");
    session.calibrate(Operation::Enc).unwrap();
    let cold = session.cold(Operation::Enc, 0, 3, 60 * SECOND).unwrap();
    assert_eq!(cold.len(), 3);
}

#[test]
fn no_more_cold_calls_than_there_is_room_for() {
    let mut session = Bench::emulated().open().unwrap();
    for calls in [0, 20_001] {
        let refused = session.cold(Operation::Enc, 0, calls, SECOND);
        assert!(matches!(refused, Err(SessionError::Refused { .. })));
    }
}
