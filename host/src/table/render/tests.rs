//! Golden tables, and what they must never say.

use wire::{CounterSource, Operation};

use super::*;
use crate::measurement::{Answers, KatOutcome, Measurement, Spoiled};
use crate::ratio::Against;
use crate::record::assemble::Subject;
use crate::record::example;
use crate::record::plan::CALIBRATION;
use crate::record::run_files::NotBuilt;
use crate::record::schema::{Cold, FlagSet, Unknown};
use crate::table::comparison::compare_with;

/// A record of one operation that takes `factor` times what the example takes.
fn record(subject: &Subject, label: &str, operation: Operation, factor: u64) -> Record {
    let mut subject = subject.clone();
    label.clone_into(&mut subject.label);
    let mut measurement = Measurement {
        operation,
        ..example::measurement()
    };
    for trial in &mut measurement.trials {
        trial.count *= factor;
        trial.nanoseconds *= factor;
    }
    for sample in &mut measurement.samples {
        *sample *= factor;
    }
    let occasion = example::occasion();
    Record::assemble(
        &subject,
        &occasion,
        operation,
        &example::PLAN,
        &Ok(measurement),
    )
}

fn column(name: &str, source: CounterSource, factor: u64) -> Column {
    let mut subject = example::subject(name, source);
    subject.fitness.clear();
    let records = ["ML-KEM-1024", "ML-KEM-512"].into_iter().flat_map(|label| {
        [Operation::Dec, Operation::Enc, Operation::Keygen]
            .map(|operation| record(&subject, label, operation, factor + label.len() as u64))
    });
    Column {
        name: name.to_owned(),
        system: name.rsplit('/').next().unwrap_or(name).to_owned(),
        records: records.collect(),
    }
}

#[test]
fn one_emulated_system() {
    let column = column("qemu-virt", CounterSource::Icount, 1);
    insta::assert_snapshot!(one_system("qemu-virt", &column.records, None));
}

#[test]
fn cold_calls_and_instructions_in_a_cycle_have_columns_where_they_are_known() {
    let mut column = column("rpi4", CounterSource::Pmccntr, 30);
    assert!(!one_system("rpi4", &column.records, None).contains("IPC"));
    let meter = column.records[0].meter.as_mut().unwrap();
    meter.ipc = Some(1.234_5);
    meter.cold = Some(Cold {
        samples: vec![900_100, 900_000, 1_200_000],
        overhead: 0,
        method: "x".to_owned(),
        unknown: Unknown::new(),
    });
    insta::assert_snapshot!(one_system("rpi4", &column.records, None));
}

#[test]
fn an_emulated_and_a_real_system() {
    let columns = [
        column("qemu-virt", CounterSource::Icount, 1),
        column("x86_local", CounterSource::Tsc, 3),
    ];
    let compared = compare(&columns);
    assert!(compared.systems.iter().all(|it| it.ratio_to.is_none()));
    assert!(compared.rows.iter().all(|row| row.ratios == [None, None]));
    insta::assert_snapshot!(comparison(&compared, None));
}

#[test]
fn two_real_systems_beside_an_emulated_one() {
    let columns = [
        column("qemu-virt", CounterSource::Icount, 1),
        column("rpi4", CounterSource::Pmccntr, 30),
        column("arm_local", CounterSource::PerfEvent, 3),
    ];
    let compared = compare(&columns);
    let to = |index: usize| compared.systems[index].ratio_to.as_deref();
    assert_eq!([to(0), to(1), to(2)], [None, None, Some("rpi4")]);
    let ratios = &compared.rows[0].ratios;
    assert!(ratios[0].is_none() && ratios[1].is_none());
    assert!(ratios[2].is_some());
    insta::assert_snapshot!(comparison(&compared, None));
}

#[test]
fn two_runs_of_an_emulated_system() {
    let columns = [
        column("before/qemu-virt", CounterSource::Icount, 2),
        column("after/qemu-virt", CounterSource::Icount, 1),
    ];
    let compared = compare(&columns);
    let to = compared.systems[1].ratio_to.as_deref();
    assert_eq!(to, Some("before/qemu-virt"));
    insta::assert_snapshot!(comparison(&compared, None));
}

