//! Confidence intervals of ratios, on a logarithmic scale.
//!
//! A ratio and its inverse say the same thing, so that everything is computed of logarithms: the
//! interval of `b ÷ a` is that of `a ÷ b` turned over, and a factor that both have, such as
//! another unit, changes nothing.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The logarithm of a ratio, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The logarithm itself.
    pub log: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Degrees of freedom of that error.
    pub degrees: f64,
}

/// What lies between the two with a stated confidence.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Interval {
    /// The least ratio.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

impl Interval {
    /// Whether 1 is no possible value.
    pub fn excludes_one(self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }
}

/// The ratio of costs that were measured in pairs: the mean of the logarithms of the pairs' own
/// ratios, which is the geometric mean of these (Fleming and Wallace, "How not to lie with
/// statistics: the correct way to summarize benchmark results", CACM 29(3), 1986), with the standard
/// error of a mean.
///
/// `None` for fewer than two pairs, and where a cost is nothing, which has no logarithm.
pub fn paired(costs: &[f64], bases: &[f64]) -> Option<Estimate> {
    let pairs = costs.iter().zip(bases);
    let logs: Vec<f64> = pairs.map(|(cost, base)| (cost / base).ln()).collect();
    let moments = Moments::of(&logs)?;
    Some(Estimate {
        log: moments.mean,
        standard_error: moments.variance_of_mean().sqrt(),
        degrees: moments.number - 1.0,
    })
    .filter(Estimate::is_finite)
}

/// The standard error of the logarithm of a ratio of two means that were measured apart, by the
/// delta method: the squares of the means' relative standard errors add up (Hedges, Gurevitch and
/// Curtis, "The meta-analysis of response ratios in experimental ecology", Ecology 80(4), 1999,
/// equation 1). The degrees of freedom are those of Welch and Satterthwaite (Welch, Biometrika 34,
/// 1947). The logarithm is that of `ratio`.
///
/// `None` for fewer than two on either side, and where a mean is nothing.
pub fn apart(ratio: f64, costs: &[f64], bases: &[f64]) -> Option<Estimate> {
    let [(cost, m), (base, n)] = [Moments::of(costs)?, Moments::of(bases)?]
        .map(|moments| (moments.relative_variance_of_mean(), moments.number));
    let variance = cost + base;
    let weights = cost.powi(2) / (m - 1.0) + base.powi(2) / (n - 1.0);
    let degrees = match variance {
        // Nothing varies, and so nothing has degrees of freedom; any number gives no width.
        0.0 => m + n - 2.0,
        _ => variance.powi(2) / weights,
    };
    Some(Estimate {
        log: ratio.ln(),
        standard_error: variance.sqrt(),
        degrees,
    })
    .filter(Estimate::is_finite)
}

impl Estimate {
    /// The ratio.
    pub fn ratio(&self) -> f64 {
        self.log.exp()
    }

    /// What Student's distribution leaves possible; it is wrong in a part `error` of all cases.
    pub fn interval(&self, error: f64) -> Option<Interval> {
        let student = StudentsT::new(0.0, 1.0, self.degrees).ok()?;
        let reach = -student.inverse_cdf(error / 2.0) * self.standard_error;
        Some(Interval {
            low: (self.log - reach).exp(),
            high: (self.log + reach).exp(),
        })
        .filter(|interval| interval.low.is_finite() && interval.high.is_finite())
    }

    fn is_finite(&self) -> bool {
        [self.log, self.standard_error, self.degrees]
            .iter()
            .all(|value| value.is_finite())
    }
}

/// Mean and variance of some values.
struct Moments {
    number: f64,
    mean: f64,
    variance: f64,
}

impl Moments {
    /// `None` for fewer than two values: one has no variance.
    fn of(values: &[f64]) -> Option<Self> {
        let [first, _, ..] = values else {
            return None;
        };
        let number = values.len() as f64;
        if values.iter().all(|value| value == first) {
            // Exactly, whatever the rounding of a sum.
            return Some(Self {
                number,
                mean: *first,
                variance: 0.0,
            });
        }
        let mean = values.iter().sum::<f64>() / number;
        let squares = values.iter().map(|value| (value - mean).powi(2));
        Some(Self {
            number,
            mean,
            variance: squares.sum::<f64>() / (number - 1.0),
        })
    }

