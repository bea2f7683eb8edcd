//! One image on one system: its known answers, then every operation, whatever happens in between.

use std::time::{Duration, Instant};

use catalogue::Instance;
use wire::{Category, Operation};

use super::phase::Phase;
use super::{Layouts, Reporter};
use crate::image::Image;
use crate::interrupt::{Interrupt, Urgency};
use crate::measure::{self, Attempt, KatError};
use crate::measurement::{KatOutcome, Spoiled, Traffic};
use crate::outcome::Outcome;
use crate::project::Project;
use crate::record::assemble::{Occasion, Subject};
use crate::record::environment::load_average;
use crate::record::plan::CALIBRATION;
use crate::record::schema::{Record, UtcTime};
use crate::session::{LogLine, Options, Session, SessionError, keep_spoiled};
use crate::system::{Output, System};

/// How often a meter that does not come up is started for one operation.
const STARTS: u32 = 2;

/// How often something is done again because the line broke before it was done.
const LINES: u64 = 3;

/// Everything that measuring one image takes.
pub struct Bench<'a> {
    /// The workspace, which holds the digests of verified answers.
    pub project: &'a Project,
    /// Where the image runs.
    pub system: &'a dyn System,
    /// The image.
    pub image: &'a Image,
    /// The instance inside, where it is known.
    pub instance: Option<&'a Instance>,
    /// How often operations are called.
    pub settings: measure::Settings,
    /// What was measured on images of other layouts.
    pub layouts: &'a Layouts,
    /// Ctrl-C.
    pub interrupt: &'a Interrupt,
    /// Who is told how far things are.
    pub reporter: &'a Reporter,
}

/// Keeps a record.
pub type Keep<'a> = dyn FnMut(&Record) -> miette::Result<()> + 'a;

