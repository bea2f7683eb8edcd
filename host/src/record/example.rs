//! Fixed inputs for tests: a decapsulation on a board that counts cycles, and in an emulator.

pub mod published;

use std::path::PathBuf;

use catalogue::{BuildReport, CompilerReport, FlagSet, Frame, FrameKind, LibraryReport, Unit};
use wire::{
    Counter, CounterSource, Event, EventReading, Failure, FailureKind, Fault, FaultEvent,
    FaultKind, FieldDigest, Hello, KatReport, Operation, SelfTest, Sled,
};

use serde_json::json;

use super::assemble::{ImageFacts, Occasion, Outcome, Subject};
use super::environment::Target;
use super::profile::Profile;
use super::profile::passes::Pass;
use super::profile::shares::Spreads;
use super::schema::{KatStatus, Record, Sha256, StaticMemory, Unknown, UtcTime};
use super::store::{RunDirectory, write_whole};
use crate::measurement::{
    Answers, EventTotal, Faulted, KatOutcome, Location, Measurement, MemoryUse, Plan, Spoiled,
    Traffic, Trial,
};
use crate::system;

/// The answers of a test that passed.
pub fn kat_report() -> KatReport {
    KatReport {
        digest: [0xab; 32],
        fields: [FieldDigest {
            name: "ct".try_into().expect("short"),
            characters: 2176,
            digest: [0xcd; 32],
        }]
        .into_iter()
        .collect(),
    }
}

/// An introduction with this counter.
pub fn hello(source: CounterSource) -> Hello {
    let text = |text: &str| text.try_into().expect("short");
    let board = match source {
        CounterSource::PerfEvent | CounterSource::Tsc | CounterSource::Cntvct => "linux",
        _ => "qemu-virt",
    };
    Hello {
        schema: wire::SCHEMA_HASH,
        build_id: [0x11; 20],
        board: text(board),
        candidate: text("pqclean"),
        label: text("ML-KEM-768"),
        category: wire::Category::Kem,
        sizes: Some(sizes()),
        counter: Counter {
            source,
            overhead: 12,
            frequency_hz: Some(2_400_000_000),
            note: "read between two barriers".try_into().expect("short"),
        },
        clock_hz: 62_500_000,
        entry_level: Some(1),
        stack_available: 8 << 20,
        self_test: SelfTest {
            stack: [400, 800].map(|used_bytes| wire::StackProbe {
                used_bytes,
                measured_bytes: used_bytes.into(),
            }),
            sled: Sled {
                instructions: 1000,
                count: 1000,
            },
        },
    }
}

fn sizes() -> wire::Sizes {
    wire::Sizes {
        public_key: 1184,
        secret_key: 2400,
        ciphertext: 1088,
        shared_secret: 32,
        ..wire::Sizes::default()
    }
}

/// ML-KEM-768 with this counter.
pub fn subject(system: &str, source: CounterSource) -> Subject {
    let target = Target {
        architecture: "aarch64".to_owned(),
        cpu_model: "cortex-a72".to_owned(),
        machine: "virt".to_owned(),
        memory_total_kib: Some(1 << 20),
        emulated: source == CounterSource::Icount,
    };
    let mut environment = target.environment();
    environment.hostname = Some("bench".to_owned());
    let hello = hello(source);
    let command = ["gcc", "-O2", "-c", "$TREE/kem.c"].map(str::to_owned);
    Subject {
        system: system.to_owned(),
        transport: "pty".to_owned(),
        emulator: (source == CounterSource::Icount).then(|| system::Emulator {
            name: "qemu-system-aarch64".to_owned(),
            version: "7.2.0".to_owned(),
            mode: "-icount shift=0".to_owned(),
        }),
        environment,
        fitness: vec!["the host is a virtual machine".to_owned()],
        candidate: "pqclean".to_owned(),
        label: "ML-KEM-768".to_owned(),
        instance: "ML-KEM-768".to_owned(),
        variant: "clean".to_owned(),
        sizes: sizes(),
        messages: None,
        image: ImageFacts {
            name: "images/0123456789abcdef/firmware.elf".to_owned(),
            elf_sha256: *b"0123456789abcdef0123456789abcdef",
            build_id: hello.build_id,
            flag_set: FlagSet::Guide,
            board: hello.board.to_string(),
            report: Some(BuildReport {
                candidate: "pqclean".to_owned(),
                label: "ML-KEM-768".to_owned(),
                board: hello.board.to_string(),
                flag_set: "guide".to_owned(),
                drills: Vec::new(),
                package: "pqcrypto-mlkem 0.1.1".to_owned(),
                compiler: CompilerReport {
                    program: "gcc".to_owned(),
                    version: "gcc 12.2.0".to_owned(),
                },
                libc: LibraryReport {
                    name: "picolibc".to_owned(),
                    version: "1.8".to_owned(),
                    archive: Some("release/libc.a".to_owned()),
                },
                units: vec![Unit {
                    source: "kem.c".to_owned(),
                    source_sha256: "00".to_owned(),
                    object_sha256: "01".to_owned(),
                    command: command.to_vec(),
                    warnings: 0,
                    frames: Vec::new(),
                }],
                largest_frames: ["keygen", "enc", "dec"]
                    .map(|operation| {
                        let frame = Frame {
                            function: "indcpa_enc".to_owned(),
                            place: "indcpa.c:262".to_owned(),
                            bytes: 8_304,
                            kind: FrameKind::Static,
                        };
                        (operation.to_owned(), frame)
                    })
                    .into(),
                symmetric: None,
            }),
            linker: Some("LLD 22.1.0".to_owned()),
            static_memory: Some(StaticMemory {
                text_bytes: 23_456,
                rodata_bytes: 1024,
                data_bytes: 0,
                bss_bytes: 0,
                unknown: Unknown::new(),
            }),
            image_static: Some(StaticMemory {
                text_bytes: 123_456,
                rodata_bytes: 10_240,
                data_bytes: 96,
                bss_bytes: 458_752,
                unknown: Unknown::new(),
            }),
        },
        hello: Some(hello),
        kat: Some(KatOutcome::Pass(Answers::Record(Box::new(kat_report())))),
        kat_log: Some((
            "kat/pqclean/ML-KEM-768.log".to_owned(),
            Sha256::of(kat_log("pqclean", "ML-KEM-768", system).as_bytes()),
        )),
    }
}

