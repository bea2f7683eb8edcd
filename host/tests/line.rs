//! Lines that break, damage and are recorded: none of it changes a number.

mod support;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use catalogue::{Catalogue, DEFAULT_INSTANCE, FlagSet, Instance};
use host::campaign::label::Bench;
use host::campaign::{Layouts, Reporter, subject};
use host::capture::{self, Capture, Header, Recorded, Recorder, Replayed};
use host::image::{Elf, Image};
use host::interrupt::Interrupt;
use host::line::serial::{BAUD, SerialLine};
use host::line::{Noise, NoisyLine};
use host::measure::Settings;
use host::outcome::Outcome;
use host::project::Project;
use host::record::plan::PlanSettings;
use host::record::schema::{Record, Status, Transport};
use host::system::{Description, Life, Output, Running, StartError, System};
use support::board::Socket;
use support::fake_meter::{self, Act, Script, hello};
use support::late::LateLine;
use support::real_meter;
use wire::{Category, CounterSource, Hello, Operation, Request};

/// A system that is another one but for its start.
struct Changed<'a, F> {
    system: &'a dyn System,
    start: F,
}

impl<F: Fn(&Path) -> Result<Running, StartError> + Send + Sync> System for Changed<'_, F> {
    fn description(&self) -> &Description {
        self.system.description()
    }

    fn start(&self, elf: &Path) -> Result<Running, StartError> {
        (self.start)(elf)
    }
}

/// A board at a serial port.
struct Board {
    description: Description,
    port: PathBuf,
}

impl Board {
    fn at(port: PathBuf) -> Self {
        Self {
            description: Description {
                wall_per_target: 1.0,
                ..Description::new("board", "qemu-virt", "serial")
            },
            port,
        }
    }
}

impl System for Board {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, _: &Path) -> Result<Running, StartError> {
        let patience = Duration::from_secs(60);
        let interrupt = Interrupt::new();
        let line = SerialLine::open_when_there(&self.port, BAUD, patience, &interrupt)?;
        Ok(Running {
            line: Box::new(line),
            life: Box::new(Unseen),
            command: Vec::new(),
        })
    }
}

/// The life of a board, of which nothing is known.
struct Unseen;

impl Life for Unseen {
    fn ended(&mut self) -> Option<String> {
        None
    }

    fn exit_code(&mut self) -> Option<i64> {
        None
    }

    fn output(&mut self) -> Output {
        Output::default()
    }

    fn stop(&mut self, _: Duration) {}
}

