//! What a campaign would take, from the records of operations that were measured before. What was
//! not is unknown.

use catalogue::{Catalogue, Instance};
use serde::Serialize;
use wire::Operation;

use super::Reporter;
use super::order::is_deferred;
use super::settings::Settings;
use super::shelf::Shelf;
use super::work::operations;
use crate::record::plan::{PlanSettings, plan};
use crate::record::schema::{Plan, Record};
use crate::record::store::{RunDirectory, StoreError};
use crate::system::{self, System};

/// What a campaign would take on one system.
#[derive(Debug, Serialize)]
pub struct Forecast {
    /// The system.
    pub system: String,
    /// All operations, the slowest first and those of unknown time at the end.
    pub rows: Vec<Row>,
    /// All of them.
    pub total: Totals,
    /// Those that have no complete record yet.
    pub left: Totals,
    /// Those among them that come last.
    pub deferred_left: Totals,
    /// Chosen instances that the system cannot run.
    pub unavailable: usize,
}

/// One operation, or all of an instance whose operations only its code knows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// `<id>/<label>`.
    pub name: String,
    /// The operation; null where only the instance's code knows which there are.
    pub operation: Option<String>,
    /// Whether it has no complete record yet.
    pub left: bool,
    /// Whether its instance is measured last.
    pub deferred: bool,
    /// How it would be called and how long that takes; null where it was never measured.
    pub cost: Option<Cost>,
}

/// How an operation would be called, and how long that takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// Trials.
    pub trials: u64,
    /// Calls in each.
    pub iterations_per_trial: u64,
    /// Untimed calls before each.
    pub warmups: u64,
    /// Seconds that the trials take on the target's clock.
    pub trials_seconds: f64,
    /// Seconds on the wall for everything that is measured of the operation.
    pub wall_seconds: f64,
    /// Where that time comes from.
    pub basis: Basis,
}

/// Where a time on the wall comes from.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// It was measured with the same number of calls.
    Measured,
    /// It was measured with another number of calls, and is in proportion to that.
    Scaled,
}

/// Several operations together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Operations whose time is known.
    pub known: usize,
    /// Seconds on the wall that these take.
    pub known_wall_seconds: f64,
    /// Operations, or instances with operations that only their code knows, of unknown time.
    pub unknown: usize,
}

impl Totals {
    fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Self {
        let mut totals = Self::default();
        for row in rows {
            match &row.cost {
                Some(cost) => {
                    totals.known += 1;
                    totals.known_wall_seconds += cost.wall_seconds;
                }
                None => totals.unknown += 1,
            }
        }
        totals
    }
}

/// What a campaign would take on its systems.
///
/// # Errors
///
/// When a system is unknown or missing, nothing is selected, or records cannot be read.
pub fn forecast(catalogue: &Catalogue, settings: &Settings) -> miette::Result<Vec<Forecast>> {
    check_times(settings)?;
    let mut forecasts = Vec::new();
    let systems: Vec<Box<dyn System>> = settings
        .systems
        .iter()
        .map(|name| system::find_at(name, settings.destination.as_ref()))
        .collect::<Result<_, _>>()?;
    settings.check_defer(catalogue, systems.iter().map(|it| &**it))?;
    for system in systems {
        let selected = settings.instances(catalogue, &*system)?;
        let mut rows = Vec::new();
        for instance in &selected.available {
            rows.extend(instance_rows(settings, &*system, instance)?);
        }
        forecasts.push(together(system.name(), rows, selected.unavailable.len()));
    }
    Ok(forecasts)
}

/// Whether the run directory that is to tell times is there: a mistake in its name would make
/// everything unknown.
///
/// # Errors
///
/// When it cannot be read or holds no records.
pub fn check_times(settings: &Settings) -> Result<(), StoreError> {
    let directory = settings.times_from.as_ref().map(RunDirectory::new);
    directory.map_or(Ok(()), |directory| directory.records().map(drop))
}

