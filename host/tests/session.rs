//! Sessions with a meter that misbehaves: every promise of the protocol's host side.

mod support;

use std::time::{Duration, Instant};

use host::line::{Noise, NoisyLine};
use host::measurement::{Faulted, Location, Spoiled, Traffic};
use host::session::{Mismatch, Session, SessionError};
use support::fake_meter::{
    Act, fault, hello, impatient, name, open, open_with_log, samples, start, start_behind,
};
use wire::{CounterSource, Hello, Kind, Operation, Probe, Request, Response};

const OPERATION: Operation = Operation::Enc;

fn honest(_: u16, _: &Request) -> Act {
    Act::Answer
}

/// Opens a session with an honest meter that introduces itself like this.
fn introduce(change: impl FnOnce(&mut Hello)) -> Result<Session, SessionError> {
    let mut hello = hello();
    change(&mut hello);
    open(start(hello, Box::new(honest)), impatient())
}

fn refusal(change: impl FnOnce(&mut Hello)) -> Mismatch {
    match introduce(change).err() {
        Some(SessionError::Mismatch(mismatch)) => mismatch,
        other => panic!("accepted, or refused otherwise: {other:?}"),
    }
}

/// What becomes of a request when the meter follows this act for every request but Hello.
fn spoiled_by(mut act: impl FnMut() -> Act + Send + 'static) -> Spoiled {
    let script = move |_: u16, request: &Request| match request {
        Request::Hello | Request::Release { .. } => Act::Answer,
        _ => act(),
    };
    let mut session = open(start(hello(), Box::new(script)), impatient()).unwrap();
    match session.calibrate(OPERATION).err() {
        Some(SessionError::Spoiled(spoiled)) => spoiled,
        other => panic!("answered, or ended otherwise: {other:?}"),
    }
}

#[test]
fn an_honest_meter_answers_everything_and_nothing_is_damaged() {
    let mut session = introduce(|_| {}).unwrap();
    assert_eq!(session.introduction().hello, hello());
    assert_eq!(session.calibrate(OPERATION).unwrap().calls, 1);
    let trial = session
        .trial(OPERATION, 3, 20, Duration::from_millis(1))
        .unwrap();
    assert_eq!((trial.calls, trial.count), (20, 1_000_000));
    let measured = session
        .samples(OPERATION, 3, 1000, Duration::from_millis(50))
        .unwrap();
    assert_eq!(measured, samples(1000));
    assert_eq!(session.memory(OPERATION, !0).unwrap().stack.bytes(), 4096);
    let farewell = session.bye();
    // An answer of four blocks, four of one block each, three releases more, and the goodbye.
    let expected = Traffic {
        frames: 13,
        ..Traffic::default()
    };
    assert_eq!(farewell.traffic, expected);
}

#[test]
fn another_protocol_version_is_refused_by_its_number() {
    let mut frame = wire::encode(Kind::Response, 1, 0, &Response::Goodbye).unwrap();
    retouch(&mut frame, |raw| raw[0] = 9);
    let script = move |_: u16, _: &Request| Act::Bytes(frame.to_vec());
    match open(start(hello(), Box::new(script)), impatient()).err() {
        Some(SessionError::Mismatch(Mismatch::Version { theirs: 9, ours })) => {
            assert_eq!(ours, wire::PROTOCOL_VERSION);
        }
        other => panic!("{other:?}"),
    }
}

/// Changes a frame's header and makes its checksum right again.
fn retouch(frame: &mut wire::FrameBuffer, change: impl FnOnce(&mut [u8])) {
    let mut raw = cobs::decode_vec(&frame[1..frame.len() - 1]).unwrap();
    let body = raw.len() - 4;
    change(&mut raw[..body]);
    let checksum = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(&raw[..body]);
    raw[body..].copy_from_slice(&checksum.to_le_bytes());
    frame.clear();
    frame.push(0).unwrap();
    frame.extend_from_slice(&cobs::encode_vec(&raw)).unwrap();
    frame.push(0).unwrap();
}

