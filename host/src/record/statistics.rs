//! Every number of a record that is computed and not measured.
//!
//! Means are over all calls of all trials; medians, minima and maxima are over the trials' own
//! means. Nothing else in this program computes a statistic of a record that the record states; how
//! two records compare is computed in [`crate::ratio`].

use indexmap::IndexMap;
use wire::{Event, Unit};

use super::schema::{EventCount, Layout, MeterTrial, Record, Trial};

/// Calls that the assessment guide asks for.
pub const GUIDE_MEASUREMENTS: u64 = 100;

/// What follows from the trials of a record; `None` where nothing follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    /// Calls in all trials.
    pub measurements: u64,
    /// Whether these are at least [`GUIDE_MEASUREMENTS`].
    pub guide_100_measurements_met: bool,
    /// Time of one call, over all calls.
    pub mean_seconds: Option<f64>,
    /// Median of the trials' own means.
    pub median_trial_seconds: Option<f64>,
    /// Least of the trials' own means.
    pub min_trial_seconds: Option<f64>,
    /// Greatest of the trials' own means.
    pub max_trial_seconds: Option<f64>,
    /// Core clock cycles of one call, over all calls; none if any trial has none.
    pub mean_cycles: Option<f64>,
    /// Median of the trials' own means; none if any trial has none.
    pub median_trial_cycles: Option<f64>,
    /// Calls in a second.
    pub operations_per_second: Option<f64>,
    /// Input in 10^6 bytes a second.
    pub throughput_megabytes_per_second: Option<f64>,
}

impl Statistics {
    /// Computes them; `hashed_bytes` is the length of the input of a hash operation.
    pub fn of(trials: &[Trial], hashed_bytes: Option<u64>) -> Self {
        let measurements: u64 = trials.iter().map(|trial| trial.measurements).sum();
        let seconds: f64 = trials.iter().map(|trial| trial.seconds).sum();
        let calls = measurements as f64;
        let times = sorted(trials.iter().map(|t| t.seconds / t.measurements as f64));
        let all_have_cycles = trials.iter().all(|trial| trial.cycles > 0);
        let counted = if all_have_cycles { trials } else { &[] };
        let cycles: u128 = counted.iter().map(|trial| u128::from(trial.cycles)).sum();
        let counts = sorted(counted.iter().map(|t| ratio(t.cycles, t.measurements)));
        let with_cycles = !counted.is_empty();
        Self {
            measurements,
            guide_100_measurements_met: measurements >= GUIDE_MEASUREMENTS,
            mean_seconds: finite(seconds / calls),
            median_trial_seconds: median(&times),
            min_trial_seconds: times.first().copied().and_then(finite),
            max_trial_seconds: times.last().copied().and_then(finite),
            mean_cycles: finite(cycles as f64 / calls).filter(|_| with_cycles),
            median_trial_cycles: median(&counts),
            operations_per_second: finite(calls / seconds),
            throughput_megabytes_per_second: hashed_bytes
                .and_then(|bytes| finite(bytes as f64 * calls / seconds / 1e6)),
        }
    }

    /// Those of a record, from its trials.
    pub fn of_record(record: &Record) -> Self {
        let is_hash = record.operation == "hash";
        Self::of(&record.trials, is_hash.then_some(record.input_bytes))
    }

    /// Those that a record states.
    pub fn stated(record: &Record) -> Self {
        Self {
            measurements: record.measurements,
            guide_100_measurements_met: record.guide_100_measurements_met,
            mean_seconds: record.mean_seconds,
            median_trial_seconds: record.median_trial_seconds,
            min_trial_seconds: record.min_trial_seconds,
            max_trial_seconds: record.max_trial_seconds,
            mean_cycles: record.mean_cycles,
            median_trial_cycles: record.median_trial_cycles,
            operations_per_second: record.operations_per_second,
            throughput_megabytes_per_second: record.throughput_megabytes_per_second,
        }
    }

