//! Whatever is changed in a record is found and named; an intact one is left in peace.

use std::fs;

use proptest::prelude::*;
use serde_json::{Value, json};
use wire::CounterSource;

use super::*;
use crate::measurement::Spoiled;
use crate::record::digest;
use crate::record::example;
use crate::record::plan::CALIBRATION;
use crate::record::schema::Record;
use crate::record::schema::{Cold, EventCount, Layout, Layouts, Unknown, UtcTime};
use crate::record::store::RunDirectory;

const PATH: &str = "run/rpi4/records/pqclean/ML-KEM-768__dec.json";

fn bytes_of(record: &Record) -> Vec<u8> {
    digest::text(&digest::content(record)).into_bytes()
}

fn check(bytes: &[u8]) -> Vec<Finding> {
    Validator::default().check(Path::new(PATH), bytes)
}

/// In an emulator that counts instructions, each takes a nanosecond.
fn with_emulated_time(mut record: Record) -> Record {
    let emulated = counter_of(&mut record).source == CounterSource::Icount;
    if emulated {
        crate::bench::retime(&mut record, |count| count as f64 / 1e9);
        digest::seal(&mut record);
    }
    record
}

/// Findings after a change that was sealed again, as a careless tool would.
fn findings_after(change: impl FnOnce(&mut Record)) -> Vec<String> {
    let mut record = example::record();
    change(&mut record);
    digest::seal(&mut record);
    check(&bytes_of(&record))
        .into_iter()
        .map(|finding| finding.key)
        .collect()
}

#[test]
fn intact_records_have_no_findings() {
    for source in [
        CounterSource::Pmccntr,
        CounterSource::Icount,
        CounterSource::Tsc,
        CounterSource::Missing,
    ] {
        let record = example::record_of("rpi4", source);
        let record = with_emulated_time(record);
        assert_eq!(check(&bytes_of(&record)), [], "{source:?}");
    }
    let subject = example::subject("rpi4", CounterSource::Pmccntr);
    let record = Record::assemble(
        &subject,
        &example::occasion(),
        wire::Operation::Dec,
        &CALIBRATION,
        &Err(Spoiled::Deadline(30).into()),
    );
    assert_eq!(check(&bytes_of(&record)), []);
}

#[test]
fn every_statistic_is_recomputed() {
    for (key, _) in crate::record::statistics::Statistics::of(&[], None).by_key() {
        let mut content = digest::content(&example::record());
        let value = content[key].as_f64();
        content[key] = value.map_or(json!(1.5), |value| json!(value * (1.0 + 3e-9)));
        let keys: Vec<String> = check(digest::text(&content).as_bytes())
            .into_iter()
            .map(|finding| finding.key)
            .collect();
        assert!(keys.iter().any(|found| found == key), "{key}: {keys:?}");
    }
    let more = findings_after(|r| r.measurements += 1);
    assert_eq!(
        more,
        ["measurements", "processes[0].meta.measurement_count"]
    );
    let flip = |r: &mut Record| r.guide_100_measurements_met ^= true;
    let key = "processes[0].meta.guide_100_measurements";
    assert_eq!(findings_after(flip), ["guide_100_measurements_met", key]);
    let slightly = |r: &mut Record| r.mean_seconds = r.mean_seconds.map(|s| s * (1.0 + 1e-10));
    assert_eq!(findings_after(slightly), [""; 0]);
}

