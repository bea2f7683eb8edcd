//! What is said of a baseline and a later run, and how the command ends.

use std::path::Path;

use wire::CounterSource;

use super::*;
use crate::record::schema::{KatStatus, Record, Status};
use crate::record::store::RunDirectory;
use crate::record::{digest, example};
use crate::verb::sides::sides;

#[test]
fn percent_is_a_number_that_is_not_negative() {
    assert_eq!(percent("5"), Ok(5.0));
    assert_eq!(percent("0.5%"), Ok(0.5));
    for wrong in ["-1", "five", "", "%", "inf", "NaN"] {
        assert!(percent(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn each_regression_says_what_and_where() {
    let label = |label: &str, change: fn(&mut Record)| {
        let mut record = example::record_of("qemu-virt", CounterSource::Icount);
        label.clone_into(&mut record.label);
        change(&mut record);
        record
    };
    let more = |record: &mut Record| {
        let meter = record.meter.as_mut().expect("ours");
        meter.mean_count = meter.mean_count.map(|mean| mean * 1.1);
        for sample in meter.samples.iter_mut().flatten() {
            *sample = *sample * 11 / 10;
        }
    };
    let names = ["A", "B", "C", "D", "E", "F", "G", "H", "I"];
    let before: Vec<Record> = names.iter().map(|name| label(name, |_| {})).collect();
    let after = [
        label("A", more),
        label("B", |record| record.kat = KatStatus::NoKat),
        label("C", |record| {
            record.meter.as_mut().expect("ours").memory.stack_bytes = Some(20_000);
        }),
        label("D", |record| {
            record.status = Status::FailedOrPartial;
            record.meter.as_mut().expect("ours").reason = Some("a deadline passed".to_owned());
        }),
        label("E", |record| {
            let meter = record.meter.as_mut().expect("ours");
            meter.mean_count = meter.mean_count.map(|mean| mean * 1.06);
            meter.trials[0].count = meter.trials[0].count.map(|count| count * 12 / 10);
        }),
    ];
    let side = |record| ratio::Side {
        name: "qemu-virt",
        system: "qemu-virt",
        record,
    };
    let [before, after]: [Vec<ratio::Side>; 2] = [
        before.iter().map(side).collect(),
        after.iter().map(side).collect(),
    ];
    let found = Regressions::between(&before, &after, 5.0);
    let mut text = lines(&found);
    text.push("---".to_owned());
    text.extend(said(&found));
    text.push(summary(&found, 5.0));
    insta::assert_snapshot!(text.join("\n"), @r"
    qemu-virt: pqclean/B: KAT NOKAT, PASS before
    qemu-virt: pqclean/D dec: a deadline passed; measured before
    qemu-virt: pqclean/A dec: 10.00 % more (instructions, emulated): 700.0 k before, 770.0 k after; ratio 1.1000 (1.0999–1.1001), noise 0.00 %
    qemu-virt: pqclean/C dec: 49.43 % more stack_bytes: 13384 bytes before, 20000 after
    ---
    within the noise: qemu-virt: pqclean/E dec: 6.00 % more (instructions, emulated): 700.0 k before, 742.0 k after; ratio 1.0600 (1.0599–1.0601), noise 20.00 %
    not compared: qemu-virt: pqclean/D dec: qemu-virt is not complete
    not compared: qemu-virt: pqclean/F, pqclean/G, pqclean/H and 1 more: the later run has no such instance
    compared: 4 operations; slower by more than 5 % and the noise: 1; more memory by more than 5 %: 1; worse answers: 1; missing: 1
    ");
}

/// A label, and how its record is changed.
type Changed<'a> = (&'a str, &'a dyn Fn(&mut Record));

/// A run of labels, each changed as is said.
fn run(folder: &Path, name: &str, labels: &[Changed]) -> PathBuf {
    let root = folder.join(name);
    for (label, change) in labels {
        let mut record = example::record_of("qemu-virt", CounterSource::Icount);
        (*label).clone_into(&mut record.label);
        change(&mut record);
        digest::seal(&mut record);
        let run = RunDirectory::new(&root);
        run.write("qemu-virt", &record).expect("written");
    }
    root
}

fn judged(before: &Path, after: &Path) -> miette::Result<(Regressions, Outcome)> {
    let runs = [before.to_owned(), after.to_owned()];
    judge(&runs, &sides(&runs, &[]).expect("readable"), 5.0)
}

fn as_it_is(_: &mut Record) {}

fn slower(record: &mut Record) {
    let meter = record.meter.as_mut().expect("ours");
    meter.mean_count = meter.mean_count.map(|mean| mean * 1.1);
    for trial in &mut meter.trials {
        trial.count = trial.count.map(|count| count * 11 / 10);
    }
    for sample in meter.samples.iter_mut().flatten() {
        *sample = *sample * 11 / 10;
    }
}

fn deeper(record: &mut Record) {
    record.meter.as_mut().expect("ours").memory.stack_bytes = Some(20_000);
}

#[test]
fn what_became_worse_fails_the_check_and_nothing_else_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let before = run(folder, "before", &[("A", &as_it_is), ("B", &as_it_is)]);
    let unproven = |record: &mut Record| record.kat = KatStatus::NoKat;
    let cases: [(&str, Vec<Changed>, Outcome, &str); 5] = [
        (
            "same",
            vec![("A", &as_it_is), ("B", &as_it_is)],
            Outcome::Clean,
            "",
        ),
        ("fewer", vec![("A", &as_it_is)], Outcome::Clean, ""),
        (
            "slower",
            vec![("A", &as_it_is), ("B", &slower)],
            Outcome::NotClean,
            "B dec: 10.00 % more",
        ),
        (
            "deeper",
            vec![("A", &deeper), ("B", &as_it_is)],
            Outcome::NotClean,
            "A dec: 49.43 % more",
        ),
        (
            "unproven",
            vec![("A", &unproven)],
            Outcome::NotClean,
            "A: KAT NOKAT, PASS before",
        ),
    ];
    for (name, labels, exit, words) in cases {
        let after = run(folder, name, &labels);
        let (found, outcome) = judged(&before, &after).expect("comparable");
        let text = lines(&found).join("\n");
        assert_eq!(outcome, exit, "{name}: {text}");
        assert!(
            text.contains(words) && text.is_empty() == words.is_empty(),
            "{name}: {text}"
        );
        let fewer = said(&found)
            .join("\n")
            .contains("B: the later run has no such instance");
        assert_eq!(fewer, labels.len() < 2, "{name}");
        // The other way round it is an improvement, or a baseline of less.
        let (found, outcome) = judged(&after, &before).expect("comparable");
        assert_eq!(outcome, Outcome::Clean, "{name}: {:?}", lines(&found));
    }
    // Nothing in common is no check that passed.
    let other = run(folder, "other", &[("C", &as_it_is)]);
    assert!(judged(&before, &other).is_err());
}

#[test]
fn as_data_it_has_every_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = run(folder.path(), "before", &[("A", &as_it_is)]);
    let after = run(folder.path(), "after", &[("A", &slower)]);
    let (found, _) = judged(&before, &after).expect("comparable");
    let found = serde_json::to_value(&found).expect("JSON");
    let ratio = &found["slower"][0]["ratio"];
    for key in ["value", "ratio_of_means", "noise"] {
        assert!(ratio[key].is_number(), "{key}: {ratio}");
    }
    assert!(ratio["interval"]["low"].as_f64() < ratio["interval"]["high"].as_f64());
    assert_eq!(ratio["basis"], "calls");
    assert_eq!(ratio["of"], "instructions");
    assert_eq!(ratio["distinct_inputs"], 1);
}
