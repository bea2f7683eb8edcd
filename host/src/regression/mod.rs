//! What has become worse from one run to the next: slower, larger, wrong, or gone.

mod memory;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::ratio::{self, Ratio, Side, Unjudged, Verdict};
use crate::record::schema::{KatStatus, Record, Status};
use crate::table::comparison::key;
use crate::table::order;

pub use memory::Larger;

/// What a run was compared with an earlier one for.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Regressions {
    /// Operations that are slower by more than the threshold and by more than the noise.
    pub slower: Vec<Slower>,
    /// Memory that grew by more than the threshold.
    pub larger: Vec<Larger>,
    /// Labels whose known-answer test ended better in the earlier run.
    pub answers: Vec<Answers>,
    /// Operations that the earlier run measured and the later one did not, though it has the label.
    pub missing: Vec<Omission>,
    /// Operations whose mean grew by more than the threshold, but not by more than the noise: no
    /// regressions.
    pub within_noise: Vec<Slower>,
    /// Number of operations that could be compared.
    pub compared: usize,
    /// What was not compared, and why.
    pub not_compared: Vec<Omission>,
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
    /// The later run by the earlier one, and how sure that is.
    pub ratio: Ratio,
}

/// A label whose answers are no longer what they were.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answers {
    /// The system.
    pub system: String,
    /// `<candidate>/<label>`.
    pub name: String,
    /// The outcome in the earlier run.
    pub before: KatStatus,
    /// The outcome in the later run.
    pub after: KatStatus,
}

/// Something that could not be compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Omission {
    /// The system.
    pub system: String,
    /// `<candidate>/<label> <operation>`, or the label alone where there is nothing of it.
    pub name: String,
    /// Why, as far as that is known.
    pub reason: String,
}

/// System, candidate and label.
type LabelKey<'a> = (&'a str, &'a str, &'a str);

/// The same and the operation, which is as in the record's name.
type RecordKey<'a> = (LabelKey<'a>, String);

fn label<'a>(side: &Side<'a>) -> LabelKey<'a> {
    let Record {
        candidate, label, ..
    } = side.record;
    (side.system, candidate, label)
}

fn by_key<'a, 'b>(sides: &'b [Side<'a>]) -> BTreeMap<RecordKey<'a>, &'b Side<'a>> {
    let keyed = |side: &'b Side<'a>| ((label(side), key(side.record).2), side);
    sides.iter().map(keyed).collect()
}

/// Two records of one operation.
struct Pair<'a> {
    name: String,
    before: Side<'a>,
    after: Side<'a>,
}

impl Regressions {
    /// Compares the records of two runs, whose systems are named as their run directories name them;
    /// `threshold` is in percent of what was before.
    pub fn between(before: &[Side], after: &[Side], threshold: f64) -> Self {
        let (old, new) = (by_key(before), by_key(after));
        let mut found = Self::default();
        let mut ratios: Vec<(Pair, Unjudged)> = Vec::new();
        found.note_unmatched(&old, &new);
        for (place, after) in &new {
            let Some(before) = old.get(place) else {
                continue;
            };
            let pair = Pair {
                name: words(place),
                before: **before,
                after: **after,
            };
            found.note_answers(place, &pair);
            for larger in memory::larger(&pair, threshold) {
                // All operations of a label have the one static memory.
                if !found.larger.contains(&larger) {
                    found.larger.push(larger);
                }
            }
            match pair.ratio() {
                Ok(ratio) => ratios.push((pair, ratio)),
                Err(reason) => found.leave_out(pair.after.system, &pair.name, &reason),
            }
        }
        let (pairs, ratios): (Vec<Pair>, Vec<Unjudged>) = ratios.into_iter().unzip();
        for (pair, ratio) in pairs.into_iter().zip(ratio::judge(ratios)) {
            found.note_ratio(&pair, ratio, threshold);
        }
        for list in [&mut found.slower, &mut found.within_noise] {
            list.sort_by(|a, b| {
                order::natural(&a.system, &b.system).then(b.percent.total_cmp(&a.percent))
            });
        }
        found
    }

    /// Whether anything became worse.
    pub fn any(&self) -> bool {
        !self.slower.is_empty()
            || !self.larger.is_empty()
            || !self.answers.is_empty()
            || !self.missing.is_empty()
    }

    fn leave_out(&mut self, system: &str, name: &str, reason: &str) {
        self.not_compared.push(Omission {
            system: system.to_owned(),
            name: name.to_owned(),
            reason: reason.to_owned(),
        });
    }

