//! A session with one running meter: requests, answers, deadlines and damage.
//!
//! A session asks one thing at a time and waits for it, never without a deadline on the host's
//! clock. A damaged or lost frame is asked for again; a meter that faults, falls silent, goes away
//! or answers nonsense ends the session with [`Spoiled`], and the caller starts a new one.

mod error;
mod exchange;
mod gather;
mod hello;
mod known_answers;
mod log;
mod passes;
pub(crate) mod plausible;
mod profile;
mod watch;

use std::time::{Duration, Instant};

use wire::{Loop, MemoryUse, Operation, Request, Response, Sizes};

pub use error::{SessionError, keep_spoiled};
use exchange::Exchange;
use gather::{Samples, Single};
pub use hello::{Expectations, Mismatch, hexadecimal};
pub use known_answers::Regenerated;
pub use log::{Log, LogLine, Sink};
use watch::{PATIENCE_FACTOR, Patience, scale};

use crate::image::{Elf, Image};
use crate::interrupt::Interrupt;
use crate::measure::{Clock, PATIENCE};
use crate::measurement::{Introduction, Spoiled, Traffic, Trial};
use crate::system::{Output, Running, System};

/// Target time below which the ratio of the clocks says nothing.
const SHORTEST_FOR_RATIO: Duration = Duration::from_millis(10);

/// Granted on the target's clock beyond every predicted time.
const TARGET_SLACK: Duration = Duration::from_secs(1);

/// How a session waits.
#[derive(Clone, Debug)]
pub struct Options {
    /// Longest time from the start to the introduction.
    pub boot: Duration,
    /// Longest time for an answer that nobody can predict: a calibration, a KAT. The meter gets
    /// what this usually is on its own clock; the deadline here is twice as long, and the slack.
    pub unpredicted: Duration,
    /// Granted beyond every predicted time, and the deadline of requests that take no time.
    pub slack: Duration,
    /// First pause before a request is sent again, beyond the time that its answer needs.
    pub resend: Duration,
    /// What is taken for that time where nobody can predict it.
    pub unpredicted_answer: Duration,
    /// Wall-clock seconds for one second on the target's clock, until the session knows better.
    pub wall_per_target: f64,
    /// The same as it usually is. Deadlines on the target are computed from it, so that they are the
    /// same each time.
    pub usual_wall_per_target: f64,
    /// Ctrl-C.
    pub interrupt: Interrupt,
}

impl Options {
    /// For a meter on this system.
    pub fn for_system(system: &dyn System, interrupt: &Interrupt) -> Self {
        Self {
            boot: Duration::from_secs(30),
            unpredicted: PATIENCE,
            slack: Duration::from_secs(30),
            resend: Duration::from_secs(1),
            unpredicted_answer: Duration::from_secs(10),
            wall_per_target: system.wall_per_target(),
            usual_wall_per_target: system.usual_wall_per_target(),
            interrupt: interrupt.clone(),
        }
    }
}

/// What is left when a session is over.
#[derive(Debug)]
pub struct Farewell {
    /// What happened on the line.
    pub traffic: Traffic,
    /// What the meter's process wrote to its standard output and error.
    pub output: Output,
    /// The exit code of that process, if it has one: a signal's number is negative.
    pub exit_code: Option<i64>,
}

/// A session with one meter.
pub struct Session {
    exchange: Exchange,
    options: Options,
    introduction: Introduction,
    /// The core's clock, as far as its trials showed it.
    pub clock: Clock,
    /// Wall time that an operation's calibration took, which includes its set-up.
    setups: Vec<(Operation, Duration)>,
}

impl Session {
    /// Starts an image on a system and lets the meter introduce itself.
    ///
    /// # Errors
    ///
    /// When the meter cannot be started, does not answer in time, or is not the expected one.
    pub fn start(
        system: &dyn System,
        image: &Image,
        sink: Sink,
        options: Options,
    ) -> Result<Self, SessionError> {
        let expected = Expectations {
            build_id: Some(image.elf.build_id),
            board: Some(system.board().to_owned()),
            instance: image.instance.clone(),
            emulated: Some(system.emulator().is_some()),
        };
        let running = system.start(&image.elf.path)?;
        let elf = Some(image.elf.clone());
        Self::introduced(running, image.elf.log(sink), elf, &expected, options)
    }

