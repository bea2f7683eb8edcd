//! A figure with its spread.

use serde::Serialize;

use crate::table::format;

/// Something that was taken several times.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What it is, after the name of its measurement.
    pub name: String,
    /// Its unit; empty for a ratio.
    pub unit: &'static str,
    /// The least.
    pub least: f64,
    /// The middle one.
    pub median: f64,
    /// The greatest.
    pub most: f64,
    /// How often it was taken.
    pub repetitions: usize,
    /// Whether it is what it must be; null where nothing is demanded.
    pub verdict: Option<Verdict>,
}

/// What is demanded of a figure's median.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// In words.
    pub demand: String,
    /// Whether it is so; null where the noise of the machine leaves that open.
    pub holds: Option<bool>,
    /// How far the median may be off because of that noise, as a part of it.
    pub uncertainty: f64,
}

/// Twice the standard error of a median, from the middle half of sorted values: of a normal
/// distribution its width is 1.349 standard deviations, and the error of the median is 1.253 by
/// the root of their number.
fn uncertainty(sorted: &[f64]) -> f64 {
    let quarter = sorted.len() / 4;
    let middle_half = &sorted[quarter..sorted.len() - quarter];
    let width = match middle_half {
        [first, .., last] => last - first,
        _ => return f64::INFINITY,
    };
    2.0 * 1.253 * width / 1.349 / (sorted.len() as f64).sqrt()
}

/// Whether a median is 1 within a tolerance, as far as its uncertainty lets that be seen.
fn is_one(median: f64, tolerance: f64, uncertainty: f64) -> Option<bool> {
    let off = (median - 1.0).abs();
    if off - uncertainty > tolerance {
        Some(false)
    } else if off <= tolerance && uncertainty <= tolerance {
        Some(true)
    } else {
        None
    }
}

impl Figure {
    /// A figure out of what was taken, at least once.
    pub fn of(name: impl Into<String>, unit: &'static str, mut taken: Vec<f64>) -> Self {
        taken.sort_by(f64::total_cmp);
        let at = |index: usize| taken.get(index).copied().unwrap_or(f64::NAN);
        Self {
            name: name.into(),
            unit,
            least: at(0),
            median: middle(&taken),
            most: at(taken.len().saturating_sub(1)),
            repetitions: taken.len(),
            verdict: None,
        }
    }

    /// A ratio whose median must lie so close to 1.
    pub fn one_within(tolerance: f64, name: impl Into<String>, mut taken: Vec<f64>) -> Self {
        taken.sort_by(f64::total_cmp);
        let uncertainty = uncertainty(&taken);
        let figure = Self::of(name, "", taken);
        Self {
            verdict: Some(Verdict {
                demand: format!("1 within {} %", format::general(tolerance * 100.0)),
                holds: is_one(figure.median, tolerance, uncertainty),
                uncertainty,
            }),
            ..figure
        }
    }

    /// Something of which there must not be more than so much, however often it is taken.
    pub fn at_most(
        limit: f64,
        name: impl Into<String>,
        unit: &'static str,
        taken: Vec<f64>,
    ) -> Self {
        let demand = format!("at most {}", text(limit, unit));
        Self::of(name, unit, taken).bounded(demand, |value| value <= limit)
    }

    /// Something of which there must not be less than so much, however often it is taken.
    pub fn at_least(
        limit: f64,
        name: impl Into<String>,
        unit: &'static str,
        taken: Vec<f64>,
    ) -> Self {
        let demand = format!("at least {}", text(limit, unit));
        Self::of(name, unit, taken).bounded(demand, |value| value >= limit)
    }

    fn bounded(self, demand: String, is_good: impl Fn(f64) -> bool) -> Self {
        let holds = match (is_good(self.least), is_good(self.most)) {
            (true, true) => Some(true),
            (false, false) => Some(false),
            _ => None,
        };
        let spread = (self.most - self.median).max(self.median - self.least);
        Self {
            verdict: Some(Verdict {
                demand,
                holds,
                uncertainty: spread / self.median,
            }),
            ..self
        }
    }

