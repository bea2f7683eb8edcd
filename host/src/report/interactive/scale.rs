//! Logarithmic axes: from where to where they go, and where their ticks are.

/// The steps in a decade at which an axis may begin and end, and which a short axis labels.
const STEPS: [u8; 3] = [1, 2, 5];

/// Decades up to which all steps are labelled, and up to which there is a line for each digit.
const ALL_LABELLED: f64 = 2.0;
const ALL_LINES: f64 = 5.0;

/// A number of one digit: digit × 10^power.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Round {
    power: i32,
    digit: u8,
}

impl Round {
    fn value(self) -> f64 {
        // Parsed and not multiplied: it is the nearest number to what it says.
        let Self { power, digit } = self;
        format!("{digit}e{power}").parse().unwrap_or(f64::NAN)
    }

    /// As on an axis: `0.5`, `20`, `10 k`, `1 M`.
    fn label(self) -> String {
        let Self { power, digit } = self;
        if power < 0 {
            let decimals = power.unsigned_abs() as usize;
            return format!("{:.decimals$}", self.value());
        }
        let suffixes = ["", " k", " M", " G", " T"];
        let group = (power as usize / 3).min(suffixes.len() - 1);
        let zeros = "0".repeat(power as usize - 3 * group);
        format!("{digit}{zeros}{}", suffixes[group])
    }
}

/// A logarithmic axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Logarithmic {
    low: Round,
    high: Round,
    /// The logarithm of its lower end, and how far the upper one is above.
    begin: f64,
    decades: f64,
}

/// A line across an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where it is, from 0 to 1.
    pub place: f64,
    /// What stands there; `None` for a line between others.
    pub label: Option<String>,
}

impl Logarithmic {
    /// An axis on which these values have their places; `None` where none is above 0.
    pub fn over(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let values = values.into_iter();
        let values = values.filter(|value| value.is_finite() && *value > 0.0);
        let (least, most) = values.fold((f64::INFINITY, 0f64), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        if most == 0.0 {
            return None;
        }
        // One decade more on each side than can be needed: rounding of logarithms does no harm.
        let powers = least.log10().floor() as i32 - 1..=most.log10().floor() as i32 + 2;
        let steps: Vec<Round> = powers
            .flat_map(|power| STEPS.map(|digit| Round { power, digit }))
            .collect();
        let below = steps.partition_point(|step| step.value() < least);
        let above = steps.partition_point(|step| step.value() <= most);
        let low = steps[below.saturating_sub(1)];
        let high = steps[above.min(steps.len() - 1)];
        let begin = low.value().log10();
        Some(Self {
            low,
            high,
            begin,
            decades: high.value().log10() - begin,
        })
    }

    /// Where a value is, from 0 to 1; `None` for 0 and what is beyond the axis.
    pub fn place(&self, value: f64) -> Option<f64> {
        let place = (value.log10() - self.begin) / self.decades;
        (0.0..=1.0).contains(&place).then_some(place)
    }

    /// Its ends in words.
    pub fn ends(&self) -> (String, String) {
        (self.low.label(), self.high.label())
    }

    /// Its lines, in order.
    pub fn ticks(&self) -> Vec<Tick> {
        let decades = self.decades;
        let mut ticks = Vec::new();
        for power in self.low.power..=self.high.power {
            for digit in 1..=9 {
                let round = Round { power, digit };
                if !(self.low..=self.high).contains(&round) {
                    continue;
                }
                let step = STEPS.contains(&digit) && decades <= ALL_LABELLED;
                let is_labelled = digit == 1 || step;
                if is_labelled || decades <= ALL_LINES {
                    ticks.extend(self.place(round.value()).map(|place| Tick {
                        place,
                        label: is_labelled.then(|| round.label()),
                    }));
                }
            }
        }
        ticks
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels(axis: &Logarithmic) -> Vec<String> {
        let ticks = axis.ticks().into_iter();
        ticks.filter_map(|tick| tick.label).collect()
    }

    #[test]
    fn an_axis_reaches_beyond_its_values_to_round_numbers() {
        let axis = Logarithmic::over([562_012.3, 65_780_000.0]).expect("values");
        assert_eq!(axis.ends(), ("500 k".to_owned(), "100 M".to_owned()));
        assert_eq!(labels(&axis), ["1 M", "10 M", "100 M"]);
        let short = Logarithmic::over([30.0, 700.0]).expect("values");
        assert_eq!(labels(&short), ["20", "50", "100", "200", "500", "1 k"]);
        let ratio = Logarithmic::over([1.0, 1.0]).expect("values");
        assert_eq!(labels(&ratio), ["0.5", "1", "2"]);
        assert_eq!(ratio.place(1.0), Some(0.5));
    }

    #[test]
    fn a_long_axis_has_a_line_for_each_decade_alone() {
        let axis = Logarithmic::over([2.0, 3e9]).expect("values");
        assert!(axis.ticks().iter().all(|tick| tick.label.is_some()));
        assert_eq!(labels(&axis).last().map(String::as_str), Some("1 G"));
    }

    #[test]
    fn nothing_has_no_axis_and_zero_no_place() {
        assert_eq!(Logarithmic::over([]), None);
        assert_eq!(Logarithmic::over([0.0, f64::NAN, f64::INFINITY]), None);
        let axis = Logarithmic::over([0.0, 10.0]).expect("a value");
        assert_eq!(axis.place(0.0), None);
        assert_eq!(axis.place(1e9), None);
    }

    proptest! {
        #[test]
        fn every_value_has_its_place(values in proptest::collection::vec(1e-6..1e15f64, 1..9)) {
            let axis = Logarithmic::over(values.iter().copied()).expect("values");
            for value in values {
                let place = axis.place(value).expect("on the axis");
                prop_assert!(place > 0.0 && place < 1.0, "{value}: {place}");
            }
            let ticks = axis.ticks();
            prop_assert!(ticks.is_sorted_by(|a, b| a.place < b.place));
            prop_assert!(ticks.iter().any(|tick| tick.label.is_some()));
        }
    }
}
