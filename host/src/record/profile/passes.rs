//! Passes of a profile: which one stands for all, and how far they lie apart.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{Counting, Profile};
use crate::record::schema::Unknown;

/// How far the shares of passes, which make the same calls, may lie apart before the machine is
/// said to have disturbed them: three percentage points.
pub const UNSTEADY: f64 = 0.03;

/// One pass over the operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pass {
    /// What all operations took, without what counting costs.
    pub ticks: u64,
    /// What the calls of each function took of that.
    pub functions: IndexMap<String, u64>,
    /// What counting costs, measured anew for each pass.
    pub counting: Counting,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl Pass {
    /// The part of the functions with these names.
    pub fn share(&self, wanted: &dyn Fn(&str) -> bool) -> f64 {
        let wanted = self.functions.iter().filter(|(name, _)| wanted(name));
        // Numbers that were changed may be as large as they like.
        let ticks = wanted.fold(0, |sum: u64, (_, ticks)| sum.saturating_add(*ticks));
        match self.ticks {
            0 => 0.0,
            all => ticks as f64 / all as f64,
        }
    }
}

/// The place of the pass whose share of everything symmetric is the median; of an even number the
/// lower of the two in the middle. One pass stands for all, and not a median of each function, so
/// that shares remain parts of one whole. `None` where there is no pass.
pub fn typical(passes: &[Pass]) -> Option<usize> {
    let mut places: Vec<usize> = (0..passes.len()).collect();
    places.sort_by(|a, b| {
        let share = |place: &usize| passes[*place].share(&|_| true);
        share(a).total_cmp(&share(b))
    });
    places.get(passes.len().saturating_sub(1) / 2).copied()
}

/// Greatest less least share of the functions with these names; `None` for fewer than two passes,
/// of which nobody can tell.
pub fn spread(passes: &[Pass], wanted: &dyn Fn(&str) -> bool) -> Option<f64> {
    let shares = || passes.iter().map(|pass| pass.share(wanted));
    let least = shares().min_by(f64::total_cmp)?;
    let greatest = shares().max_by(f64::total_cmp)?;
    (passes.len() > 1).then_some(greatest - least)
}

/// The passes of a profile; none where it does not have them one by one.
pub fn of(profile: &Profile) -> &[Pass] {
    let meter = profile.meter.as_ref();
    meter.map_or(&[], |meter| &meter.passes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(ticks: u64, hash: u64, drng: u64) -> Pass {
        Pass {
            ticks,
            functions: [("sm3hash".to_owned(), hash), ("drng".to_owned(), drng)].into(),
            counting: Counting {
                total_ticks: ticks,
                sorting_ticks: 0,
                ticks_per_call: 0.0,
                ticks_inside: 0.0,
                ticks_per_idle_call: 0.0,
                idle_calls: 0,
                unknown: Unknown::new(),
            },
            unknown: Unknown::new(),
        }
    }

    #[test]
    fn a_disturbed_pass_does_not_stand_for_all_and_is_seen_in_the_spread() {
        // In the second an interruption fell into the generator, in the fourth into the rest.
        let passes = [
            pass(1000, 100, 200),
            pass(5000, 100, 4200),
            pass(1010, 100, 205),
            pass(9000, 100, 200),
            pass(1001, 100, 200),
        ];
        assert_eq!(typical(&passes), Some(0));
        let drng = spread(&passes, &|name| name == "drng").expect("several passes");
        assert!((drng - (0.84 - 200.0 / 9000.0)).abs() < 1e-12, "{drng}");
        assert!(drng > UNSTEADY);
        assert_eq!(spread(&passes, &|name| name == "aes"), Some(0.0));
    }

    #[test]
    fn one_pass_has_no_spread_and_nothing_has_no_share() {
        assert_eq!(spread(&[pass(10, 1, 1)], &|_| true), None);
        assert_eq!((typical(&[]), spread(&[], &|_| true)), (None, None));
        let two = [pass(10, 4, 0), pass(10, 2, 0)];
        assert_eq!(typical(&two), Some(1));
        assert_eq!(pass(0, 0, 0).share(&|_| true), 0.0);
    }
}
