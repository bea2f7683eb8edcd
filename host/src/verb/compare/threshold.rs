//! What became slower from one run to the next.

use std::path::{Path, PathBuf};

use crate::cli::Context;
use crate::export::Row;
use crate::notice::printable;
use crate::outcome::Outcome;
use crate::regression::{Regressions, Slower};
use crate::table::format;
use crate::verb::output;
use crate::verb::sides::Side;

/// A part of the earlier cost, as `5` or `5%`.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text);
    let number: Option<f64> = number.parse().ok();
    let number = number.filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "give a number of percent that is not negative, such as 5".to_owned())
}

/// Compares a baseline and a later run.
///
/// # Errors
///
/// When there are not two runs, or nothing in them can be compared.
pub(super) fn run(
    runs: &[PathBuf],
    sides: &[Side],
    percent: f64,
    context: &Context,
) -> miette::Result<Outcome> {
    let [baseline, later] = runs else {
        return Err(miette::miette!(
            help = "as in `cargo host compare runs/before runs/after --threshold 5`",
            "--threshold needs two runs, a baseline and a later one, and there are {}",
            runs.len()
        ));
    };
    if baseline == later {
        return Err(miette::miette!(
            help = "name the run directory of another campaign",
            "{} is compared with itself",
            baseline.display()
        ));
    }
    let found = Regressions::between(&rows(sides, baseline), &rows(sides, later), percent);
    // A check that compares nothing must not pass.
    if found.compared == 0 {
        let reasons = found.not_compared.iter().take(3);
        let reasons: Vec<_> = reasons.map(|reason| printable(reason)).collect();
        return Err(miette::miette!(
            help = "both runs need complete records of the same operations on the same system, in \
                    the same unit",
            "nothing in {} can be compared with {}: {}",
            later.display(),
            baseline.display(),
            reasons.join("; ")
        ));
    }
    if context.common.json {
        output::json(&found)?;
    } else {
        for slower in &found.slower {
            output::text(&printable(&line(slower)))?;
        }
        for reason in &found.not_compared {
            context.say(format_args!("not compared: {reason}"));
        }
        context.say(format_args!(
            "compared: {}; slower by more than {percent} % and the noise: {}",
            format::number_of(found.compared, "operation"),
            found.slower.len()
        ));
    }
    let mut of_later = sides.iter().filter(|side| side.run.root() == later);
    Ok(
        match found.slower.is_empty() && of_later.all(Side::is_clean) {
            true => Outcome::Clean,
            false => Outcome::NotClean,
        },
    )
}

fn rows(sides: &[Side], run: &Path) -> Vec<Row> {
    let sides = sides.iter().filter(|side| side.run.root() == run);
    let of_side = |side: &Side| -> Vec<Row> {
        let records = side.column.records.iter();
        records.map(|it| Row::of(&side.system, it)).collect()
    };
    sides.flat_map(of_side).collect()
}

fn line(slower: &Slower) -> String {
    let Slower {
        system,
        name,
        unit,
        before,
        after,
        percent,
        noise,
    } = slower;
    let (what, number): (_, fn(f64) -> String) = match *unit {
        "seconds" => ("time", format::seconds),
        unit => (unit, format::count),
    };
    format!(
        "{system}: {name}: {percent:.2} % more ({what}): {} before, {} after; noise {}",
        number(*before),
        number(*after),
        number(*noise)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_is_a_number_that_is_not_negative() {
        assert_eq!(percent("5"), Ok(5.0));
        assert_eq!(percent("0.5%"), Ok(0.5));
        for wrong in ["-1", "five", "", "%", "inf", "NaN"] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }
}