    /// States them in a record.
    pub fn state_in(self, record: &mut Record) {
        let Self {
            measurements,
            guide_100_measurements_met,
            mean_seconds,
            median_trial_seconds,
            min_trial_seconds,
            max_trial_seconds,
            mean_cycles,
            median_trial_cycles,
            operations_per_second,
            throughput_megabytes_per_second,
        } = self;
        record.measurements = measurements;
        record.guide_100_measurements_met = guide_100_measurements_met;
        record.mean_seconds = mean_seconds;
        record.median_trial_seconds = median_trial_seconds;
        record.min_trial_seconds = min_trial_seconds;
        record.max_trial_seconds = max_trial_seconds;
        record.mean_cycles = mean_cycles;
        record.median_trial_cycles = median_trial_cycles;
        record.operations_per_second = operations_per_second;
        record.throughput_megabytes_per_second = throughput_megabytes_per_second;
    }

    /// The means among them by their keys in a record.
    pub fn by_key(&self) -> [(&'static str, Option<f64>); 8] {
        [
            ("mean_seconds", self.mean_seconds),
            ("median_trial_seconds", self.median_trial_seconds),
            ("min_trial_seconds", self.min_trial_seconds),
            ("max_trial_seconds", self.max_trial_seconds),
            ("mean_cycles", self.mean_cycles),
            ("median_trial_cycles", self.median_trial_cycles),
            ("operations_per_second", self.operations_per_second),
            (
                "throughput_MB_per_second",
                self.throughput_megabytes_per_second,
            ),
        ]
    }
}

/// Count of one call in the counter's own unit, over all calls; none if any trial has none.
pub fn mean_count(trials: &[MeterTrial]) -> Option<f64> {
    let calls: u64 = trials.iter().map(|trial| trial.measurements).sum();
    let count = trials
        .iter()
        .try_fold(0u128, |sum, trial| Some(sum + u128::from(trial.count?)))?;
    finite(count as f64 / calls as f64)
}

/// The trials' own means of the count that a record's `mean_count` is the mean of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrialCounts {
    /// The least.
    pub min: f64,
    /// The one in the middle.
    pub median: f64,
    /// The greatest.
    pub max: f64,
}

impl TrialCounts {
    /// Those of a record; none if any trial has no count.
    pub fn of_record(record: &Record) -> Option<Self> {
        let means = trial_counts(record)?;
        let means = sorted(means.into_iter());
        Some(Self {
            min: means.first().copied().and_then(finite)?,
            median: median(&means)?,
            max: means.last().copied().and_then(finite)?,
        })
    }
}

/// Instructions in a cycle, from what was counted of these two events.
pub fn ipc(events: &IndexMap<String, EventCount>) -> Option<f64> {
    let mean = |event: Event| match events.get(event.name()) {
        Some(EventCount::Mean(mean)) => Some(*mean),
        _ => None,
    };
    finite(mean(Event::Instructions)? / mean(Event::Cycles)?)
}

/// How far the layouts that have a mean count are apart, by their median.
pub fn spread(layouts: &[Layout]) -> Option<f64> {
    let counts = sorted(layouts.iter().filter_map(|layout| layout.mean_count));
    let [least, .., most] = counts[..] else {
        return None;
    };
    finite((most - least) / median(&counts)?)
}

/// Median of counts of single calls.
pub fn median_count(samples: &[u64]) -> Option<f64> {
    median(&sorted(samples.iter().map(|sample| *sample as f64)))
}

/// Clock of the core in a trial, in hertz: count by seconds, where the count is one of cycles.
pub fn clock_hz(unit: Option<Unit>, count: Option<u64>, seconds: f64) -> Option<f64> {
    (unit == Some(Unit::Cycles)).then_some(())?;
    finite(count? as f64 / seconds)
}

