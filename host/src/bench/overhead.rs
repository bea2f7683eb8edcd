//! What the bracket around a call costs: the empty call through the very same trampoline.

use wire::{Operation, Probe};

use super::{EXPECTED, Figure, Workbench};
use crate::session::Session;
use crate::system::System;

/// Instructions of the work by which a count is turned into a time.
const LENGTH: u32 = 1_000_000;

/// The empty call, in counts and in nanoseconds, as each start of a meter finds it.
pub fn measure(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Figure>> {
    let (mut counts, mut nanoseconds) = (Vec::new(), Vec::new());
    let mut unit = "";
    for _ in 0..bench.repeat {
        let mut session = bench.session(system)?;
        let counter = &session.introduction().hello.counter;
        unit = counter.source.unit().name();
        let overhead = counter.overhead as f64;
        counts.push(overhead);
        nanoseconds.push(overhead * nanoseconds_of_a_count(&mut session)?);
        session.bye();
    }
    Ok(vec![
        Figure::of("empty call", unit, counts),
        Figure::of("empty call", "ns", nanoseconds),
    ])
}

/// Time of one count, from a bracket that was counted and timed.
pub(super) fn nanoseconds_of_a_count(session: &mut Session) -> miette::Result<f64> {
    let sled = Operation::Probe(Probe::Sled(LENGTH));
    let trial = session.trial(sled, 1, 10, EXPECTED)?;
    Ok(trial.nanoseconds as f64 / trial.count as f64)
}
