//! Every number of a profile that is computed and not measured.

use indexmap::IndexMap;
use wire::{CountingCost, DRNG, family_of_name};

use super::passes::{self, Pass, UNSTEADY};
use super::{Calls, Overflow, Profile};

/// What counting costs for one call, in ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostPerCall {
    /// A counted call; what is measured at every call is not in it.
    pub counted: f64,
    /// The part of it inside of the call.
    pub inside: f64,
    /// A call that a counter lets pass.
    pub idle: f64,
}

impl CostPerCall {
    /// What follows from the calibration.
    pub fn of(cost: &CountingCost) -> Self {
        let per_call = |ticks: f64| match cost.calls {
            0 => 0.0,
            calls => ticks.max(0.0) / f64::from(calls),
        };
        let beyond_direct = |ticks: u64| ticks as f64 - cost.direct as f64;
        Self {
            counted: per_call(beyond_direct(cost.counted) - cost.sorting as f64),
            inside: per_call(cost.inside as f64),
            idle: per_call(beyond_direct(cost.idle)),
        }
    }

    /// Ticks of counted calls, net: of so many ticks, calls, and calls within them.
    pub fn net(&self, tally: &wire::CallTally) -> u64 {
        let cost = f64::from(tally.calls) * self.inside + f64::from(tally.nested) * self.idle;
        net(tally.count, cost)
    }

    /// Ticks of all operations, net.
    pub fn net_total(&self, profile: &wire::Profile) -> u64 {
        let shapes = profile.shapes.iter().map(|shape| &shape.tally);
        let rest = profile.rest.iter().map(|(_, tally)| tally);
        let calls: f64 = shapes.chain(rest).map(|it| f64::from(it.calls)).sum();
        let cost = profile.sorting as f64 + calls * self.counted + profile.idle as f64 * self.idle;
        net(profile.count, cost)
    }
}

/// On a machine that is disturbed a calibration can cost more than what it is taken off.
fn net(count: u64, cost: f64) -> u64 {
    (count as f64 - cost).max(0.0).round() as u64
}

/// What part of the total each function has, and what part groups of them have.
#[derive(Clone, Debug, PartialEq)]
pub struct Shares {
    /// By name, in the order of the calls.
    pub by_name: IndexMap<String, f64>,
    /// All hash functions.
    pub hash: f64,
    /// The generator.
    pub drng: f64,
}

impl Shares {
    /// Computes them. A function of a name that is not known here counts as a hash function, as all
    /// but the generator do in published profiles.
    pub fn of(total_ticks: u64, calls: &[Calls], overflow: &[Overflow]) -> Self {
        let by_name = functions(calls, overflow);
        let sum_where = |wanted: &dyn Fn(&str) -> bool| -> u64 {
            let wanted = by_name.iter().filter(|(name, _)| wanted(name));
            wanted.fold(0, |sum: u64, (_, ticks)| sum.saturating_add(*ticks))
        };
        let hash = sum_where(&is_hash);
        let drng = sum_where(&is_generator);
        let share = |ticks: u64| match total_ticks {
            0 => 0.0,
            total => ticks as f64 / total as f64,
        };
        Self {
            hash: share(hash),
            drng: share(drng),
            by_name: by_name
                .into_iter()
                .map(|(name, ticks)| (name, share(ticks)))
                .collect(),
        }
    }

    /// Those of a profile, computed anew.
    pub fn of_profile(profile: &Profile) -> Self {
        let overflow = profile.meter.as_ref().map(|meter| &meter.overflow[..]);
        let overflow = overflow.unwrap_or_default();
        Self::of(profile.total.ticks, &profile.calls, overflow)
    }

    /// The part of everything symmetric.
    pub fn sum(&self) -> f64 {
        self.by_name.values().sum()
    }
}

/// Ticks of each function, by its name, in the order of the calls.
pub fn functions(calls: &[Calls], overflow: &[Overflow]) -> IndexMap<String, u64> {
    let mut functions: IndexMap<String, u64> = IndexMap::new();
    let calls = calls.iter().map(|it| (&it.function, it.ticks));
    let overflow = overflow.iter().map(|it| (&it.function, it.ticks));
    for (name, ticks) in calls.chain(overflow) {
        let sum = functions.entry(name.clone()).or_default();
        *sum = sum.saturating_add(ticks);
    }
    functions
}

/// How far passes lie apart in the shares that a profile states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spreads {
    /// All hash functions.
    pub hash: Option<f64>,
    /// The generator.
    pub drng: Option<f64>,
}

impl Spreads {
    /// Computes them.
    pub fn of(passes: &[Pass]) -> Self {
        Self {
            hash: passes::spread(passes, &is_hash),
            drng: passes::spread(passes, &is_generator),
        }
    }
}

/// Whether a name counts as that of a hash function.
fn is_hash(name: &str) -> bool {
    family_of_name(name).is_none_or(wire::Family::is_hash)
}

/// Whether a name stands for calls of the generator.
pub fn is_generator(name: &str) -> bool {
    name == DRNG || family_of_name(name) == Some(wire::Family::Drng)
}

/// Heads the columns of [`parts`], wherever they are shown.
pub const PARTS: [&str; 3] = ["pseudohash/XOF/sm3", "DRNG", "other primitives"];

/// A part of an operation, as its profile has it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Part {
    /// As a fraction of the whole.
    pub share: f64,
    /// Greatest less least share of all passes; `None` where there was one alone.
    pub spread: Option<f64>,
}

impl Part {
    /// Whether passes lie so far apart that the share says little.
    pub fn is_unsteady(&self) -> bool {
        self.spread.is_some_and(|spread| spread > UNSTEADY)
    }
}