#[test]
fn layouts_are_recomputed() {
    let layout = |shift_bytes, mean_count, elf_sha256| Layout {
        shift_bytes,
        elf_sha256,
        mean_count,
        reason: None,
        unknown: Unknown::new(),
    };
    let after = |change: &dyn Fn(&mut Layouts)| {
        findings_after(|record| {
            let own_image = record.library_sha256.clone();
            let meter = meter_of(record);
            let own = meter.mean_count.expect("counted");
            let mut layouts = Layouts {
                method: "x".into(),
                images: vec![
                    layout(0, Some(own), own_image),
                    layout(16, Some(own * 1.25), None),
                ],
                spread: Some(0.25 / 1.125),
                unknown: Unknown::new(),
            };
            change(&mut layouts);
            meter.layouts = Some(layouts);
        })
    };
    assert_eq!(after(&|_| {}), [""; 0]);
    assert_eq!(after(&|l| l.spread = Some(0.2)), ["meter.layouts.spread"]);
    let own = after(&|l| l.images[0].mean_count = Some(1.0));
    assert!(
        own.contains(&"meter.layouts.images[0].mean_count".to_owned()),
        "{own:?}"
    );
    let image = after(&|l| l.images[0].elf_sha256 = None);
    assert_eq!(image, ["meter.layouts.images[0].elf_sha256"]);
    let twice = after(&|l| {
        l.images[1] = Layout {
            elf_sha256: None,
            ..l.images[0].clone()
        };
        l.spread = Some(0.0);
    });
    assert_eq!(twice, ["meter.layouts.images[1].shift_bytes"]);
    let silent = after(&|l| {
        l.images[1].mean_count = None;
        l.spread = None;
    });
    assert_eq!(silent, ["meter.layouts.images[1].reason"]);
    let other = after(&|l| l.images[0].shift_bytes = 32);
    assert_eq!(other, ["meter.layouts.images"]);
}

#[test]
fn accepted_problems_are_named_once_and_where_they_must_be() {
    let fitness = |problems: &[&str], is_virtual: bool| {
        findings_after(|record| {
            let problems = problems.iter().map(|problem| (*problem).to_owned());
            record.meter.as_mut().unwrap().fitness = problems.collect();
            record.environment.virtualized =
                Some(super::super::schema::Reading::Switch(is_virtual));
        })
    };
    assert_eq!(fitness(&[], false), [""; 0]);
    assert_eq!(fitness(&["a", "b"], true), [""; 0]);
    assert_eq!(
        fitness(&["a", " ", "a"], false),
        ["meter.fitness[1]", "meter.fitness[2]"]
    );
    assert_eq!(fitness(&[], true), ["meter.fitness"]);
}

