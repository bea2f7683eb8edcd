//! Whether the two ways of counting agree: brackets around single calls, and one around a loop.

use std::time::Duration;

use catalogue::DEFAULT_INSTANCE;
use wire::Operation;

use super::{Figure, OTHER_INSTANCE, Workbench};
use crate::session::Session;
use crate::system::System;

/// Operations that take more than 10 µs on every system of today.
const OPERATIONS: [(&str, Operation); 5] = [
    (DEFAULT_INSTANCE, Operation::Keygen),
    (DEFAULT_INSTANCE, Operation::Enc),
    (DEFAULT_INSTANCE, Operation::Dec),
    (OTHER_INSTANCE, Operation::Keygen),
    (OTHER_INSTANCE, Operation::Verify),
];

/// Target time of one pass: shorter than a time slice of a busy kernel, so that most passes are
/// not interrupted.
const PASS: Duration = Duration::from_millis(1);

/// Pairs of passes for each repetition asked for.
const PAIRS: u32 = 40;

/// Untimed calls before each pass.
const WARMUPS: u32 = 3;

/// How far the two may be apart.
const TOLERANCE: f64 = 0.01;

/// The mean of a pass of samples by that of a loop right beside it, with the same inputs. Nobody
/// else's work lies in the median of many pairs, as both are equally likely to be disturbed.
pub fn measure(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for name in [DEFAULT_INSTANCE, OTHER_INSTANCE] {
        let image = bench.image(name, system)?;
        let mut session = bench.start(system, &image)?;
        let of_this = OPERATIONS.iter().filter(|(of, _)| *of == name);
        for (_, operation) in of_this {
            figures.extend(pairs(bench, &mut session, name, *operation)?);
        }
        session.bye();
    }
    Ok(figures)
}

fn pairs(
    bench: &Workbench,
    session: &mut Session,
    name: &str,
    operation: Operation,
) -> miette::Result<[Figure; 2]> {
    let once = Duration::from_nanos(session.calibrate(operation)?.nanoseconds.max(1));
    let calls = (PASS.as_nanos() / once.as_nanos()).clamp(5, 1000) as u32;
    let expected = once * (calls + WARMUPS);
    let mut ratios = Vec::new();
    let mut least = [f64::INFINITY; 2];
    for pair in 0..bench.repeat * PAIRS {
        let looped = |session: &mut Session| -> miette::Result<f64> {
            let trial = session.trial(operation, WARMUPS, calls, expected)?;
            Ok(trial.count as f64 / f64::from(calls))
        };
        let sampled = |session: &mut Session| -> miette::Result<f64> {
            let samples = session.samples(operation, WARMUPS, calls, expected)?;
            Ok(samples.iter().sum::<u64>() as f64 / f64::from(calls))
        };
        // In turns, so that neither always comes after the other.
        let (trial, samples) = if pair % 2 == 0 {
            let trial = looped(session)?;
            (trial, sampled(session)?)
        } else {
            let samples = sampled(session)?;
            (looped(session)?, samples)
        };
        ratios.push(samples / trial);
        for (least, mean) in least.iter_mut().zip([samples, trial]) {
            *least = least.min(mean);
        }
    }
    let what = format!("{name} {operation}: samples by loop");
    let [samples, trial] = least;
    Ok([
        Figure::one_within(TOLERANCE, &what, ratios),
        Figure::of(format!("{what}, least passes"), "", vec![samples / trial]),
    ])
}
