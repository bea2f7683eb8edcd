//! A line to a meter that is made of a recording: it answers what it was asked then.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::thread;
use std::time::Duration;

use wire::{Decoder, Frame, Order, Request, Response, SAMPLES_PER_BLOCK};

use super::{Chunk, Kind};

/// How long a read waits that has nothing to bring: the next word is the host's.
const PAUSE: Duration = Duration::from_millis(1);

/// A request of the recording, and all that came in answer to it.
#[derive(Debug)]
struct Asked {
    number: u16,
    request: Request,
    answer: Vec<Frame>,
}

/// The line.
///
/// Requests are looked for in the order of the recording. What was damaged then is not played:
/// the answers are as they arrived in the end, however often they were asked for. Where the
/// recorded meter did not answer, the line ends.
#[derive(Debug)]
pub struct Tape {
    asked: Vec<Asked>,
    /// What came before the first request.
    before: Vec<Frame>,
    /// Number of the first request that has not been passed.
    next: usize,
    /// The number that the host gave to the request before that.
    current: Option<u16>,
    decoder: Decoder,
    ready: VecDeque<u8>,
    /// Why nothing comes behind what is ready.
    ended: Option<String>,
}

impl Tape {
    /// The line of a recording.
    pub fn new(chunks: &[Chunk]) -> Self {
        let (mut to, mut from) = (Decoder::new(), Decoder::new());
        let (mut asked, mut before): (Vec<Asked>, _) = (Vec::new(), Vec::new());
        for chunk in chunks {
            let decoder = match chunk.kind {
                Kind::ToMeter => &mut to,
                Kind::FromMeter => &mut from,
                Kind::Start => continue,
            };
            let frames = chunk.bytes.iter().filter_map(|byte| decoder.push(*byte));
            for frame in frames.flatten() {
                match chunk.kind {
                    Kind::ToMeter => note_request(&mut asked, &frame),
                    _ => note_answer(&mut asked, &mut before, frame),
                }
            }
        }
        Self {
            asked,
            before,
            next: 0,
            current: None,
            decoder: Decoder::new(),
            ready: VecDeque::new(),
            ended: None,
        }
    }

    /// Takes a request of the host's.
    fn take(&mut self, frame: &Frame) {
        let Ok(Order { request, .. }) = frame.message() else {
            return;
        };
        let number = frame.request;
        match request {
            Request::Release { .. } => self.say(number, &Response::Released),
            Request::Bye => {
                self.say(number, &Response::Goodbye);
                self.ended = Some("the recorded meter has said goodbye".to_owned());
            }
            Request::Block { block, .. } => self.play(|frame| frame.block == block),
            _ if self.current == Some(number) => self.play(|_| true),
            request => {
                let rest = self.asked.iter().skip(self.next);
                let mut rest = rest.zip(self.next..);
                match rest.find(|(asked, _)| asked.request == request) {
                    Some((_, place)) => {
                        self.next = place + 1;
                        self.current = Some(number);
                        self.play(|_| true);
                    }
                    None => {
                        self.ended = Some(format!("the capture has no answer to {request:?}"));
                    }
                }
            }
        }
    }

    fn say(&mut self, number: u16, response: &Response) {
        if let Ok(frame) = wire::encode(wire::Kind::Response, number, 0, response) {
            self.ready.extend(&frame);
        }
    }

    /// Sends what was answered to the current request, as far as it is wanted.
    fn play(&mut self, is_wanted: impl Fn(&Frame) -> bool) {
        let Some((asked, number)) = self.next.checked_sub(1).zip(self.current) else {
            return;
        };
        let asked = &self.asked[asked];
        let frames = self.before.drain(..).collect::<Vec<_>>();
        let wanted = asked.answer.iter().filter(|frame| is_wanted(frame));
        for frame in frames.iter().chain(wanted) {
            let (kind, block) = (frame.kind, frame.block);
            // It was a frame before, and is no longer now.
            if let Ok(frame) = wire::encode_bytes(kind, number, block, frame.payload()) {
                self.ready.extend(&frame);
            }
        }
        if !asked.is_complete() {
            let request = &asked.request;
            self.ended = Some(format!("the recorded meter did not answer {request:?}"));
        }
    }
}

/// Notes a request, once however often it was sent. What only serves the line is nobody's request.
fn note_request(asked: &mut Vec<Asked>, frame: &Frame) {
    let Ok(Order { request, .. }) = frame.message() else {
        return;
    };
    let serves = matches!(
        request,
        Request::Block { .. } | Request::Release { .. } | Request::Bye
    );
    let number = frame.request;
    let is_repetition = asked
        .last()
        .is_some_and(|last| last.number == number && last.request == request);
    if !serves && !is_repetition {
        asked.push(Asked {
            number,
            request,
            answer: Vec::new(),
        });
    }
}

/// Notes what the meter said: a response where its request is, everything else where it came.
fn note_answer(asked: &mut [Asked], before: &mut Vec<Frame>, frame: Frame) {
    let place = match frame.kind {
        wire::Kind::Response => {
            let Some(place) = asked.iter().rposition(|it| it.number == frame.request) else {
                return; // Of a release, or of nothing that was asked.
            };
            place
        }
        _ if asked.is_empty() => return before.push(frame),
        _ => asked.len() - 1,
    };
    let answer = &mut asked[place].answer;
    if frame.kind == wire::Kind::Log || !answer.contains(&frame) {
        answer.push(frame);
    }
}

impl Asked {
    /// Whether the recorded meter answered it, be it by its end.
    fn is_complete(&self) -> bool {
        let mut samples = 0;
        self.answer.iter().any(|frame| match frame.kind {
            wire::Kind::Fault => true,
            wire::Kind::Response => match frame.message() {
                Ok(Response::Expect { .. } | Response::Progress { .. } | Response::Text(_))
                | Err(_) => false,
                Ok(Response::Samples(block)) => {
                    samples += 1;
                    samples >= (block.total as usize).div_ceil(SAMPLES_PER_BLOCK)
                }
                Ok(_) => true,
            },
            _ => false,
        })
    }
}

impl Read for Tape {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ready.is_empty() {
            if let Some(reason) = &self.ended {
                return Err(io::Error::other(reason.clone()));
            }
            thread::sleep(PAUSE);
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.ready.read(buffer)
    }
}

impl Write for Tape {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            if let Some(Ok(frame)) = self.decoder.push(*byte) {
                self.take(&frame);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
