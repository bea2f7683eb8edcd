//! `cargo host plan`: what a campaign would take.

use catalogue::Catalogue;
use clap::Args;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use super::campaign::positive;
use super::choice::{Choice, Kept};
use super::output;
use crate::campaign::{self, Forecast, Row, Settings, Totals};
use crate::cli::Context;
use crate::measure::PATIENCE;
use crate::notice::{self, printable};
use crate::outcome::Outcome;
use crate::project::Project;
use crate::record::plan::PlanSettings;
use crate::table::format;
use crate::table::render::{NONE, STYLE};

/// Shows the operations, calls and time that a campaign would take; it measures nothing.
///
/// A time is known where the run directory, or the one of --times-from, has a complete record of
/// the operation on the same system; it is what everything that is measured of it took on the wall,
/// or in proportion to that where it would be called more or less often now, marked with `~`. What
/// was never measured is unknown, and in no total. Builds, known-answer tests, shares and other
/// layouts come on top. A record counts as there whatever build it is of: only the campaign builds,
/// and measures anew what is of another build.
///
/// With --json an array of {system, rows: [{name, operation, left, deferred, cost}], total, left,
/// deferred_left, unavailable}.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    choice: Choice,
    /// Seconds on the target's clock that one trial should take; as the run directory has it, or 1
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = positive)]
    trial_target: Option<f64>,
    /// Seconds on the wall that all trials of an operation may take; as the run directory has it, or
    /// 900
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = positive)]
    op_budget: Option<f64>,
}

/// Shows the plan.
///
/// # Errors
///
/// See [`campaign::forecast`].
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let choice = &arguments.choice;
    let Kept { plan, shard, .. } = choice.kept()?;
    let settings = Settings {
        run_directory: choice.run_dir.clone(),
        systems: choice.systems(),
        destination: choice.destination()?,
        selection: choice.selection(),
        shard,
        defer: choice.defer.clone(),
        times_from: choice.times_from.clone(),
        redo: None,
        plan: PlanSettings {
            trial_target_seconds: arguments.trial_target.unwrap_or(plan.trial_target_seconds),
            operation_budget_seconds: arguments.op_budget.unwrap_or(plan.operation_budget_seconds),
            ..plan
        },
        patience: PATIENCE,
        cold: false,
        layouts: 0,
        allow_unfit: false,
        profiles: true,
        capture: false,
    };
    let catalogue = Catalogue::load(&Project::find()?.root)?;
    let forecasts = campaign::forecast(&catalogue, &settings)?;
    notice::broken_packages(&catalogue);
    if let Some(words) = settings.selection.unlisted_in_words(&catalogue) {
        context.say(words);
    }
    if context.common.json {
        output::json(&forecasts)?;
    } else {
        let texts: Vec<String> = forecasts.iter().map(draw).collect();
        output::text(&texts.join("\n\n"))?;
    }
    Ok(Outcome::Clean)
}

/// The table of one system, and its totals.
fn draw(forecast: &Forecast) -> String {
    let mut table = Table::new();
    table
        .load_style(STYLE)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(["instance", "operation", "calls", "time", "state"]);
    for row in &forecast.rows {
        table.add_row(cells(row));
    }
    for column in table.column_iter_mut().skip(2).take(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut lines = vec![printable(&forecast.system).into_owned()];
    if !forecast.rows.is_empty() {
        lines.push(table.trim_fmt());
    }
    lines.push(format!("all: {}", words(forecast.total)));
    lines.push(format!("left: {}", words(forecast.left)));
    let deferred = forecast.deferred_left;
    if deferred.known + deferred.unknown > 0 {
        lines.push(format!("of that deferred: {}", words(deferred)));
    }
    if forecast.unavailable > 0 {
        lines.push(format!(
            "{} cannot be measured here; `cargo host list` says why",
            format::number_of(forecast.unavailable, "more instance")
        ));
    }
    lines.join("\n")
}

fn cells(row: &Row) -> [String; 5] {
    let (calls, time) = match &row.cost {
        None => (NONE.to_owned(), "unknown".to_owned()),
        Some(cost) => {
            let calls = cost.trials * cost.iterations_per_trial;
            let mark = match cost.basis {
                campaign::Basis::Measured => "",
                campaign::Basis::Scaled => "~",
            };
            (
                format::repetitions(calls, cost.trials, cost.iterations_per_trial),
                format!("{mark}{}", duration(cost.wall_seconds)),
            )
        }
    };
    let state = match (row.left, row.deferred) {
        (false, _) => "there",
        (true, false) => "left",
        (true, true) => "left, deferred",
    };
    [
        printable(&row.name).into_owned(),
        row.operation.clone().unwrap_or_else(|| NONE.to_owned()),
        calls,
        time,
        state.to_owned(),
    ]
}

fn words(totals: Totals) -> String {
    let known = format::number_of(totals.known, "operation");
    let known = format!("{known} in {}", duration(totals.known_wall_seconds));
    match (totals.known, totals.unknown) {
        (0, 0) => "nothing".to_owned(),
        (_, 0) => known,
        (0, unknown) => format!(
            "{} of unknown time",
            format::number_of(unknown, "operation")
        ),
        (_, unknown) => format!("{known}, and {unknown} of unknown time"),
    }
}

/// A time on the wall, as people say it.
fn duration(seconds: f64) -> String {
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    let minutes = (seconds / 60.0).round() as u64;
    match minutes {
        0..60 => format!("{minutes} min"),
        _ => format!("{} h {:02} min", minutes / 60, minutes % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_to_the_second_the_minute_or_the_hour() {
        let told = [0.04, 59.94, 59.95, 89.0, 91.0, 3569.0, 3570.0, 36_000.0].map(duration);
        assert_eq!(
            told,
            [
                "0.0 s",
                "59.9 s",
                "1 min",
                "1 min",
                "2 min",
                "59 min",
                "1 h 00 min",
                "10 h 00 min"
            ]
        );
    }

    #[test]
    fn what_is_unknown_is_in_no_time() {
        let totals = |known, known_wall_seconds, unknown| Totals {
            known,
            known_wall_seconds,
            unknown,
        };
        assert_eq!(words(totals(0, 0.0, 0)), "nothing");
        assert_eq!(words(totals(1, 61.0, 0)), "1 operation in 1 min");
        assert_eq!(words(totals(0, 0.0, 3)), "3 operations of unknown time");
        assert_eq!(
            words(totals(2, 5.0, 3)),
            "2 operations in 5.0 s, and 3 of unknown time"
        );
    }
}
