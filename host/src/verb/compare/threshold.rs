//! What became worse from one run to the next.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cli::Context;
use crate::notice::printable;
use crate::outcome::Outcome;
use crate::ratio;
use crate::record::run_files::NotBuilt;
use crate::regression::{Answers, Larger, Omission, Regressions, Slower};
use crate::table::comparison::not_built_in_words;
use crate::table::format;
use crate::verb::output;
use crate::verb::sides::Side;

/// So many things of which there is the same to say are named.
const NAMED: usize = 3;

/// A part of the earlier cost, as `5` or `5%`.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text);
    let number: Option<f64> = number.parse().ok();
    let number = number.filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "give a number of percent that is not negative, such as 5".to_owned())
}

/// Compares a baseline and a later run, and shows what became worse.
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
    let (found, outcome) = judge(runs, sides, percent)?;
    if context.common.json {
        output::json(&found)?;
        return Ok(outcome);
    }
    for line in lines(&found) {
        output::text(&printable(&line))?;
    }
    for line in said(&found) {
        context.say(format_args!("{}", printable(&line)));
    }
    let of_later = sides
        .iter()
        .filter(|side| Some(side.run.root()) == runs.last().map(PathBuf::as_path));
    let not_built: Vec<NotBuilt> = of_later.flat_map(|side| &side.not_built).cloned().collect();
    for words in sides.iter().flat_map(Side::broken_promises) {
        context.say(format_args!("{}", printable(&words)));
    }
    for words in not_built_in_words(&not_built) {
        context.say(format_args!("{}", printable(&words)));
    }
    context.say(format_args!("{}", summary(&found, percent)));
    Ok(outcome)
}

/// What became worse, and how the command ends for it.
fn judge(runs: &[PathBuf], sides: &[Side], percent: f64) -> miette::Result<(Regressions, Outcome)> {
    let [baseline, later] = runs else {
        return Err(miette::miette!(
            help = "as in `cargo host compare runs/before runs/after --threshold 5`",
            "--threshold needs two runs, a baseline and a later one, and there are {}",
            runs.len()
        ));
    };
    let (before, after) = (records(sides, baseline), records(sides, later));
    let found = Regressions::between(&before, &after, percent);
    // A check that compares nothing must not pass.
    if found.compared == 0 && !found.any() {
        let reasons = found.not_compared.iter().take(NAMED);
        let reasons: Vec<String> = reasons.map(omission).collect();
        return Err(miette::miette!(
            help = "both runs need complete records of the same operations on the same system, in \
                    the same unit",
            "nothing in {} can be compared with {}: {}",
            later.display(),
            baseline.display(),
            reasons.join("; ")
        ));
    }
    let mut of_later = sides.iter().filter(|side| side.run.root() == later);
    let is_whole = sides.iter().all(|side| side.damage.is_empty());
    let outcome = match !found.any() && is_whole && of_later.all(Side::is_clean) {
        true => Outcome::Clean,
        false => Outcome::NotClean,
    };
    Ok((found, outcome))
}

fn records<'a>(sides: &'a [Side], run: &Path) -> Vec<ratio::Side<'a>> {
    let sides = sides.iter().filter(|side| side.run.root() == run);
    let of_side = |side: &'a Side| {
        let records = side.column.records.iter();
        records.map(|record| ratio::Side {
            name: &side.column.name,
            system: &side.system,
            record,
        })
    };
    sides.flat_map(of_side).collect()
}

/// What became worse, one line each.
fn lines(found: &Regressions) -> Vec<String> {
    let answers = found.answers.iter().map(|answers| {
        let Answers {
            system,
            name,
            before,
            after,
        } = answers;
        let (before, after) = (before.name(), after.name());
        format!("{system}: {name}: KAT {after}, {before} before")
    });
    let missing = found.missing.iter();
    let missing = missing.map(|missing| format!("{}; measured before", omission(missing)));
    let slower = found.slower.iter().map(slower);
    let larger = found.larger.iter().map(larger);
    answers.chain(missing).chain(slower).chain(larger).collect()
}

/// What is no regression, and must be known to judge them.
fn said(found: &Regressions) -> Vec<String> {
    let within = found.within_noise.iter();
    let within = within.map(|it| format!("within the noise: {}", slower(it)));
    let mut reasons: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for Omission {
        system,
        name,
        reason,
    } in &found.not_compared
    {
        reasons.entry((system, reason)).or_default().push(name);
    }
    let omitted = reasons.into_iter().map(|((system, reason), names)| {
        let names = match names.as_slice() {
            few if few.len() <= NAMED => few.join(", "),
            many => format!(
                "{} and {} more",
                many[..NAMED].join(", "),
                many.len() - NAMED
            ),
        };
        format!("not compared: {system}: {names}: {reason}")
    });
    within.chain(omitted).collect()
}

fn omission(omission: &Omission) -> String {
    let Omission {
        system,
        name,
        reason,
    } = omission;
    printable(&format!("{system}: {name}: {reason}")).into_owned()
}

fn slower(slower: &Slower) -> String {
    let Slower {
        system,
        name,
        unit,
        before,
        after,
        percent,
        ratio,
    } = slower;
    let (what, number): (_, fn(f64) -> String) = match *unit {
        "seconds" => ("time", format::seconds),
        unit => (unit, format::count),
    };
    let interval = ratio.interval.map(|interval| (interval.low, interval.high));
    format!(
        "{system}: {name}: {percent:.2} % more ({what}): {} before, {} after; ratio {}, noise {:.2} %",
        number(*before),
        number(*after),
        format::ratio(ratio.value, interval),
        (ratio.noise - 1.0) * 100.0
    )
}

fn larger(larger: &Larger) -> String {
    let Larger {
        system,
        name,
        what,
        before_bytes,
        after_bytes,
        percent,
    } = larger;
    let more = percent.map_or(String::new(), |percent| format!("{percent:.2} % more "));
    format!("{system}: {name}: {more}{what}: {before_bytes} bytes before, {after_bytes} after")
}

fn summary(found: &Regressions, percent: f64) -> String {
    format!(
        "compared: {}; slower by more than {percent} % and the noise: {}; more memory by more than \
         {percent} %: {}; worse answers: {}; missing: {}",
        format::number_of(found.compared, "operation"),
        found.slower.len(),
        found.larger.len(),
        found.answers.len(),
        found.missing.len()
    )
}

#[cfg(test)]
mod tests;