#[test]
fn contradictions_are_named() {
    type Change = fn(&mut Record);
    let cases: [(&str, Change); 37] = [
        ("candidate", |r| r.candidate = "kem-36".into()),
        ("label", |r| r.label = "ML-KEM-512".into()),
        ("operation", |r| r.operation = "enc".into()),
        ("kat_not_passed", |r| r.kat_not_passed = true),
        ("trials", |r| r.plan.trials = 4),
        ("trials[0].measurements", |r| {
            r.plan.iterations_per_trial = 7
        }),
        ("trials[1].seconds", |r| r.trials[1].seconds = 0.0),
        ("trials[2].measurements", |r| r.trials[2].measurements = 0),
        ("trials[2].cycles", |r| r.trials[2].cycles += 1),
        ("disturbed_retries", |r| r.disturbed_retries = 1),
        ("ended_utc", |r| {
            let early = "2026-11-30T11:59:59+00:00".to_owned();
            r.ended_utc = UtcTime::try_from(early).expect("a time");
        }),
        ("environment.core_clock_hz", |r| {
            r.environment.core_clock_hz = Some(1.into());
        }),
        ("processes[0].meta.pk_bytes", |r| r.sizes.pk_bytes = Some(1)),
        ("processes[0].meta.instance", |r| {
            r.processes[0].meta.shift_remove("instance");
        }),
        ("meter", |r| r.meter = None),
        ("meter.system", |r| meter_of(r).system = "rpi5".into()),
        ("meter.mean_count", |r| meter_of(r).mean_count = Some(1.0)),
        ("meter.ipc", |r| meter_of(r).ipc = Some(1.0)),
        ("meter.ipc", |r| {
            let events = meter_of(r).events.as_mut().expect("counted");
            events.insert("instructions".into(), EventCount::Overflowed);
        }),
        ("meter.events.branches", |r| {
            let events = meter_of(r).events.as_mut().expect("counted");
            events.insert("branches".into(), EventCount::Mean(-1.0));
        }),
        ("meter.trials[0].clock_hz", |r| {
            meter_of(r).trials[0].clock_hz = Some(1.0);
        }),
        ("meter.cold.samples", |r| {
            meter_of(r).cold = Some(Cold {
                samples: Vec::new(),
                overhead: 1,
                method: "x".into(),
                unknown: Unknown::new(),
            });
        }),
        ("meter.trials[1].seconds", |r| {
            meter_of(r).trials[1].seconds *= 2.0;
        }),
        ("meter.reason", |r| meter_of(r).reason = Some("x".into())),
        ("meter.image.elf_sha256", |r| {
            meter_of(r).image.elf_sha256 = None;
        }),
        ("meter.memory.stack_bytes", |r| {
            meter_of(r).memory.stack_bytes = Some(u64::MAX);
        }),
        ("meter.memory.stack_bytes", |r| {
            meter_of(r).memory.stack_pointer_bytes = Some(20_000);
        }),
        ("meter.memory.marks", |r| {
            let memory = &mut meter_of(r).memory;
            memory.largest_frame.as_mut().expect("there").bytes = 13_385;
        }),
        ("meter.memory.marks", |r| {
            let memory = &mut meter_of(r).memory;
            memory.largest_frame.as_mut().expect("there").kind = "dynamic".into();
        }),
        ("meter.memory.marks", |r| {
            meter_of(r).memory.heap_repeats = Some(false);
        }),
        ("meter.memory.heap_peak_bytes", |r| {
            meter_of(r).memory.heap_largest_bytes = Some(833);
        }),
        ("meter.memory.heap_peak_bytes", |r| {
            meter_of(r).memory.heap_live_before_bytes = Some(833);
        }),
        ("meter.memory.heap_leaked_bytes", |r| {
            meter_of(r).memory.heap_live_after_bytes = Some(8);
        }),
        ("meter.memory.heap_leaked_blocks", |r| {
            meter_of(r).memory.heap_frees = Some(11);
        }),
        ("meter.memory.heap_available_bytes", |r| {
            meter_of(r).memory.heap_available_bytes = Some(831);
        }),
        ("meter.memory.heap_sweeps", |r| {
            let memory = &mut meter_of(r).memory;
            memory.heap_sweeps = vec![crate::record::schema::HeapSweep {
                trial: 4,
                times: 1,
                freed_bytes: 1,
                freed_blocks: 1,
                unknown: crate::record::schema::Unknown::new(),
            }];
            memory.marks = memory.deduced_marks();
        }),
        ("meter.emulator", |r| {
            counter_of(r).source = CounterSource::Icount;
        }),
    ];
    for (key, change) in cases {
        let keys = findings_after(change);
        assert!(keys.iter().any(|found| found == key), "{key}: {keys:?}");
    }
}

fn meter_of(record: &mut Record) -> &mut crate::record::schema::Meter {
    record.meter.as_mut().expect("ours")
}

fn counter_of(record: &mut Record) -> &mut crate::record::schema::Counter {
    meter_of(record).counter.as_mut().expect("counted")
}

#[test]
fn instructions_are_never_cycles() {
    let mut record = example::record_of("rpi4", CounterSource::Icount);
    record.trials[0].cycles = 28_000_123;
    digest::seal(&mut record);
    let findings = check(&bytes_of(&record));
    let finding = findings.iter().find(|f| f.key == "trials[0].cycles");
    let problem = &finding.expect("found").problem;
    assert!(problem.contains("counts instructions"), "{problem}");
}

