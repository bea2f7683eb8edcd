//! How often an operation is called, from the time of one call.

use crate::measurement::Plan;

/// What a campaign wants of each operation; the default is what the published harness does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanSettings {
    /// Time that one trial should take on the target's clock.
    pub trial_target_seconds: f64,
    /// Time that all trials of an operation may take on the wall.
    pub operation_budget_seconds: f64,
    /// Number of trials.
    pub trials: u32,
    /// Calls in all trials, at least.
    pub minimum_calls: u32,
    /// Calls in one trial, at most.
    pub maximum_calls_per_trial: u32,
}

impl Default for PlanSettings {
    fn default() -> Self {
        Self {
            trial_target_seconds: 1.0,
            operation_budget_seconds: 900.0,
            trials: 5,
            minimum_calls: 100,
            maximum_calls_per_trial: 20_000,
        }
    }
}

/// The one call that all plans are made from.
pub const CALIBRATION: Plan = Plan {
    calls_per_trial: 1,
    warmups: 0,
    trials: 1,
    estimated_seconds: 0.0,
};

/// Plans an operation one call of which took `t1_seconds`, by the rule of the published harness.
///
/// A trial fills its target time and all trials together have their minimum of calls. What exceeds
/// the budget gets fewer calls in a trial, then fewer trials, but never less than one call. A time
/// of 0 or less stands for a call too short to be seen.
///
/// For a step of a key exchange, one call costs a whole run of the protocol.
pub fn plan(t1_seconds: f64, settings: &PlanSettings) -> Plan {
    let t1 = t1_seconds.max(f64::MIN_POSITIVE);
    let planned_trials = settings.trials.max(1);
    let minimum = settings.minimum_calls.div_ceil(planned_trials);
    // Conversion to u32 saturates: a call too short to be seen gives the maximum.
    let wanted = (settings.trial_target_seconds / t1).ceil() as u32;
    let most = settings.maximum_calls_per_trial.max(1);
    let mut calls = wanted.max(minimum).clamp(1, most);
    let mut trials = planned_trials;

    let budget = settings.operation_budget_seconds;
    let cost = |trials: u32, calls: u32| f64::from(trials) * f64::from(calls) * t1;
    if cost(trials, calls) > budget {
        calls = ((budget / (f64::from(trials) * t1)) as u32).clamp(1, calls);
    }
    if cost(trials, calls) > budget {
        trials = ((budget / t1) as u32).clamp(1, trials);
    }
    let warmups = warmups(t1);
    Plan {
        calls_per_trial: calls,
        warmups,
        trials,
        estimated_seconds: cost(trials, calls + warmups),
    }
}

/// Untimed calls before a trial.
fn warmups(t1_seconds: f64) -> u32 {
    if t1_seconds < 0.050 {
        3
    } else if t1_seconds < 5.0 {
        1
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Trials, calls per trial and warm-ups under the default settings.
    fn planned(t1_seconds: f64) -> (u32, u32, u32) {
        let plan = plan(t1_seconds, &PlanSettings::default());
        (plan.trials, plan.calls_per_trial, plan.warmups)
    }

    #[test]
    fn published_plans_come_out() {
        for (t1, trials, calls) in [
            (48.5e-3, 5, 21),
            (4.47e-3, 5, 224),
            (24.7e-3, 5, 41),
            (33.2e-3, 5, 31),
            (1.46, 5, 20),
            (25.5, 5, 7),
            (456.0, 1, 1),
        ] {
            assert_eq!(planned(t1).0, trials, "{t1} s");
            assert_eq!(planned(t1).1, calls, "{t1} s");
        }
    }

    #[test]
    fn every_boundary() {
        // The most calls of a trial.
        assert_eq!(planned(1.0 / 20_000.0).1, 20_000);
        assert_eq!(planned(1.0 / 19_999.0).1, 19_999);
        for unseen in [0.0, -1.0, f64::NAN, 1e-300] {
            assert_eq!(planned(unseen).1, 20_000);
            assert!(plan(unseen, &PlanSettings::default()).estimated_seconds < 1e-9);
        }
        // The minimum of calls, then the budget: 9 s are just 5 x 20 calls.
        assert_eq!(planned(9.0), (5, 20, 0));
        assert_eq!(planned(9.01), (5, 19, 0));
        assert_eq!(planned(180.0), (5, 1, 0));
        assert_eq!(planned(180.1), (4, 1, 0));
        assert_eq!(planned(450.0), (2, 1, 0));
        assert_eq!(planned(450.1), (1, 1, 0));
        assert_eq!(planned(1e9), (1, 1, 0));
        assert_eq!(planned(f64::INFINITY).0, 1);
        // Warm-ups.
        assert_eq!(planned(0.0499).2, 3);
        assert_eq!(planned(0.05).2, 1);
        assert_eq!(planned(4.99).2, 1);
        assert_eq!(planned(5.0).2, 0);
    }

    fn settings() -> impl Strategy<Value = PlanSettings> {
        (
            0.0f64..100.0,
            0.0f64..2000.0,
            0u32..20,
            0u32..2000,
            0u32..30_000,
        )
            .prop_map(
                |(target, budget, trials, minimum_calls, most)| PlanSettings {
                    trial_target_seconds: target,
                    operation_budget_seconds: budget,
                    trials,
                    minimum_calls,
                    maximum_calls_per_trial: most,
                },
            )
    }

    proptest! {
        #[test]
        fn never_less_than_one_call_and_never_too_many(
            exponent in -10.0f64..5.0, settings in settings(),
        ) {
            let plan = plan(10f64.powf(exponent), &settings);
            prop_assert!(plan.trials >= 1 && plan.calls_per_trial >= 1);
            prop_assert!(plan.trials <= settings.trials.max(1));
            prop_assert!(plan.calls_per_trial <= settings.maximum_calls_per_trial.max(1));
        }

        #[test]
        fn the_budget_is_kept_unless_one_call_exceeds_it(
            exponent in -10.0f64..5.0, settings in settings(),
        ) {
            let t1 = 10f64.powf(exponent);
            let plan = plan(t1, &settings);
            let cost = f64::from(plan.trials) * f64::from(plan.calls_per_trial) * t1;
            let budget = settings.operation_budget_seconds;
            prop_assert!(cost <= budget * (1.0 + 1e-12) || (plan.trials, plan.calls_per_trial) == (1, 1));
        }

        #[test]
        fn within_the_budget_the_target_and_the_minimum_are_met(exponent in -4.0f64..0.9) {
            let t1 = 10f64.powf(exponent);
            let plan = plan(t1, &PlanSettings::default());
            prop_assert_eq!(plan.trials, 5);
            prop_assert!(plan.trials * plan.calls_per_trial >= 100);
            prop_assert!(f64::from(plan.calls_per_trial) * t1 >= 1.0 - 1e-9);
        }

        #[test]
        fn a_slower_call_is_never_called_more_often(
            exponent in -10.0f64..5.0, factor in 1.0f64..100.0, settings in settings(),
        ) {
            let t1 = 10f64.powf(exponent);
            let (quick, slow) = (plan(t1, &settings), plan(t1 * factor, &settings));
            prop_assert!(slow.trials <= quick.trials);
            prop_assert!(slow.warmups <= quick.warmups);
            let total = |plan: Plan| u64::from(plan.trials) * u64::from(plan.calls_per_trial);
            prop_assert!(total(slow) <= total(quick));
        }
    }
}