    /// What only one of the runs has. A campaign of fewer labels is no worse; a label of fewer
    /// operations is.
    fn note_unmatched(
        &mut self,
        old: &BTreeMap<RecordKey, &Side>,
        new: &BTreeMap<RecordKey, &Side>,
    ) {
        let labels = |keys: &BTreeMap<RecordKey<'_>, &Side>| -> BTreeSet<(String, String, String)> {
            let owned = |(a, b, c): LabelKey| (a.to_owned(), b.to_owned(), c.to_owned());
            keys.keys().map(|(label, _)| owned(*label)).collect()
        };
        let (old_labels, new_labels) = (labels(old), labels(new));
        for (these, others, which) in [
            (&old_labels, &new_labels, "the later run"),
            (&new_labels, &old_labels, "the baseline"),
        ] {
            for (system, candidate, label) in these.difference(others) {
                let name = format!("{candidate}/{label}");
                self.leave_out(system, &name, &format!("{which} has no such instance"));
            }
        }
        let is_in = |labels: &BTreeSet<(String, String, String)>, place: &RecordKey| {
            let ((system, candidate, label), _) = place;
            let owned = [system, candidate, label].map(|part| (*part).to_owned());
            labels.contains(&owned.into())
        };
        for (place, side) in old {
            let after = new.get(place).map(|side| side.record);
            let reason = match after {
                None if is_in(&new_labels, place) => "there is no record of it".to_owned(),
                Some(record) if record.status != Status::Complete => {
                    let reason = record.meter.as_ref().and_then(|it| it.reason.clone());
                    reason.unwrap_or_else(|| "it is not complete".to_owned())
                }
                _ => continue,
            };
            if side.record.status == Status::Complete {
                self.missing.push(Omission {
                    system: side.system.to_owned(),
                    name: words(place),
                    reason,
                });
            }
        }
        for (place, side) in new {
            if !old.contains_key(place) && is_in(&old_labels, place) {
                let reason = "the baseline has no such operation";
                self.leave_out(side.system, &words(place), reason);
            }
        }
    }

    /// All operations of a label have the one test.
    fn note_answers(&mut self, ((system, candidate, label), _): &RecordKey, pair: &Pair) {
        let [before, after] = [pair.before, pair.after].map(|side| side.record.kat);
        let answers = Answers {
            system: (*system).to_owned(),
            name: format!("{candidate}/{label}"),
            before,
            after,
        };
        if proof(after) < proof(before) && !self.answers.contains(&answers) {
            self.answers.push(answers);
        }
    }

    fn note_ratio(&mut self, pair: &Pair, ratio: Ratio, threshold: f64) {
        let system = pair.after.system;
        if ratio.verdict == Verdict::Unknown {
            let reason = "one trial and no single calls, which do not tell what is noise";
            self.leave_out(system, &pair.name, reason);
            return;
        }
        self.compared += 1;
        let Some((before, after, unit)) = pair.means() else {
            return;
        };
        let more = after - before;
        if more <= before * threshold / 100.0 {
            return;
        }
        let is_more = ratio.verdict == Verdict::More;
        let slower = Slower {
            system: system.to_owned(),
            name: pair.name.clone(),
            unit,
            before,
            after,
            percent: more / before * 100.0,
            ratio,
        };
        match is_more {
            true => self.slower.push(slower),
            false => self.within_noise.push(slower),
        }
    }
}

fn words(((_, candidate, label), operation): &RecordKey) -> String {
    format!("{candidate}/{label} {operation}")
}

/// How much an outcome of the known-answer test proves.
fn proof(kat: KatStatus) -> u8 {
    match kat {
        KatStatus::Pass => 3,
        KatStatus::Partial => 2,
        KatStatus::NoKat => 1,
        _ => 0,
    }
}

impl Pair<'_> {
    /// The later run by the earlier one, in the same unit.
    fn ratio(&self) -> Result<Unjudged, String> {
        let unit = |side: Side| side.record.mean_count().map(|(_, unit)| unit);
        let (before, after) = (unit(self.before), unit(self.after));
        let ratio = ratio::ratio(self.after, self.before)?;
        match before == after {
            true => Ok(ratio),
            false => {
                let words = |unit: Option<wire::Unit>| unit.map_or("seconds", wire::Unit::heading);
                let (before, after) = (words(before), words(after));
                Err(format!("{before} and {after} cannot be compared"))
            }
        }
    }

    /// One call before and after, as pages show it, with its unit.
    fn means(&self) -> Option<(f64, f64, &'static str)> {
        let [before, after] = [self.before, self.after].map(|side| side.record);
        match (before.mean_count(), after.mean_count()) {
            (Some((before, unit)), Some((after, _))) => Some((before, after, unit.heading())),
            _ => Some((before.mean_seconds?, after.mean_seconds?, "seconds")),
        }
    }
}

#[cfg(test)]
mod tests;