/// Tests and measures a label as a campaign does.
fn campaign(
    system: &dyn System,
    image: &Image,
    instance: Option<&Instance>,
) -> (Outcome, Vec<Record>) {
    let mut subject = subject(system, image, instance, FlagSet::Guide);
    let bench = Bench {
        project: &Project::find().unwrap(),
        system,
        image,
        instance,
        settings: Settings {
            plan: PlanSettings {
                trial_target_seconds: 0.02,
                ..PlanSettings::default()
            },
            patience: host::measure::PATIENCE,
            cold: false,
        },
        layouts: &Layouts::new(),
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
    (outcome, records)
}

fn transport(record: &Record) -> &Transport {
    &record.meter.as_ref().unwrap().transport
}

/// Asserts that two campaigns measured the same, number for number.
fn assert_equal(one: &[Record], two: &[Record]) {
    assert_eq!(one.len(), two.len());
    for (one, two) in one.iter().zip(two) {
        let operation = &one.operation;
        assert_eq!(operation, &two.operation);
        let (ours, theirs) = (one.meter.as_ref().unwrap(), two.meter.as_ref().unwrap());
        assert_eq!(
            one.status,
            Status::Complete,
            "{operation}: {:?}",
            ours.reason
        );
        assert_eq!((one.status, one.kat), (two.status, two.kat));
        let plan = |record: &Record| {
            let plan = &record.plan;
            (plan.iterations_per_trial, plan.warmups, plan.trials)
        };
        assert_eq!(plan(one), plan(two), "{operation}");
        let counts = |record: &Record| -> Vec<Option<u64>> {
            let trials = record.meter.iter().flat_map(|meter| &meter.trials);
            trials.map(|trial| trial.count).collect()
        };
        assert_eq!(counts(one), counts(two), "{operation}");
        assert_eq!(ours.mean_count, theirs.mean_count, "{operation}");
        assert!(ours.samples == theirs.samples, "samples of {operation}");
        assert_eq!(ours.memory, theirs.memory, "{operation}");
        assert_eq!(ours.events, theirs.events, "{operation}");
    }
}

/// The image of a fake meter: any program with a build id stands for it.
fn fake_image() -> Image {
    Image {
        elf: Elf::read(&std::env::current_exe().unwrap()).unwrap(),
        instance: Some(("pqclean".into(), "ML-KEM-768".into())),
        report: None,
        name: "image".into(),
    }
}

/// What a board's meter with this image says of itself.
fn introduction(image: &Image) -> Hello {
    let mut hello = hello();
    hello.build_id = image.elf.build_id;
    // Instructions are counted by emulators alone.
    hello.counter.source = CounterSource::Pmccntr;
    hello
}

fn honest() -> Script {
    Box::new(|_, _| Act::Answer)
}

/// A meter that ends in this operation's pass of samples.
fn ends_in(operation: Operation) -> Script {
    Box::new(move |_, request| match request {
        Request::Samples(plan) if plan.operation == operation => Act::End("unplugged"),
        _ => Act::Answer,
    })
}

/// Boards that follow these scripts are plugged in at a port, one after the other.
fn boards(scripts: impl IntoIterator<Item = Script>, image: &Image) -> (Board, Arc<Socket>) {
    let socket = Arc::new(Socket::new());
    let board = Board::at(socket.port());
    let hello = introduction(image);
    let mut scripts: VecDeque<Script> = scripts.into_iter().collect();
    let plugged = Arc::clone(&socket);
    let mut line = plugged.plug_in();
    thread::spawn(move || {
        while let Some(script) = scripts.pop_front() {
            fake_meter::serve(line, hello.clone(), script);
            line = plugged.plug_in();
        }
    });
    (board, socket)
}

#[test]
fn a_board_that_is_unplugged_and_plugged_in_again_costs_time_and_no_record() {
    let image = fake_image();
    let (board, _socket) = boards([honest()], &image);
    let (outcome, whole) = campaign(&board, &image, None);
    assert_eq!(outcome, Outcome::Clean);

    let scripts = [ends_in(Operation::Enc), ends_in(Operation::Enc), honest()];
    let (board, _socket) = boards(scripts, &image);
    let (outcome, broken) = campaign(&board, &image, None);
    assert_eq!(outcome, Outcome::Clean);
    assert_equal(&broken, &whole);
    let lost: Vec<u64> = broken.iter().map(|it| transport(it).lost_lines).collect();
    assert_eq!(lost, [0, 2, 0]);
    assert!(transport(&broken[1]).frames > transport(&whole[1]).frames);
}

#[test]
fn a_line_that_breaks_each_time_ends_in_a_record_that_says_so() {
    let image = fake_image();
    let scripts = (0..4).map(|_| ends_in(Operation::Enc)).chain([honest()]);
    let (board, _socket) = boards(scripts, &image);
    let (outcome, records) = campaign(&board, &image, None);
    assert_eq!(outcome, Outcome::NotClean);
    let complete: Vec<bool> = records
        .iter()
        .map(|record| record.status == Status::Complete)
        .collect();
    assert_eq!(complete, [true, false, true]);
    let meter = records[1].meter.as_ref().unwrap();
    let reason = meter.reason.as_ref().unwrap();
    assert!(
        reason.contains("samples: the line to the meter was lost"),
        "{reason}"
    );
    assert_eq!(meter.transport.lost_lines, 3);
}

/// Records what a system's meters say while `act` uses them.
fn recorded<T>(system: &dyn System, file: &Path, act: impl FnOnce(&dyn System) -> T) -> T {
    let recorder = Recorder::new(file.to_owned(), Header::of(system));
    let result = act(&Recorded::new(system, &recorder));
    assert!(recorder.finish(true).unwrap());
    result
}

#[test]
fn a_recorded_campaign_played_again_measures_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.capture");
    let image = fake_image();
    let fault: fn() -> Script = || {
        Box::new(|_, request| match request {
            Request::Trial(plan) if plan.operation == Operation::Enc => {
                Act::Fault(Box::new(fake_meter::fault()))
            }
            _ => Act::Answer,
        })
    };
    let hello = introduction(&image);
    let scripts = Mutex::new(VecDeque::from([fault(), honest()]));
    // A socket loses no last words, which a terminal does.
    let meters = Changed {
        system: &Board::at(PathBuf::new()),
        start: |_: &Path| {
            let script = scripts.lock().unwrap().pop_front().unwrap();
            Ok(fake_meter::start(hello.clone(), script))
        },
    };
    let (outcome, measured) = recorded(&meters, &file, |system| campaign(system, &image, None));
    assert_eq!(outcome, Outcome::Faulted);

    let replayed = Replayed::open(&file).unwrap();
    let (outcome, again) = campaign(&replayed, &image, None);
    assert_eq!(outcome, Outcome::Faulted);
    assert_equal(
        &[again[0].clone(), again[2].clone()],
        &[measured[0].clone(), measured[2].clone()],
    );
    let fault = |records: &[Record]| records[1].meter.as_ref().unwrap().fault.clone();
    assert_eq!(fault(&again), fault(&measured));
    assert!(fault(&again).is_some());
    assert_eq!(transport(&again[0]).kind, "capture");
    // As often as it was started, and not oftener.
    let error = replayed.start(&image.elf.path).err().unwrap().to_string();
    assert!(error.contains("no other recording"), "{error}");
}