/// Clock of the core in hertz: cycles by seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoreClock {
    /// Over all trials.
    pub mean_hz: f64,
    /// In the trial where it was lowest.
    pub min_hz: f64,
    /// In the trial where it was highest.
    pub max_hz: f64,
}

impl CoreClock {
    /// The clock during these trials; none if any trial has no cycles.
    pub fn of(trials: &[Trial]) -> Option<Self> {
        if trials.iter().any(|trial| trial.cycles == 0) {
            return None;
        }
        let clocks = sorted(trials.iter().map(|t| t.cycles as f64 / t.seconds));
        let cycles: u128 = trials.iter().map(|trial| u128::from(trial.cycles)).sum();
        let seconds: f64 = trials.iter().map(|trial| trial.seconds).sum();
        Some(Self {
            mean_hz: finite(cycles as f64 / seconds)?,
            min_hz: clocks.first().copied().and_then(finite)?,
            max_hz: clocks.last().copied().and_then(finite)?,
        })
    }
}

/// Count of one call in each trial, in the unit of a record's `mean_count`; none if any trial has no
/// count.
pub fn trial_counts(record: &Record) -> Option<Vec<f64>> {
    match (record.mean_cycles, &record.meter) {
        (Some(_), _) => {
            let trials = record.trials.iter();
            Some(trials.map(|t| ratio(t.cycles, t.measurements)).collect())
        }
        (None, Some(meter)) => {
            let trials = meter.trials.iter();
            let means = trials.map(|t| Some(ratio(t.count?, t.measurements)));
            means.collect()
        }
        (None, None) => None,
    }
}

fn ratio(numerator: u64, denominator: u64) -> f64 {
    numerator as f64 / denominator as f64
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The middle one, or the mean of the two in the middle.
fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    finite(if sorted.len() % 2 == 1 {
        upper
    } else {
        f64::midpoint(sorted[middle - 1], upper)
    })
}

