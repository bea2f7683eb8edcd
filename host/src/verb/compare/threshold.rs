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
    let found = Regressions::between(&records(sides, baseline), &records(sides, later), percent);
    // A check that compares nothing must not pass.
    if found.compared == 0 && !found.any() {
        let reasons = found.not_compared.iter().take(3);
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
    let of_later = || sides.iter().filter(|side| side.run.root() == later);
    if context.common.json {
        output::json(&found)?;
    } else {
        for line in lines(&found) {
            output::text(&printable(&line))?;
        }
        for line in said(&found) {
            context.say(format_args!("{}", printable(&line)));
        }
        let not_built: Vec<NotBuilt> = of_later()
            .flat_map(|side| &side.not_built)
            .cloned()
            .collect();
        for words in not_built_in_words(&not_built) {
            context.say(format_args!("{}", printable(&words)));
        }
        context.say(format_args!("{}", summary(&found, percent)));
    }
    Ok(match !found.any() && of_later().all(Side::is_clean) {
        true => Outcome::Clean,
        false => Outcome::NotClean,
    })
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
mod tests {
    use wire::CounterSource;

    use super::*;
    use crate::record::example;
    use crate::record::schema::{KatStatus, Record, Status};

    #[test]
    fn percent_is_a_number_that_is_not_negative() {
        assert_eq!(percent("5"), Ok(5.0));
        assert_eq!(percent("0.5%"), Ok(0.5));
        for wrong in ["-1", "five", "", "%", "inf", "NaN"] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn each_regression_says_what_and_where() {
        let label = |label: &str, change: fn(&mut Record)| {
            let mut record = example::record_of("qemu-virt", CounterSource::Icount);
            label.clone_into(&mut record.label);
            change(&mut record);
            record
        };
        let more = |record: &mut Record| {
            let meter = record.meter.as_mut().expect("ours");
            meter.mean_count = meter.mean_count.map(|mean| mean * 1.1);
            for sample in meter.samples.iter_mut().flatten() {
                *sample = *sample * 11 / 10;
            }
        };
        let names = ["A", "B", "C", "D", "E", "F", "G", "H", "I"];
        let before: Vec<Record> = names.iter().map(|name| label(name, |_| {})).collect();
        let after = [
            label("A", more),
            label("B", |record| record.kat = KatStatus::NoKat),
            label("C", |record| {
                record.meter.as_mut().expect("ours").memory.stack_bytes = Some(20_000);
            }),
            label("D", |record| {
                record.status = Status::FailedOrPartial;
                record.meter.as_mut().expect("ours").reason = Some("a deadline passed".to_owned());
            }),
            label("E", |record| {
                let meter = record.meter.as_mut().expect("ours");
                meter.mean_count = meter.mean_count.map(|mean| mean * 1.06);
                meter.trials[0].count = meter.trials[0].count.map(|count| count * 12 / 10);
            }),
        ];
        let side = |record| ratio::Side {
            name: "qemu-virt",
            system: "qemu-virt",
            record,
        };
        let [before, after]: [Vec<ratio::Side>; 2] = [
            before.iter().map(side).collect(),
            after.iter().map(side).collect(),
        ];
        let found = Regressions::between(&before, &after, 5.0);
        let mut text = lines(&found);
        text.push("---".to_owned());
        text.extend(said(&found));
        text.push(summary(&found, 5.0));
        insta::assert_snapshot!(text.join("\n"), @r"
        qemu-virt: pqclean/B: KAT NOKAT, PASS before
        qemu-virt: pqclean/D dec: a deadline passed; measured before
        qemu-virt: pqclean/A dec: 10.00 % more (instructions, emulated): 700.0 k before, 770.0 k after; ratio 1.1000 (1.0996–1.1004), noise 0.00 %
        qemu-virt: pqclean/C dec: 49.43 % more stack_bytes: 13384 bytes before, 20000 after
        ---
        within the noise: qemu-virt: pqclean/E dec: 6.00 % more (instructions, emulated): 700.0 k before, 742.0 k after; ratio 1.0600 (1.0596–1.0604), noise 20.00 %
        not compared: qemu-virt: pqclean/D dec: qemu-virt is not complete
        not compared: qemu-virt: pqclean/F, pqclean/G, pqclean/H and 1 more: the later run has no such instance
        compared: 4 operations; slower by more than 5 % and the noise: 1; more memory by more than 5 %: 1; worse answers: 1; missing: 1
        ");
    }
}
