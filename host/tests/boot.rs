//! Real images, booted in QEMU and started as a process: what is measured repeats, and every way
//! in which a meter can be lost is noticed and told.

mod support;

use std::thread;
use std::time::{Duration, Instant};

use host::line::{Noise, NoisyLine};
use host::measurement::{Faulted, Spoiled, Trial};
use host::session::Session;
use rustix::process::{Pid, Signal, kill_process};
use support::late::LateLine;
use support::real_meter::{Bench, faulted, process_of, spoiled};
use wire::{Category, CounterSource, FaultEvent, FaultKind, MemoryUse, Operation, Probe};

const HANG: Operation = Operation::Probe(Probe::Hang);

/// Grain of the emulated board's clock of 62.5 MHz: a time may differ by as much.
const GRAIN_NANOSECONDS: u64 = 16;

/// Everything that is counted of one operation.
#[derive(Debug)]
struct Counts {
    trials: Vec<Trial>,
    samples: Vec<u64>,
    memory: MemoryUse,
}

fn measure(session: &mut Session, samples: u32) -> Vec<Counts> {
    let category = session.introduction().hello.category;
    category
        .operations(0)
        .iter()
        .map(|operation| {
            let call = session.calibrate(*operation).unwrap();
            let call = Duration::from_nanos(call.nanoseconds);
            let trials = (0..2)
                .map(|_| session.trial(*operation, 3, 20, call * 23).unwrap())
                .collect();
            Counts {
                trials,
                samples: session
                    .samples(*operation, 3, samples, call * (samples + 3))
                    .unwrap(),
                memory: session.memory(*operation, !0).unwrap(),
            }
        })
        .collect()
}

/// Asserts that two meters counted the same; says where they did not.
fn assert_equal(one: &[Counts], two: &[Counts]) {
    assert_eq!(one.len(), two.len());
    for (one, two) in one.iter().zip(two) {
        for (one, two) in one.trials.iter().zip(&two.trials) {
            assert_eq!((one.calls, one.count), (two.calls, two.count));
            let apart = one.nanoseconds.abs_diff(two.nanoseconds);
            assert!(apart <= GRAIN_NANOSECONDS, "{apart} ns apart");
        }
        let pairs = one.samples.iter().zip(&two.samples);
        let difference = pairs.enumerate().find(|(_, (one, two))| one != two);
        assert_eq!(difference, None, "first difference of the samples");
        assert_eq!(one.samples.len(), two.samples.len());
        assert_eq!(one.memory, two.memory);
    }
}

fn signal(session: &Session, signal: Signal) {
    let id = Pid::from_raw(process_of(session) as i32).unwrap();
    kill_process(id, signal).unwrap();
}

#[test]
fn an_emulated_core_repeats_call_by_call_from_boot_to_boot() {
    let bench = Bench::emulated();
    let mut session = bench.open().unwrap();
    let hello = session.introduction().hello.clone();
    assert_eq!(hello.category, Category::Kem);
    assert_eq!(hello.counter.source, CounterSource::Icount);
    assert_eq!(
        hello.self_test.sled.count,
        u64::from(hello.self_test.sled.instructions)
    );
    let first = measure(&mut session, 400);
    let farewell = session.bye();
    assert_eq!(farewell.exit_code, Some(0));
    assert_eq!(farewell.traffic.bad_frames, 0);

    assert_equal(&measure(&mut bench.open().unwrap(), 400), &first);
    for counts in first {
        assert_eq!(counts.trials[0].count, counts.trials[1].count);
        assert!(counts.memory.stack.bytes() > 0);
    }
}

#[test]
fn noise_on_the_line_changes_no_number() {
    let bench = Bench::emulated();
    // Enough of them for some to be hit.
    let clean = measure(&mut bench.open().unwrap(), 3000);
    let noise = Noise::everything(7, 1e-4);
    // Half of the requests come again after the next one, when their results are not held any more.
    let mut session = bench
        .open_behind(|line| NoisyLine::new(LateLine::new(line, 7, 0.5), noise))
        .unwrap();
    assert_equal(&measure(&mut session, 3000), &clean);
    let traffic = session.traffic();
    assert!(traffic.bad_frames > 0, "{traffic:?}");
}

#[test]
fn an_emulator_that_is_killed_is_told_as_that() {
    let mut session = Bench::emulated().open().unwrap();
    let id = process_of(&session);
    let killer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        kill_process(Pid::from_raw(id as i32).unwrap(), Signal::KILL).unwrap();
        Instant::now()
    });
    let lost = spoiled(session.calibrate(HANG));
    let noticed = Instant::now();
    assert_eq!(
        lost,
        Spoiled::Vanished("QEMU was killed by signal 9 (SIGKILL)".into())
    );
    let delay = noticed - killer.join().unwrap();
    assert!(delay < Duration::from_secs(2), "{delay:?}");
    assert_eq!(session.abandon().exit_code, Some(-9));
}