/// Division by nothing gives no number.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::schema::Unknown;

    fn trial(measurements: u64, seconds: f64, cycles: u64) -> Trial {
        Trial {
            measurements,
            seconds,
            cycles,
            unknown: Unknown::new(),
        }
    }

    #[test]
    fn a_known_case() {
        // Means 2, 4 and 3 s; 20, 40 and 30 cycles.
        let trials = [
            trial(60, 120.0, 1200),
            trial(30, 120.0, 1200),
            trial(20, 60.0, 600),
        ];
        let statistics = Statistics::of(&trials, Some(1_000_000));
        assert_eq!(statistics.measurements, 110);
        assert!(statistics.guide_100_measurements_met);
        assert_eq!(statistics.mean_seconds, Some(300.0 / 110.0));
        assert_eq!(statistics.median_trial_seconds, Some(3.0));
        assert_eq!(statistics.min_trial_seconds, Some(2.0));
        assert_eq!(statistics.max_trial_seconds, Some(4.0));
        assert_eq!(statistics.mean_cycles, Some(3000.0 / 110.0));
        assert_eq!(statistics.median_trial_cycles, Some(30.0));
        assert_eq!(statistics.operations_per_second, Some(110.0 / 300.0));
        // 10^6 bytes in each call.
        let throughput = statistics.throughput_megabytes_per_second.expect("hashed");
        assert!((throughput - 110.0 / 300.0).abs() < 1e-12, "{throughput}");
        let clock = CoreClock::of(&trials).expect("cycles");
        assert_eq!(
            (clock.mean_hz, clock.min_hz, clock.max_hz),
            (10.0, 10.0, 10.0)
        );
    }

    #[test]
    fn the_example_of_the_published_data() {
        let statistics = Statistics::of(&[trial(49, 0.639774688, 1724003154)], None);
        let cycles = statistics.mean_cycles.expect("cycles");
        assert!((cycles - 35_183_737.84).abs() < 0.01, "{cycles}");
        assert!(!statistics.guide_100_measurements_met);
        assert_eq!(statistics.throughput_megabytes_per_second, None);
    }

    #[test]
    fn one_trial_without_cycles_leaves_none() {
        let trials = [trial(50, 1.0, 10), trial(50, 1.0, 0)];
        let statistics = Statistics::of(&trials, None);
        assert_eq!(statistics.mean_cycles, None);
        assert_eq!(statistics.median_trial_cycles, None);
        assert_eq!(statistics.median_trial_seconds, Some(0.02));
        assert_eq!(CoreClock::of(&trials), None);
    }

    #[test]
    fn nothing_measured_gives_no_number() {
        let statistics = Statistics::of(&[], Some(32));
        assert_eq!(statistics.measurements, 0);
        assert!(statistics.by_key().iter().all(|(_, value)| value.is_none()));
        assert_eq!(mean_count(&[]), None);
        assert_eq!(CoreClock::of(&[]), None);
    }

    #[test]
    fn instructions_in_a_cycle_need_both() {
        let events = |cycles: EventCount| {
            IndexMap::from([
                ("instructions".to_owned(), EventCount::Mean(3000.0)),
                ("cycles".to_owned(), cycles),
            ])
        };
        assert_eq!(ipc(&events(EventCount::Mean(2000.0))), Some(1.5));
        for none in [EventCount::Overflowed, EventCount::NotAvailable] {
            assert_eq!(ipc(&events(none)), None);
        }
        assert_eq!(ipc(&events(EventCount::Mean(0.0))), None);
        assert_eq!(ipc(&IndexMap::new()), None);
    }

    #[test]
    fn the_spread_of_layouts_is_relative_to_their_median() {
        let layout = |mean_count| Layout {
            shift_bytes: 0,
            elf_sha256: None,
            mean_count,
            reason: None,
            unknown: Unknown::new(),
        };
        let some = [98.0, 100.0, 104.0].map(|count| layout(Some(count)));
        assert_eq!(spread(&some), Some(0.06));
        assert_eq!(spread(&[some[0].clone(), some[0].clone()]), Some(0.0));
        assert_eq!(spread(&[some[0].clone(), layout(None)]), None);
        assert_eq!(spread(&[]), None);
        assert_eq!(median_count(&[3, 1, 10, 2]), Some(2.5));
    }

    #[test]
    fn only_cycles_have_a_clock() {
        assert_eq!(clock_hz(Some(Unit::Cycles), Some(30), 2.0), Some(15.0));
        assert_eq!(clock_hz(Some(Unit::Ticks), Some(30), 2.0), None);
        assert_eq!(clock_hz(Some(Unit::Cycles), None, 2.0), None);
        assert_eq!(clock_hz(Some(Unit::Cycles), Some(30), 0.0), None);
    }

    proptest! {
        #[test]
        fn order_and_bounds(
            raw in prop::collection::vec((1u64..5000, 1e-9f64..1e3, 1u64..1 << 40), 1..9),
        ) {
            let trials: Vec<Trial> = raw.iter().map(|(n, s, c)| trial(*n, *s, *c)).collect();
            let mut reversed = trials.clone();
            reversed.reverse();
            let statistics = Statistics::of(&trials, None);
            let (least, most) = (
                statistics.min_trial_seconds.expect("some"),
                statistics.max_trial_seconds.expect("some"),
            );
            for value in [statistics.mean_seconds, statistics.median_trial_seconds] {
                let value = value.expect("some");
                prop_assert!(least <= value * (1.0 + 1e-12) && value <= most * (1.0 + 1e-12));
            }
            let turned = Statistics::of(&reversed, None);
            prop_assert_eq!(statistics.median_trial_cycles, turned.median_trial_cycles);
            prop_assert_eq!(statistics.mean_cycles, turned.mean_cycles);
            let product = statistics.mean_seconds.expect("some")
                * statistics.operations_per_second.expect("some");
            prop_assert!((product - 1.0).abs() < 1e-12);
        }
    }
}
