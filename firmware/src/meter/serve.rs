//! Answering the host, one request after the other.

use core::cell::RefCell;

use spin::Mutex;
use wire::{
    CounterSource, FaultKind, Hello, KatFile, Loop, Operation, Request, Response,
    SAMPLES_PER_BLOCK, Sizes,
};

use crate::abi;
use crate::board::{self, Line, MeasuringStack};
use crate::cpu::events::Counters;
use crate::cpu::{Call, counter};
use crate::meter::cold::Cold;
use crate::meter::events::{self, EventCounters};
use crate::meter::fault;
use crate::meter::instance::Instance;
use crate::meter::link::{Asked, Link};
use crate::meter::log::info;
use crate::meter::measure::Subject;
use crate::meter::result::{self, Held, Unanswered, refused};
use crate::meter::text::{Blocks, Digested};

/// Samples of one request at most: the iterations that the published plan allows in one trial.
pub const MAX_SAMPLES: usize = 20_000;

/// The samples of the result that is held.
static SAMPLES: Mutex<[u64; MAX_SAMPLES]> = Mutex::new([0; MAX_SAMPLES]);

/// Loops expected to take longer than this are announced before they start.
const ANNOUNCE_NANOSECONDS: u64 = 100_000_000;

/// How often the host hears of progress, on the board's clock.
const PROGRESS_NANOSECONDS: u64 = 500_000_000;

/// The meter: an instance, the stack it runs on, and what is held for the host.
struct Meter<'a, L: Line, I: Instance> {
    link: Link<L>,
    hello: Hello,
    /// What the instance said of its sizes.
    sizes: Option<Sizes>,
    stack: MeasuringStack,
    instance: I,
    samples: &'a mut [u64; MAX_SAMPLES],
    /// What makes calls cold, once it was asked for.
    cold: Option<Cold>,
    counters: Counters,
    held: Option<(u16, Held)>,
}

/// What one request measures, and what it needs for that.
struct Measured<'a, I: Instance> {
    subject: Subject<'a, I>,
    stack: &'a mut MeasuringStack,
    samples: &'a mut [u64],
    cold: &'a mut Option<Cold>,
    counters: &'a mut Counters,
}

/// Tells the host how far a known-answer file has come, which also says that all is well.
///
/// The deadline begins anew with every word of it, on the host as well.
fn progress<L: Line>(
    link: &RefCell<&mut Link<L>>,
    number: u16,
    deadline: Option<u64>,
) -> impl FnMut(u32, u32) {
    let mut last = board::nanoseconds();
    move |done, total| {
        let now = board::nanoseconds();
        if now - last >= PROGRESS_NANOSECONDS {
            last = now;
            let response = Response::Progress { done, total };
            link.borrow_mut().send(number, 0, &response);
            board::set_deadline(deadline);
        }
    }
}

/// Answers requests until the host says goodbye or the line is gone.
pub fn serve<L: Line, I: Instance>(line: L, hello: Hello, stack: MeasuringStack, instance: I) {
    let mut samples = SAMPLES.lock();
    let mut meter = Meter {
        link: Link::new(line),
        sizes: hello.sizes,
        cold: None,
        counters: Counters::new(hello.counter.source),
        hello,
        stack,
        instance,
        samples: &mut samples,
        held: None,
    };
    info!("ready: {}", meter.hello.label.as_str());
    while let Some(asked) = meter.link.receive() {
        match asked.request {
            Request::Bye => {
                meter.link.send(asked.number, 0, &Response::Goodbye);
                return;
            }
            Request::Release { request } => {
                meter.held.take_if(|(number, _)| *number == request);
                meter.link.send(asked.number, 0, &Response::Released);
            }
            Request::Block { request, block } => meter.resend(asked.number, request, block),
            _ => meter.answer(&asked),
        }
    }
}