/// What an operation spends in the interface's hash functions, in its generator, and in all other
/// functions: `None` where none of these was counted.
pub fn parts(profile: &Profile) -> [Option<Part>; 3] {
    let is_other = |name: &str| !is_iccs_hash(name) && !is_generator(name);
    [
        Some(stated(profile, &is_iccs_hash).unwrap_or_default()),
        Some(stated(profile, &is_generator).unwrap_or_default()),
        stated(profile, &is_other),
    ]
}

/// How far the passes of a profile lie apart at most in one of its [`parts`], if that is so far
/// that the shares say little.
pub fn unsteady(profile: &Profile) -> Option<f64> {
    let parts = parts(profile).into_iter().flatten();
    let unsteady = parts.filter(Part::is_unsteady);
    unsteady
        .filter_map(|part| part.spread)
        .max_by(f64::total_cmp)
}

/// The sum of the shares with these names; `None` where there are none.
fn stated(profile: &Profile, wanted: &dyn Fn(&str) -> bool) -> Option<Part> {
    let shares = profile.share.iter().filter(|(name, _)| wanted(name));
    let shares = shares.map(|(_, share)| *share);
    let share = shares.reduce(|sum, share| sum + share)?;
    let spread = passes::spread(passes::of(profile), wanted);
    Some(Part { share, spread })
}

/// Whether a name is that of one of the interface's hash functions.
pub fn is_iccs_hash(name: &str) -> bool {
    family_of_name(name).is_some_and(wire::Family::is_iccs_hash)
}

/// Outermost calls of each function in one operation, by name.
pub fn calls_per_operation(profile: &Profile) -> IndexMap<String, f64> {
    let mut sums: IndexMap<String, u64> = IndexMap::new();
    let overflow = profile.meter.as_ref().map(|meter| &meter.overflow[..]);
    let overflow = overflow.unwrap_or_default().iter();
    let overflow = overflow.map(|it| (&it.function, it.calls));
    let calls = profile.calls.iter().map(|it| (&it.function, it.calls));
    for (name, calls) in calls.chain(overflow) {
        let sum = sums.entry(name.clone()).or_insert(0);
        *sum = sum.saturating_add(calls);
    }
    sums.sort_keys();
    let operations = profile.total.operations.max(1) as f64;
    sums.into_iter()
        .map(|(name, calls)| (name, calls as f64 / operations))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::example::profile_in_passes;
    use crate::record::schema::Unknown;

    fn calls(function: &str, ticks: u64) -> Calls {
        Calls {
            function: function.to_owned(),
            in_bits: 8,
            out_bits: 256,
            calls: 1,
            ticks,
            unknown: Unknown::new(),
        }
    }

    #[test]
    fn groups_are_what_their_names_say() {
        let all = [
            calls("sm3hash", 10),
            calls("drng", 20),
            calls("drng_init", 5),
            calls("aes256_ctr", 7),
            calls("shake256", 30),
            calls("sm3hash", 3),
        ];
        let shares = Shares::of(100, &all, &[]);
        assert_eq!(shares.hash, 0.43);
        assert_eq!(shares.drng, 0.25);
        assert_eq!(shares.by_name["sm3hash"], 0.13);
        assert_eq!(shares.by_name["aes256_ctr"], 0.07);
        assert!((shares.sum() - 0.75).abs() < 1e-12);
        assert_eq!(Shares::of(0, &all, &[]).sum(), 0.0);
    }

    #[test]
    fn an_empty_function_costs_nothing() {
        let cost = CountingCost {
            calls: 10,
            direct: 50,
            idle: 130,
            counted: 1050,
            inside: 40,
            sorting: 600,
        };
        let per_call = CostPerCall::of(&cost);
        assert_eq!((per_call.counted, per_call.inside), (40.0, 4.0));
        assert_eq!(per_call.idle, 8.0);
        let tally = wire::CallTally {
            calls: 10,
            count: 40,
            nested: 0,
        };
        assert_eq!(per_call.net(&tally), 0);
    }

    #[test]
    fn parts_lie_as_far_apart_as_their_passes() {
        let profile = profile_in_passes(&[]);
        assert_eq!(parts(&profile)[1].unwrap().spread, None);
        let profile = profile_in_passes(&[160, 140, 165]);
        let [hash, drng, other] = parts(&profile);
        let (hash, drng) = (hash.unwrap(), drng.unwrap());
        assert_eq!((hash.share, hash.spread), (0.047, Some(0.0)));
        assert!((drng.spread.unwrap() - 0.025).abs() < 1e-12 && !drng.is_unsteady());
        assert_eq!((other, unsteady(&profile)), (None, None));
        let profile = profile_in_passes(&[160, 140, 800]);
        assert!((unsteady(&profile).unwrap() - 0.66).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn no_sum_of_shares_is_more_than_all(
            ticks in proptest::collection::vec(0..1_u64 << 40, 1..20), more in 0..1_u64 << 40,
        ) {
            let names = ["sm3hash", "drng", "shake256", "aes128_ctr", "pseudoXOF"];
            let all: Vec<Calls> = ticks.iter().zip(names.iter().cycle())
                .map(|(ticks, name)| calls(name, *ticks)).collect();
            let total: u64 = ticks.iter().sum::<u64>() + more;
            let shares = Shares::of(total, &all, &[]);
            prop_assert!(shares.sum() <= 1.0 + 1e-12);
            prop_assert!(shares.hash + shares.drng <= shares.sum() + 1e-12);
        }
    }
}