    /// Lets a meter that runs already introduce itself.
    ///
    /// # Errors
    ///
    /// When the meter does not answer in time, or is not the expected one.
    pub fn open(
        running: Running,
        log: Log,
        expected: &Expectations,
        options: Options,
    ) -> Result<Self, SessionError> {
        Self::introduced(running, log, None, expected, options)
    }

    fn introduced(
        running: Running,
        log: Log,
        elf: Option<Elf>,
        expected: &Expectations,
        options: Options,
    ) -> Result<Self, SessionError> {
        let started = Instant::now();
        let mut exchange = Exchange::new(running, log, elf, options.interrupt.clone());
        let patience = Patience {
            answer: Duration::ZERO,
            resend: options.resend.min(Duration::from_millis(250)),
            deadline: options.boot,
            on_target: None,
            wall_per_target: options.wall_per_target,
            slack: options.slack,
        };
        let mut answer = Single::default();
        exchange.ask(&Request::Hello, patience, &mut answer)?;
        let ready_seconds = started.elapsed().as_secs_f64();
        let hello = match answer.0 {
            Some(Response::Hello(hello)) => hello,
            other => return Err(unexpected(&Request::Hello, other)),
        };
        hello::check(&hello, expected)?;
        exchange.introduced = true;
        Ok(Self {
            exchange,
            options,
            clock: Clock::new(&hello.counter),
            introduction: Introduction {
                hello,
                ready_seconds,
            },
            setups: Vec::new(),
        })
    }

    /// What the meter said of itself.
    pub fn introduction(&self) -> &Introduction {
        &self.introduction
    }

    /// What happened on the line so far.
    pub fn traffic(&self) -> Traffic {
        self.exchange.traffic
    }

    /// What the meter's process wrote so far.
    pub fn output(&mut self) -> Output {
        self.exchange.running.life.output()
    }

    /// The exit code of the meter's process, once it has ended and if it has one.
    pub fn exit_code(&mut self) -> Option<i64> {
        self.exchange.running.life.exit_code()
    }

    /// The command that started the meter.
    pub fn command(&self) -> &[String] {
        &self.exchange.running.command
    }

    /// Wall-clock seconds for one second on the target's clock, as far as this session knows.
    pub fn wall_per_target(&self) -> f64 {
        self.options.wall_per_target
    }

    /// Wall-clock seconds that one second on the target's clock usually takes: a constant of the
    /// system, so that what is computed from it repeats.
    pub fn usual_wall_per_target(&self) -> f64 {
        self.options.usual_wall_per_target
    }

    /// Lets the meter ask its instance for its sizes.
    ///
    /// # Errors
    ///
    /// What the target did instead, or an interruption.
    pub fn sizes(&mut self) -> Result<Sizes, SessionError> {
        let request = Request::Sizes;
        match self.ask(&request, self.unpredicted())? {
            Response::Sizes(sizes) => Ok(sizes),
            other => Err(unexpected(&request, Some(other))),
        }
    }

    /// Lets the meter run one whole key exchange: the bytes of each of its messages.
    ///
    /// # Errors
    ///
    /// What the target did instead, or an interruption.
    pub fn messages(&mut self) -> Result<Vec<u32>, SessionError> {
        let request = Request::Messages;
        match self.ask(&request, self.unpredicted())? {
            Response::Messages(lengths) => Ok(lengths.to_vec()),
            other => Err(unexpected(&request, Some(other))),
        }
    }

