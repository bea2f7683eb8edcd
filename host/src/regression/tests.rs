//! What counts as worse, at its boundaries.

use wire::{CounterSource, Operation};

use super::*;
use crate::measurement::Measurement;
use crate::record::example;
use crate::record::schema::{Memory, Meter};

const SYSTEM: &str = "qemu-virt";

fn record(source: CounterSource) -> Record {
    example::record_of(SYSTEM, source)
}

fn meter(record: &mut Record) -> &mut Meter {
    record.meter.as_mut().expect("ours")
}

/// A record of instructions, so many in every call, and trials whose means lie so far apart.
fn counted(mean: u64, apart: u64) -> Record {
    let mut record = record(CounterSource::Icount);
    let meter = meter(&mut record);
    meter.samples = vec![vec![mean; 5]];
    for (trial, mean) in meter
        .trials
        .iter_mut()
        .zip([mean - apart / 2, mean, mean + apart / 2])
    {
        trial.count = Some(mean * trial.measurements);
    }
    meter.mean_count = Some(mean as f64);
    record
}

fn between(before: &[Record], after: &[Record], threshold: f64) -> Regressions {
    Regressions::between(&of(before), &of(after), threshold)
}

fn of(records: &[Record]) -> Vec<Side<'_>> {
    let side = |record| Side {
        name: SYSTEM,
        system: SYSTEM,
        record,
    };
    records.iter().map(side).collect()
}

fn compared(before: &Record, after: &Record, threshold: f64) -> Regressions {
    let (before, after) = (std::slice::from_ref(before), std::slice::from_ref(after));
    let found = between(before, after, threshold);
    assert_eq!(found.compared, 1, "{:?}", found.not_compared);
    found
}

fn slower(before: &Record, after: &Record, threshold: f64) -> Vec<Slower> {
    compared(before, after, threshold).slower
}

#[test]
fn slower_is_by_more_than_the_threshold() {
    let base = counted(1000, 0);
    assert_eq!(slower(&base, &counted(1050, 0), 5.0), []);
    let found = slower(&base, &counted(1051, 0), 5.0);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].unit, "instructions, emulated");
    assert!((found[0].percent - 5.1).abs() < 1e-9);
    // Where nothing disturbs a count, a single instruction more is one more.
    assert_eq!(slower(&base, &counted(1001, 0), 0.0).len(), 1);
    assert_eq!(slower(&base, &base, 0.0), []);
}

#[test]
fn an_improvement_is_no_regression_however_great() {
    for threshold in [0.0, 5.0] {
        for less in [999, 900, 1] {
            let found = compared(&counted(1000, 0), &counted(less, 0), threshold);
            assert!(!found.any() && found.within_noise.is_empty());
        }
    }
}

#[test]
fn what_lies_within_the_noise_of_either_run_is_none() {
    let (quiet, noisy) = (counted(1000, 0), counted(1000, 120));
    for (before, after) in [(&quiet, &counted(1100, 120)), (&noisy, &counted(1100, 0))] {
        let found = compared(before, after, 5.0);
        assert!(!found.any());
        // It is told all the same.
        assert_eq!(found.within_noise.len(), 1);
    }
    // Noise is a factor: 1060 by 940 is 1.128.
    assert_eq!(slower(&noisy, &counted(1127, 0), 5.0), []);
    assert_eq!(slower(&noisy, &counted(1128, 0), 5.0).len(), 1);
}

#[test]
fn without_counts_times_are_compared() {
    let base = record(CounterSource::Missing);
    let mut later = base.clone();
    for trial in &mut later.trials {
        trial.seconds *= 1.2;
    }
    later.mean_seconds = later.mean_seconds.map(|seconds| seconds * 1.2);
    let found = slower(&base, &later, 5.0);
    assert_eq!(found[0].unit, "seconds");
}

#[test]
fn one_trial_alone_does_not_tell_what_is_noise() {
    let alone = |factor: f64| {
        let mut record = example::record();
        record.meter = None;
        record.trials.truncate(1);
        record.mean_cycles = record.mean_cycles.map(|mean| mean * factor);
        record
    };
    let found = between(&[alone(1.0)], &[alone(2.0)], 5.0);
    assert_eq!((found.compared, found.any()), (0, false));
    assert!(found.not_compared[0].reason.starts_with("one trial"));
}

#[test]
fn memory_grows_by_more_than_the_threshold() {
    let base = counted(1000, 0);
    let with = |change: fn(&mut Memory)| {
        let mut record = base.clone();
        change(&mut meter(&mut record).memory);
        record
    };
    let names = |after: &Record, threshold| -> Vec<(&str, Option<f64>)> {
        let larger = compared(&base, after, threshold).larger;
        larger.into_iter().map(|it| (it.what, it.percent)).collect()
    };
    // The example has 13384 bytes of stack, 832 of heap, and 23456 and 1024 of code and constants.
    let edge = with(|memory| memory.stack_bytes = Some(13_384 * 105 / 100));
    assert_eq!(names(&edge, 5.0), []);
    let above = with(|memory| memory.stack_bytes = Some(13_384 * 105 / 100 + 1));
    assert_eq!(names(&above, 5.0)[0].0, "stack_bytes");
    assert_eq!(
        names(&with(|memory| memory.stack_bytes = Some(13_385)), 0.0).len(),
        1
    );
    assert_eq!(names(&with(|memory| memory.stack_bytes = Some(8)), 0.0), []);
    let heap = with(|memory| memory.heap_peak_bytes = Some(1664));
    assert_eq!(names(&heap, 5.0), [("heap_peak_bytes", Some(100.0))]);
    // A heap whose figures do not repeat has noise that nobody knows.
    let unsteady = with(|memory| {
        memory.heap_peak_bytes = Some(1664);
        memory.heap_repeats = Some(false);
    });
    assert_eq!(names(&unsteady, 5.0), []);
    // From nothing to something is more, whatever the threshold.
    let leak = with(|memory| memory.heap_leaked_bytes = Some(16));
    assert_eq!(names(&leak, 500.0), [("heap_leaked_bytes", None)]);
    let code = with(|memory| {
        memory.static_memory.as_mut().expect("linked").text_bytes = 2 * 23_456 + 1024;
    });
    assert_eq!(names(&code, 99.0), [("text and rodata", Some(100.0))]);
    let unknown = with(|memory| {
        memory.stack_bytes = None;
        memory.static_memory = None;
    });
    assert_eq!(names(&unknown, 0.0), []);
}

