//! What the bracket around a call costs: the empty call through the very same trampoline.

use wire::{CounterSource, Operation, Probe};

use super::{EXPECTED, Figure, Workbench};
use crate::session::Session;
use crate::system::System;

/// Instructions of the work by which a count is turned into a time.
const LENGTH: u32 = 1_000_000;

/// The empty call, in counts and in nanoseconds, as each start of a meter finds it.
pub fn measure(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Figure>> {
    let (mut counts, mut nanoseconds) = (Vec::new(), Vec::new());
    let (mut unit, mut time) = ("", "");
    for _ in 0..bench.repeat {
        let mut session = bench.session(system)?;
        let counter = &session.introduction().hello.counter;
        unit = counter.source.unit().heading();
        time = time_unit(counter.source);
        let overhead = counter.overhead as f64;
        counts.push(overhead);
        nanoseconds.push(overhead * nanoseconds_of_a_count(&mut session)?);
        session.bye();
    }
    Ok(vec![
        Figure::of("empty call", unit, counts),
        Figure::of("empty call", time, nanoseconds),
    ])
}

/// Nanoseconds, of which an emulator has virtual ones.
fn time_unit(source: CounterSource) -> &'static str {
    match source {
        CounterSource::Icount => "ns, virtual",
        _ => "ns",
    }
}

/// Time of one count, from a bracket that was counted and timed.
pub(super) fn nanoseconds_of_a_count(session: &mut Session) -> miette::Result<f64> {
    let sled = Operation::Probe(Probe::Sled(LENGTH));
    let trial = session.trial(sled, 1, 10, EXPECTED)?;
    Ok(trial.nanoseconds as f64 / trial.count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emulator_has_instructions_and_virtual_time() {
        let line = |source: CounterSource| {
            let count = Figure::of("empty call", source.unit().heading(), vec![58.0]);
            let time = Figure::of("empty call", time_unit(source), vec![58.0]);
            [count.line(), time.line()]
        };
        let [count, time] = line(CounterSource::Icount);
        assert!(count.contains(" 58 instructions, emulated "), "{count}");
        assert!(time.contains(" 58 ns, virtual "), "{time}");
        let [count, time] = line(CounterSource::Pmccntr);
        assert!(
            count.contains(" 58 cycles ") && time.contains(" 58 ns "),
            "{count}"
        );
    }
}