fn together(system: &str, mut rows: Vec<Row>, unavailable: usize) -> Forecast {
    let wall = |row: &Row| row.cost.as_ref().map_or(-1.0, |cost| cost.wall_seconds);
    rows.sort_by(|left, right| wall(right).total_cmp(&wall(left)));
    let left = || rows.iter().filter(|row| row.left);
    Forecast {
        system: system.to_owned(),
        total: Totals::of(rows.iter()),
        left: Totals::of(left()),
        deferred_left: Totals::of(left().filter(|row| row.deferred)),
        rows,
        unavailable,
    }
}

/// Seconds on the wall that all operations of an instance take; `None` if any is unknown.
pub fn wall_seconds(settings: &Settings, system: &dyn System, instance: &Instance) -> Option<f64> {
    // What cannot be read is reported where the instance is measured.
    let rows = instance_rows(settings, system, instance).ok()?;
    rows.iter()
        .map(|row| Some(row.cost.as_ref()?.wall_seconds))
        .sum()
}

fn instance_rows(
    settings: &Settings,
    system: &dyn System,
    instance: &Instance,
) -> miette::Result<Vec<Row>> {
    let quiet = Reporter::new(true, false);
    let own = RunDirectory::new(&settings.run_directory);
    let other = settings.times_from.as_ref().map(RunDirectory::new);
    let shelf = |directory| Shelf::read(directory, system.name(), instance, &quiet);
    let own = shelf(&own)?;
    let other = other.as_ref().map(shelf).transpose()?;
    let of_other = || other.as_ref().and_then(Shelf::passes);
    let known = operations(instance, own.passes().or_else(of_other));
    let left = own.left(&known);
    let plan = PlanSettings {
        // A budget is a time on the wall, and a plan is made on the target's clock.
        operation_budget_seconds: settings.plan.operation_budget_seconds
            / system.usual_wall_per_target(),
        ..settings.plan
    };
    let row = |operation: Option<Operation>| Row {
        name: instance.name(),
        operation: operation.map(|operation| operation.to_string()),
        left: operation.is_none_or(|operation| left.contains(&operation)),
        deferred: is_deferred(settings.defer.as_ref(), instance),
        cost: operation.and_then(|operation| {
            let of_other = || other.as_ref()?.complete(operation);
            let record = own.complete(operation).or_else(of_other)?;
            cost(record, &plan)
        }),
    };
    Ok(match &known[..] {
        [] => vec![row(None)],
        known => known.iter().copied().map(Some).map(row).collect(),
    })
}

/// How the operation of a record would be called under these settings, and how long that takes.
///
/// `None` for a record of another program, whose estimate may mean something else.
fn cost(record: &Record, settings: &PlanSettings) -> Option<Cost> {
    record.meter.as_ref()?;
    let measured: f64 = record.processes.iter().map(|it| it.wall_seconds).sum();
    let before = Calls::of(&record.plan);
    let plan = plan(call_seconds(&record.plan)?, settings);
    let now = Calls {
        trials: plan.trials.into(),
        iterations_per_trial: plan.calls_per_trial.into(),
        warmups: plan.warmups.into(),
    };
    Some(Cost {
        trials: now.trials,
        iterations_per_trial: now.iterations_per_trial,
        warmups: now.warmups,
        trials_seconds: plan.estimated_seconds,
        // The factor is 1 exactly where nothing changes.
        wall_seconds: measured * (now.all() / before.all()),
        basis: match now == before {
            true => Basis::Measured,
            false => Basis::Scaled,
        },
    })
}

/// How often an operation is called.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Calls {
    trials: u64,
    iterations_per_trial: u64,
    warmups: u64,
}

impl Calls {
    fn of(plan: &Plan) -> Self {
        Self {
            trials: plan.trials,
            iterations_per_trial: plan.iterations_per_trial,
            warmups: plan.warmups,
        }
    }