#[test]
fn the_static_memory_of_a_label_is_told_once() {
    let of = |operation: &str, bytes| {
        let mut record = counted(1000, 0);
        operation.clone_into(&mut record.operation);
        let memory = &mut meter(&mut record).memory;
        memory.static_memory.as_mut().expect("linked").bss_bytes = bytes;
        record
    };
    let run = |bytes| ["keygen", "enc", "dec"].map(|operation| of(operation, bytes));
    let found = between(&run(0), &run(64), 5.0);
    assert_eq!(found.larger.len(), 1);
    let larger = &found.larger[0];
    assert_eq!(
        (larger.name.as_str(), larger.what),
        ("pqclean/ML-KEM-768", "data and bss")
    );
}

#[test]
fn answers_that_prove_less_are_worse() {
    let with = |kat| Record {
        kat,
        ..counted(1000, 0)
    };
    use KatStatus::{BuildFail, Mismatch, NoKat, Partial, Pass};
    for (before, after, worse) in [
        (Pass, Pass, false),
        (Pass, Partial, true),
        (Partial, NoKat, true),
        (NoKat, Mismatch, true),
        (NoKat, Pass, false),
        (Mismatch, Pass, false),
        (Mismatch, BuildFail, false),
    ] {
        let found = between(&[with(before)], &[with(after)], 5.0);
        assert_eq!(
            found.answers.len(),
            usize::from(worse),
            "{before:?} {after:?}"
        );
        assert_eq!(found.any(), worse);
    }
}

#[test]
fn fewer_operations_are_missing_and_fewer_labels_are_said() {
    let subject = example::subject(SYSTEM, CounterSource::Icount);
    let of = |label: &str, operation| {
        let mut subject = subject.clone();
        label.clone_into(&mut subject.label);
        let outcome = Ok(Measurement {
            operation,
            ..example::measurement()
        });
        let occasion = example::occasion();
        Record::assemble(&subject, &occasion, operation, &example::PLAN, &outcome)
    };
    let both = [
        of("A", Operation::Enc),
        of("A", Operation::Dec),
        of("B", Operation::Dec),
    ];
    let found = between(&both, &both[..1], 5.0);
    assert_eq!(found.missing.len(), 1);
    assert_eq!(found.missing[0].name, "pqclean/A dec");
    assert_eq!(found.not_compared[0].name, "pqclean/B");
    assert!(found.any());
    let without_label = between(&both, &both[..2], 5.0);
    assert!(!without_label.any());
    assert_eq!(
        without_label.not_compared[0].reason,
        "the later run has no such instance"
    );
    let more = between(&both[..1], &both, 5.0);
    assert!(!more.any());
    let reasons: Vec<&str> = more
        .not_compared
        .iter()
        .map(|it| it.reason.as_str())
        .collect();
    assert_eq!(
        reasons,
        [
            "the baseline has no such instance",
            "the baseline has no such operation"
        ]
    );
    // What fails now and did not before is missing, too.
    let mut failed = both.clone();
    failed[0].status = Status::FailedOrPartial;
    meter(&mut failed[0]).reason = Some("a deadline passed".to_owned());
    let found = between(&both, &failed, 5.0);
    assert_eq!(found.missing[0].reason, "a deadline passed");
    assert!(!between(&failed, &both, 5.0).any());
}

#[test]
fn other_units_and_wrong_answers_are_not_compared() {
    let base = counted(1000, 0);
    let wrong = Record {
        kat: KatStatus::Mismatch,
        ..base.clone()
    };
    let cycles = record(CounterSource::PerfEvent);
    let ticks = record(CounterSource::Tsc);
    let mut reasons = Vec::new();
    for (before, after) in [
        (&base, &cycles),
        (&cycles, &ticks),
        (&base, &wrong),
        (&wrong, &base),
    ] {
        let (before, after) = (std::slice::from_ref(before), std::slice::from_ref(after));
        let found = between(before, after, 0.0);
        assert_eq!((found.compared, found.slower.len()), (0, 0));
        reasons.extend(found.not_compared.into_iter().map(|it| it.reason));
    }
    insta::assert_snapshot!(reasons.join("\n"), @r"
    cycles and instructions, emulated, are not the same thing
    cycles and TSC ticks cannot be compared
    KAT of qemu-virt: MISMATCH
    KAT of qemu-virt: MISMATCH
    ");
}

#[test]
fn systems_are_not_mixed() {
    let base = counted(1000, 0);
    let later = counted(5000, 0);
    let side = |system, record| Side {
        name: system,
        system,
        record,
    };
    let found = Regressions::between(&[side("a", &base)], &[side("b", &later)], 0.0);
    assert_eq!((found.compared, found.any()), (0, false));
    assert_eq!(found.not_compared.len(), 2);
}
