//! Whether a count can be: a submission on a bare board can write the counter's registers.

use wire::CounterSource;

use crate::measurement::Trial;

/// Counts in a nanosecond that no processor reaches.
const MOST_PER_NANOSECOND: u64 = 20;

/// Instructions of the meter beside a bracket that its clock sees and its counter does not, or the
/// other way round, with the grain of the emulated clock.
const BESIDE_A_BRACKET: u64 = 1_000;

/// The part of a count by which clock and counter may differ under QEMU's icount: nothing differs
/// but what is beside brackets, and this is what nobody would gain from.
const PART: u64 = 1_000;

/// What is wrong with a trial, in words; `None` where counter and clock agree.
///
/// Under QEMU's icount one instruction is one nanosecond, so that the clock proves the count. Where
/// a core has a clock of its own, only what no core can do is told.
pub fn contradiction(trial: &Trial, source: CounterSource, is_step: bool) -> Option<String> {
    let Trial {
        calls,
        count,
        nanoseconds,
        sweeps,
    } = trial;
    let contradiction = || {
        format!(
            "a count of {count} in {nanoseconds} ns of its clock: the submission may have changed \
             the counter"
        )
    };
    let impossible = match source {
        CounterSource::Missing => false,
        CounterSource::Icount => {
            // A step has a bracket in each run, and a sweep closes and opens one.
            let brackets = if is_step { u64::from(*calls) } else { 1 };
            let beside = (brackets + u64::from(sweeps.count)) * BESIDE_A_BRACKET;
            count.abs_diff(*nanoseconds) > beside + nanoseconds / PART
        }
        CounterSource::Pmccntr
        | CounterSource::PerfEvent
        | CounterSource::Tsc
        | CounterSource::Cntvct => {
            *count
                > nanoseconds
                    .saturating_mul(MOST_PER_NANOSECOND)
                    .saturating_add(BESIDE_A_BRACKET)
        }
    };
    impossible.then(contradiction)
}

/// The trial with its time as exactly as it is known. Under QEMU's icount the count is that time in
/// nanoseconds, and repeats; the emulated clock has a grain of several, and where a bracket lies on
/// it depends on what was asked before.
pub fn on_finest_clock(trial: Trial, source: CounterSource) -> Trial {
    match source {
        CounterSource::Icount => Trial {
            nanoseconds: trial.count,
            ..trial
        },
        _ => trial,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(calls: u32, count: u64, nanoseconds: u64) -> Trial {
        Trial {
            calls,
            count,
            nanoseconds,
            sweeps: wire::Sweeps::default(),
        }
    }

    #[test]
    fn an_emulated_count_is_that_of_the_clock() {
        let is_possible =
            |trial: Trial, is_step| contradiction(&trial, CounterSource::Icount, is_step).is_none();
        assert!(is_possible(trial(1, 559_623, 559_632), false));
        // Stopped, made less by 200 in each call, and set back in the middle.
        assert!(!is_possible(trial(20_000, 4_760_011, 139_740_048), false));
        assert!(!is_possible(trial(20_000, 135_560_000, 139_560_000), false));
        assert!(!is_possible(trial(1, u64::MAX - 9_000, 139_560_000), false));
        // Brackets around each of many short steps.
        assert!(is_possible(trial(100, 20_000, 28_000), true));
        assert!(!is_possible(trial(100, 20_000, 28_000), false));
    }

    #[test]
    fn an_emulated_time_has_no_grain() {
        let time = |source| on_finest_clock(trial(1, 559_623, 559_632), source).nanoseconds;
        assert_eq!(time(CounterSource::Icount), 559_623);
        assert_eq!(time(CounterSource::Tsc), 559_632);
    }

    #[test]
    fn no_core_counts_faster_than_it_can() {
        for source in [CounterSource::Pmccntr, CounterSource::Tsc] {
            let is_possible = |trial| contradiction(&trial, source, false).is_none();
            assert!(is_possible(trial(1, 3_000_000, 1_000_000)));
            assert!(is_possible(trial(1, 56, 0)));
            assert!(!is_possible(trial(1, u64::MAX - 9_000, 1_000_000)));
        }
    }
}