#[test]
fn two_runs_of_two_systems_have_a_ratio_each() {
    let columns = [
        column("before/qemu-virt", CounterSource::Icount, 2),
        column("before/rpi4", CounterSource::Pmccntr, 2),
        column("after/qemu-virt", CounterSource::Icount, 1),
        column("after/rpi4", CounterSource::Pmccntr, 1),
    ];
    let compared = compare(&columns);
    let ratios = &compared.rows[0].ratios;
    let is_there = ratios.iter().map(Option::is_some).collect::<Vec<_>>();
    assert_eq!(is_there, [false, false, true, true]);
    let to = |index: usize| compared.systems[index].ratio_to.as_deref();
    assert_eq!(to(2), Some("before/qemu-virt"));
    assert_eq!(to(3), Some("before/rpi4"));
}

/// The lines of a text for a terminal of 80 columns.
fn in_terminal(compared: &Comparison) -> Vec<String> {
    let lines = comparison(compared, Some(80));
    let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    let too_long = lines.iter().find(|line| line.chars().count() > 80);
    assert_eq!(too_long, None);
    lines
}

#[test]
fn ratios_fit_a_terminal_with_their_verdicts() {
    let columns = [
        column("before/qemu-virt", CounterSource::Icount, 2),
        column("after/qemu-virt", CounterSource::Icount, 1),
    ];
    let compared = compare(&columns);
    let lines = in_terminal(&compared);
    let with_ratio = lines
        .iter()
        .find(|line| line.contains("0.9167 (0.9167–0.9167)"));
    assert!(
        with_ratio.is_some_and(|line| line.contains("fewer")),
        "{lines:?}"
    );
}

#[test]
fn a_yardstick_divides_within_each_system_and_unit() {
    let columns = [
        column("qemu-virt", CounterSource::Icount, 1),
        column("x86_local", CounterSource::Tsc, 3),
    ];
    let compared = compare_with(&columns, Some("pqclean/ML-KEM-512"));
    for row in &compared.rows {
        let of: Vec<_> = row
            .by_yardstick
            .iter()
            .map(|against| {
                let ratio = against.as_ref().and_then(Against::ratio)?;
                Some((ratio.of, ratio.value))
            })
            .collect();
        match row.label.as_str() {
            // By itself it would be 1.
            "ML-KEM-512" => assert_eq!(of, [None, None]),
            _ => {
                let [Some((first, by_emulated)), Some((second, by_real))] = of[..] else {
                    panic!("{of:?}");
                };
                assert_eq!((first, second), ("instructions", "ticks"));
                assert!((by_emulated - 12.0 / 11.0).abs() < 1e-3, "{by_emulated}");
                assert!((by_real - 14.0 / 13.0).abs() < 1e-3, "{by_real}");
            }
        }
    }
    insta::assert_snapshot!(in_terminal(&compared).join("\n"));
}

#[test]
fn a_yardstick_divides_its_own_kind_only() {
    let mut column = column("rpi4", CounterSource::Pmccntr, 1);
    let subject = example::subject("rpi4", CounterSource::Pmccntr);
    let signature = [Operation::Keygen, Operation::Sign];
    let signature = signature.map(|operation| record(&subject, "ML-DSA-44", operation, 9));
    column.records.extend(signature);
    let compared = compare_with(&[column], Some("pqclean/ML-KEM-512"));
    for row in &compared.rows {
        let has_ratio = row.by_yardstick[0].is_some();
        assert_eq!(has_ratio, row.label == "ML-KEM-1024", "{row:?}");
    }
}

#[test]
fn a_ratio_that_is_none_says_why() {
    let before = column("before/rpi4", CounterSource::Pmccntr, 1);
    let mut after = column("after/rpi4", CounterSource::Pmccntr, 1);
    for record in &mut after.records {
        if record.label == "ML-KEM-512" {
            record.kat = crate::record::schema::KatStatus::Timeout;
        }
    }
    after.records[0].status = crate::record::schema::Status::FailedOrPartial;
    let compared = compare(&[before, after]);
    let text = comparison(&compared, None);
    assert_eq!(text.matches("n/a").count(), 4, "{text}");
    for words in [
        "after/rpi4 ÷ before/rpi4, pqclean/ML-KEM-1024 dec: not available: after/rpi4 is not \
         complete.",
        "after/rpi4 ÷ before/rpi4, pqclean/ML-KEM-512 keygen, pqclean/ML-KEM-512 enc, \
         pqclean/ML-KEM-512 dec: not available: KAT of after/rpi4: TIMEOUT.",
    ] {
        assert!(text.contains(words), "{words} is missing from\n{text}");
    }
}

