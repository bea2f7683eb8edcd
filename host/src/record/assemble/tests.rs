//! Records of everything that can happen to an operation.

use proptest::prelude::*;
use wire::{
    BufferName, CounterSource, Failure, FailureKind, Fault, FaultEvent, FaultKind, Operation, Side,
    Unit,
};

use super::*;
use crate::measurement::{Answers, Faulted, KatOutcome, Location, Spoiled};
use crate::record::plan::CALIBRATION;
use crate::record::schema::Meter;
use crate::record::{digest, example, read};

fn spoiled_record(subject: &Subject, spoiled: Spoiled) -> Record {
    let occasion = example::occasion();
    Record::assemble(
        subject,
        &occasion,
        Operation::Dec,
        &CALIBRATION,
        &Err(spoiled.into()),
    )
}

fn meter_of(record: &Record) -> &Meter {
    record.meter.as_ref().expect("ours")
}

#[test]
fn a_whole_record() {
    let record = example::record_of("qemu-virt", CounterSource::Icount);
    insta::assert_snapshot!(digest::text(&digest::content(&record)));
}

#[test]
fn cycles_are_core_cycles_only() {
    let record = example::record();
    assert_eq!(
        record.mean_count(),
        Some((84_000_586.0 / 120.0, Unit::Cycles))
    );
    assert_eq!(record.trials[0].cycles, 28_000_123);
    assert_eq!(record.processes[0].meta["cpu_cycles_available"], "yes");
    let clock = record.environment.core_clock_hz.expect("cycles");
    assert_eq!(clock.number(), Some(2_399_999_943.0));

    for (source, unit) in [
        (CounterSource::Icount, Unit::Instructions),
        (CounterSource::Tsc, Unit::Ticks),
    ] {
        let record = example::record_of("x", source);
        assert!(record.trials.iter().all(|trial| trial.cycles == 0));
        assert_eq!(
            (record.mean_cycles, record.median_trial_cycles),
            (None, None)
        );
        assert_eq!(record.processes[0].meta["cpu_cycles_available"], "no");
        assert_eq!(record.mean_count(), Some((84_000_586.0 / 120.0, unit)));
        assert_eq!(record.environment.core_clock_hz, None);
        assert_eq!(meter_of(&record).trials[0].count, Some(28_000_123));
        assert_eq!(record.is_emulated(), unit == Unit::Instructions);
    }
}

#[test]
fn without_a_counter_nothing_is_counted() {
    let record = example::record_of("x", CounterSource::Missing);
    assert_eq!(record.mean_count(), None);
    let meter = meter_of(&record);
    assert!(meter.trials.iter().all(|trial| trial.count.is_none()));
    assert!(meter.samples.is_empty());
    assert!(record.mean_seconds.is_some() && record.is_clean());
}

#[test]
fn what_was_not_measured_is_null_and_not_zero() {
    let mut measurement = example::measurement();
    measurement.memory = None;
    measurement.samples.clear();
    let subject = example::subject("rpi4", CounterSource::Pmccntr);
    let occasion = example::occasion();
    let record = Record::assemble(
        &subject,
        &occasion,
        Operation::Dec,
        &example::PLAN,
        &Ok(measurement),
    );
    let memory = &meter_of(&record).memory;
    assert_eq!(memory.stack_bytes, None);
    assert_eq!(memory.stack_method, None);
    assert_eq!(memory.heap_peak_bytes, None);
    assert_eq!(record.peak_rss_bytes, None);
    assert!(meter_of(&record).samples.is_empty());
}