    /// Calls in all trials, with those before them.
    fn all(self) -> f64 {
        self.trials as f64 * (self.iterations_per_trial as f64 + self.warmups as f64)
    }
}

/// Time of the one call that a plan was made from: the plan's estimate is that time for every call.
/// It was a whole number of nanoseconds, so that the same settings give the same plan again.
fn call_seconds(plan: &Plan) -> Option<f64> {
    let calls = Calls::of(plan).all();
    (calls > 0.0).then(|| (plan.estimated_seconds / calls * 1e9).round() / 1e9)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::example;

    /// A record as a campaign with these settings leaves it, after so many seconds on the wall.
    fn record(t1_nanoseconds: u64, settings: &PlanSettings, wall_seconds: f64) -> Record {
        let plan = plan(t1_nanoseconds as f64 / 1e9, settings);
        let mut record = example::record();
        record.plan.trials = plan.trials.into();
        record.plan.iterations_per_trial = plan.calls_per_trial.into();
        record.plan.warmups = plan.warmups.into();
        record.plan.estimated_seconds = plan.estimated_seconds;
        record.processes[0].wall_seconds = wall_seconds;
        record
    }

    proptest! {
        #[test]
        fn the_same_settings_give_the_same_plan_and_the_measured_time(
            t1 in 1u64..1_000_000_000_000, wall in 0.001f64..1e5,
        ) {
            let settings = PlanSettings::default();
            let record = record(t1, &settings, wall);
            let cost = cost(&record, &settings).unwrap();
            prop_assert_eq!(cost.basis, Basis::Measured);
            prop_assert_eq!(cost.wall_seconds, wall);
            prop_assert_eq!(cost.iterations_per_trial, record.plan.iterations_per_trial);
            prop_assert_eq!(cost.trials_seconds, record.plan.estimated_seconds);
        }
    }

    #[test]
    fn other_settings_scale_the_time_with_the_calls_and_say_so() {
        let settings = PlanSettings::default();
        // 10 ms: 5 trials of 3 + 100 calls; with 2 s in a trial 5 of 3 + 200.
        let record = record(10_000_000, &settings, 10.3);
        let longer = PlanSettings {
            trial_target_seconds: 2.0,
            ..settings
        };
        let scaled = cost(&record, &longer).unwrap();
        assert_eq!((scaled.trials, scaled.iterations_per_trial), (5, 200));
        assert_eq!(scaled.basis, Basis::Scaled);
        assert!((scaled.wall_seconds - 20.3).abs() < 1e-9, "{scaled:?}");
        let mut published = record.clone();
        published.meter = None;
        assert_eq!(cost(&published, &longer), None);
    }

    fn row(name: &str, wall_seconds: Option<f64>, left: bool, deferred: bool) -> Row {
        Row {
            name: name.to_owned(),
            operation: Some("enc".to_owned()),
            left,
            deferred,
            cost: wall_seconds.map(|wall_seconds| Cost {
                trials: 5,
                iterations_per_trial: 20,
                warmups: 1,
                trials_seconds: 1.0,
                wall_seconds,
                basis: Basis::Measured,
            }),
        }
    }

    #[test]
    fn totals_keep_what_is_unknown_apart() {
        let forecast = together(
            "a",
            vec![
                row("quick", Some(1.0), true, false),
                row("new", None, true, true),
                row("slow", Some(60.0), true, true),
                row("done", Some(5.0), false, false),
            ],
            0,
        );
        let names: Vec<&str> = forecast.rows.iter().map(|row| &*row.name).collect();
        assert_eq!(names, ["slow", "done", "quick", "new"]);
        let totals = |known, known_wall_seconds, unknown| Totals {
            known,
            known_wall_seconds,
            unknown,
        };
        assert_eq!(forecast.total, totals(3, 66.0, 1));
        assert_eq!(forecast.left, totals(2, 61.0, 1));
        assert_eq!(forecast.deferred_left, totals(1, 60.0, 1));
    }
}