#[test]
fn records_without_single_calls_are_marked() {
    let published = |name: &str| {
        let mut column = column(name, CounterSource::Pmccntr, 1);
        for record in &mut column.records {
            record.meter = None;
        }
        column
    };
    let columns = [published("x86_1"), published("arm_1")];
    let text = comparison(&compare(&columns), None);
    assert_eq!(text.matches("‡").count(), 6 + 1, "{text}");
    assert!(text.contains("within noise"), "{text}");
}

#[test]
fn what_was_not_built_is_told_even_without_a_record() {
    let not_built = |name: &str, reason: &str, unavailable| NotBuilt {
        system: "qemu-virt".to_owned(),
        name: name.to_owned(),
        reason: reason.to_owned(),
        unavailable,
    };
    let mut compared = compare(&[]);
    compared.not_built = vec![
        not_built("x/A", "it does not link: undefined symbol: f", false),
        not_built("x/B", "needs C++", true),
    ];
    let few = comparison(&compared, None);
    insta::assert_snapshot!(few, @r"
    qemu-virt, x/A: BUILDFAIL: it does not link: undefined symbol: f.
    qemu-virt, x/B: BUILDFAIL for what the system lacks: needs C++.
    ");
    for name in ["x/C", "x/D", "x/E"] {
        compared.not_built.push(not_built(name, "needs C++", true));
    }
    let many = comparison(&compared, None);
    assert!(
        many.contains("qemu-virt, 4 instances: BUILDFAIL for"),
        "{many}"
    );
}

#[test]
fn flags_that_are_not_the_guides_are_told() {
    let mut column = column("qemu-virt", CounterSource::Icount, 1);
    for record in &mut column.records {
        if record.label == "ML-KEM-512" {
            record.flags = FlagSet::HarnessDefault;
        }
    }
    let text = one_system("qemu-virt", &column.records, None);
    let note = "qemu-virt, compiled with the flags harness-default: pqclean/ML-KEM-512.";
    assert_eq!(text.matches(note).count(), 1, "{text}");
}

#[test]
fn what_went_wrong_is_told() {
    let mut good = column("rpi4", CounterSource::Pmccntr, 1);
    good.records.truncate(2);
    let mut subject = example::subject("x86_local", CounterSource::Tsc);
    "ML-KEM-1024".clone_into(&mut subject.label);
    let spoiled = Err(Spoiled::Deadline(30).into());
    let occasion = example::occasion();
    let failed = Record::assemble(&subject, &occasion, Operation::Enc, &CALIBRATION, &spoiled);
    subject.kat = Some(KatOutcome::Mismatch {
        answers: Answers::Record(Box::new(example::kat_report())),
        expected: "00".repeat(32),
        difference: Some("field `ct` differs first".to_owned()),
    });
    let wrong = record(&subject, "ML-KEM-1024", Operation::Dec, 7);
    let columns = [
        good,
        Column {
            name: "x86_local".to_owned(),
            system: "x86_local".to_owned(),
            records: vec![failed, wrong],
        },
    ];
    let compared = compare(&columns);
    // The time of wrong code is no time to compare with.
    assert!(compared.rows.iter().all(|row| {
        let against = row.ratios[1].as_ref();
        against.and_then(Against::ratio).is_none()
    }));
    insta::assert_snapshot!(comparison(&compared, None));
}

#[test]
fn a_narrow_terminal_has_the_columns_below_each_other() {
    let columns = [
        column("qemu-virt", CounterSource::Icount, 1),
        column("x86_local", CounterSource::Tsc, 3),
    ];
    let compared = compare(&columns);
    let whole = comparison(&compared, None);
    assert_eq!(comparison(&compared, Some(500)), whole);
    let narrow = in_terminal(&compared).join("\n");
    insta::assert_snapshot!(narrow);
    // No width is too small to show everything.
    let words = |text: &str| {
        text.split_whitespace()
            .filter(|word| !word.starts_with(['─', '═']))
            .map(str::to_owned)
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(words(&comparison(&compared, Some(1))), words(&whole));
}

#[test]
fn columns_that_hold_several_systems_name_their_order() {
    let mut columns = [
        column("qemu-virt", CounterSource::Icount, 1),
        column("x86_local", CounterSource::Tsc, 3),
    ];
    let text = comparison(&compare(&columns), None);
    assert!(text.contains("calls (n)"), "{text}");
    assert_eq!(text.matches("qemu-virt").count(), 3, "{text}");
    for record in &mut columns[1].records {
        record.measurements = 260;
    }
    let text = comparison(&compare(&columns), None);
    assert!(text.contains("120 / 260"), "{text}");
    assert_eq!(text.matches("qemu-virt /").count(), 1, "{text}");
}

#[test]
fn names_of_foreign_origin_steer_no_terminal() {
    let mut column = column("qemu-virt", CounterSource::Icount, 1);
    column.records.truncate(1);
    column.records[0].label = "\x1b[2J\nPASS\u{202e}".to_owned();
    column.records[0].candidate = "a\rb".to_owned();
    let text = one_system("\x07bell", &column.records, None);
    assert!(
        !text.contains(|c| crate::notice::steers(c) && c != '\n'),
        "{text}"
    );
    assert!(text.contains("a\\rb/\\u{1b}[2J\\nPASS\\u{202e}"), "{text}");
}

#[test]
fn different_units_in_one_column_are_labelled() {
    let mut mixed = column("imported", CounterSource::Tsc, 1);
    mixed.records.truncate(1);
    let cycles = column("imported", CounterSource::PerfEvent, 1).records;
    mixed.records.extend(cycles.into_iter().skip(1).take(1));
    let compared = compare(&[mixed]);
    assert_eq!(compared.systems[0].unit, None);
    let text = comparison(&compared, None);
    assert!(text.contains(" M TSC ticks"), "{text}");
    assert!(text.contains(" M cycles"), "{text}");
}

#[test]
fn as_json() {
    let mut columns = [
        column("rpi4", CounterSource::Pmccntr, 1),
        column("qemu-virt", CounterSource::Icount, 1),
    ];
    columns[0].records.truncate(2);
    columns[1].records.truncate(1);
    let compared = compare(&columns);
    let text = serde_json::to_string_pretty(&compared).expect("serialises");
    insta::assert_snapshot!(text);
}

#[test]
fn hash_functions_have_a_row_for_each_length_and_a_throughput() {
    let subject = example::subject("rpi4", CounterSource::Pmccntr);
    let records = [65536, 32, 1024].map(|bytes| {
        let factor = u64::from(bytes);
        record(&subject, "SHA3-256", Operation::Hash(bytes), factor)
    });
    insta::assert_snapshot!(one_system("rpi4", &records, None));
}

#[test]
fn a_stack_that_may_be_deeper_and_a_leak_are_told() {
    let mut column = column("rpi4", CounterSource::Pmccntr, 1);
    fn memory(record: &mut Record) -> &mut crate::record::schema::Memory {
        &mut record.meter.as_mut().expect("ours").memory
    }
    memory(&mut column.records[0])
        .largest_frame
        .as_mut()
        .expect("listed")
        .bytes = 40_000;
    memory(&mut column.records[1]).heap_sweeps = vec![crate::record::schema::HeapSweep {
        trial: 1,
        times: 4,
        freed_bytes: 4096,
        freed_blocks: 1,
        unknown: crate::record::schema::Unknown::new(),
    }];
    let text = one_system("rpi4", &column.records, None);
    assert_eq!(text.matches("≥ 13384").count(), 1, "{text}");
    assert!(
        text.contains("\n≥ A function that the operation can reach"),
        "{text}"
    );
    let leak = "enc leaks: what it had lost was freed 4 times between calls.";
    assert!(text.contains(leak), "{text}");
}

#[test]
fn heap_that_was_in_use_before_the_call_is_told() {
    let mut column = column("rpi4", CounterSource::Pmccntr, 1);
    let memory = &mut column.records[0].meter.as_mut().expect("ours").memory;
    memory.heap_peak_bytes = Some(1746);
    memory.heap_live_before_bytes = Some(1623);
    let place = column.records[0].operation.clone();
    let text = one_system("rpi4", &column.records, None);
    assert_eq!(text.matches("§ 1746").count(), 1, "{text}");
    let note = format!(" {place}: 1623 of 1746 bytes.");
    assert!(text.contains(&note), "{text}");
}

#[test]
fn a_cold_call_of_an_emulator_is_no_cold_call() {
    let mut column = column("qemu-virt", CounterSource::Icount, 1);
    column.records[0].meter.as_mut().unwrap().cold = Some(Cold {
        samples: vec![900_000],
        overhead: 0,
        method: "x".to_owned(),
        unknown: Unknown::new(),
    });
    let text = one_system("qemu-virt", &column.records, None);
    assert!(text.contains("An emulator has no caches"), "{text}");
    let heading = |word: &str| text.lines().any(|line| line.contains(word));
    assert!(heading("cold call, median,"), "{text}");
}
