//! Whether counts are straight: sleds of several lengths on one line.

use wire::{Operation, Probe};

use super::{EXPECTED, Figure, Workbench};
use crate::system::System;

/// Instructions of the sleds.
const LENGTHS: [u32; 5] = [1_000, 10_000, 100_000, 300_000, 1_000_000];

/// Calls of each, of which the least counts: it is the one that nothing disturbed.
const CALLS: u32 = 20;

/// The slope of the line through all lengths and zero, and how far the worst length lies off it.
pub fn measure(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Figure>> {
    let mut session = bench.session(system)?;
    let (mut slopes, mut deviations) = (Vec::new(), Vec::new());
    for _ in 0..bench.repeat {
        let mut points = Vec::new();
        for length in LENGTHS {
            let sled = Operation::Probe(Probe::Sled(length));
            let samples = session.samples(sled, 3, CALLS, EXPECTED)?;
            let least = samples.into_iter().min().unwrap_or(0);
            points.push((f64::from(length), least as f64));
        }
        let (slope, deviation) = line_through_zero(&points);
        slopes.push(slope);
        deviations.push(deviation);
    }
    let unit = session.introduction().hello.counter.source.unit().heading();
    session.bye();
    Ok(vec![
        Figure::of("sleds: slope by instruction", unit, slopes),
        Figure::of("sleds: worst length by the line", "", deviations),
    ])
}

/// The line through zero with the least relative errors, and the value by the line of the point
/// that lies farthest off.
fn line_through_zero(points: &[(f64, f64)]) -> (f64, f64) {
    let slopes = points.iter().map(|(x, y)| y / x);
    let slope = slopes.sum::<f64>() / points.len() as f64;
    let ratios = points.iter().map(|(x, y)| y / (slope * x));
    let worst = ratios.max_by(|a, b| (a - 1.0).abs().total_cmp(&(b - 1.0).abs()));
    (slope, worst.unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_and_the_point_that_is_off_it() {
        assert_eq!(
            line_through_zero(&[(10.0, 20.0), (100.0, 200.0)]),
            (2.0, 1.0)
        );
        let (slope, worst) = line_through_zero(&[(10.0, 9.0), (100.0, 110.0), (50.0, 50.0)]);
        assert!((slope - 1.0).abs() < 1e-12);
        assert!((worst - 0.9).abs() < 1e-12 || (worst - 1.1).abs() < 1e-12);
    }
}
