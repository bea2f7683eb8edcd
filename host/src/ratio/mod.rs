//! How many times as much one record costs as another, and how sure that is.
//!
//! **What is uncertain.** Calls of an operation differ by their inputs (keys, coins, messages), and
//! a ratio is to hold for others than those that were measured. Every trial repeats the same
//! inputs; a hundred trials tell no more of inputs than one does, but they tell how much the machine
//! disturbs. So the two are kept apart: an interval over inputs, and a noise that trials show.
//!
//! **The interval.** It comes from single calls (`meter.samples`), one for each input:
//!
//! * *Paired*, where both records measured the same inputs call by call: the mean of the logarithms
//!   of the ratios, which is a geometric mean, with the error of a mean ([`interval::paired`]).
//!   What an input costs on both sides takes itself out. Should the inputs not be the same after
//!   all, the interval is as wide as that of independent ones, and as right.
//! * *Apart* otherwise: the ratio of the trials' means, with the spreads of both sides by the delta
//!   method ([`interval::apart`]).
//! * Where an operation has one input for all its calls, as a decapsulation has, calls repeat it.
//!   The interval is then that of the noise, for this input; `distinct_inputs` is 1.
//! * Where a side has no single calls, as published records have none, the trials' means stand in for
//!   them on both sides. That interval is one of noise as well, and nothing is known of inputs;
//!   `distinct_inputs` is null.
//! * With one trial and no calls there is no interval.
//!
//! Calls follow each other on one machine and are not quite independent, which makes an interval a
//! little too narrow; the second condition below is there for this, too.
//!
//! **Many at once.** All intervals of one comparison hold together with [`CONFIDENCE`]: each of `m`
//! is wrong in one `m`-th of the rest (Bonferroni; Dunn, "Multiple comparisons among means", JASA
//! 56, 1961). That is stricter than Holm's procedure, and what is shown is what decides.
//!
//! **The verdict.** Two records differ when the interval does not have 1 in it, and the difference,
//! in the trials as well as in the single calls, is greater than the noise: than any two
//! trials of either lie apart, and any two layouts of its code where these were measured. The order
//! of these levels is that of Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM
//! 2013.

mod cost;
pub mod interval;

use serde::Serialize;

use self::cost::{Cost, have_the_same_inputs};
pub use self::cost::{Quantity, has_varied_inputs};
use self::interval::{Estimate, Interval};
use crate::record::schema::{Record, Status};

/// With which probability all intervals of one comparison hold the truth.
pub const CONFIDENCE: f64 = 0.95;

/// A record, and where it comes from.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// What a reader knows its system and run by.
    pub name: &'a str,
    /// The system.
    pub system: &'a str,
    /// The record.
    pub record: &'a Record,
}

/// A ratio, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Against {
    /// The ratio.
    Ratio(Ratio),
    /// There is none.
    NotAvailable {
        /// Why.
        not_available: String,
    },
}

impl Against {
    /// The ratio, if there is one.
    pub fn ratio(&self) -> Option<&Ratio> {
        match self {
            Self::Ratio(ratio) => Some(ratio),
            Self::NotAvailable { .. } => None,
        }
    }
}

/// How many times as much an operation costs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ratio {
    /// What was divided: `cycles`, `instructions`, `ticks` or `seconds`.
    pub of: &'static str,
    /// The same for people.
    #[serde(skip)]
    pub quantity: Quantity,
    /// The ratio; below 1 where it costs less.
    pub value: f64,
    /// Where it lies, together with all others of the comparison; null where that is not known.
    pub interval: Option<Interval>,
    /// Mean of all trials divided by that of the other side.
    pub ratio_of_means: f64,
    /// What any difference must exceed: the greatest factor between two trials, or two layouts, of
    /// either side.
    pub noise: f64,
    /// What the interval comes from.
    pub basis: Basis,
    /// Calls or trials of the side that has fewer; pairs where they are paired.
    pub n: usize,
    /// Inputs among them; null where that is not known.
    pub distinct_inputs: Option<usize>,
    /// What follows.
    pub verdict: Verdict,
}

/// What an interval comes from.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Single calls on the same inputs.
    PairedCalls,
    /// Single calls.
    Calls,
    /// The trials' means.
    Trials,
    /// Nothing but two means, so that there is no interval.
    Means,
}

/// What follows from a ratio.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It costs less.
    Less,
    /// It costs more.
    More,
    /// There is no difference that exceeds the noise.
    WithinNoise,
    /// How sure the ratio is is not known.
    Unknown,
}

impl Ratio {
    /// The verdict in words: only time, and what is proportional to it, is fast or slow.
    pub fn verdict_in_words(&self) -> &'static str {
        let instructions = self.quantity == Quantity::Count(wire::Unit::Instructions);
        match (self.verdict, instructions) {
            (Verdict::Less, false) => "faster",
            (Verdict::More, false) => "slower",
            (Verdict::Less, true) => "fewer",
            (Verdict::More, true) => "more",
            (Verdict::WithinNoise, _) => "within noise",
            (Verdict::Unknown, _) => "no interval",
        }
    }
}