#[test]
fn published_records_pass_without_a_meter() {
    let mut record = example::record();
    record.meter = None;
    for process in &mut record.processes {
        process
            .meta
            .shift_remove(crate::record::assemble::MEASURED_BY);
    }
    let compact = serde_json::to_vec(&record).expect("serialises");
    assert_eq!(check(&compact), []);
    record.mean_cycles = None;
    let compact = serde_json::to_vec(&record).expect("serialises");
    assert_eq!(check(&compact)[0].key, "mean_cycles");
}

#[test]
fn files_that_a_record_names_are_checked_where_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = RunDirectory::new(folder.path().join("run"));
    let images = folder.path().join("images");
    let record = example::record();
    let path = example::keep(&run, "rpi4", &record);
    let findings = |images: &Path| {
        let mut validator = Validator::new(vec![images.to_owned()]);
        let keys = validator.check_file(&path).into_iter().map(|f| f.key);
        keys.collect::<Vec<_>>()
    };
    assert_eq!(findings(&images), [""; 0]);
    let log = run.root().join("rpi4/kat/pqclean/ML-KEM-768.log");
    fs::write(&log, "PASS pqclean/ML-KEM-768 on rpi5\n").expect("written");
    let image = images.join(record.library.expect("named"));
    fs::create_dir_all(image.parent().expect("a folder")).expect("created");
    fs::write(&image, "another image").expect("written");
    assert_eq!(
        findings(&images),
        ["kat_log_sha256", "kat", "library_sha256"]
    );
}

#[test]
fn operations_of_a_label_must_agree() {
    let mut validator = Validator::default();
    let dec = example::record();
    let path = |operation| format!("run/rpi4/records/pqclean/ML-KEM-768__{operation}.json");
    assert_eq!(
        validator.check(Path::new(&path("dec")), &bytes_of(&dec)),
        []
    );
    let mut enc = dec;
    enc.operation = "enc".to_owned();
    enc.sizes.ct_bytes = Some(1568);
    for (key, value) in [("operation", "enc"), ("ct_bytes", "1568")] {
        enc.processes[0]
            .meta
            .insert(key.to_owned(), value.to_owned());
    }
    digest::seal(&mut enc);
    let findings = validator.check(Path::new(&path("enc")), &bytes_of(&enc));
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].key, "sizes.ct_bytes");
    assert!(findings[0].problem.contains("__dec.json"));
}

#[test]
fn another_text_of_the_same_values_is_found() {
    let text = digest::text(&digest::content(&example::record()));
    assert_eq!(check(text.as_bytes()), []);
    let escape = text.replace("\\u001b", "\\u001B");
    assert_ne!(escape, text);
    let findings = check(escape.as_bytes());
    assert_eq!(findings[0].key, "stderr", "{findings:?}");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    assert!(!check(value.to_string().as_bytes()).is_empty());
}

fn flipped(bytes: &[u8], position: usize, bit: u8) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[position] ^= 1 << bit;
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_flipped_bit_is_found_and_named(
        position in any::<prop::sample::Index>(), bit in 0..8u8, emulated: bool,
    ) {
        let source = if emulated { CounterSource::Icount } else { CounterSource::Pmccntr };
        let bytes = bytes_of(&example::record_of("rpi4", source));
        let findings = check(&flipped(&bytes, position.index(bytes.len()), bit));
        prop_assert!(!findings.is_empty());
        for finding in findings {
            prop_assert!(!finding.key.is_empty() && !finding.problem.is_empty());
            prop_assert_eq!(finding.file, Path::new(PATH));
        }
    }
}

/// The same for every bit of a record; slow without optimisation.
#[test]
#[ignore = "takes a minute; run with --ignored after a change of the schema"]
fn every_flipped_bit_is_found() {
    let bytes = bytes_of(&example::record());
    for position in 0..bytes.len() {
        for bit in 0..8 {
            let findings = check(&flipped(&bytes, position, bit));
            assert!(!findings.is_empty(), "byte {position}, bit {bit}");
        }
    }
}