    /// One call of an operation, to learn how long it takes.
    ///
    /// # Errors
    ///
    /// What the target did instead, or an interruption.
    pub fn calibrate(&mut self, operation: Operation) -> Result<Trial, SessionError> {
        let started = Instant::now();
        let request = Request::Trial(loop_of(operation, 0, 1, Duration::ZERO));
        let response = self.ask(&request, self.unpredicted())?;
        let trial = as_trial(&request, response, 1)?;
        self.setups.push((operation, started.elapsed()));
        Ok(trial)
    }

    /// One bracket around `calls` calls. `expected` is the time of all of them on the target's
    /// clock, warm-ups included.
    ///
    /// # Errors
    ///
    /// What the target did instead, or an interruption.
    pub fn trial(
        &mut self,
        operation: Operation,
        warmups: u32,
        calls: u32,
        expected: Duration,
    ) -> Result<Trial, SessionError> {
        let request = Request::Trial(loop_of(operation, warmups, calls, expected));
        let started = Instant::now();
        let response = self.ask(&request, self.predicted(operation, expected))?;
        let trial = as_trial(&request, response, calls)?;
        let source = self.introduction.hello.counter.source;
        if let Some(reason) = plausible::contradiction(&trial, source, operation.is_step()) {
            return Err(Spoiled::Nonsense(reason).into());
        }
        self.learn(started.elapsed(), &trial, warmups);
        Ok(plausible::on_finest_clock(trial, source))
    }

    /// A bracket around each of `calls` calls: their counts, net of the empty call.
    ///
    /// # Errors
    ///
    /// What the target did instead, or an interruption.
    pub fn samples(
        &mut self,
        operation: Operation,
        warmups: u32,
        calls: u32,
        expected: Duration,
    ) -> Result<Vec<u64>, SessionError> {
        let request = Request::Samples(loop_of(operation, warmups, calls, expected));
        self.sampled(&request, calls, self.predicted(operation, expected))
    }

    /// Asks for as many samples as there are calls.
    fn sampled(
        &mut self,
        request: &Request,
        calls: u32,
        patience: Patience,
    ) -> Result<Vec<u64>, SessionError> {
        let mut answer = Samples::new(calls);
        self.exchange.ask(request, patience, &mut answer)?;
        match answer.other.take() {
            None => Ok(answer.into_samples()),
            Some(other) => Err(unexpected(request, Some(other))),
        }
    }

    /// Memory of one call, on a stack filled with `pattern`.
    ///
    /// # Errors
    ///
    /// What the target did instead, or an interruption.
    pub fn memory(
        &mut self,
        operation: Operation,
        pattern: u64,
    ) -> Result<MemoryUse, SessionError> {
        let request = Request::Memory { operation, pattern };
        match self.ask(&request, self.unpredicted())? {
            Response::Memory(used) => Ok(used),
            other => Err(unexpected(&request, Some(other))),
        }
    }

    /// Lets the meter acknowledge and switch itself off, then ends it in any case.
    pub fn bye(mut self) -> Farewell {
        let mut answer = Single::default();
        let patience = Patience {
            answer: Duration::ZERO,
            deadline: Duration::from_secs(5).min(self.options.slack),
            on_target: None,
            ..self.unpredicted()
        };
        // The results are at home; a meter that does not even say goodbye is ended all the same.
        let polite = self
            .exchange
            .ask(&Request::Bye, patience, &mut answer)
            .is_ok();
        self.end(match polite {
            true => Duration::from_secs(2),
            false => Duration::ZERO,
        })
    }

    /// Ends the meter at once.
    pub fn abandon(self) -> Farewell {
        self.abandon_after(Duration::ZERO)
    }

    /// Ends the meter if it does not end by itself within this time, as after the report of a fault.
    pub fn abandon_after(self, grace: Duration) -> Farewell {
        self.end(grace)
    }

    fn end(self, grace: Duration) -> Farewell {
        let traffic = self.exchange.traffic;
        let mut life = self.exchange.running.life;
        life.stop(grace);
        Farewell {
            traffic,
            output: life.output(),
            exit_code: life.exit_code(),
        }
    }

