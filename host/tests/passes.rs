//! Passes beside the trials, with meters that are made up: clocks that fall, events in several
//! passes, cold calls, and answers that cannot be.

mod support;

use std::sync::{Arc, Mutex};

use host::measure::{self, Attempt, PATIENCE, Settings, Step};
use host::measurement::Spoiled;
use host::record::plan::PlanSettings;
use host::session::Session;
use support::fake_meter::{
    Act, COLD_SEQUENCE, EVENT_PASSES, Script, cold_samples, events, hello, impatient, open, start,
};
use wire::{CounterSource, Event, EventReading, Operation, Request, Response};

/// Calls in a trial of the plan below: one takes 50 µs on the fake's clock.
const CALLS: u32 = 400;

fn session(source: CounterSource, frequency_hz: Option<u64>, script: Script) -> Session {
    let mut hello = hello();
    hello.counter.source = source;
    hello.counter.frequency_hz = frequency_hz;
    open(start(hello, script), impatient()).unwrap()
}

fn attempt(session: &mut Session, operation: Operation, cold: bool) -> (Attempt, Vec<Step>) {
    let settings = Settings {
        plan: PlanSettings {
            trial_target_seconds: 0.02,
            ..PlanSettings::default()
        },
        patience: PATIENCE,
        cold,
    };
    let mut steps = Vec::new();
    let attempt = measure::operation(session, operation, &settings, &mut |step| steps.push(step));
    (attempt.unwrap(), steps)
}

/// A meter whose trials run at these clocks, in GHz, one after the other, and then at 2 GHz.
fn at_clocks(clocks: Vec<f64>) -> (Script, Arc<Mutex<u32>>) {
    let mut clocks = clocks.into_iter();
    let trials = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&trials);
    let script = move |_: u16, request: &Request| match request {
        Request::Trial(plan) if plan.calls > 1 => {
            *counted.lock().unwrap() += 1;
            let nanoseconds = u64::from(plan.calls) * 50_000;
            Act::Instead(Box::new(Response::Trial {
                calls: plan.calls,
                count: (clocks.next().unwrap_or(2.0) * nanoseconds as f64) as u64,
                nanoseconds,
                sweeps: wire::Sweeps::default(),
            }))
        }
        _ => Act::Answer,
    };
    (Box::new(script), trials)
}

/// Trials that were repeated, all trials that ran, and the clocks of those that were kept.
fn disturbed(
    source: CounterSource,
    frequency_hz: Option<u64>,
    operation: Operation,
    clocks: &[f64],
) -> (u64, u32, Vec<f64>) {
    let (script, trials) = at_clocks(clocks.to_vec());
    let mut session = session(source, frequency_hz, script);
    let (attempt, _) = attempt(&mut session, operation, false);
    let kept = attempt.outcome.unwrap().trials;
    let clock = |trial: &host::measurement::Trial| trial.count as f64 / trial.nanoseconds as f64;
    let ran = *trials.lock().unwrap();
    (
        attempt.disturbed_retries,
        ran,
        kept.iter().map(clock).collect(),
    )
}

#[test]
fn trials_in_which_the_clock_fell_are_repeated_even_when_the_first_is_the_slow_one() {
    let clocks = [1.8, 2.0, 1.85, 2.0, 2.0];
    let (retries, ran, kept) = disturbed(CounterSource::PerfEvent, None, Operation::Enc, &clocks);
    assert_eq!((retries, ran, kept), (2, 7, vec![2.0; 5]));
}

#[test]
fn a_clock_that_stays_low_is_repeated_twice_and_kept() {
    let clocks = [2.0, 1.0, 2.0, 2.0, 2.0, 1.1, 1.2];
    let (retries, ran, kept) = disturbed(CounterSource::Pmccntr, None, Operation::Enc, &clocks);
    assert_eq!((retries, ran), (2, 7));
    assert_eq!(kept, [2.0, 1.2, 2.0, 2.0, 2.0]);
}

#[test]
fn a_stated_frequency_is_the_reference_from_the_first_trial_on() {
    let slow = [1.0; 15];
    let stated = Some(2_000_000_000);
    let (retries, ran, kept) = disturbed(CounterSource::Pmccntr, stated, Operation::Enc, &slow);
    assert_eq!((retries, ran, kept), (10, 15, vec![1.0; 5]));
    // Without one, a clock that is the same all the time is as good as any.
    let (retries, ran, _) = disturbed(CounterSource::Pmccntr, None, Operation::Enc, &slow);
    assert_eq!((retries, ran), (0, 5));
}

