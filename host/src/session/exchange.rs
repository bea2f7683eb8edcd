//! One request and its answer, over a line that may damage both.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use wire::{Decoder, Fault, Frame, FrameError, Kind, Order, Request, Response};

use super::error::SessionError;
use super::gather::{Gather, Single, Step};
use super::hello;
use super::log::Log;
use super::nanoseconds;
use super::watch::{Patience, Watch};
use crate::image::{self, Elf};
use crate::interrupt::{Interrupt, Urgency};
use crate::line::{self, Reading};
use crate::measurement::{Faulted, Spoiled, Traffic};
use crate::system::Running;

/// How long the end of the line and the end of the process may lie apart.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What came in.
enum Arrival {
    /// A response, whole.
    Response(Box<Frame>),
    /// Bytes that were no frame.
    Damage(FrameError),
    /// Nothing, and it is time to look at the clock.
    Quiet,
}

/// The line to one meter and the state of the protocol on it.
pub struct Exchange {
    /// The running meter.
    pub running: Running,
    decoder: Decoder,
    inbox: VecDeque<u8>,
    number: u16,
    log: Log,
    /// The image that runs, whose symbols explain a fault.
    elf: Option<Elf>,
    interrupt: Interrupt,
    /// What happened on the line so far.
    pub traffic: Traffic,
    /// Bytes that arrived so far.
    received: u64,
    /// What was noticed while nobody could be told.
    pending: Option<SessionError>,
    /// Whether the meter has introduced itself: until then a frame of another protocol version is
    /// the meter's, afterwards it is damage.
    pub introduced: bool,
}

impl Exchange {
    /// Over a running meter.
    pub fn new(running: Running, log: Log, elf: Option<Elf>, interrupt: Interrupt) -> Self {
        Self {
            running,
            decoder: Decoder::new(),
            inbox: VecDeque::new(),
            number: 0,
            log,
            elf,
            interrupt,
            traffic: Traffic::default(),
            received: 0,
            pending: None,
            introduced: false,
        }
    }

    /// Sends a request until `answer` is complete, then releases the result.
    ///
    /// # Errors
    ///
    /// What the target did instead of answering, or an interruption.
    pub fn ask(
        &mut self,
        request: &Request,
        patience: Patience,
        answer: &mut dyn Gather,
    ) -> Result<(), SessionError> {
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        let number = self.converse(request, patience, answer)?;
        if !matches!(request, Request::Hello | Request::Bye) {
            self.release(number, patience);
        }
        Ok(())
    }

    /// Tells the meter that a result has arrived. The result is at home whatever becomes of this,
    /// so that a trouble here is kept for the next request.
    fn release(&mut self, number: u16, patience: Patience) {
        let request = Request::Release { request: number };
        let mut released = Single::default();
        let patience = Patience {
            answer: Duration::ZERO,
            deadline: patience.slack,
            on_target: None,
            ..patience
        };
        if let Err(error) = self.converse(&request, patience, &mut released) {
            self.pending = Some(error);
        }
    }

    /// One request and its answer; returns the request's number.
    fn converse(
        &mut self,
        request: &Request,
        patience: Patience,
        answer: &mut dyn Gather,
    ) -> Result<u16, SessionError> {
        let mut number = self.next_number();
        // A block that was asked for again may come under the number of either request.
        let mut again = number;
        let mut attempts = 0_u64;
        let mut watch = Watch::start(patience);
        let (frames, received) = (self.traffic.frames, self.received);
        loop {
            if watch.expired() {
                let seconds = watch.allowed_seconds();
                let bytes = self.received - received;
                return Err(match bytes > 0 && self.traffic.frames == frames {
                    true => Spoiled::Garbage { seconds, bytes }.into(),
                    false => Spoiled::Deadline(seconds).into(),
                });
            }
            if watch.send_is_due() {
                match answer.missing() {
                    Some(block) => {
                        again = self.next_number();
                        self.traffic.lost_frames += 1;
                        let request = Request::Block {
                            request: number,
                            block,
                        };
                        self.send(again, &request, None)?;
                    }
                    None => {
                        self.traffic.retries += u64::from(attempts > 0);
                        self.send(number, request, patience.on_target)?;
                    }
                }
                attempts += 1;
                watch.sent();
            }
            let frame = match self.receive(watch.next())? {
                Arrival::Quiet => continue,
                Arrival::Damage(FrameError::Version(theirs)) if !self.introduced => {
                    return Err(hello::version(theirs).into());
                }
                Arrival::Damage(_) => {
                    watch.damaged();
                    continue;
                }
                Arrival::Response(frame) => frame,
            };
            if frame.request != number && frame.request != again {
                continue; // Of an earlier request that was sent twice.
            }
            match read_response(&frame)? {
                Response::Refused(_) if frame.request != number => {
                    // A block came to be asked for of a result that is not held: the meter began
                    // anew, or heard from another host in between.
                    answer.restart();
                    number = self.next_number();
                    again = number;
                    watch.send_now();
                }
                Response::Expect { nanoseconds } => {
                    watch.announced(Duration::from_nanos(nanoseconds));
                }
                response => match answer.take(frame.block, response) {
                    Ok(Step::Complete) => return Ok(number),
                    Ok(Step::Waiting) => watch.progress(),
                    Ok(Step::Gap) => watch.send_now(),
                    Ok(Step::Alive) => watch.alive(),
                    Err(what) => return Err(Spoiled::Nonsense(what).into()),
                },
            }
        }
    }

