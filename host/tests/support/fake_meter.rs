//! A meter that measures nothing: a thread on the other end of a socket that speaks the protocol,
//! and misbehaves where a test tells it to.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use host::interrupt::Interrupt;
use host::line::{Line, socket_pair};
use host::session::{Expectations, Log, LogLine, Options, Session, SessionError};
use host::system::{Life, Output, Running};
use wire::{
    Category, ColdSequence, Counter, CounterSource, Decoder, Event, EventPass, EventReading, Fault,
    FaultEvent, FaultKind, HeapUse, Hello, Kind, MemoryUse, Order, Purge, Request, Response,
    SAMPLES_PER_BLOCK, SampleBlock, SelfTest, Sizes, Sled, StackProbe, StackUse, Sweeps,
};

/// What the meter does with one request.
pub enum Act {
    /// What the firmware does.
    Answer,
    /// Nothing.
    Ignore,
    /// The answer, but for this block.
    LeaveOut(u16),
    /// These bytes, and no answer.
    Bytes(Vec<u8>),
    /// This response instead.
    Instead(Box<Response>),
    /// Reports this and ends.
    Fault(Box<Fault>),
    /// Ends without a word; its process is said to have ended like this.
    End(&'static str),
}

/// Decides what to do with the request of this number.
pub type Script = Box<dyn FnMut(u16, &Request) -> Act + Send>;

/// An introduction that passes every check.
pub fn hello() -> Hello {
    Hello {
        schema: wire::SCHEMA_HASH,
        build_id: [7; 20],
        board: name("qemu-virt"),
        candidate: name("pqclean"),
        label: name("ML-KEM-768"),
        category: Category::Kem,
        sizes: Some(Sizes::default()),
        counter: Counter {
            source: CounterSource::Icount,
            overhead: 30,
            frequency_hz: None,
            note: wire::Text::default(),
        },
        clock_hz: 1_000_000_000,
        entry_level: Some(1),
        stack_available: 1 << 20,
        self_test: SelfTest {
            stack: [400, 800].map(|used_bytes| StackProbe {
                used_bytes,
                measured_bytes: u64::from(used_bytes) + 16,
            }),
            sled: Sled {
                instructions: 1000,
                count: 1000,
            },
        },
    }
}

/// A name as the wire has it.
pub fn name(text: &str) -> wire::Label {
    wire::Label::try_from(text).unwrap()
}

/// A fault report.
pub fn fault() -> Fault {
    Fault {
        kind: FaultKind::NullAccess,
        event: FaultEvent::Exception(0x9600_0045),
        operation: None,
        preparing: false,
        address: 0x4000_0000,
        data_address: Some(8),
        stack_pointer: 0x8000_0000,
        registers: heapless::Vec::new(),
        backtrace: wire_backtrace(&[0x4000_1000]),
        stack: heapless::Vec::new(),
        freed_blocks: 0,
        message: wire::Text::default(),
    }
}

fn wire_backtrace<const N: usize>(addresses: &[u64]) -> heapless::Vec<u64, N> {
    addresses.iter().copied().collect()
}

/// The samples that the fake measures: near each other, as real ones are.
pub fn samples(calls: u32) -> Vec<u64> {
    (0..u64::from(calls))
        .map(|call| 100_000 + call * 37 % 50)
        .collect()
}

/// The cold calls that the fake measures.
pub fn cold_samples(calls: u32) -> Vec<u64> {
    samples(calls).iter().map(|sample| 2 * sample).collect()
}

/// What the fake does before each of them.
pub const COLD_SEQUENCE: ColdSequence = ColdSequence {
    purge: Purge::SetWay {
        levels: 2,
        lines: 1000,
    },
    branches: 500,
    count: 10_000,
    nanoseconds: 5000,
    overhead: 60,
};

/// Passes of the fake's events, of which its core has all but the last.
pub const EVENT_PASSES: u32 = 3;

/// What the fake counts in a pass: each event once for each call, but for one that wraps.
pub fn events(calls: u32, pass: u32) -> EventPass {
    let (last, others) = Event::ALL.split_last().unwrap();
    let mut readings = heapless::Vec::new();
    if pass == 0 {
        readings.push((*last, EventReading::NotAvailable)).unwrap();
    }
    for (index, event) in (0..).zip(others) {
        let reading = match event {
            Event::L1dAccesses => EventReading::Overflowed,
            _ => EventReading::Count(u64::from(calls)),
        };
        if index % EVENT_PASSES == pass {
            readings.push((*event, reading)).unwrap();
        }
    }
    EventPass {
        passes: EVENT_PASSES,
        calls,
        readings,
    }
}

/// The known-answer text that the fake regenerates: two blocks and a bit.
pub fn text() -> Vec<u8> {
    let letters = (b'a'..=b'z').cycle();
    letters.take(2 * wire::TEXT_PER_BLOCK + 100).collect()
}

fn text_blocks(from: u32) -> Vec<Response> {
    let text = text();
    let blocks = (0..).zip(text.chunks(wire::TEXT_PER_BLOCK));
    let end = Response::TextEnd {
        blocks: blocks.clone().count() as u32,
        bytes: text.len() as u64,
    };
    blocks
        .filter(|(index, _)| *index >= from)
        .map(|(index, text)| {
            Response::Text(wire::TextBlock {
                index,
                text: text.iter().copied().collect(),
            })
        })
        .chain([end])
        .collect()
}

/// The host's end of a line to a meter that follows this script.
pub fn start(hello: Hello, script: Script) -> Running {
    let (ours, theirs) = socket_pair().unwrap();
    let ended = Arc::new(Mutex::new(None));
    let life = FakeLife(Arc::clone(&ended));
    thread::spawn(move || {
        let how = serve(theirs, hello, script);
        *ended.lock().unwrap() = how.map(str::to_owned);
    });
    Running {
        line: Box::new(ours),
        life: Box::new(life),
        command: Vec::new(),
    }
}

/// Plays a meter that follows this script until the line closes or the script ends it; returns how
/// the "process" ended.
pub fn serve(line: impl Line + 'static, hello: Hello, script: Script) -> Option<&'static str> {
    let mut meter = Fake {
        hello,
        script,
        line: Box::new(line),
        held: None,
    };
    meter.serve()
}

/// The same behind a decorator of the line.
pub fn start_behind<L: Line + 'static>(
    hello: Hello,
    script: Script,
    decorate: impl FnOnce(Box<dyn Line>) -> L,
) -> Running {
    let running = start(hello, script);
    Running {
        line: Box::new(decorate(running.line)),
        ..running
    }
}

/// Impatient options, for tests that wait for deadlines.
pub fn impatient() -> Options {
    Options {
        boot: Duration::from_secs(3),
        unpredicted: Duration::from_millis(500),
        slack: Duration::from_secs(1),
        resend: Duration::from_millis(100),
        unpredicted_answer: Duration::from_millis(100),
        wall_per_target: 2.0,
        usual_wall_per_target: 1.0,
        interrupt: Interrupt::new(),
    }
}

/// A session with a meter, whose log goes nowhere.
pub fn open(running: Running, options: Options) -> Result<Session, SessionError> {
    open_with_log(running, options, Box::new(|_| {}))
}

/// A session with a meter, whose log goes there.
pub fn open_with_log(
    running: Running,
    options: Options,
    sink: Box<dyn FnMut(LogLine) + Send>,
) -> Result<Session, SessionError> {
    let expected = Expectations {
        build_id: Some([7; 20]),
        board: Some("qemu-virt".into()),
        instance: Some(("pqclean".into(), "ML-KEM-768".into())),
        // The fake counts whatever a test wants.
        emulated: None,
    };
    Session::open(running, Log::new(None, sink), &expected, options)
}

struct FakeLife(Arc<Mutex<Option<String>>>);

impl Life for FakeLife {
    fn ended(&mut self) -> Option<String> {
        self.0.lock().unwrap().clone()
    }