/// The log of the test whose answers are [`kat_report`].
pub fn kat_log(candidate: &str, label: &str, system: &str) -> String {
    let heading = super::validate::heading(KatStatus::Pass, candidate, label, system);
    format!("{heading}\ncomputed {}\n", "ab".repeat(32))
}

/// Keeps a record and the log that it names.
pub fn keep(run: &RunDirectory, system: &str, record: &Record) -> PathBuf {
    let log = kat_log(&record.candidate, &record.label, system);
    let name = record.kat_log.as_ref().expect("it names its log");
    write_whole(&run.root().join(system).join(name), log.as_bytes()).expect("written");
    run.write(system, record).expect("written")
}

/// A quiet minute.
pub fn occasion() -> Occasion {
    let time = |text: &str| UtcTime::try_from(text.to_owned()).expect("a time");
    let captured = |text: &[u8]| system::Captured {
        first: text.to_vec(),
        length: text.len() as u64,
    };
    Occasion {
        started: time("2026-11-30T12:00:00.000000+00:00"),
        ended: time("2026-11-30T12:00:07.250000+00:00"),
        load_start: Some([0.13, 0.16, 0.17]),
        load_end: Some([0.2, 0.17, 0.17]),
        wall_seconds: 7.25,
        timeout_seconds: 301.7,
        command: vec!["qemu-system-aarch64".to_owned(), "-nodefaults".to_owned()],
        exit_code: Some(0),
        traffic: Traffic {
            frames: 11,
            bad_frames: 1,
            lost_frames: 0,
            retries: 1,
            lost_lines: 0,
        },
        output: system::Output {
            stdout: captured(b""),
            stderr: captured(b"decapsulated \x1b[1mwell\x1b[0m\n"),
        },
        disturbed_retries: 0,
    }
}

/// What [`measurement`] was to do.
pub const PLAN: Plan = Plan {
    calls_per_trial: 40,
    warmups: 3,
    trials: 3,
    estimated_seconds: 0.0387,
};

/// Three trials of forty calls.
pub fn measurement() -> Measurement {
    let trial = |count, nanoseconds| Trial {
        calls: PLAN.calls_per_trial,
        count,
        nanoseconds,
        sweeps: wire::Sweeps::default(),
    };
    Measurement {
        operation: Operation::Dec,
        plan: PLAN,
        trials: vec![
            trial(28_000_123, 11_666_718),
            trial(28_000_007, 11_666_670),
            trial(28_000_456, 11_666_857),
        ],
        samples: [699_990, 699_991, 700_250, 699_990, 699_990].repeat(8),
        events: wire::Event::ALL
            .iter()
            .zip(1..)
            .map(|(event, place)| EventTotal {
                event: *event,
                calls: 10,
                reading: match event {
                    // Not every counter is one of cycles: see `record_of`.
                    Event::Cycles | Event::L2Refills => EventReading::NotAvailable,
                    Event::L1iAccesses => EventReading::Overflowed,
                    _ => EventReading::Count(7_000_000 / place),
                },
            })
            .collect(),
        cold: None,
        layouts: Vec::new(),
        conditions: None,
        memory: Some(MemoryUse {
            used: wire::MemoryUse {
                stack: wire::StackUse {
                    painted_bytes: 13_384,
                    pointer_bytes: Some(13_200),
                    available_bytes: 8 << 20,
                },
                heap: wire::HeapUse {
                    peak_bytes: 832,
                    largest_bytes: 208,
                    allocations: 12,
                    frees: 12,
                    available_bytes: 252 << 20,
                    ..wire::HeapUse::default()
                },
            },
            pattern: 0x5aa5_c33c_9669_f00f,
            heap_repeats: true,
        }),
    }
}

