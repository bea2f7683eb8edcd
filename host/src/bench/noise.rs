//! The yardstick: the same work again and again, by time on the meter's clock.

use wire::{Operation, Probe};

use super::{EXPECTED, Figure, Workbench};
use crate::system::System;

/// Instructions of the work.
const LENGTH: u32 = 1_000_000;

/// How often it is done for each repetition asked for.
const TIMES: u32 = 10;

/// How much longer than the least the same work takes.
pub fn measure(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Figure>> {
    let mut session = bench.session(system)?;
    let sled = Operation::Probe(Probe::Sled(LENGTH));
    let mut seconds = Vec::new();
    for _ in 0..bench.repeat * TIMES {
        let trial = session.trial(sled, 1, 1, EXPECTED)?;
        seconds.push(trial.nanoseconds as f64 / 1e9);
    }
    session.bye();
    let least = seconds.iter().copied().fold(f64::INFINITY, f64::min);
    let ratios = seconds.iter().map(|seconds| seconds / least).collect();
    let name = "time of the same work by its least";
    Ok(vec![Figure::of(name, "", ratios)])
}