    fn exit_code(&mut self) -> Option<i64> {
        None
    }

    fn output(&mut self) -> Output {
        Output::default()
    }

    fn stop(&mut self, _grace: Duration) {}
}

struct Fake {
    hello: Hello,
    script: Script,
    line: Box<dyn Line>,
    held: Option<(u16, Vec<Response>)>,
}

impl Fake {
    fn serve(&mut self) -> Option<&'static str> {
        let mut decoder = Decoder::new();
        let mut byte = [0];
        while let Ok(1) = self.line.read(&mut byte) {
            let Some(Ok(frame)) = decoder.push(byte[0]) else {
                continue;
            };
            let Ok(Order { request, .. }) = frame.message() else {
                continue;
            };
            match (self.script)(frame.request, &request) {
                Act::Answer => {
                    self.answer(frame.request, &request, None);
                    if request == Request::Bye {
                        return Some("ended with status 0");
                    }
                }
                Act::Ignore => {}
                Act::LeaveOut(block) => self.answer(frame.request, &request, Some(block)),
                Act::Bytes(bytes) => self.write(&bytes),
                Act::Instead(response) => self.send(frame.request, 0, &response),
                Act::Fault(fault) => {
                    let frame = wire::encode(Kind::Fault, frame.request, 0, &*fault).unwrap();
                    self.write(&frame);
                    return Some("ended with status 1");
                }
                Act::End(how) => return Some(how),
            }
        }
        None
    }