    /// One line: the median, and the spread as ratios to it.
    pub fn line(&self) -> String {
        let value = text(self.median, self.unit);
        let ratio = |value: f64| match self.median {
            0.0 => "–".to_owned(),
            median => format!("{:.3}", value / median),
        };
        let mut line = format!(
            "{:56} {value:>26}  {:>6} to {:<6} n = {}",
            self.name,
            ratio(self.least),
            ratio(self.most),
            self.repetitions
        );
        if let Some(verdict) = &self.verdict {
            let word = match verdict.holds {
                Some(true) => "holds",
                Some(false) => "does NOT hold",
                None => "the machine is too noisy to tell",
            };
            let noise = format::general(verdict.uncertainty * 100.0);
            line.push_str(&format!("  ±{noise} %, must be {}: {word}", verdict.demand));
        }
        line
    }
}

/// A number with its unit.
fn text(value: f64, unit: &str) -> String {
    match unit {
        "s" => format::seconds(value),
        "" => format!("{value:.4}"),
        unit => format!("{} {unit}", format::general(value)),
    }
}

/// The middle of sorted numbers, or of the two in the middle.
pub(super) fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    match (sorted.len() % 2, sorted.get(half)) {
        (0, Some(upper)) => (sorted[half - 1] + upper) / 2.0,
        (_, Some(middle)) => *middle,
        (_, None) => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_its_median_with_its_spread() {
        let figure = Figure::of("boot", "s", vec![0.3, 0.1, 0.2]);
        insta::assert_snapshot!(figure.line(), @"boot                                                                         200 ms   0.500 to 1.500  n = 3");
        let even = Figure::of("ratio", "", vec![0.99, 1.02, 1.0, 1.01]);
        insta::assert_snapshot!(even.line(), @"ratio                                                                        1.0050   0.985 to 1.015  n = 4");
        insta::assert_snapshot!(Figure::of("nothing", "ticks", vec![0.0]).line(), @"nothing                                                                     0 ticks       – to –      n = 1");
    }

    #[test]
    fn a_lower_bound_is_kept_or_not_or_lost_in_noise() {
        let holds = |taken: &[f64]| {
            let figure = Figure::at_least(0.9, "part", "", taken.to_vec());
            figure.verdict.unwrap().holds
        };
        assert_eq!(holds(&[0.95, 0.9, 0.99]), Some(true));
        assert_eq!(holds(&[0.5, 0.8]), Some(false));
        assert_eq!(holds(&[0.5, 0.95]), None);
    }

    #[test]
    fn a_demand_is_met_or_not_or_lost_in_noise() {
        let around = |center: f64, width: f64| {
            let taken = (0..=100).map(|step| center + width * (f64::from(step) / 100.0 - 0.5));
            Figure::one_within(0.01, "ratio", taken.collect()).line()
        };
        insta::assert_snapshot!(around(1.004, 0.02), @"ratio                                                                        1.0040   0.990 to 1.010  n = 101  ±0.185 %, must be 1 within 1 %: holds");
        insta::assert_snapshot!(around(1.03, 0.02), @"ratio                                                                        1.0300   0.990 to 1.010  n = 101  ±0.185 %, must be 1 within 1 %: does NOT hold");
        insta::assert_snapshot!(around(1.001, 0.5), @"ratio                                                                        1.0010   0.750 to 1.250  n = 101  ±4.62 %, must be 1 within 1 %: the machine is too noisy to tell");
        insta::assert_snapshot!(around(1.015, 0.1), @"ratio                                                                        1.0150   0.951 to 1.049  n = 101  ±0.924 %, must be 1 within 1 %: the machine is too noisy to tell");
        assert_eq!(uncertainty(&[1.0]), f64::INFINITY);
    }

    #[test]
    fn a_limit_holds_for_all_or_none_or_nobody_can_tell() {
        let line = |taken: &[f64]| Figure::at_most(2.0, "time", "s", taken.to_vec()).line();
        assert!(line(&[1.0, 2.0]).ends_with("must be at most 2 s: holds"));
        assert!(line(&[2.1]).ends_with("must be at most 2 s: does NOT hold"));
        assert!(line(&[1.9, 2.0, 2.1]).ends_with("the machine is too noisy to tell"));
    }
}
