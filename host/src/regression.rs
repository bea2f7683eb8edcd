//! What has become slower from one run to the next.

use serde::Serialize;

use crate::export::Row;
use crate::record::schema::Status;
use crate::table::order;

/// What a run was compared with an earlier one for.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Regressions {
    /// Operations that are slower by more than the threshold and by more than the noise.
    pub slower: Vec<Slower>,
    /// Number of operations that could be compared.
    pub compared: usize,
    /// What was not compared, and why.
    pub not_compared: Vec<String>,
}

/// An operation that has become slower.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Slower {
    /// The system.
    pub system: String,
    /// `<candidate>/<label> <operation>`.
    pub name: String,
    /// What one call is measured in: the unit of the counts, or seconds where nothing was counted.
    pub unit: &'static str,
    /// One call in the earlier run, on average.
    pub before: f64,
    /// One call in the later run.
    pub after: f64,
    /// How much more that is, in percent.
    pub percent: f64,
    /// How far the trials' own means lay apart, in the run where they did so more.
    pub noise: f64,
}

/// One call of an operation, in one unit.
struct Cost {
    unit: &'static str,
    mean: f64,
    spread: f64,
}

impl Cost {
    fn of(row: &Row) -> Option<Self> {
        let (unit, mean, least, most) = match row.unit_heading.zip(row.mean_count) {
            Some((unit, mean)) => (unit, mean, row.min_trial_count?, row.max_trial_count?),
            None => (
                "seconds",
                row.mean_seconds?,
                row.min_trial_seconds?,
                row.max_trial_seconds?,
            ),
        };
        Some(Self {
            unit,
            mean,
            spread: most - least,
        })
    }
}

impl Regressions {
    /// Compares the operations of two runs, whose rows name systems as their run directories do;
    /// `threshold` is in percent of the earlier cost.
    pub fn between(before: &[Row], after: &[Row], threshold: f64) -> Self {
        let mut found = Self::default();
        for row in after {
            let place = |row: &Row| {
                let Row {
                    candidate,
                    label,
                    operation,
                    ..
                } = row;
                format!("{candidate}/{label} {operation}")
            };
            let name = place(row);
            let same = |other: &&Row| other.system == row.system && place(other) == name;
            let words = format!("{}: {name}", row.system);
            let Some(base) = before.iter().find(same) else {
                found.leave_out(&words, "the baseline has no such operation");
                continue;
            };
            match costs(base, row) {
                Err(reason) => found.leave_out(&words, &reason),
                Ok((old, new)) => {
                    found.compared += 1;
                    let more = new.mean - old.mean;
                    let noise = old.spread.max(new.spread);
                    if more > old.mean * threshold / 100.0 && more > noise {
                        found.slower.push(Slower {
                            system: row.system.clone(),
                            name,
                            unit: new.unit,
                            before: old.mean,
                            after: new.mean,
                            percent: more / old.mean * 100.0,
                            noise,
                        });
                    }
                }
            }
        }
        for base in before {
            let is_there = |row: &Row| {
                (&row.system, &row.candidate, &row.label, &row.operation)
                    == (&base.system, &base.candidate, &base.label, &base.operation)
            };
            if !after.iter().any(is_there) {
                let Row {
                    system,
                    candidate,
                    label,
                    operation,
                    ..
                } = base;
                let words = format!("{system}: {candidate}/{label} {operation}");
                found.leave_out(&words, "the later run has no such operation");
            }
        }
        found.slower.sort_by(|a, b| {
            order::natural(&a.system, &b.system).then(b.percent.total_cmp(&a.percent))
        });
        found
    }

    fn leave_out(&mut self, words: &str, reason: &str) {
        self.not_compared.push(format!("{words}: {reason}"));
    }
}

/// What one call cost in both runs, in the same unit; or why that cannot be said.
fn costs(before: &Row, after: &Row) -> Result<(Cost, Cost), String> {
    let cost = |row: &Row, which: &str| {
        if row.status != Status::Complete {
            return Err(format!("{which} is not complete"));
        }
        if !row.kat.is_clean() {
            return Err(format!("KAT of {which}: {}", row.kat.name()));
        }
        Cost::of(row).ok_or_else(|| format!("{which} has neither count nor time"))
    };
    let (before, after) = (cost(before, "the baseline")?, cost(after, "the later run")?);
    match before.unit == after.unit {
        true => Ok((before, after)),
        false => Err(format!(
            "{} and {} cannot be compared",
            before.unit, after.unit
        )),
    }
}

