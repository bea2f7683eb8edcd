//! What one record says an operation costs, in the quantity in which it is compared.

use wire::{CounterSource, Unit};

use crate::record::schema::{Inputs, Meter, Record};
use crate::record::statistics::trial_counts;

/// What is divided by what.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Quantity {
    /// Counts of one unit.
    Count(Unit),
    /// Times of real clocks.
    Time,
}

impl Quantity {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count(unit) => unit.name(),
            Self::Time => "seconds",
        }
    }

    /// The name for people.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Count(Unit::Instructions) => "instructions",
            Self::Count(unit) => unit.heading(),
            Self::Time => "time",
        }
    }

    /// In what two records can be compared, or why they cannot.
    ///
    /// Counts of the same unit are divided where one count is the same thing on both sides:
    /// emulated instructions, and on the same system its cycles or its ticks. Between two systems it
    /// is the time that says which is faster, where both clocks are real.
    pub fn of_both(cost: &Record, base: &Record, same_system: bool) -> Result<Self, String> {
        let [unit, other] = [cost, base].map(|record| record.mean_count().map(|(_, unit)| unit));
        if cost.is_emulated() != base.is_emulated() {
            let words = |unit: Option<Unit>| match unit {
                Some(Unit::Instructions) => "instructions, emulated,",
                Some(unit) => unit.heading(),
                None => "times",
            };
            let (cost, base) = (words(unit), words(other));
            return Err(format!("{cost} and {base} are not the same thing"));
        }
        let alike = match (unit, other) {
            (Some(Unit::Instructions), Some(Unit::Instructions)) => true,
            (Some(Unit::Cycles), Some(Unit::Cycles)) => same_system,
            (Some(Unit::Ticks), Some(Unit::Ticks)) => {
                same_system && frequency(cost) == frequency(base)
            }
            _ => false,
        };
        match unit {
            Some(unit) if alike => Ok(Self::Count(unit)),
            _ if cost.is_emulated() => Err("virtual times are not the same thing".to_owned()),
            _ => Ok(Self::Time),
        }
    }
}

fn frequency(record: &Record) -> Option<u64> {
    record.meter.as_ref()?.counter.as_ref()?.frequency_hz
}

/// What one operation costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Over all calls of all trials.
    pub mean: f64,
    /// The trials' own means.
    pub trials: Vec<f64>,
    /// One call each, in the order of the inputs; empty where calls were not measured one by one.
    pub calls: Vec<f64>,
    /// The means of images that differ in the place of their code only, as far as they are known.
    pub layouts: Vec<f64>,
}

impl Cost {
    /// That of a record; `None` where it has none in this quantity.
    pub fn of(record: &Record, quantity: Quantity) -> Option<Self> {
        let meter = record.meter.as_ref();
        let layouts = meter.and_then(|meter| meter.layouts.as_ref());
        let layouts = layouts.into_iter().flat_map(|layouts| &layouts.images);
        let layouts = layouts.filter_map(|layout| layout.mean_count).collect();
        let cost = match quantity {
            Quantity::Count(unit) => Self {
                mean: record.mean_count()?.0,
                trials: trial_counts(record)?,
                calls: meter
                    .filter(|meter| meter.counter.as_ref().is_some_and(|it| it.unit == unit))
                    .map(calls)
                    .unwrap_or_default(),
                layouts,
            },
            Quantity::Time => Self {
                mean: record.mean_seconds?,
                trials: record
                    .trials
                    .iter()
                    .map(|trial| trial.seconds / trial.measurements as f64)
                    .collect(),
                calls: meter.and_then(call_seconds).unwrap_or_default(),
                layouts,
            },
        };
        (cost.mean > 0.0 && cost.mean.is_finite()).then_some(cost)
    }

    /// How far the trials lie apart, and the layouts, as a logarithm: of the greatest mean divided by
    /// the least. Trials repeat the same inputs, so that this is noise.
    pub fn noise(&self) -> f64 {
        let apart = |means: &[f64]| {
            let least = means.iter().copied().fold(f64::INFINITY, f64::min);
            let most = means.iter().copied().fold(0.0, f64::max);
            let log = (most / least).ln();
            if log.is_finite() { log } else { 0.0 }
        };
        apart(&self.trials).max(apart(&self.layouts))
    }
}

/// Counts of single calls by the place of the call. Where every pass has the same inputs, the passes
/// repeat them, and their mean is what is known of each input; otherwise each is another.
fn calls(meter: &Meter) -> Vec<f64> {
    if meter.inputs == Inputs::Fresh {
        let calls = meter.samples.iter().flatten();
        return calls.map(|count| *count as f64).collect();
    }
    let length = meter.samples.iter().map(Vec::len).min().unwrap_or(0);
    let at = |place: usize| {
        let counts = meter.samples.iter().map(|pass| pass[place] as f64);
        counts.sum::<f64>() / meter.samples.len() as f64
    };
    (0..length).map(at).collect()
}

/// The same as times: a tick always takes the same time, and a cycle that of the trials' clock.
fn call_seconds(meter: &Meter) -> Option<Vec<f64>> {
    let counter = meter.counter.as_ref()?;
    if matches!(
        counter.source,
        CounterSource::Icount | CounterSource::Missing
    ) {
        return None;
    }
    let seconds: f64 = meter.trials.iter().map(|trial| trial.seconds).sum();
    let counts = meter.trials.iter().map(|trial| trial.count.map(u128::from));
    let scale = seconds / counts.sum::<Option<u128>>()? as f64;
    let is_scale = scale.is_finite() && scale > 0.0;
    is_scale.then(|| calls(meter).iter().map(|count| count * scale).collect())
}

/// Operations each of whose calls has another input, as the generator goes on from call to call.
/// The others are called with what their set-up made, time and again: a ciphertext, a signature, a
/// message (`prepare` of the interfaces in `firmware/src/abi`).
pub fn has_varied_inputs(record: &Record) -> bool {
    !matches!(record.operation.as_str(), "dec" | "verify" | "hash")
}

/// Whether the k-th call of one has the input of the k-th call of the other: every pass begins with
/// the same seed (`MEASURING_SEED` there) and as many warm-ups, and both give the same known answers, so that they draw the
/// same from the generator.
pub fn have_the_same_inputs(one: &Record, other: &Record) -> bool {
    let answers = |record: &Record| {
        let meter = record.meter.as_ref()?;
        let answers = meter.kat.as_ref()?.computed_sha256.clone()?;
        (meter.inputs == Inputs::Same).then_some(answers)
    };
    has_varied_inputs(one)
        && one.operation == other.operation
        && one.plan.warmups == other.plan.warmups
        && answers(one).is_some_and(|digest| answers(other) == Some(digest))
}