/// A ratio before it is known among how many it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Unjudged {
    estimate: Option<Estimate>,
    ratio: Ratio,
    /// The mean of single calls by that of the other side, as far as both have them.
    ratio_of_calls: Option<f64>,
}

/// How many times as much `cost` costs as `base`, both being records of one operation.
///
/// # Errors
///
/// Why they cannot be compared, in words: a wrong answer costs nothing that compares, and what was
/// counted on one side may not be what was counted on the other.
pub fn ratio(cost: Side, base: Side) -> Result<Unjudged, String> {
    for side in [cost, base] {
        if side.record.status != Status::Complete {
            return Err(format!("{} is not complete", side.name));
        }
        if !side.record.kat.is_clean() {
            let kat = side.record.kat.name();
            return Err(format!("KAT of {}: {kat}", side.name));
        }
    }
    let same_system = cost.system == base.system;
    let quantity = Quantity::of_both(cost.record, base.record, same_system)?;
    within(cost, base, quantity)
}

/// The same in a quantity that both have.
fn within(cost: Side, base: Side, quantity: Quantity) -> Result<Unjudged, String> {
    let of = |side: Side| {
        let nothing = || format!("{} has neither count nor time", side.name);
        Cost::of(side.record, quantity).ok_or_else(nothing)
    };
    let (costs, bases) = (of(cost)?, of(base)?);
    let means = costs.mean / bases.mean;
    let fewer = |of: fn(&Cost) -> &Vec<f64>| of(&costs).len().min(of(&bases).len());
    let calls = fewer(|cost| &cost.calls);
    let paired = || {
        let same = have_the_same_inputs(cost.record, base.record);
        let estimate = || interval::paired(&costs.calls, &bases.calls);
        Some((Basis::PairedCalls, same.then(estimate).flatten()?, calls))
    };
    let by_call = || {
        let estimate = interval::apart(means, &costs.calls, &bases.calls)?;
        Some((Basis::Calls, estimate, calls))
    };
    let by_trial = || {
        let estimate = interval::apart(means, &costs.trials, &bases.trials)?;
        Some((Basis::Trials, estimate, fewer(|cost| &cost.trials)))
    };
    let found = paired().or_else(by_call).or_else(by_trial);
    let (basis, estimate, n) = match found {
        Some((basis, estimate, n)) => (basis, Some(estimate), n),
        None => (Basis::Means, None, fewer(|cost| &cost.trials)),
    };
    let distinct_inputs = match basis {
        Basis::PairedCalls => Some(n),
        Basis::Calls if has_varied_inputs(cost.record) => Some(n),
        Basis::Calls => Some(1),
        Basis::Trials | Basis::Means => None,
    };
    Ok(Unjudged {
        ratio: Ratio {
            of: quantity.name(),
            quantity,
            value: estimate.map_or(means, |estimate| estimate.ratio()),
            interval: None,
            ratio_of_means: means,
            noise: costs.noise().max(bases.noise()).exp(),
            basis,
            n,
            distinct_inputs,
            verdict: Verdict::Unknown,
        },
        estimate,
        ratio_of_calls: mean(&costs.calls)
            .zip(mean(&bases.calls))
            .map(|(a, b)| a / b),
    })
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Judges ratios that are shown together.
pub fn judge(ratios: Vec<Unjudged>) -> Vec<Ratio> {
    let intervals = ratios.iter().filter(|ratio| ratio.estimate.is_some());
    let error = (1.0 - CONFIDENCE) / intervals.count().max(1) as f64;
    let judged = ratios.into_iter().map(|unjudged| {
        let interval = unjudged.estimate.and_then(|it| it.interval(error));
        Ratio {
            verdict: interval.map_or(Verdict::Unknown, |interval| verdict(&unjudged, interval)),
            interval,
            ..unjudged.ratio
        }
    });
    judged.collect()
}

fn verdict(unjudged: &Unjudged, interval: Interval) -> Verdict {
    let Unjudged {
        ratio,
        ratio_of_calls,
        ..
    } = unjudged;
    let noise = ratio.noise.ln();
    let all = [ratio.value, ratio.ratio_of_means]
        .into_iter()
        .chain(*ratio_of_calls);
    let logs: Vec<f64> = all.map(f64::ln).collect();
    if !interval.excludes_one() {
        Verdict::WithinNoise
    } else if logs.iter().all(|log| *log > noise) {
        Verdict::More
    } else if logs.iter().all(|log| *log < -noise) {
        Verdict::Less
    } else {
        Verdict::WithinNoise
    }
}

#[cfg(test)]
mod tests;