#[test]
fn where_no_cycles_are_counted_nothing_is_disturbed() {
    let clocks = [1.0, 2.0, 2.0, 2.0, 2.0];
    let stated = Some(2_000_000_000);
    let (retries, ran, _) = disturbed(CounterSource::Tsc, stated, Operation::Enc, &clocks);
    assert_eq!((retries, ran), (0, 5));
}

#[test]
fn a_count_that_its_own_clock_contradicts_is_no_measurement() {
    // A submission that runs at the level of the firmware can write to the counter.
    for clock in [0.0, 0.97, 1e9] {
        let (script, trials) = at_clocks(vec![clock]);
        let mut session = session(CounterSource::Icount, None, script);
        let (attempt, _) = attempt(&mut session, Operation::Enc, false);
        let unfinished = attempt.outcome.unwrap_err();
        let said = unfinished.spoiled.to_string();
        assert!(said.contains("may have changed the counter"), "{said}");
        assert_eq!(*trials.lock().unwrap(), 1);
    }
}

#[test]
fn events_come_in_as_many_passes_as_the_meter_needs() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    let script = move |_: u16, request: &Request| {
        if let Request::Events { plan, pass } = request {
            noted.lock().unwrap().push((*pass, plan.calls));
        }
        Act::Answer
    };
    let mut session = session(CounterSource::Pmccntr, None, Box::new(script));
    let (attempt, steps) = attempt(&mut session, Operation::Enc, false);
    let measured = attempt.outcome.unwrap();
    let passes: Vec<_> = (0..EVENT_PASSES).map(|pass| (pass, CALLS)).collect();
    assert_eq!(*asked.lock().unwrap(), passes);
    assert_eq!(measured.events.len(), Event::ALL.len());
    for total in &measured.events {
        let expected = match total.event {
            Event::BackendStalls => EventReading::NotAvailable,
            Event::L1dAccesses => EventReading::Overflowed,
            _ => EventReading::Count(CALLS.into()),
        };
        assert_eq!((total.calls, total.reading), (CALLS, expected));
    }
    assert_eq!(measured.cold, None);
    assert!(!steps.contains(&Step::Cold));
}

#[test]
fn cold_calls_are_measured_when_they_are_asked_for_and_never_more_than_100() {
    let honest = |_: u16, _: &Request| Act::Answer;
    let mut session = session(CounterSource::Pmccntr, None, Box::new(honest));
    let (attempt, steps) = attempt(&mut session, Operation::Enc, true);
    let cold = attempt.outcome.unwrap().cold.unwrap();
    assert_eq!(cold.samples, cold_samples(100));
    assert_eq!(cold.sequence, COLD_SEQUENCE);
    assert!(steps.contains(&Step::Cold));
}

/// What becomes of an operation when the first pass over events is answered like this.
fn with_events(change: impl Fn(&mut wire::EventPass) + Send + 'static) -> Spoiled {
    let script = move |_: u16, request: &Request| match request {
        Request::Events { plan, pass } => {
            let mut pass = events(plan.calls, *pass);
            change(&mut pass);
            Act::Instead(Box::new(Response::Events(pass)))
        }
        _ => Act::Answer,
    };
    let mut session = session(CounterSource::Pmccntr, None, Box::new(script));
    attempt(&mut session, Operation::Enc, false)
        .0
        .outcome
        .unwrap_err()
        .spoiled
}

#[test]
fn events_that_cannot_be_are_nonsense() {
    for (spoiled, word) in [
        (with_events(|pass| pass.passes = 0), "0 passes"),
        (with_events(|pass| pass.passes = 1000), "1000 passes"),
        (with_events(|pass| pass.calls = 7), "7 calls"),
        (with_events(|pass| pass.calls = 0), "of no call"),
        (with_events(|pass| pass.readings.clear()), "told 0 times"),
    ] {
        let Spoiled::Nonsense(words) = spoiled else {
            panic!("{spoiled:?}");
        };
        assert!(words.contains(word), "{words}");
    }
}