    fn ask(&mut self, request: &Request, patience: Patience) -> Result<Response, SessionError> {
        let mut answer = Single::default();
        self.exchange.ask(request, patience, &mut answer)?;
        answer.0.ok_or_else(|| unexpected(request, None))
    }

    /// Patience with what nobody can predict.
    fn unpredicted(&self) -> Patience {
        Patience {
            answer: self.options.unpredicted_answer,
            resend: self.options.resend,
            deadline: self
                .options
                .unpredicted
                .saturating_mul(2)
                .saturating_add(self.options.slack),
            on_target: Some(self.on_target(self.options.unpredicted)),
            wall_per_target: self.options.wall_per_target,
            slack: self.options.slack,
        }
    }

    /// The host's deadline for calls that are expected to take this long.
    pub fn deadline(&self, operation: Operation, expected: Duration) -> Duration {
        self.predicted(operation, expected).deadline
    }

    /// What a time on the wall usually is on the target's clock.
    fn on_target(&self, wall: Duration) -> Duration {
        scale(wall, 1.0 / self.options.usual_wall_per_target)
    }

    /// Patience with calls that are expected to take this long on the target's clock, after a
    /// set-up that takes no longer than it did with the calibration: several times both, and the
    /// slack.
    fn predicted(&self, operation: Operation, expected: Duration) -> Patience {
        let setup = self
            .setups
            .iter()
            .rev()
            .find(|(known, _)| *known == operation)
            .map_or(self.options.unpredicted, |(_, wall)| *wall);
        let wall = scale(expected, self.options.wall_per_target).saturating_add(setup);
        Patience {
            answer: wall,
            resend: self.options.resend,
            deadline: wall
                .saturating_mul(PATIENCE_FACTOR)
                .saturating_add(self.options.slack),
            on_target: Some(
                expected
                    .saturating_add(self.on_target(setup))
                    .saturating_mul(PATIENCE_FACTOR)
                    .saturating_add(TARGET_SLACK),
            ),
            wall_per_target: self.options.wall_per_target,
            slack: self.options.slack,
        }
    }

    /// Learns how much slower the target's clock is than the wall's; never less than what the
    /// system itself is known for, so that one lucky trial does not tighten deadlines.
    fn learn(&mut self, wall: Duration, trial: &Trial, warmups: u32) {
        let bracket = Duration::from_nanos(trial.nanoseconds);
        if bracket < SHORTEST_FOR_RATIO || trial.calls == 0 {
            return;
        }
        let all_calls = f64::from(trial.calls) + f64::from(warmups);
        let target = bracket.as_secs_f64() * all_calls / f64::from(trial.calls);
        let ratio = wall.as_secs_f64() / target;
        self.options.wall_per_target = self.options.wall_per_target.max(ratio);
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// What a loop of calls is asked by.
fn loop_of(operation: Operation, warmups: u32, calls: u32, expected: Duration) -> Loop {
    Loop {
        operation,
        warmups,
        calls,
        expected_nanoseconds: nanoseconds(expected),
    }
}

/// The trial in a response, which must be of as many calls as were asked for.
fn as_trial(request: &Request, response: Response, asked: u32) -> Result<Trial, SessionError> {
    match response {
        Response::Trial {
            calls,
            count,
            nanoseconds,
            sweeps,
        } if calls == asked => Ok(Trial {
            calls,
            count,
            nanoseconds,
            sweeps,
        }),
        Response::Trial { calls, .. } => {
            Err(Spoiled::Nonsense(format!("a trial of {calls} calls instead of {asked}")).into())
        }
        other => Err(unexpected(request, Some(other))),
    }
}

/// The error that a response is which does not answer the request.
fn unexpected(request: &Request, response: Option<Response>) -> SessionError {
    match response {
        Some(Response::Failed(failure)) => Spoiled::Failed(failure).into(),
        Some(Response::Refused(reason)) => SessionError::Refused {
            request: format!("{request:?}"),
            reason: reason.to_string(),
        },
        other => Spoiled::Nonsense(format!("{other:?} as an answer to {request:?}")).into(),
    }
}
