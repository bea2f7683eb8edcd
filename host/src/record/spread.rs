//! How the calls of an operation differ from each other: quantiles of single calls.

use super::schema::{Inputs, Meter};

/// Quantiles of counts of single calls, net of the empty call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Number of calls.
    pub calls: usize,
    /// The least.
    pub minimum: f64,
    /// A quarter of the calls took no more.
    pub lower_quartile: f64,
    /// Half of the calls took no more.
    pub median: f64,
    /// Three quarters of the calls took no more.
    pub upper_quartile: f64,
    /// 95 of 100 calls took no more.
    pub percentile_95: f64,
    /// The most.
    pub maximum: f64,
}

impl Spread {
    /// What [`Spread::quantiles`] are called.
    pub const QUANTILES: [&str; 6] = [
        "minimum",
        "lower quartile",
        "median",
        "upper quartile",
        "95th percentile",
        "maximum",
    ];

    /// The quantiles, from the least on.
    pub fn quantiles(&self) -> [f64; 6] {
        [
            self.minimum,
            self.lower_quartile,
            self.median,
            self.upper_quartile,
            self.percentile_95,
            self.maximum,
        ]
    }

    /// Describes these counts; `None` when there are none.
    pub fn of(counts: impl IntoIterator<Item = u64>) -> Option<Self> {
        let mut sorted: Vec<u64> = counts.into_iter().collect();
        sorted.sort_unstable();
        let quantile = |fraction| quantile(&sorted, fraction);
        Some(Self {
            calls: sorted.len(),
            minimum: quantile(0.0)?,
            lower_quartile: quantile(0.25)?,
            median: quantile(0.5)?,
            upper_quartile: quantile(0.75)?,
            percentile_95: quantile(0.95)?,
            maximum: quantile(1.0)?,
        })
    }

    /// Describes the calls of a record's samples. Where every pass has the same inputs, the later
    /// ones repeat the first and are no further calls.
    pub fn of_samples(meter: &Meter) -> Option<Self> {
        let passes = match meter.inputs {
            Inputs::Same => meter.samples.len().min(1),
            Inputs::Fresh => meter.samples.len(),
        };
        Self::of(meter.samples[..passes].iter().flatten().copied())
    }
}

/// The value below which a fraction of sorted values lies, linear between neighbours (definition 7
/// of Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996).
fn quantile(sorted: &[u64], fraction: f64) -> Option<f64> {
    let place = fraction * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (place.floor(), place.ceil());
    let (low, high) = (sorted[below as usize] as f64, sorted[above as usize] as f64);
    Some(low + (place - below) * (high - low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::example;

    #[test]
    fn a_known_case() {
        let spread = Spread::of([50, 10, 40, 20, 30]).expect("some");
        assert_eq!(
            spread,
            Spread {
                calls: 5,
                minimum: 10.0,
                lower_quartile: 20.0,
                median: 30.0,
                upper_quartile: 40.0,
                percentile_95: 48.0,
                maximum: 50.0,
            }
        );
        assert_eq!(Spread::of([1, 2]).expect("some").median, 1.5);
        let one = Spread::of([7]).expect("some");
        assert_eq!(
            (one.minimum, one.percentile_95, one.maximum),
            (7.0, 7.0, 7.0)
        );
        assert_eq!(Spread::of([]), None);
    }

    #[test]
    fn repeated_inputs_are_no_further_calls() {
        let mut meter = example::record().meter.expect("ours");
        meter.samples = vec![vec![1, 2, 3], vec![7, 8, 9]];
        assert_eq!(Spread::of_samples(&meter).expect("some").calls, 3);
        meter.inputs = Inputs::Fresh;
        assert_eq!(Spread::of_samples(&meter).expect("some").calls, 6);
        meter.samples.clear();
        assert_eq!(Spread::of_samples(&meter), None);
    }
}
