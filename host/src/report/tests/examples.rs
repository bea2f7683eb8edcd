//! Records of every category, with everything that a record can say.

use catalogue::FlagSet;
use indexmap::IndexMap;
use wire::{Category, CounterSource, Operation, Sizes};

use crate::measurement::{Measurement, Spoiled};
use crate::record::assemble::Subject;
use crate::record::example;
use crate::record::schema::{EventCount, Record};
use crate::report::evidence::{Candidate, Label, System};

/// A label's record of one operation.
pub fn record(subject: &Subject, operation: Operation) -> Record {
    let outcome = Ok(Measurement {
        operation,
        ..example::measurement()
    });
    Record::assemble(
        subject,
        &example::occasion(),
        operation,
        &example::PLAN,
        &outcome,
    )
}

/// A label with these operations.
fn label(subject: &Subject, operations: &[Operation]) -> Label {
    Label {
        name: subject.label.clone(),
        records: operations
            .iter()
            .map(|operation| record(subject, *operation))
            .collect(),
        ..Label::default()
    }
}

fn subject(source: CounterSource, id: &str, label: &str, sizes: Sizes) -> Subject {
    let mut subject = example::subject("bench", source);
    subject.candidate = id.to_owned();
    subject.label = label.to_owned();
    subject.instance = label.to_owned();
    subject.sizes = sizes;
    subject
}

/// A system with one candidate of these labels.
pub fn system(id: &str, labels: Vec<Label>) -> System {
    let records = labels.iter().flat_map(|label| &label.records);
    let start = records
        .clone()
        .map(|record| record.started_utc.instant())
        .min();
    let end = records.map(|record| record.ended_utc.instant()).max();
    System {
        name: "bench".to_owned(),
        period: start.zip(end),
        candidates: vec![Candidate {
            system: "bench".to_owned(),
            id: id.to_owned(),
            name: Some("Example".to_owned()),
            labels,
        }],
        damage: Vec::new(),
    }
}

/// A KEM on a board that counts cycles, with events and cold calls; one operation failed, and one
/// label did not build.
pub fn kem() -> System {
    let mut subject = example::subject("bench", CounterSource::Pmccntr);
    subject.fitness.clear();
    let mut label = label(
        &subject,
        &[Operation::Keygen, Operation::Enc, Operation::Dec],
    );
    let meter = label.records[0].meter.as_mut().expect("ours");
    meter.events = Some(IndexMap::from([
        ("instructions".to_owned(), EventCount::Mean(1_234_567.5)),
        ("l1d_refills".to_owned(), EventCount::Overflowed),
        ("l2_refills".to_owned(), EventCount::NotAvailable),
    ]));
    let cold = r#"{"samples": [900000, 910000, 905000], "overhead": 60,
        "method": "caches and TLB emptied, predictor thrashed"}"#;
    meter.cold = Some(serde_json::from_str(cold).expect("cold calls"));
    let layouts = r#"{"method": "code shifted", "images": [
        {"shift_bytes": 0, "elf_sha256": null, "mean_count": 700004.9, "reason": null},
        {"shift_bytes": 16, "elf_sha256": null, "mean_count": 735005.1, "reason": null},
        {"shift_bytes": 32, "elf_sha256": null, "mean_count": null, "reason": "a deadline passed"}
        ], "spread": 0.04878}"#;
    meter.layouts = Some(serde_json::from_str(layouts).expect("layouts"));
    meter.ipc = Some(1.7637);
    meter.memory.heap_peak_bytes = Some(4096);
    meter.memory.heap_allocations = Some(3);
    label.records[1] = Record::assemble(
        &subject,
        &example::occasion(),
        Operation::Enc,
        &example::PLAN,
        &Err(Spoiled::Vanished("the meter ended with status 1".to_owned()).into()),
    );
    label
        .profiles
        .push(("dec".to_owned(), example::profile(Some("mixed"))));
    system("pqclean", vec![label, unbuilt()])
}

/// A label that did not build.
fn unbuilt() -> Label {
    let entry = r#"{"kat": "BUILDFAIL", "reason": "kem.c:3: error: unknown type name `__int128`"}"#;
    Label {
        name: "ML-KEM-768-wide".to_owned(),
        build: Some(serde_json::from_str(entry).expect("an entry of build.json")),
        stated_category: Some(Category::Kem),
        ..Label::default()
    }
}

/// A signature scheme on a machine with a time-stamp counter alone, with other flags.
pub fn signature() -> System {
    let sizes = Sizes {
        public_key: 1312,
        secret_key: 2560,
        signature: 2420,
        ..Sizes::default()
    };
    let mut subject = subject(CounterSource::Tsc, "sig-01", "SIG-1", sizes);
    subject.image.flag_set = FlagSet::HarnessDefault;
    subject.kat = None;
    let operations = [Operation::Keygen, Operation::Sign, Operation::Verify];
    system("sig-01", vec![label(&subject, &operations)])
}

/// A key exchange in an emulator.
pub fn exchange() -> System {
    let sizes = Sizes {
        public_key: 1312,
        secret_key: 2560,
        shared_secret: 32,
        messages: 3988,
        passes: 2,
        ..Sizes::default()
    };
    let mut subject = subject(CounterSource::Icount, "kex-01", "KEX-1", sizes);
    subject.messages = Some(vec![800, 3188]);
    let operations = [
        Operation::DeriveB,
        Operation::DeriveA,
        Operation::Pass(2),
        Operation::Pass(1),
        Operation::InitB,
        Operation::InitA,
        Operation::Exchange,
    ];
    let mut label = label(&subject, &operations);
    label.records.reverse();
    system("kex-01", vec![label])
}

/// A hash function with two lengths.
pub fn hash() -> System {
    let sizes = Sizes {
        digest: 32,
        ..Sizes::default()
    };
    let subject = subject(CounterSource::PerfEvent, "hash-01", "HASH-1", sizes);
    let operations = [Operation::Hash(32), Operation::Hash(1024)];
    system("hash-01", vec![label(&subject, &operations)])
}

/// All of them on one system.
pub fn all() -> System {
    let mut systems = [kem(), signature(), exchange(), hash()].into_iter();
    let mut all = systems.next().expect("the first");
    all.candidates
        .extend(systems.flat_map(|system| system.candidates));
    all
}