    fn answer(&mut self, number: u16, request: &Request, left_out: Option<u16>) {
        match request {
            Request::Block { request, block } => {
                let response = match &self.held {
                    Some((held, blocks)) if held == request => blocks[usize::from(*block)].clone(),
                    _ => panic!("block {block} of {request} is not held"),
                };
                self.send(*request, *block, &response);
            }
            Request::Release { request } => {
                self.held.take_if(|(held, _)| held == request);
                self.send(number, 0, &Response::Released);
            }
            Request::Bye => self.send(number, 0, &Response::Goodbye),
            _ => {
                let known = matches!(&self.held, Some((held, _)) if *held == number);
                if !known || *request == Request::Hello {
                    self.held = Some((number, self.perform(request)));
                }
                let blocks = self.held.clone().unwrap().1;
                for (block, response) in (0..).zip(&blocks) {
                    if left_out != Some(block) {
                        self.send(number, block, response);
                    }
                }
            }
        }
    }

    fn perform(&self, request: &Request) -> Vec<Response> {
        match request {
            Request::Hello => vec![Response::Hello(self.hello.clone())],
            Request::Sizes => vec![Response::Sizes(self.hello.sizes.unwrap_or_default())],
            Request::Trial(plan) => vec![Response::Trial {
                calls: plan.calls,
                count: u64::from(plan.calls) * 50_000,
                nanoseconds: u64::from(plan.calls) * 50_000,
                sweeps: Sweeps::default(),
            }],
            Request::Samples(plan) => blocks_of(&samples(plan.calls)),
            Request::Events { plan, pass } => vec![Response::Events(events(plan.calls, *pass))],
            Request::Conditions => vec![Response::Conditions(wire::Conditions::default())],
            Request::ColdSequence => vec![Response::ColdSequence(COLD_SEQUENCE)],
            Request::Cold(plan) => blocks_of(&cold_samples(plan.calls)),
            Request::Memory { .. } => vec![Response::Memory(MemoryUse {
                stack: StackUse {
                    painted_bytes: 4096,
                    pointer_bytes: None,
                    available_bytes: self.hello.stack_available,
                },
                heap: HeapUse::default(),
            })],
            Request::Text { from, .. } => text_blocks(*from),
            other => panic!("the fake knows no {other:?}"),
        }
    }

    fn send(&mut self, number: u16, block: u16, response: &Response) {
        let frame = wire::encode(Kind::Response, number, block, response).unwrap();
        self.write(&frame);
    }

    fn write(&mut self, bytes: &[u8]) {
        // The host may have gone away already.
        let _ = self.line.write_all(bytes);
    }
}

/// Samples as a meter cuts them into blocks.
fn blocks_of(samples: &[u64]) -> Vec<Response> {
    (0..)
        .zip(samples.chunks(SAMPLES_PER_BLOCK))
        .map(|(number, chunk)| {
            let mut previous = 0;
            Response::Samples(SampleBlock {
                total: samples.len() as u32,
                first: number * SAMPLES_PER_BLOCK as u32,
                differences: chunk
                    .iter()
                    .map(|sample| {
                        let difference = *sample as i64 - previous;
                        previous = *sample as i64;
                        difference
                    })
                    .collect(),
            })
        })
        .collect()
}
