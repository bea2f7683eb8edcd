//! Meters that fail in the middle of a campaign: every operation gets its record, whatever the
//! one before it did.

mod support;

use std::path::Path;
use std::sync::Mutex;

use catalogue::FlagSet;
use host::campaign::label::Bench;
use host::campaign::{Reporter, subject};
use host::image::{Elf, Image};
use host::interrupt::Interrupt;
use host::measure::Settings;
use host::outcome::Outcome;
use host::project::Project;
use host::record::plan::PlanSettings;
use host::record::schema::{Record, Status};
use host::system::{Description, Emulator, Running, StartError, System};
use support::fake_meter::{Act, Script, fault, hello, start};
use wire::{Category, Operation, Request, Response};

/// A system whose meters follow scripts, one for each start.
struct Scripted {
    build_id: [u8; 20],
    description: Description,
    next: Mutex<Box<dyn FnMut() -> Script + Send>>,
}

impl System for Scripted {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, _: &Path) -> Result<Running, StartError> {
        let mut hello = hello();
        hello.build_id = self.build_id;
        let script = (self.next.lock().unwrap())();
        Ok(start(hello, script))
    }
}

/// What a campaign made of one label on meters that follow these scripts, and how often it
/// started one.
fn run(mut next: impl FnMut() -> Script + Send + 'static) -> (Outcome, Vec<Record>, usize) {
    let starts = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&starts);
    // Any program with a build id stands for the image.
    let elf = Elf::read(&std::env::current_exe().unwrap()).unwrap();
    let system = Scripted {
        build_id: elf.build_id,
        description: Description {
            // The fake meter counts instructions.
            emulator: Some(Emulator {
                name: "fake".into(),
                version: "1".into(),
                mode: "-M virt -cpu cortex-a72".into(),
            }),
            ..Description::new("scripted", "qemu-virt", "socket")
        },
        next: Mutex::new(Box::new(move || {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            next()
        })),
    };
    let image = Image {
        elf,
        instance: Some(("pqclean".into(), "ML-KEM-768".into())),
        report: None,
        name: "image".into(),
    };
    let mut subject = subject(&system, &image, None, FlagSet::Guide);
    let bench = Bench {
        project: &Project::find().unwrap(),
        system: &system,
        image: &image,
        instance: None,
        settings: Settings {
            plan: PlanSettings {
                trial_target_seconds: 0.001,
                ..PlanSettings::default()
            },
            patience: host::measure::PATIENCE,
            cold: false,
        },
        layouts: &host::campaign::Layouts::new(),
        interrupt: &Interrupt::new(),
        reporter: &Reporter::new(true, false),
    };
    let mut records = Vec::new();
    let session = bench.known_answer(&mut subject).unwrap();
    let operations = Category::Kem.operations(0);
    let outcome = bench
        .measure(&operations, &subject, session, &mut |record| {
            records.push(record.clone());
            Ok(())
        })
        .unwrap();
    (
        outcome,
        records,
        starts.load(std::sync::atomic::Ordering::Relaxed),
    )
}

/// A meter that is honest but for trials of this operation.
fn except(operation: Operation, act: fn() -> Act) -> Script {
    Box::new(move |_, request| match request {
        Request::Trial(plan) if plan.operation == operation => act(),
        _ => Act::Answer,
    })
}

fn complete(records: &[Record]) -> Vec<(&str, bool)> {
    records
        .iter()
        .map(|record| (&*record.operation, record.status == Status::Complete))
        .collect()
}

#[test]
fn honest_meters_are_started_once() {
    let (outcome, records, starts) = run(|| Box::new(|_, _| Act::Answer));
    assert_eq!(
        complete(&records),
        [("keygen", true), ("enc", true), ("dec", true)]
    );
    assert_eq!((outcome, starts), (Outcome::Clean, 1));
}

#[test]
fn after_a_fault_the_next_operation_is_measured_on_a_new_meter() {
    let (outcome, records, starts) =
        run(|| except(Operation::Enc, || Act::Fault(Box::new(fault()))));
    assert_eq!(
        complete(&records),
        [("keygen", true), ("enc", false), ("dec", true)]
    );
    assert_eq!((outcome, starts), (Outcome::Faulted, 2));
    let meter = records[1].meter.as_ref().unwrap();
    let report = meter.fault.as_ref().unwrap();
    assert_eq!(report.kind, "null access");
}

#[test]
fn good_trials_survive_a_fault_of_a_later_step() {
    let (outcome, records, starts) = run(|| {
        Box::new(|_, request| match request {
            Request::Samples(plan) if plan.operation == Operation::Enc => {
                Act::Fault(Box::new(fault()))
            }
            _ => Act::Answer,
        })
    });
    assert_eq!(
        complete(&records),
        [("keygen", true), ("enc", false), ("dec", true)]
    );
    assert_eq!((outcome, starts), (Outcome::Faulted, 2));
    let enc = &records[1];
    assert_eq!(enc.trials.len(), records[0].trials.len());
    assert!(enc.mean_seconds.is_some());
    let meter = enc.meter.as_ref().unwrap();
    assert!(meter.samples.is_empty() && meter.fault.is_some());
    let reason = meter.reason.as_deref().unwrap();
    assert!(reason.starts_with("samples: "), "{reason}");
}

#[test]
fn after_a_failure_or_nonsense_the_next_operation_is_measured_on_a_new_meter() {
    let failure = || {
        Act::Instead(Box::new(Response::Failed(wire::Failure {
            operation: Operation::Enc,
            call: 0,
            kind: wire::FailureKind::ReturnCode(-1),
            freed_blocks: 0,
        })))
    };
    let nonsense = || Act::Instead(Box::new(Response::Goodbye));
    for act in [failure as fn() -> Act, nonsense] {
        let (outcome, records, starts) = run(move || except(Operation::Enc, act));
        assert_eq!(
            complete(&records),
            [("keygen", true), ("enc", false), ("dec", true)]
        );
        assert_eq!((outcome, starts), (Outcome::NotClean, 2));
    }
}

#[test]
fn a_meter_that_never_comes_up_leaves_a_record_for_every_operation() {
    let (outcome, records, _) = run(|| Box::new(|_, _| Act::End("the meter ended with status 1")));
    assert_eq!(
        complete(&records),
        [("keygen", false), ("enc", false), ("dec", false)]
    );
    assert_eq!(outcome, Outcome::NotClean);
    for record in records {
        let reason = record.meter.unwrap().reason.unwrap();
        assert_eq!(reason, "the meter vanished: the meter ended with status 1");
    }
}