impl<L: Line, I: Instance> Meter<'_, L, I> {
    /// Answers a request: from what is held if it is a repetition. A host that has just begun repeats
    /// nothing, whatever its number.
    fn answer(&mut self, asked: &Asked) {
        let is_new = asked.request == Request::Hello;
        if is_new || !matches!(&self.held, Some((number, _)) if *number == asked.number) {
            board::set_deadline(asked.deadline_nanoseconds);
            let result = self.perform(asked);
            board::set_deadline(None);
            let counts = self.hello.counter.source != CounterSource::Missing;
            if let Some(register) = counts.then(counter::changed).flatten() {
                fault::report_here(
                    FaultKind::Counter,
                    format_args!("{register} is not what the meter set"),
                );
            }
            fault::note(asked.number, None);
            self.held = Some((asked.number, result.unwrap_or_else(Held::from)));
        }
        let blocks = match &self.held {
            Some((_, Held::Samples(total))) => total.div_ceil(SAMPLES_PER_BLOCK),
            _ => 1,
        };
        for block in 0..blocks {
            self.send_held(asked.number, block as u16);
        }
    }

    /// Sends one block of the held result again, under the number of its own request.
    fn resend(&mut self, number: u16, request: u16, block: u16) {
        if matches!(&self.held, Some((held, _)) if *held == request) {
            self.send_held(request, block);
        } else {
            let response = refused("no result is held for this request");
            self.link.send(number, 0, &response);
        }
    }

    fn send_held(&mut self, request: u16, block: u16) {
        match &self.held {
            Some((_, Held::One(response))) => self.link.send(request, block, response),
            Some((_, Held::Samples(total))) => {
                let response = result::sample_block(&self.samples[..*total], block);
                self.link.send(request, block, &response);
            }
            None => {}
        }
    }

    /// Does what is asked, which takes as long as it takes.
    fn perform(&mut self, asked: &Asked) -> Result<Held, Unanswered> {
        match &asked.request {
            Request::Hello => Ok(Held::One(Response::Hello(self.hello.clone()))),
            Request::Sizes => {
                fault::note(asked.number, None);
                let sizes = self.instance.sizes(&mut self.stack)?;
                self.sizes = Some(sizes);
                Ok(Held::One(Response::Sizes(sizes)))
            }
            Request::Messages => {
                fault::note(asked.number, None);
                let lengths = self.instance.messages(&mut self.stack)?;
                Ok(Held::One(Response::Messages(lengths)))
            }
            Request::Kat => {
                fault::note(asked.number, None);
                let report = self.instance.first_record(&mut self.stack)?;
                Ok(Held::One(Response::Kat(report)))
            }
            Request::Digest {
                file,
                first_records,
            } => self.digest(asked, *file, *first_records),
            Request::Text { file, from } => self.text(asked, *file, *from),
            Request::Trial(plan) => self.trial(asked.number, plan),
            Request::Samples(plan) => self.sample(asked.number, plan),
            Request::Profile(plan) => self.profile(asked.number, plan),
            Request::Events { plan, pass } => self.events(asked.number, plan, *pass),
            Request::Conditions => Ok(Held::One(Response::Conditions(board::conditions()))),
            Request::ColdSequence => {
                fault::note(asked.number, None);
                let sequence = Cold::once(&mut self.cold, &mut self.stack)?.sequence;
                Ok(Held::One(Response::ColdSequence(sequence)))
            }
            Request::Cold(plan) => self.cold(asked.number, plan),
            Request::Memory { operation, pattern } => {
                self.memory_use(asked.number, *operation, *pattern)
            }
            Request::Block { .. } | Request::Release { .. } | Request::Bye => {
                Err(Unanswered::Refused("this is no measurement"))
            }
        }
    }

    /// Notes what happens now, tells the host if it will take long, and names the subject.
    fn begin(&mut self, number: u16, plan: &Loop) -> Result<Measured<'_, I>, Unanswered> {
        let operation = plan.operation;
        if self.hello.counter.source == CounterSource::Missing {
            return Err(Unanswered::Refused("there is no counter to measure with"));
        }
        let subject = match operation {
            Operation::Probe(probe) => {
                let call = Call::of_probe(probe);
                Subject::Probe(probe, call.ok_or(Unanswered::Refused("no such probe"))?)
            }
            _ if self.offers(operation) => Subject::Instance(&mut self.instance, operation),
            _ => return Err(Unanswered::Refused("the instance has no such operation")),
        };
        fault::note(number, Some(operation));
        if plan.expected_nanoseconds > ANNOUNCE_NANOSECONDS {
            let nanoseconds = plan.expected_nanoseconds;
            self.link.send(number, 0, &Response::Expect { nanoseconds });
        }
        Ok(Measured {
            subject,
            stack: &mut self.stack,
            samples: &mut self.samples[..],
            cold: &mut self.cold,
            counters: &mut self.counters,
        })
    }

    /// Whether the operation is one of the instance's category. How many passes a key exchange
    /// has is known from when its sizes were asked for.
    fn offers(&self, operation: Operation) -> bool {
        let passes = self.sizes.map_or(0, |sizes| sizes.passes);
        let operations = self.hello.category.operations(passes);
        operations.contains(&operation)
    }

    /// Regenerates a known-answer file for its digests.
    fn digest(&mut self, asked: &Asked, file: KatFile, first: u32) -> Result<Held, Unanswered> {
        fault::note(asked.number, None);
        let mut digested = Digested::new(first);
        let link = RefCell::new(&mut self.link);
        self.instance.known_answers(
            file,
            &mut self.stack,
            &mut digested,
            &mut progress(&link, asked.number, asked.deadline_nanoseconds),
        )?;
        Ok(Held::One(Response::Canonical(digested.report())))
    }

    /// Regenerates a known-answer file and sends its text as it comes.
    fn text(&mut self, asked: &Asked, file: KatFile, from: u32) -> Result<Held, Unanswered> {
        let (number, deadline) = (asked.number, asked.deadline_nanoseconds);
        fault::note(number, None);
        let link = RefCell::new(&mut self.link);
        let mut blocks = Blocks::new(from, |block| {
            link.borrow_mut().send(number, 0, &Response::Text(block));
            board::set_deadline(deadline);
        });
        self.instance.known_answers(
            file,
            &mut self.stack,
            &mut blocks,
            &mut progress(&link, number, deadline),
        )?;
        let (blocks, bytes) = blocks.finish();
        // A repetition of the request gets the end alone: it says whether anything is missing.
        Ok(Held::One(Response::TextEnd { blocks, bytes }))
    }

    fn trial(&mut self, number: u16, plan: &Loop) -> Result<Held, Unanswered> {
        self.is_for_timing()?;
        let Measured {
            mut subject, stack, ..
        } = self.begin(number, plan)?;
        let (total, sweeps) = subject.total(stack, plan.warmups, plan.calls)?;
        Ok(Held::One(Response::Trial {
            calls: plan.calls,
            count: total.count,
            nanoseconds: total.nanoseconds,
            sweeps,
        }))
    }

    fn events(&mut self, number: u16, plan: &Loop, pass: u32) -> Result<Held, Unanswered> {
        let chosen = events::events_of(&self.counters, pass);
        let Measured {
            mut subject,
            stack,
            counters,
            ..
        } = self.begin(number, plan)?;
        if !chosen.is_empty() {
            counters.choose(&chosen);
            subject.events(stack, plan.warmups, plan.calls, counters)?;
        }
        let report = events::report(counters, pass, &chosen, plan.calls);
        Ok(Held::One(Response::Events(report)))
    }

    fn sample(&mut self, number: u16, plan: &Loop) -> Result<Held, Unanswered> {
        self.is_for_timing()?;
        let overhead = self.hello.counter.overhead;
        let calls = samples_of(plan)?;
        let Measured {
            mut subject,
            stack,
            samples,
            ..
        } = self.begin(number, plan)?;
        subject.samples(stack, plan.warmups, overhead, &mut samples[..calls])?;
        Ok(Held::Samples(calls))
    }

    /// An image whose calls are counted is another program than the one that is timed.
    fn is_for_timing(&self) -> Result<(), Unanswered> {
        match abi::image().counts_calls {
            false => Ok(()),
            true => Err(Unanswered::Refused(
                "this image counts calls and is not for timing",
            )),
        }
    }

    fn profile(&mut self, number: u16, plan: &Loop) -> Result<Held, Unanswered> {
        if !abi::image().counts_calls {
            return Err(Unanswered::Refused("this image does not count calls"));
        }
        let Measured {
            mut subject, stack, ..
        } = self.begin(number, plan)?;
        let profile = subject.profile(stack, plan.warmups, plan.calls)?;
        Ok(Held::One(Response::Profile(profile)))
    }

    fn cold(&mut self, number: u16, plan: &Loop) -> Result<Held, Unanswered> {
        let calls = samples_of(plan)?;
        let Measured {
            mut subject,
            stack,
            samples,
            cold,
            ..
        } = self.begin(number, plan)?;
        let Cold { chiller, sequence } = Cold::once(cold, stack)?;
        let samples = &mut samples[..calls];
        subject.cold_samples(stack, plan.warmups, sequence.overhead, chiller, samples)?;
        Ok(Held::Samples(calls))
    }

    fn memory_use(
        &mut self,
        number: u16,
        operation: Operation,
        pattern: u64,
    ) -> Result<Held, Unanswered> {
        let once = Loop {
            operation,
            warmups: 0,
            calls: 1,
            expected_nanoseconds: 0,
        };
        let Measured {
            mut subject, stack, ..
        } = self.begin(number, &once)?;
        let memory = subject.memory_use(stack, pattern)?;
        Ok(Held::One(Response::Memory(memory)))
    }
}

/// Samples that a loop gives, one for each call.
fn samples_of(plan: &Loop) -> Result<usize, Unanswered> {
    match plan.calls as usize {
        calls @ 1..=MAX_SAMPLES => Ok(calls),
        _ => Err(Unanswered::Refused("no memory for this many samples")),
    }
}
