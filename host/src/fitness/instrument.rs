//! What a system's meter shows of it: that it starts, and that known work counts alike.

use std::time::Duration;

use wire::{Operation, Probe, Unit};

use super::{Finding, Fitness};
use crate::image::Image;
use crate::interrupt::Interrupt;
use crate::measurement::Trial;
use crate::session::{Options, Session, SessionError};
use crate::system::System;
use crate::table::format;

/// Instructions of the work that is repeated: a millisecond or less on every core of today.
const LENGTH: u32 = 1_000_000;

/// Calls in one trial.
const CALLS: u32 = 4;

/// Trials in one start of the meter.
const TRIALS: usize = 10;

/// Starts of a meter whose counts must repeat from one to the next.
const STARTS: usize = 2;

/// By how much the median of times of the same work may exceed the least.
const UNSTEADY: f64 = 1.05;

/// Starts the meter, counts known work with it, and adds what that shows.
///
/// # Errors
///
/// When the meter cannot be started, or is not what it should be.
pub fn examine(
    system: &dyn System,
    image: &Image,
    interrupt: &Interrupt,
    fitness: &mut Fitness,
) -> Result<(), SessionError> {
    let mut trials = Vec::new();
    let mut unit = Unit::Ticks;
    for _ in 0..STARTS {
        let options = Options::for_system(system, interrupt);
        let mut session = Session::start(system, image, Box::new(|_| {}), options)?;
        let counter = &session.introduction().hello.counter;
        unit = counter.source.unit();
        if trials.is_empty() {
            fitness.remarks.push(format!(
                "the meter counts {}: {}",
                unit.heading(),
                counter.note
            ));
        }
        let sled = Operation::Probe(Probe::Sled(LENGTH));
        for _ in 0..TRIALS {
            trials.push(session.trial(sled, 1, CALLS, Duration::from_secs(1))?);
        }
        session.bye();
    }
    match unit {
        Unit::Instructions => repeats(&trials, fitness),
        Unit::Cycles | Unit::Ticks | Unit::TimerTicks => takes_the_same_time(&trials, fitness),
    }
    Ok(())
}

/// Counts of an emulator are the same each time, to the last one.
fn repeats(trials: &[Trial], fitness: &mut Fitness) {
    let mut counts: Vec<u64> = trials.iter().map(|trial| trial.count).collect();
    counts.sort_unstable();
    counts.dedup();
    let words = format!(
        "{} trials of {CALLS} times {LENGTH} instructions over {STARTS} starts",
        trials.len()
    );
    match counts[..] {
        [count] => fitness.remarks.push(format!(
            "counts repeat: each of {words} counted {count}, {} of them for the calls around it",
            count.saturating_sub(u64::from(CALLS) * u64::from(LENGTH))
        )),
        [] => {}
        [least, .., most] => fitness.findings.push(
            Finding::new(
                "counts of the same instructions differ",
                "use another QEMU (`cargo host setup` installs the distribution's)",
            )
            .because(words, format!("{least} to {most}")),
        ),
    }
}

/// The same work takes the same time, nearly.
fn takes_the_same_time(trials: &[Trial], fitness: &mut Fitness) {
    let mut seconds: Vec<f64> = trials
        .iter()
        .map(|trial| trial.nanoseconds as f64 / 1e9)
        .collect();
    seconds.sort_by(f64::total_cmp);
    let (Some(least), Some(most)) = (seconds.first(), seconds.last()) else {
        return;
    };
    let median = seconds[seconds.len() / 2];
    let what = format!("the same work, {} times", seconds.len());
    let took = format!(
        "{} to {}, median {:.3} of the least",
        format::seconds(*least),
        format::seconds(*most),
        median / least
    );
    if median <= UNSTEADY * least {
        return fitness.remarks.push(format!("{what}, took {took}"));
    }
    fitness.findings.push(
        Finding::new(
            "the same work takes another time each time",
            "give the clock a fixed frequency and the core to the meter alone; on a virtual \
             machine, no command mends that",
        )
        .because(what, took),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(
        judge: fn(&[Trial], &mut Fitness),
        trials: impl IntoIterator<Item = (u64, u64)>,
    ) -> String {
        let trials: Vec<Trial> = trials
            .into_iter()
            .map(|(count, nanoseconds)| Trial {
                calls: CALLS,
                count,
                nanoseconds,
                sweeps: wire::Sweeps::default(),
            })
            .collect();
        let mut fitness = Fitness {
            system: "a".into(),
            purpose: "b".into(),
            findings: Vec::new(),
            remarks: Vec::new(),
        };
        judge(&trials, &mut fitness);
        super::super::words::report(&fitness)
    }

    #[test]
    fn counts_of_an_emulator_are_the_same_or_a_finding() {
        insta::assert_snapshot!(judged(repeats, [(4_000_072, 1); 3]), @r#"
        a: fit for measuring b
          note: counts repeat: each of 3 trials of 4 times 1000000 instructions over 2 starts counted 4000072, 72 of them for the calls around it
        "#);
        insta::assert_snapshot!(judged(repeats, [(4_000_072, 1), (4_000_078, 1)]), @r#"
        a: not fit, for 1 reason
          - counts of the same instructions differ
              2 trials of 4 times 1000000 instructions over 2 starts: 4000072 to 4000078
              remedy: use another QEMU (`cargo host setup` installs the distribution's)
        "#);
    }

    #[test]
    fn times_of_the_same_work_are_close_or_a_finding() {
        let times = |nanoseconds: [u64; 5]| nanoseconds.map(|time| (1, time));
        let quiet = times([1_000_000, 1_010_000, 1_001_000, 1_002_000, 2_000_000]);
        insta::assert_snapshot!(judged(takes_the_same_time, quiet), @r#"
        a: fit for measuring b
          note: the same work, 5 times, took 1 ms to 2 ms, median 1.002 of the least
        "#);
        let loud = times([1_000_000, 1_100_000, 1_200_000, 1_300_000, 2_000_000]);
        insta::assert_snapshot!(judged(takes_the_same_time, loud), @r#"
        a: not fit, for 1 reason
          - the same work takes another time each time
              the same work, 5 times: 1 ms to 2 ms, median 1.200 of the least
              remedy: give the clock a fixed frequency and the core to the meter alone; on a virtual machine, no command mends that
        "#);
    }
}