#[test]
fn other_message_definitions_are_refused_even_when_they_cannot_be_read() {
    let theirs = wire::SCHEMA_HASH ^ 1;
    assert!(matches!(
        refusal(|hello| hello.schema = theirs),
        Mismatch::Schema { theirs: found, .. } if found == theirs
    ));

    // Variant 0, the schema, and then whatever that schema means.
    let payload = postcard::to_allocvec(&(0_u32, theirs, "something else")).unwrap();
    let frame = wire::encode_bytes(Kind::Response, 1, 0, &payload).unwrap();
    let script = move |_: u16, _: &Request| Act::Bytes(frame.to_vec());
    match open(start(hello(), Box::new(script)), impatient()).err() {
        Some(SessionError::Mismatch(Mismatch::Schema { theirs: found, .. })) => {
            assert_eq!(found, theirs);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_wrong_image_is_refused() {
    assert!(matches!(
        refusal(|hello| hello.label = name("ML-KEM-512")),
        Mismatch::Instance { theirs, ours }
            if theirs == "pqclean/ML-KEM-512" && ours == "pqclean/ML-KEM-768"
    ));
    assert!(matches!(
        refusal(|hello| hello.board = name("rpi4")),
        Mismatch::Board { theirs, .. } if theirs == "rpi4"
    ));
    assert!(matches!(
        refusal(|hello| hello.build_id[19] = 8),
        Mismatch::BuildId { .. }
    ));
}

#[test]
fn a_meter_that_cannot_count_is_refused() {
    assert!(matches!(
        refusal(|hello| hello.counter.source = CounterSource::Missing),
        Mismatch::CounterMissing { .. }
    ));
    assert!(matches!(
        refusal(|hello| hello.self_test.sled.count = 0),
        Mismatch::CounterStill { .. }
    ));
    assert!(matches!(
        refusal(|hello| hello.self_test.sled.count = 1002),
        Mismatch::CounterWrong { count: 1002, .. }
    ));
    // Cycles are not instructions: a superscalar core needs fewer.
    introduce(|hello| {
        hello.counter.source = CounterSource::Pmccntr;
        hello.self_test.sled.count = 400;
    })
    .unwrap();
}

#[test]
fn a_meter_whose_stack_measurement_is_wrong_is_refused() {
    introduce(|hello| hello.self_test.stack[1].measured_bytes = 816).unwrap();
    assert!(matches!(
        refusal(|hello| hello.self_test.stack[1].measured_bytes = 817),
        Mismatch::Stack {
            used: 800,
            measured: 817
        }
    ));
}

#[test]
fn a_missing_block_is_asked_for_again() {
    for missing in 0..3 {
        let script = move |_: u16, request: &Request| match request {
            Request::Samples(_) => Act::LeaveOut(missing),
            _ => Act::Answer,
        };
        let mut session = open(start(hello(), Box::new(script)), impatient()).unwrap();
        let measured = session
            .samples(OPERATION, 0, 900, Duration::from_millis(1))
            .unwrap();
        assert_eq!(measured, samples(900), "without block {missing}");
        assert_eq!(session.traffic().lost_frames, 1);
    }
}

#[test]
fn an_answer_to_an_earlier_request_that_comes_late_is_nobodys() {
    let mut late = None;
    let script = move |number: u16, request: &Request| match request {
        Request::Trial(_) if late.is_none() => {
            let old = Response::Trial {
                calls: 1,
                count: 7,
                nanoseconds: 7,
                sweeps: wire::Sweeps::default(),
            };
            late = Some(());
            let frame = wire::encode(Kind::Response, number - 1, 0, &old).unwrap();
            Act::Bytes(frame.to_vec())
        }
        _ => Act::Answer,
    };
    let mut session = open(start(hello(), Box::new(script)), impatient()).unwrap();
    assert_eq!(session.calibrate(OPERATION).unwrap().count, 50_000);
    assert_eq!(session.traffic().retries, 1);
}

#[test]
fn blocks_of_two_results_are_never_mixed() {
    // A meter that forgot the result: it measures once more, and not the same.
    let mut times = 0;
    let script = move |number: u16, request: &Request| match request {
        Request::Samples(_) if times == 0 => {
            times = 1;
            let other = wire::SampleBlock {
                total: 900,
                first: 320,
                differences: std::iter::repeat_n(1, 320).collect(),
            };
            let response = Response::Samples(other);
            Act::Bytes(
                wire::encode(Kind::Response, number, 1, &response)
                    .unwrap()
                    .to_vec(),
            )
        }
        Request::Block { .. } => Act::Instead(Box::new(Response::Refused(
            "no result is held for this request".try_into().unwrap(),
        ))),
        _ => Act::Answer,
    };
    let mut session = open(start(hello(), Box::new(script)), impatient()).unwrap();
    let measured = session
        .samples(OPERATION, 0, 900, Duration::from_millis(1))
        .unwrap();
    assert_eq!(measured, samples(900));
}

#[test]
fn a_lost_request_is_sent_again_and_performed_once() {
    let mut ignored = false;
    let script = move |_: u16, request: &Request| match request {
        Request::Trial(_) if !ignored => {
            ignored = true;
            Act::Ignore
        }
        _ => Act::Answer,
    };
    let mut session = open(start(hello(), Box::new(script)), impatient()).unwrap();
    session.calibrate(OPERATION).unwrap();
    assert_eq!(session.traffic().retries, 1);
}

#[test]
fn damage_costs_time_and_never_a_number() {
    for seed in 0..4 {
        let noise = Noise::everything(seed, 1e-3);
        let running = start_behind(hello(), Box::new(honest), |line| {
            NoisyLine::new(line, noise)
        });
        let mut options = impatient();
        options.boot = Duration::from_secs(60);
        options.unpredicted = Duration::from_secs(60);
        options.slack = Duration::from_secs(60);
        let mut session = open(running, options).unwrap();
        session.calibrate(OPERATION).unwrap();
        let measured = session
            .samples(OPERATION, 0, 3000, Duration::from_millis(1))
            .unwrap();
        assert_eq!(measured, samples(3000), "seed {seed}");
        let traffic = session.traffic();
        assert!(traffic.bad_frames > 0, "{traffic:?}");
        assert!(traffic.lost_frames > 0, "{traffic:?}");
    }
}

#[test]
fn silence_ends_at_the_deadline() {
    let started = Instant::now();
    assert_eq!(spoiled_by(|| Act::Ignore), Spoiled::Deadline(2));
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_meter_that_never_introduces_itself_ends_at_the_deadline() {
    let script = |_: u16, _: &Request| Act::Ignore;
    let result = open(start(hello(), Box::new(script)), impatient());
    assert!(matches!(
        result.err(),
        Some(SessionError::Spoiled(Spoiled::Deadline(3)))
    ));
}

#[test]
fn garbage_ends_at_the_deadline() {
    let mut rng = fastrand::Rng::with_seed(1);
    let garbage = move || Act::Bytes((0..100_000).map(|_| rng.u8(..)).collect());
    let spoiled = spoiled_by(garbage);
    let Spoiled::Garbage { seconds: 2, bytes } = spoiled else {
        panic!("{spoiled:?}");
    };
    assert!(bytes > 0);
    let words = spoiled.to_string();
    assert!(
        words.contains(&format!("{bytes} bytes and no valid frame")),
        "{words}"
    );
}

#[test]
fn endless_log_lines_end_at_the_deadline() {
    let line = wire::encode_bytes(Kind::Log, 0, 0, b"still here").unwrap();
    let chatter = line.repeat(100_000);
    assert_eq!(
        spoiled_by(move || Act::Bytes(chatter.clone())),
        Spoiled::Deadline(2)
    );
}

#[test]
fn an_announcement_extends_the_deadline_by_no_more_than_it_says() {
    let started = Instant::now();
    let spoiled = spoiled_by(|| {
        Act::Instead(Box::new(Response::Expect {
            nanoseconds: 500_000_000,
        }))
    });
    // Announced anew with every repetition of the request, which counts once: 5 x 0.5 s x 2, and
    // 1 s of slack.
    assert_eq!(spoiled, Spoiled::Deadline(6));
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn the_end_of_the_process_is_told() {
    assert_eq!(
        spoiled_by(|| Act::End("QEMU was killed by signal 9")),
        Spoiled::Vanished("QEMU was killed by signal 9".into())
    );
}

#[test]
fn a_cut_line_is_told() {
    let noise = Noise {
        cut_after: Some(600),
        ..Noise::default()
    };
    let running = start_behind(hello(), Box::new(honest), |line| {
        NoisyLine::new(line, noise)
    });
    let mut session = open(running, impatient()).unwrap();
    let result = session.samples(OPERATION, 0, 1000, Duration::from_millis(1));
    assert!(matches!(
        result.err(),
        Some(SessionError::Spoiled(Spoiled::LineLost(how))) if how == "the line is closed"
    ));
}

#[test]
fn a_fault_report_is_taken_home() {
    assert_eq!(
        spoiled_by(|| Act::Fault(Box::new(fault()))),
        Spoiled::Faulted(Box::new(Faulted {
            fault: fault(),
            location: Location::default(),
        }))
    );
}

#[test]
fn a_fault_after_a_result_does_not_cost_the_result() {
    let script = |_: u16, request: &Request| match request {
        Request::Release { request } if *request > 1 => Act::Fault(Box::new(fault())),
        _ => Act::Answer,
    };
    let mut session = open(start(hello(), Box::new(script)), impatient()).unwrap();
    session.calibrate(OPERATION).unwrap();
    assert!(matches!(
        session.calibrate(OPERATION).err(),
        Some(SessionError::Spoiled(Spoiled::Faulted(_)))
    ));
}

#[test]
fn answers_to_another_question_are_nonsense() {
    let trial = |calls| {
        move || {
            Act::Instead(Box::new(Response::Trial {
                calls,
                count: 1,
                nanoseconds: 1,
                sweeps: wire::Sweeps::default(),
            }))
        }
    };
    assert!(matches!(spoiled_by(trial(2)), Spoiled::Nonsense(_)));
    assert!(matches!(
        spoiled_by(|| Act::Instead(Box::new(Response::Goodbye))),
        Spoiled::Nonsense(_)
    ));
}

#[test]
fn a_failed_operation_leaves_the_meter_well() {
    let failure = wire::Failure {
        operation: OPERATION,
        call: 3,
        kind: wire::FailureKind::ReturnCode(-1),
        freed_blocks: 0,
    };
    let expected = failure.clone();
    let spoiled = spoiled_by(move || Act::Instead(Box::new(Response::Failed(failure.clone()))));
    assert_eq!(spoiled, Spoiled::Failed(expected));
    assert!(spoiled.meter_is_well());
}

#[test]
fn an_interruption_is_noticed_at_once() {
    let script = |_: u16, request: &Request| match request {
        Request::Trial(_) => Act::Ignore,
        _ => Act::Answer,
    };
    let options = impatient();
    let interrupt = options.interrupt.clone();
    let mut session = open(start(hello(), Box::new(script)), options).unwrap();
    // One press ends after the record: the session goes on.
    interrupt.press();
    session.memory(OPERATION, !0).unwrap();
    let presser = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        interrupt.press();
        Instant::now()
    });
    let result = session.calibrate(Operation::Probe(Probe::Hang));
    let ended = Instant::now();
    assert!(matches!(result.err(), Some(SessionError::Interrupted)));
    let delay = ended - presser.join().unwrap();
    assert!(delay < Duration::from_millis(200), "{delay:?}");
}

#[test]
fn log_lines_arrive_between_answers() {
    let line = wire::encode_bytes(Kind::Log, 0, 0, b"ready: ML-KEM-768").unwrap();
    let mut said = false;
    let script = move |_: u16, _: &Request| {
        if said {
            return Act::Answer;
        }
        said = true;
        Act::Bytes(line.to_vec())
    };
    let (sender, lines) = std::sync::mpsc::channel();
    let sink = Box::new(move |line| sender.send(line).unwrap());
    open_with_log(start(hello(), Box::new(script)), impatient(), sink).unwrap();
    let lines: Vec<_> = lines.iter().map(|line| line.to_string()).collect();
    assert_eq!(lines, ["ready: ML-KEM-768"]);
}
