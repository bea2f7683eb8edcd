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
    /// Whether it is so.
    pub holds: bool,
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

    /// Demands that the median lies so close to 1.
    pub fn must_be_one_within(mut self, tolerance: f64) -> Self {
        self.verdict = Some(Verdict {
            demand: format!("1 within {} %", format::general(tolerance * 100.0)),
            holds: (self.median - 1.0).abs() <= tolerance,
        });
        self
    }

    /// One line: the median, and the spread as ratios to it.
    pub fn line(&self) -> String {
        let value = match self.unit {
            "s" => format::seconds(self.median),
            "" => format!("{:.4}", self.median),
            unit => format!("{} {unit}", format::general(self.median)),
        };
        let ratio = |value: f64| match self.median {
            0.0 => "–".to_owned(),
            median => format!("{:.3}", value / median),
        };
        let mut line = format!(
            "{:56} {value:>15}  {:>6} to {:<6} n = {}",
            self.name,
            ratio(self.least),
            ratio(self.most),
            self.repetitions
        );
        if let Some(Verdict { demand, holds }) = &self.verdict {
            let word = if *holds { "holds" } else { "does NOT hold" };
            line.push_str(&format!("  must be {demand}: {word}"));
        }
        line
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
        insta::assert_snapshot!(figure.line(), @"boot                                                              200 ms   0.500 to 1.500  n = 3");
        let even = Figure::of("ratio", "", vec![0.99, 1.02, 1.0, 1.01]);
        insta::assert_snapshot!(even.clone().must_be_one_within(0.01).line(), @"ratio                                                             1.0050   0.985 to 1.015  n = 4  must be 1 within 1 %: holds");
        insta::assert_snapshot!(even.must_be_one_within(0.001).line(), @"ratio                                                             1.0050   0.985 to 1.015  n = 4  must be 1 within 0.1 %: does NOT hold");
        insta::assert_snapshot!(Figure::of("nothing", "ticks", vec![0.0]).line(), @"nothing                                                          0 ticks       – to –      n = 1");
    }
}