/// A record of this counter's measurement on this system.
pub fn record_of(system: &str, source: CounterSource) -> Record {
    let mut measurement = measurement();
    if source.unit() == wire::Unit::Cycles {
        measurement.events[0].reading = EventReading::Count(7_000_000);
    }
    let outcome: Outcome = Ok(measurement);
    let subject = subject(system, source);
    Record::assemble(&subject, &occasion(), Operation::Dec, &PLAN, &outcome)
}

/// A record of a board that counts cycles.
pub fn record() -> Record {
    record_of("rpi4", CounterSource::Pmccntr)
}

/// The profile of an operation that calls hash function and generator: ours with this verdict, or a
/// published one.
pub fn profile(verdict: Option<&str>) -> Profile {
    let meter = verdict.map(|verdict| {
        json!({
            "version": "0.1.0", "system": "a", "unit": "instructions", "drng_share": 0.16,
            "overflow": [],
            "counting": {
                "total_ticks": 1100, "sorting_ticks": 50, "ticks_per_call": 1.5,
                "ticks_inside": 1.0, "ticks_per_idle_call": 1.0, "idle_calls": 0,
            },
            "image": { "name": "x", "elf_sha256": "0".repeat(64), "linker": null },
            "record": { "started_utc": "2026-09-25T10:02:21+00:00", "library_sha256": null },
            "verdict": { "verdict": verdict, "reason": "pseudohash" },
            "evidence": null, "not_observable": ["ChaCha in rng.c"],
            "digest": "0".repeat(64),
        })
    });
    let mut profile = json!({
        "total": { "operations": 2, "ticks": 1000 },
        "calls": [
            { "fn": "drng", "in_bits": 0, "out_bits": 256, "calls": 534, "ticks": 160 },
            { "fn": "pseudohash", "in_bits": 8, "out_bits": 512, "calls": 3, "ticks": 40 },
            { "fn": "pseudohash", "in_bits": 9, "out_bits": 512, "calls": 1, "ticks": 7 },
        ],
        "share": { "drng": 0.16, "pseudohash": 0.047 },
        "hash_share": 0.047,
        "meta": { "tick_source": "icount", "tick_hz": null, "overflow_calls": 0 },
    });
    if let Some(meter) = meter {
        profile["meter"] = meter;
    }
    serde_json::from_value(profile).expect("a profile")
}

/// The same of ours in passes, in which the generator took so much of a thousand ticks: the profile
/// is that of a pass in which it took 160.
pub fn profile_in_passes(drng: &[u64]) -> Profile {
    let mut profile = profile(Some("mixed"));
    if let Some(meter) = &mut profile.meter {
        let pass = |drng: &u64| Pass {
            ticks: 1000,
            functions: [("drng".to_owned(), *drng), ("pseudohash".to_owned(), 47)].into(),
            counting: meter.counting.clone(),
            unknown: Unknown::new(),
        };
        meter.passes = drng.iter().map(pass).collect();
        let spreads = Spreads::of(&meter.passes);
        (meter.hash_share_spread, meter.drng_share_spread) = (spreads.hash, spreads.drng);
    }
    profile
}

/// Records of operations that did not come to their end: nothing was measured, the meter ended in
/// a call, the meter never spoke, and trials are missing.
pub fn failures() -> [Record; 4] {
    let assemble = |subject: &Subject, outcome: &Outcome| {
        Record::assemble(subject, &occasion(), Operation::Dec, &PLAN, outcome)
    };
    let ours = subject("rpi4", CounterSource::Pmccntr);
    let failure = Failure {
        operation: Operation::Dec,
        call: 3,
        kind: FailureKind::ReturnCode(-1),
        freed_blocks: 0,
    };
    let fault = Faulted {
        fault: Fault {
            kind: FaultKind::Exception,
            event: FaultEvent::Call,
            operation: Some(Operation::Dec),
            preparing: false,
            address: 0x4008_1234,
            data_address: Some(0),
            stack_pointer: 0x4020_0000,
            registers: heapless::Vec::new(),
            backtrace: heapless::Vec::new(),
            stack: heapless::Vec::new(),
            freed_blocks: 0,
            message: heapless::String::new(),
        },
        location: Location::default(),
    };
    let silent = Subject {
        hello: None,
        ..ours.clone()
    };
    let mut short = measurement();
    short.trials.pop();
    [
        assemble(&ours, &Err(Spoiled::Failed(failure).into())),
        assemble(&ours, &Err(Spoiled::Faulted(Box::new(fault)).into())),
        assemble(&silent, &Err(Spoiled::Vanished("exit 1".to_owned()).into())),
        assemble(&ours, &Ok(short)),
    ]
}