#[test]
fn an_emulator_that_stands_still_ends_at_the_deadline() {
    let bench = Bench::emulated();
    let mut session = bench.open().unwrap();
    let call = session.calibrate(Operation::Enc).unwrap();
    signal(&session, Signal::STOP);
    let started = Instant::now();
    let expected = Duration::from_nanos(call.nanoseconds * 10);
    let allowed = session.deadline(Operation::Enc, expected);
    let lost = spoiled(session.trial(Operation::Enc, 0, 10, expected));
    assert_eq!(lost, Spoiled::Deadline(allowed.as_secs()));
    assert!(started.elapsed() < allowed + Duration::from_secs(2));
    assert_eq!(session.abandon().exit_code, Some(-9));
    // The next one is as good as new.
    bench.open().unwrap().calibrate(Operation::Enc).unwrap();
}

#[test]
fn a_line_that_closes_is_told_as_that() {
    let noise = Noise {
        cut_after: Some(1500),
        ..Noise::default()
    };
    let mut session = Bench::emulated()
        .open_behind(|line| NoisyLine::new(line, noise))
        .unwrap();
    let lost = spoiled(session.samples(Operation::Dec, 0, 2000, Duration::from_secs(2)));
    assert_eq!(lost, Spoiled::LineLost("the line is closed".into()));
}

#[test]
fn faults_are_reported_in_full_and_the_next_boot_is_clean() {
    use FaultKind::{Exception, NullAccess, StackOverflow};
    for bench in [Bench::emulated(), Bench::local()] {
        for (probe, kind, function, words) in [
            (Probe::NullWrite, NullAccess, "null_write", ""),
            (
                Probe::Overflow,
                StackOverflow,
                "overflow",
                "8388608 bytes available",
            ),
            // Twice the stack: it is caught all the same.
            (
                Probe::Frame(16 << 20),
                StackOverflow,
                "frame",
                "8388608 bytes available",
            ),
            (
                Probe::BadStack,
                Exception,
                "bad_stack",
                "points to no stack",
            ),
            (Probe::Undefined, Exception, "undefined", ""),
            (
                Probe::OwnOverflow,
                StackOverflow,
                "own_overflow",
                "the meter's own stack",
            ),
            (
                Probe::FaultInReport,
                NullAccess,
                "null_write",
                "the report of another fault",
            ),
        ] {
            let system = bench.system.name();
            let mut session = bench.open_with_symbols().unwrap();
            let operation = Operation::Probe(probe);
            let Faulted { fault, location } = faulted(&mut session, operation);
            assert_eq!(fault.operation, Some(operation), "{system}");
            assert_eq!(
                fault.kind, kind,
                "{operation} on {system}: {}",
                fault.message
            );
            let found = location.function.unwrap_or_default();
            assert!(
                found.ends_with(function),
                "{operation} on {system}: {found}"
            );
            let message = &fault.message;
            assert!(
                message.contains(words),
                "{operation} on {system}: {message}"
            );
            // The board switches itself off, and the process exits.
            let farewell = session.abandon_after(Duration::from_secs(20));
            let expected = i64::from(system != "qemu-virt");
            assert_eq!(
                farewell.exit_code,
                Some(expected),
                "{operation} on {system}"
            );
        }
        bench.open().unwrap().calibrate(Operation::Enc).unwrap();
    }
}

#[test]
fn a_hang_ends_at_the_target_s_deadline_and_is_located() {
    for bench in [Bench::emulated(), Bench::local()] {
        let mut session = bench.open_impatient(Duration::from_millis(500)).unwrap();
        let Faulted { fault, location } = faulted(&mut session, HANG);
        assert_eq!(
            (fault.kind, fault.operation),
            (FaultKind::Deadline, Some(HANG))
        );
        match fault.event {
            // The virtual timer's.
            FaultEvent::Interrupt(number) => assert_eq!(number, Some(27)),
            // SI_TIMER.
            FaultEvent::Signal { code, .. } => assert_eq!(code, -2),
            other => panic!("{other:?}"),
        }
        let function = location.function.unwrap_or_default();
        assert!(function.ends_with("hang"), "{function}");
    }
}

#[test]
fn an_armed_deadline_changes_no_count() {
    let bench = Bench::emulated();
    let counts = |deadline: Duration| {
        let mut session = bench.open_impatient(deadline).unwrap();
        let sled = Operation::Probe(Probe::Sled(1_000_000));
        let samples = session
            .samples(sled, 0, 5, Duration::from_millis(5))
            .unwrap();
        let keygen = session.calibrate(Operation::Keygen).unwrap();
        (samples, keygen.count)
    };
    let near = counts(Duration::from_secs(2));
    assert_eq!(near, counts(Duration::from_secs(900)));
    // Near the end of time: as good as none.
    assert_eq!(near, counts(Duration::from_secs(1 << 40)));
    assert_eq!(near.0, [1_000_000; 5]);
}

#[test]
fn a_process_answers_like_a_board_and_its_end_is_told() {
    let bench = Bench::local();
    let mut session = bench.open().unwrap();
    assert_eq!(measure(&mut session, 400).len(), 3);
    signal(&session, Signal::KILL);
    assert_eq!(
        spoiled(session.calibrate(Operation::Enc)),
        Spoiled::Vanished("the meter was killed by signal 9 (SIGKILL)".into())
    );
}