#[test]
fn a_bad_line_changes_no_number_of_an_emulated_campaign() {
    let bench = real_meter::Bench::emulated();
    let project = Project::find().unwrap();
    let catalogue = Catalogue::load(&project.root).unwrap();
    let instance = catalogue.find(DEFAULT_INSTANCE).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("clean.capture");
    let (outcome, clean) = recorded(&*bench.system, &file, |system| {
        campaign(system, &bench.image, Some(instance))
    });
    assert_eq!(outcome, Outcome::Clean);
    assert!(clean.iter().all(|record| transport(record).bad_frames == 0));
    let capture = Capture::read(&file).unwrap();
    let from_meter = capture.chunks.iter();
    let from_meter = from_meter.filter(|chunk| chunk.kind == capture::Kind::FromMeter);
    let middle = from_meter.map(|it| it.bytes.len() as u64).sum::<u64>() / 2;

    // The first meter's line breaks in the middle of what the whole campaign sends.
    let starts = Mutex::new(0);
    let bad = Changed {
        system: &*bench.system,
        start: |elf: &Path| {
            let mut starts = starts.lock().unwrap();
            *starts += 1;
            let noise = Noise {
                split: 100,
                cut_after: (*starts == 1).then_some(middle),
                delay: 1e-3,
                ..Noise::everything(*starts, 1e-4)
            };
            let running = bench.system.start(elf)?;
            let line = LateLine::new(running.line, *starts, 0.1);
            Ok(Running {
                line: Box::new(NoisyLine::new(line, noise)),
                ..running
            })
        },
    };
    let file = folder.path().join("bad.capture");
    let (outcome, damaged) = recorded(&bad, &file, |system| {
        campaign(system, &bench.image, Some(instance))
    });
    assert_eq!(outcome, Outcome::Clean);
    assert_equal(&damaged, &clean);
    let sum = |count: fn(&Transport) -> u64| -> u64 {
        damaged.iter().map(|record| count(transport(record))).sum()
    };
    assert!(sum(|line| line.bad_frames) > 0);
    assert_eq!(sum(|line| line.lost_lines), 1);

    // What was damaged is in the capture, and no obstacle.
    let capture = Capture::read(&file).unwrap();
    assert_eq!(capture.recordings().len(), *starts.lock().unwrap() as usize);
    let replayed = Replayed::open(&file).unwrap();
    let (outcome, again) = campaign(&replayed, &bench.image, Some(instance));
    assert_eq!(outcome, Outcome::Clean);
    assert_equal(&again, &clean);
}