    fn variance_of_mean(&self) -> f64 {
        self.variance / self.number
    }

    fn relative_variance_of_mean(&self) -> f64 {
        self.variance_of_mean() / self.mean.powi(2)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
    }

    #[test]
    fn a_known_case_of_each() {
        // Logarithms 0, ln 2 and ln 4: mean ln 2, standard deviation ln 2, error ln 2 / √3; the
        // quantile of Student's distribution for 97.5 % and 2 degrees of freedom is 4.302653.
        let estimate = paired(&[1.0, 2.0, 4.0], &[1.0, 1.0, 1.0]).expect("three pairs");
        assert!(close(estimate.ratio(), 2.0));
        let interval = estimate.interval(0.05).expect("finite");
        let reach = 4.302_652_729_911_275 * 2f64.ln() / 3f64.sqrt();
        assert!((interval.high.ln() - (2f64.ln() + reach)).abs() < 1e-7);
        assert!((interval.low.ln() - (2f64.ln() - reach)).abs() < 1e-7);
        // Means 10 and 5, variances 4 and 1, three of each: relative variances of the means
        // 4/300 and 1/75, equal, so that the degrees of freedom are 4.
        let estimate = apart(2.0, &[8.0, 10.0, 12.0], &[4.0, 5.0, 6.0]).expect("means");
        assert!(close(estimate.standard_error, (8.0f64 / 300.0).sqrt()));
        assert!(close(estimate.degrees, 4.0));
    }

    #[test]
    fn quantiles_are_those_of_tables() {
        for (degrees, error, quantile) in [
            (1.0, 0.05, 12.706_2),
            (4.0, 0.05, 2.776_4),
            (10.0, 0.01, 3.169_3),
            (1000.0, 0.05, 1.962_3),
            (8.0, 0.001, 5.041_3),
        ] {
            let estimate = Estimate {
                log: 0.0,
                standard_error: 1.0,
                degrees,
            };
            let interval = estimate.interval(error).expect("finite");
            assert!(
                (interval.high.ln() - quantile).abs() < 1e-4,
                "{degrees} {error}: {}",
                interval.high.ln()
            );
        }
    }

    #[test]
    fn what_repeats_exactly_has_no_width() {
        let estimate = paired(&[3.0, 6.0, 9.0], &[1.0, 2.0, 3.0]).expect("pairs");
        let interval = estimate.interval(0.05).expect("finite");
        assert!(interval.excludes_one() && close(interval.low, interval.high));
        let same = apart(1.0, &[7.0; 5], &[7.0; 5]).expect("means");
        let interval = same.interval(0.05).expect("finite");
        assert_eq!((interval.low, interval.high), (1.0, 1.0));
        assert!(!interval.excludes_one());
    }

    #[test]
    fn too_little_gives_no_interval() {
        assert_eq!(paired(&[2.0], &[1.0]), None);
        assert_eq!(paired(&[], &[]), None);
        assert_eq!(paired(&[0.0, 1.0], &[1.0, 1.0]), None);
        assert_eq!(apart(1.0, &[2.0], &[1.0, 2.0]), None);
        assert_eq!(apart(1.0, &[0.0, 0.0], &[1.0, 2.0]), None);
    }

    /// A number of a normal distribution with mean 0 and variance 1 (Box and Muller, 1958).
    fn normal(random: &mut fastrand::Rng) -> f64 {
        let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
        radius * (std::f64::consts::TAU * random.f64()).cos()
    }

    /// Costs of inputs that differ by a factor, and noise on top, of two systems of which one is
    /// 1.1 times as slow.
    fn simulated(random: &mut fastrand::Rng, inputs: usize) -> (Vec<f64>, Vec<f64>) {
        let one = |_| {
            let input = (0.3 * normal(random)).exp();
            let mut noise = || (0.05 * normal(random)).exp();
            (1.1e6 * input * noise(), 1e6 * input * noise())
        };
        (0..inputs).map(one).unzip()
    }