impl Bench<'_> {
    /// Measures these operations; each record is handed over as soon as it is complete. `session`
    /// is the one of the known-answer test, if it is good for more.
    ///
    /// # Errors
    ///
    /// What is neither the target's doing nor the user's wish.
    pub fn measure(
        &self,
        operations: &[Operation],
        subject: &Subject,
        session: Option<Session>,
        keep: &mut Keep,
    ) -> miette::Result<Outcome> {
        match self.measure_all(operations, subject, session, keep) {
            Err(error) if is_interruption(&error) => Ok(Outcome::Interrupted),
            Ok(_) if self.interrupt.urgency() > Urgency::None => Ok(Outcome::Interrupted),
            result => result,
        }
    }

    fn measure_all(
        &self,
        operations: &[Operation],
        subject: &Subject,
        mut session: Option<Session>,
        keep: &mut Keep,
    ) -> miette::Result<Outcome> {
        let name = format!("{}/{}", subject.candidate, subject.label);
        let kat = subject.kat.as_ref();
        let mut worst = kat.map_or(Outcome::Clean, KatOutcome::outcome);
        for operation in operations {
            if self.interrupt.urgency() > Urgency::None {
                break;
            }
            let (record, spoiled) = self.measured(&mut session, *operation, subject)?;
            keep(&record)?;
            self.reporter.record(&name, &record);
            if let Some(spoiled) = spoiled {
                worst = worst.max(spoiled.outcome());
            }
        }
        session.map(Session::bye);
        Ok(worst)
    }

    /// Measures one operation, again when the line broke before it was done. `session` is one to go
    /// on with, if there is any.
    fn measured(
        &self,
        session: &mut Option<Session>,
        operation: Operation,
        subject: &Subject,
    ) -> Result<(Record, Option<Spoiled>), SessionError> {
        let mut before = Traffic::default();
        loop {
            let started = match session.take() {
                Some(session) => Ok(session),
                None => keep_spoiled(self.restart())?,
            };
            let (record, spoiled) = match started {
                Ok(mut running) => {
                    let start = running.traffic();
                    let (record, spoiled) =
                        self.operation(&mut running, operation, subject, before)?;
                    before = before.and(running.traffic().since(start));
                    // What the submission has touched is not trusted any more.
                    match &spoiled {
                        None => *session = Some(running),
                        Some(spoiled) => end(running, spoiled),
                    }
                    (record, spoiled)
                }
                Err(spoiled) => (self.lost(operation, subject, &spoiled), Some(spoiled)),
            };
            match &spoiled {
                Some(spoiled)
                    if spoiled.is_of_the_line()
                        && before.lost_lines < LINES
                        && self.interrupt.urgency() == Urgency::None =>
                {
                    before.lost_lines += 1;
                    let name = format!("{}/{}", subject.candidate, subject.label);
                    let words = format!("{operation} is measured again: {spoiled}");
                    self.reporter.remark(&name, &words);
                }
                _ => return Ok((record, spoiled)),
            }
        }
    }

    /// Runs the known-answer test: starts the meter and notes what it says of itself and what it
    /// answers; returns the session, if it is good for more. A meter that does not come up has
    /// failed its test.
    ///
    /// # Errors
    ///
    /// What is neither the target's doing nor the user's wish.
    pub fn known_answer(&self, subject: &mut Subject) -> Result<Option<Session>, KatError> {
        for _ in 0..LINES {
            let session = self.known_answer_once(subject)?;
            match &subject.kat {
                Some(KatOutcome::Spoiled(spoiled)) if spoiled.is_of_the_line() => {
                    let name = format!("{}/{}", subject.candidate, subject.label);
                    let words = format!("known answers are computed again: {spoiled}");
                    self.reporter.remark(&name, &words);
                }
                _ => return Ok(session),
            }
        }
        self.known_answer_once(subject)
    }

    fn known_answer_once(&self, subject: &mut Subject) -> Result<Option<Session>, KatError> {
        let name = format!("{}/{}", subject.candidate, subject.label);
        self.reporter.doing(Phase::Kat, &name, "");
        let mut session = match keep_spoiled(self.start())? {
            Ok(session) => session,
            Err(spoiled) => {
                subject.kat = Some(KatOutcome::Spoiled(spoiled));
                return Ok(None);
            }
        };
        subject.hello = Some(session.introduction().hello.clone());
        match keep_spoiled(session.sizes())? {
            Ok(sizes) => subject.sizes = sizes,
            Err(spoiled) => {
                end(session, &spoiled);
                subject.kat = Some(KatOutcome::Spoiled(spoiled));
                return Ok(None);
            }
        }
        let Some(instance) = self.instance else {
            return Ok(Some(session));
        };
        let outcome = measure::known_answer(&mut session, instance, &self.project.root)?;
        let spoiled = match &outcome {
            KatOutcome::Spoiled(spoiled) => Some(spoiled.clone()),
            _ if instance.category == Category::Kex => match keep_spoiled(session.messages())? {
                Ok(messages) => {
                    subject.messages = Some(messages);
                    None
                }
                Err(spoiled) => Some(spoiled),
            },
            _ => None,
        };
        subject.kat = Some(outcome);
        Ok(match spoiled {
            None => Some(session),
            Some(spoiled) => {
                end(session, &spoiled);
                None
            }
        })
    }

    /// Starts the meter of an image whose known answers need not be computed: what it says of
    /// itself, its sizes and its messages are noted.
    ///
    /// # Errors
    ///
    /// What the target did instead, or an interruption.
    pub fn acquaint(&self, subject: &mut Subject) -> Result<Session, SessionError> {
        let mut session = self.start()?;
        subject.hello = Some(session.introduction().hello.clone());
        subject.sizes = session.sizes()?;
        if session.introduction().hello.category == Category::Kex {
            subject.messages = Some(session.messages()?);
        }
        Ok(session)
    }

    /// Starts the image; one that does not come up gets a second try.
    ///
    /// # Errors
    ///
    /// What the target did instead, or an interruption.
    pub fn start(&self) -> Result<Session, SessionError> {
        let mut last = None;
        for _ in 0..STARTS {
            let options = Options {
                unpredicted: self.settings.patience,
                ..Options::for_system(self.system, self.interrupt)
            };
            let reporter = self.reporter.clone();
            let sink = Box::new(move |line: LogLine| reporter.log(&line));
            match Session::start(self.system, self.image, sink, options) {
                Err(SessionError::Spoiled(spoiled)) => last = Some(spoiled),
                result => return result,
            }
        }
        Err(SessionError::Spoiled(last.unwrap_or(Spoiled::Deadline(0))))
    }

    /// Starts the image for operations, after another meter has run the known-answer test: how many
    /// passes a key exchange has is not known to a meter that was not asked for its sizes.
    pub(super) fn restart(&self) -> Result<Session, SessionError> {
        let mut session = self.start()?;
        if session.introduction().hello.category == Category::Kex {
            session.sizes()?;
        }
        Ok(session)
    }

    /// Measures one operation. What happened on the line `before`, when it was measured in vain, is
    /// counted in.
    fn operation(
        &self,
        session: &mut Session,
        operation: Operation,
        subject: &Subject,
        before: Traffic,
    ) -> Result<(Record, Option<Spoiled>), SessionError> {
        let name = format!("{}/{} {operation}", subject.candidate, subject.label);
        let started = UtcTime::now();
        let load_start = self.load();
        let clock = Instant::now();
        let traffic = session.traffic();
        let output = session.output();
        let attempt = measure::operation(session, operation, &self.settings, &mut |step| {
            self.reporter
                .doing(Phase::of(step), &name, &Phase::detail(step));
        })?;
        let Attempt {
            plan,
            mut outcome,
            disturbed_retries,
        } = attempt;
        if let Ok(measurement) = &mut outcome {
            let layouts = self.layouts.get(&operation);
            measurement.layouts = layouts.cloned().unwrap_or_default();
        }
        let expected = Duration::from_secs_f64(plan.estimated_seconds.max(0.0));
        let occasion = Occasion {
            started,
            ended: UtcTime::now(),
            load_start,
            load_end: self.load(),
            wall_seconds: clock.elapsed().as_secs_f64(),
            timeout_seconds: session.deadline(operation, expected).as_secs_f64(),
            command: session.command().to_vec(),
            exit_code: session.exit_code(),
            traffic: before.and(session.traffic().since(traffic)),
            output: session.output().since(&output),
            disturbed_retries,
        };
        let record = Record::assemble(subject, &occasion, operation, &plan, &outcome);
        Ok((record, outcome.err().map(|unfinished| unfinished.spoiled)))
    }

    /// Load of the machine that is measured on; another one is not asked while it measures.
    fn load(&self) -> Option<[f64; 3]> {
        match self.system.remote() {
            None => load_average(),
            Some(_) => None,
        }
    }

    /// The record of an operation for which no meter came up.
    fn lost(&self, operation: Operation, subject: &Subject, spoiled: &Spoiled) -> Record {
        let now = UtcTime::now();
        let load = self.load();
        let occasion = Occasion {
            started: now.clone(),
            ended: now,
            load_start: load,
            load_end: load,
            wall_seconds: 0.0,
            timeout_seconds: Options::for_system(self.system, self.interrupt)
                .boot
                .as_secs_f64(),
            command: Vec::new(),
            exit_code: None,
            traffic: Traffic::default(),
            output: Output::default(),
            disturbed_retries: 0,
        };
        let outcome = Err(spoiled.clone().into());
        Record::assemble(subject, &occasion, operation, &CALIBRATION, &outcome)
    }
}

/// Ends a session in which something went wrong.
pub(super) fn end(session: Session, spoiled: &Spoiled) {
    if spoiled.meter_is_well() {
        session.bye();
    } else {
        session.abandon();
    }
}

/// Whether the error is the user's wish for an end at once.
pub fn is_interruption(error: &miette::Report) -> bool {
    let session = match error.downcast_ref() {
        Some(KatError::Session(session)) => Some(session),
        _ => error.downcast_ref(),
    };
    matches!(session, Some(SessionError::Interrupted))
}