#[test]
fn what_a_reader_must_know_of_memory_is_said_in_words() {
    let mut subject = example::subject("rpi4", CounterSource::Pmccntr);
    let mut measurement = example::measurement();
    let assemble = |subject: &_, measurement: &Measurement| {
        let (occasion, plan) = (example::occasion(), example::PLAN);
        let outcome = Ok(measurement.clone());
        let record = Record::assemble(subject, &occasion, Operation::Dec, &plan, &outcome);
        meter_of(&record).memory.clone()
    };
    assert_eq!(assemble(&subject, &measurement).marks, [""; 0]);

    let memory = measurement.memory.as_mut().expect("measured");
    memory.used.stack.pointer_bytes = Some(33_000);
    memory.heap_repeats = false;
    memory.used.heap.live_after.bytes = 100;
    memory.used.heap.live_after.blocks = 2;
    memory.used.heap.frees = 10;
    measurement.trials[1].sweeps = wire::Sweeps {
        count: 3,
        freed: wire::Live {
            bytes: 3 << 20,
            blocks: 9,
        },
    };
    let report = subject.image.report.as_mut().expect("built");
    let frame = report.largest_frames.get_mut("dec").expect("listed");
    frame.bytes = 40_000;
    let memory = assemble(&subject, &measurement);
    assert_eq!(memory.stack_bytes, Some(33_000));
    assert!(
        memory
            .stack_method
            .is_some_and(|how| how.starts_with("the lowest stack pointer"))
    );
    assert_eq!(
        (memory.heap_leaked_bytes, memory.heap_leaked_blocks),
        (Some(100), Some(2))
    );
    assert_eq!(
        (memory.heap_sweeps[0].trial, memory.heap_sweeps[0].times),
        (2, 3)
    );
    insta::assert_snapshot!(memory.marks.join("\n"), @r"
    stack_bytes may be too little: the frame of indcpa_enc (indcpa.c:262) has 40000 bytes, more than was seen; if the operation called it, not all of it was written
    the heap's figures are those of one call: another, on a stack of other contents, had others
    the submission leaks: the heap ran low between calls, outside every bracket, and what nothing referred to any more was freed 3 times in trial 2
    ");
}

#[test]
fn a_spoiled_operation_says_why() {
    let subject = example::subject("rpi4", CounterSource::Pmccntr);
    let record = spoiled_record(
        &subject,
        Spoiled::Failed(Failure {
            operation: Operation::Enc,
            call: 3,
            kind: FailureKind::ReturnCode(-1),
            freed_blocks: 0,
        }),
    );
    assert_eq!(record.status, Status::FailedOrPartial);
    assert_eq!(record.measurements, 0);
    assert_eq!(record.mean_seconds, None);
    assert_eq!(record.operations_per_second, None);
    let meter = meter_of(&record);
    assert_eq!(meter.reason.as_deref(), Some("call 3 of enc returned -1"));
    assert_eq!(meter.fault, None);
    assert_eq!(record.processes[0].status, "failed");
    assert!(!record.is_clean());
    // The known-answer test is another matter.
    assert!(!record.kat_not_passed);
}

fn fault(kind: FaultKind, event: FaultEvent) -> Spoiled {
    Spoiled::Faulted(Box::new(Faulted {
        fault: Fault {
            kind,
            event,
            operation: Some(Operation::Dec),
            preparing: false,
            address: 0x4008_1234,
            data_address: Some(0),
            stack_pointer: 0x4020_0000,
            registers: heapless::Vec::new(),
            backtrace: [0x4008_1234, 0x4008_0010].into_iter().collect(),
            stack: heapless::Vec::new(),
            freed_blocks: 0,
            message: "".try_into().expect("short"),
        },
        location: Location::default(),
    }))
}

#[test]
fn a_fault_is_reported_in_full() {
    let subject = example::subject("qemu-virt", CounterSource::Icount);
    let event = FaultEvent::Exception(0x9600_0045);
    let record = spoiled_record(&subject, fault(FaultKind::NullAccess, event));
    let report = meter_of(&record).fault.as_ref().expect("a fault");
    assert_eq!(report.kind, "null access");
    assert_eq!(
        report.class.as_deref(),
        Some("data abort: translation fault at level 1, write (ESR_EL1 0x96000045)")
    );
    assert_eq!(report.address.as_deref(), Some("0x40081234"));
    assert_eq!(report.data_address.as_deref(), Some("0x0"));
    assert_eq!(report.backtrace, ["0x40081234", "0x40080010"]);
    assert_eq!((&report.function, &report.message), (&None, &None));
    assert_eq!(record.processes[0].status, "fault");

    let linux = example::subject("x86_local", CounterSource::Tsc);
    let signal = FaultEvent::Signal {
        number: 11,
        code: 2,
    };
    let record = spoiled_record(&linux, fault(FaultKind::Exception, signal));
    let report = meter_of(&record).fault.as_ref().expect("a fault");
    assert_eq!(
        report.class.as_deref(),
        Some("SIGSEGV: what is mapped at the address forbids this access (signal 11)")
    );
    let record = spoiled_record(&linux, fault(FaultKind::Exit(3), FaultEvent::Call));
    let report = meter_of(&record).fault.as_ref().expect("a fault");
    assert_eq!((report.kind.as_str(), &report.class), ("exit(3)", &None));
}

#[test]
fn a_fault_with_symbols_names_its_place() {
    let subject = example::subject("qemu-virt", CounterSource::Icount);
    let mut spoiled = fault(FaultKind::Deadline, FaultEvent::Interrupt(Some(27)));
    if let Spoiled::Faulted(faulted) = &mut spoiled {
        faulted.location = Location {
            function: Some("decode".to_owned()),
            file: Some("decode.c".to_owned()),
            line: Some(17),
            backtrace: vec!["decode (decode.c:17)".to_owned()],
        };
    }
    let record = spoiled_record(&subject, spoiled);
    let meter = meter_of(&record);
    let report = meter.fault.as_ref().expect("a fault");
    assert_eq!(report.line, Some(17));
    assert_eq!(report.backtrace, ["decode (decode.c:17)"]);
    assert_eq!(record.processes[0].status, "timeout");
    assert_eq!(
        meter.reason.as_deref(),
        Some("dec did not end before its deadline in decode (decode.c:17), address 0x0")
    );
}

#[test]
fn good_trials_are_kept_when_a_later_step_fails() {
    let subject = example::subject("rpi4", CounterSource::Pmccntr);
    let unfinished = Unfinished {
        spoiled: fault(FaultKind::Exit(3), FaultEvent::Call),
        step: Some("samples".to_owned()),
        kept: Some(Measurement {
            samples: Vec::new(),
            memory: None,
            ..example::measurement()
        }),
    };
    let record = Record::assemble(
        &subject,
        &example::occasion(),
        Operation::Dec,
        &example::PLAN,
        &Err(unfinished),
    );
    assert_eq!(record.status, Status::FailedOrPartial);
    assert_eq!(record.trials.len(), example::measurement().trials.len());
    assert!(record.mean_seconds.is_some());
    let meter = meter_of(&record);
    assert_eq!(meter.trials.len(), record.trials.len());
    assert!(meter.samples.is_empty() && meter.fault.is_some());
    let reason = meter.reason.as_deref().unwrap();
    assert!(
        reason.starts_with("samples: dec called exit(3)"),
        "{reason}"
    );
}

#[test]
fn a_meter_that_never_spoke_has_no_counter() {
    let mut subject = example::subject("rpi4", CounterSource::Pmccntr);
    subject.hello = None;
    let record = spoiled_record(&subject, Spoiled::Vanished("exit 1".to_owned()));
    let meter = meter_of(&record);
    assert_eq!((&meter.counter, &meter.self_test), (&None, &None));
    assert_eq!(record.sizes.pk_bytes, Some(1184));
}

#[test]
fn a_measurement_that_was_cut_short_is_partial() {
    let mut measurement = example::measurement();
    measurement.trials.pop();
    let subject = example::subject("rpi4", CounterSource::Pmccntr);
    let occasion = example::occasion();
    let outcome = Ok(measurement);
    let record = Record::assemble(
        &subject,
        &occasion,
        Operation::Dec,
        &example::PLAN,
        &outcome,
    );
    assert_eq!(record.status, Status::FailedOrPartial);
    assert_eq!(record.measurements, 80);
    let reason = meter_of(&record).reason.as_deref();
    assert_eq!(reason, Some("2 of 3 trials were run"));
}

#[test]
fn the_known_answer_test_in_the_harness_words() {
    let failed = |kind| {
        KatOutcome::Spoiled(Spoiled::Failed(Failure {
            operation: Operation::Dec,
            call: 0,
            kind,
            freed_blocks: 0,
        }))
    };
    let guard = FailureKind::Guard {
        buffer: BufferName::Ciphertext,
        side: Side::After,
        distance: 1,
    };
    let answers = || Answers::Record(Box::new(example::kat_report()));
    for (kat, status) in [
        (None, KatStatus::NoKat),
        (Some(KatOutcome::NotPublished(answers())), KatStatus::NoKat),
        (
            Some(KatOutcome::Partial {
                answers: answers(),
                reason: "too large".to_owned(),
            }),
            KatStatus::Partial,
        ),
        (
            Some(failed(FailureKind::Disagreement)),
            KatStatus::CryptoFail,
        ),
        (Some(failed(guard)), KatStatus::Overflow),
        (
            Some(KatOutcome::Spoiled(Spoiled::Deadline(9))),
            KatStatus::Timeout,
        ),
        (
            Some(KatOutcome::Spoiled(fault(
                FaultKind::Deadline,
                FaultEvent::Interrupt(Some(27)),
            ))),
            KatStatus::Timeout,
        ),
        (
            Some(KatOutcome::Spoiled(fault(
                FaultKind::Abort,
                FaultEvent::Call,
            ))),
            KatStatus::NoResult,
        ),
    ] {
        // A command and its records judge alike.
        if let Some(outcome) = &kat {
            let is_clean = outcome.outcome() == crate::outcome::Outcome::Clean;
            assert_eq!(is_clean, status.is_clean(), "{status:?}");
        }
        let mut subject = example::subject("rpi4", CounterSource::Pmccntr);
        subject.kat = kat;
        let outcome = Ok(example::measurement());
        let occasion = example::occasion();
        let record = Record::assemble(
            &subject,
            &occasion,
            Operation::Dec,
            &example::PLAN,
            &outcome,
        );
        assert_eq!(record.kat, status);
        assert!(record.kat_not_passed);
        assert_eq!(record.is_clean(), status.is_clean());
        assert_eq!(record.status, Status::Complete);
    }
}

#[test]
fn a_mismatch_names_the_first_differing_field() {
    let mut subject = example::subject("rpi4", CounterSource::Pmccntr);
    let expected = "00".repeat(32);
    subject.kat = Some(KatOutcome::Mismatch {
        answers: Answers::Record(Box::new(example::kat_report())),
        expected: expected.clone(),
        difference: Some("field `ct` differs first".to_owned()),
    });
    let outcome = Ok(example::measurement());
    let occasion = example::occasion();
    let record = Record::assemble(
        &subject,
        &occasion,
        Operation::Dec,
        &example::PLAN,
        &outcome,
    );
    assert_eq!(
        (record.kat, record.kat_not_passed),
        (KatStatus::Mismatch, true)
    );
    let evidence = meter_of(&record).kat.as_ref().expect("there was one");
    assert_eq!(
        evidence.first_difference.as_deref(),
        Some("field `ct` differs first")
    );
    assert_eq!(evidence.expected_sha256.as_deref(), Some(expected.as_str()));
    assert_eq!(
        evidence.computed_sha256,
        Some(Sha256::from_bytes(&[0xab; 32]))
    );
}

fn measurements() -> impl Strategy<Value = Measurement> {
    let trial = (1..=20_000u32, any::<u32>(), 1..1u64 << 50).prop_map(|(calls, count, nanos)| {
        measurement::Trial {
            calls,
            count: u64::from(count) << 10,
            nanoseconds: nanos,
            sweeps: wire::Sweeps::default(),
        }
    });
    let samples = prop::collection::vec(any::<u32>().prop_map(u64::from), 0..20);
    (prop::collection::vec(trial, 0..7), samples).prop_map(|(trials, samples)| Measurement {
        trials,
        samples,
        ..example::measurement()
    })
}

proptest! {
    #[test]
    fn every_record_reads_back(
        measurement in measurements(),
        source in prop::sample::select(vec![
            CounterSource::Pmccntr, CounterSource::PerfEvent, CounterSource::Tsc,
            CounterSource::Icount, CounterSource::Missing,
        ]),
        stderr in prop::collection::vec(any::<u8>(), 0..3000),
    ) {
        let subject = example::subject("x", source);
        let mut occasion = example::occasion();
        occasion.output.stderr.length = stderr.len() as u64;
        occasion.output.stderr.first = stderr;
        let outcome = Ok(measurement);
        let record =
            Record::assemble(&subject, &occasion, Operation::Dec, &example::PLAN, &outcome);
        let text = digest::text(&digest::content(&record));
        let back = read::parse(std::path::Path::new("x.json"), text.as_bytes());
        prop_assert_eq!(back.expect("readable"), record);
    }
}