    fn next_number(&mut self) -> u16 {
        self.number = self.number.wrapping_add(1);
        self.number
    }

    /// Puts a request on the line. One that the meter does not take is as good as lost on the
    /// way: it will be sent again.
    fn send(
        &mut self,
        number: u16,
        request: &Request,
        deadline: Option<Duration>,
    ) -> Result<(), SessionError> {
        let order = Order {
            deadline_nanoseconds: deadline.map(nanoseconds),
            request: request.clone(),
        };
        let frame = wire::encode(Kind::Request, number, 0, &order)
            .expect("every request is far smaller than a frame");
        match line::write(&mut *self.running.line, &frame) {
            Ok(_) => Ok(()),
            Err(reason) => Err(self.closed(reason)),
        }
    }

    /// Waits for one arrival, at most until then.
    fn receive(&mut self, until: Instant) -> Result<Arrival, SessionError> {
        // After the meter has ended, what it sent before is still read to its end.
        let mut ended = None;
        loop {
            while let Some(byte) = self.inbox.pop_front() {
                if let Some(result) = self.decoder.push(byte)
                    && let Some(arrival) = self.sort(result)?
                {
                    return Ok(arrival);
                }
            }
            if self.interrupt.urgency() == Urgency::AtOnce {
                return Err(SessionError::Interrupted);
            }
            if Instant::now() >= until {
                return Ok(Arrival::Quiet);
            }
            let mut buffer = [0; 4096];
            match line::read(&mut *self.running.line, &mut buffer) {
                Reading::Bytes(length) => {
                    self.received += length as u64;
                    self.inbox.extend(&buffer[..length]);
                }
                Reading::Nothing => match ended {
                    Some(how) => return Err(Spoiled::Vanished(how).into()),
                    None => ended = self.running.life.ended(),
                },
                Reading::Closed(reason) => return Err(self.closed(reason)),
            }
        }
    }

    /// Sorts what the decoder found; `None` when it concerns nobody further.
    fn sort(&mut self, result: Result<Frame, FrameError>) -> Result<Option<Arrival>, SessionError> {
        let frame = match result {
            Ok(frame) => frame,
            Err(error) => {
                self.traffic.bad_frames += 1;
                return Ok(Some(Arrival::Damage(error)));
            }
        };
        self.traffic.frames += 1;
        match frame.kind {
            Kind::Response => Ok(Some(Arrival::Response(Box::new(frame)))),
            Kind::Log => {
                self.log.take(frame.payload());
                Ok(None)
            }
            Kind::Fault => Err(match frame.message::<Fault>() {
                Ok(fault) => {
                    let elf = self.elf.as_ref();
                    let location = elf.and_then(|elf| image::locate(elf, &fault));
                    Spoiled::Faulted(Box::new(Faulted {
                        fault,
                        location: location.unwrap_or_default(),
                    }))
                    .into()
                }
                Err(_) => Spoiled::Nonsense("a fault report that cannot be read".into()).into(),
            }),
            Kind::Request => Ok(None), // Our own, echoed by a line that is not raw.
        }
    }

    /// The line is closed: says how the meter ended, if that is known soon enough. If it is not,
    /// the line alone is known to have broken.
    fn closed(&mut self, reason: String) -> SessionError {
        let until = Instant::now() + LAST_WORDS;
        loop {
            if let Some(how) = self.running.life.ended() {
                return Spoiled::Vanished(how).into();
            }
            if Instant::now() >= until {
                return Spoiled::LineLost(reason).into();
            }
            std::thread::sleep(line::TIMEOUT);
        }
    }
}

/// Reads a response; one that is whole and yet unreadable is a matter of definitions before the
/// introduction, and nonsense after it.
fn read_response(frame: &Frame) -> Result<Response, SessionError> {
    frame
        .message()
        .map_err(|_| match hello::check_foreign(frame.payload()) {
            Err(mismatch) => mismatch.into(),
            Ok(()) => Spoiled::Nonsense("a response that cannot be read".into()).into(),
        })
}