#[cfg(test)]
mod tests {
    use wire::CounterSource;

    use super::*;
    use crate::record::example;
    use crate::record::schema::{KatStatus, Record};

    const SYSTEM: &str = "qemu-virt";

    fn row(source: CounterSource, change: fn(&mut Record)) -> Row {
        let mut record = example::record_of(SYSTEM, source);
        change(&mut record);
        Row::of(SYSTEM, &record)
    }

    /// A row of instructions whose trials' means lie so far apart.
    fn counted(mean: f64, spread: f64) -> Row {
        Row {
            mean_count: Some(mean),
            min_trial_count: Some(mean - spread / 2.0),
            max_trial_count: Some(mean + spread / 2.0),
            ..row(CounterSource::Icount, |_| {})
        }
    }

    fn slower(before: &Row, after: &Row, threshold: f64) -> Vec<Slower> {
        let (before, after) = (std::slice::from_ref(before), std::slice::from_ref(after));
        let found = Regressions::between(before, after, threshold);
        assert_eq!(found.compared, 1, "{:?}", found.not_compared);
        found.slower
    }

    #[test]
    fn slower_is_by_more_than_the_threshold() {
        let base = counted(1000.0, 0.0);
        assert_eq!(slower(&base, &counted(1050.0, 0.0), 5.0), []);
        let found = slower(&base, &counted(1051.0, 0.0), 5.0);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].unit, "instructions, emulated");
        assert!((found[0].percent - 5.1).abs() < 1e-9);
        assert_eq!(slower(&base, &counted(900.0, 0.0), 0.0), []);
        // Where nothing disturbs a count, a single instruction more is one more.
        assert_eq!(slower(&base, &counted(1001.0, 0.0), 0.0).len(), 1);
        assert_eq!(slower(&base, &base, 0.0), []);
    }

    #[test]
    fn what_lies_within_the_noise_of_either_run_is_none() {
        let (quiet, noisy) = (counted(1000.0, 0.0), counted(1000.0, 120.0));
        assert_eq!(slower(&quiet, &counted(1100.0, 120.0), 5.0), []);
        assert_eq!(slower(&noisy, &counted(1100.0, 0.0), 5.0), []);
        assert_eq!(slower(&noisy, &counted(1121.0, 0.0), 5.0).len(), 1);
    }

    #[test]
    fn without_counts_times_are_compared() {
        let base = row(CounterSource::Missing, |_| {});
        let mut later = base.clone();
        for time in [
            &mut later.mean_seconds,
            &mut later.min_trial_seconds,
            &mut later.max_trial_seconds,
        ] {
            *time = time.map(|seconds| seconds * 1.2);
        }
        let found = slower(&base, &later, 5.0);
        assert_eq!(found[0].unit, "seconds");
    }

    #[test]
    fn other_units_systems_and_wrong_answers_are_not_compared() {
        let base = counted(1000.0, 0.0);
        let elsewhere = Row {
            system: "rpi4".to_owned(),
            ..counted(5000.0, 0.0)
        };
        let wrong = row(CounterSource::Icount, |record| {
            record.kat = KatStatus::Mismatch
        });
        let cycles = row(CounterSource::Pmccntr, |_| {});
        let ticks = row(CounterSource::Tsc, |_| {});
        let mut reasons = Vec::new();
        for (before, after) in [
            (&base, &cycles),
            (&cycles, &ticks),
            (&base, &wrong),
            (&wrong, &base),
            (&base, &elsewhere),
        ] {
            let (before, after) = (std::slice::from_ref(before), std::slice::from_ref(after));
            let found = Regressions::between(before, after, 0.0);
            assert_eq!((found.compared, found.slower.len()), (0, 0));
            reasons.extend(found.not_compared);
        }
        insta::assert_snapshot!(reasons.join("\n"), @r"
        qemu-virt: pqclean/ML-KEM-768 dec: instructions, emulated and cycles cannot be compared
        qemu-virt: pqclean/ML-KEM-768 dec: cycles and TSC ticks cannot be compared
        qemu-virt: pqclean/ML-KEM-768 dec: KAT of the later run: MISMATCH
        qemu-virt: pqclean/ML-KEM-768 dec: KAT of the baseline: MISMATCH
        rpi4: pqclean/ML-KEM-768 dec: the baseline has no such operation
        qemu-virt: pqclean/ML-KEM-768 dec: the later run has no such operation
        ");
    }
}