    /// How often the true ratio lies in the interval, and the mean width of it.
    fn coverage(inputs: usize, estimate: impl Fn(&mut fastrand::Rng) -> Estimate) -> (f64, f64) {
        const RUNS: u32 = 1000;
        let mut random = fastrand::Rng::with_seed(0x636f_6d70 + inputs as u64);
        let (mut inside, mut width) = (0.0, 0.0);
        for _ in 0..RUNS {
            let interval = estimate(&mut random).interval(0.05).expect("finite");
            inside += f64::from(u8::from(interval.low <= 1.1 && 1.1 <= interval.high));
            width += interval.high - interval.low;
        }
        (inside / f64::from(RUNS), width / f64::from(RUNS))
    }

    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        for inputs in [5, 50] {
            let (by_pair, narrow) = coverage(inputs, |random| {
                let (costs, bases) = simulated(random, inputs);
                paired(&costs, &bases).expect("pairs")
            });
            let (by_mean, wide) = coverage(inputs, |random| {
                let (costs, _) = simulated(random, inputs);
                let (_, bases) = simulated(random, inputs);
                let ratio = costs.iter().sum::<f64>() / bases.iter().sum::<f64>();
                apart(ratio, &costs, &bases).expect("means")
            });
            // The error of a frequency of 95 % in 1000 runs is 0.7 %.
            assert!((0.93..=0.97).contains(&by_pair), "{inputs}: {by_pair}");
            assert!((0.93..=0.97).contains(&by_mean), "{inputs}: {by_mean}");
            // Pairs take the spread of the inputs out.
            assert!(narrow * 3.0 < wide, "{inputs}: {narrow} {wide}");
        }
    }

    fn costs() -> impl Strategy<Value = Vec<(f64, f64)>> {
        prop::collection::vec((1f64..1e9, 1f64..1e9), 2..40)
    }

    fn both(costs: &[f64], bases: &[f64]) -> [Estimate; 2] {
        let ratio = costs.iter().sum::<f64>() / bases.iter().sum::<f64>();
        [
            paired(costs, bases).expect("pairs"),
            apart(ratio, costs, bases).expect("means"),
        ]
    }

    proptest! {
        #[test]
        fn a_ratio_turned_over_has_its_interval_turned_over(costs in costs(), error in 1e-6..0.5) {
            let (a, b): (Vec<f64>, Vec<f64>) = costs.into_iter().unzip();
            for (there, back) in both(&a, &b).into_iter().zip(both(&b, &a)) {
                prop_assert!(close(there.ratio(), 1.0 / back.ratio()));
                let (Some(there), Some(back)) = (there.interval(error), back.interval(error)) else {
                    // So wide that a bound is beyond every number.
                    continue;
                };
                prop_assert!((there.low.ln() + back.high.ln()).abs() < 1e-6);
                prop_assert!((there.high.ln() + back.low.ln()).abs() < 1e-6);
            }
        }

        #[test]
        fn another_unit_changes_nothing(costs in costs(), scale in 1e-6f64..1e6) {
            let (a, b): (Vec<f64>, Vec<f64>) = costs.into_iter().unzip();
            let scaled = |values: &[f64]| values.iter().map(|value| value * scale).collect();
            let (c, d): (Vec<f64>, Vec<f64>) = (scaled(&a), scaled(&b));
            for (one, other) in both(&a, &b).into_iter().zip(both(&c, &d)) {
                prop_assert!((one.log - other.log).abs() < 1e-9);
                prop_assert!((one.standard_error - other.standard_error).abs() < 1e-9);
            }
        }

        #[test]
        fn the_ratio_lies_in_its_interval_and_more_confidence_is_wider(costs in costs()) {
            let (a, b): (Vec<f64>, Vec<f64>) = costs.into_iter().unzip();
            for estimate in both(&a, &b) {
                let ratio = estimate.ratio();
                if let Some(one) = estimate.interval(0.05) {
                    prop_assert!(one.low <= ratio && ratio <= one.high);
                    if let Some(many) = estimate.interval(0.05 / 30.0) {
                        prop_assert!(many.low <= one.low && one.high <= many.high);
                    }
                }
            }
        }
    }
}
