//! Section 4: counts, times, and what else was seen while operations ran.

use wire::{Category, CounterSource, Unit};

use super::super::cell::Cell;
use super::super::evidence::{Candidate, Label};
use super::super::model::{Block, Column, Section, Table, Text};
use super::super::unit::{self, Units};
use super::{columns, or_nothing, rows, sparse};
use crate::ratio::has_varied_inputs;
use crate::record::schema::{EventCount, Meter, Record, Status};
use crate::record::spread::Spread;
use crate::table::comparison::{NOISY, is_disturbed};
use crate::table::format;

/// Section 4.
pub fn section(candidate: &Candidate) -> Section {
    let is_hash = |label: &&Label| label.category() == Some(Category::Hash);
    let (hashes, others): (Vec<&Label>, Vec<&Label>) = candidate.labels.iter().partition(is_hash);
    let section = Section::new("4. Performance")
        .with(means(&others, false))
        .with(means(&hashes, true))
        .with(around_a_call(candidate))
        .with(spread(candidate))
        .with(cold(candidate))
        .with(layouts(candidate))
        .with(events(candidate))
        .with(not_measured(candidate));
    or_nothing(section, "Nothing was measured.")
}

/// Means over all calls.
fn means(labels: &[&Label], hashes: bool) -> Option<Block> {
    let records = || labels.iter().flat_map(|label| &label.records);
    records().next()?;
    let units = Units::of(records());
    let clock = match records().any(Record::is_emulated) {
        true => " (virtual)",
        false => "",
    };
    let throughput = hashes.then(|| Column::figures(format!("MB/s{clock}")));
    let figures = [
        Column::figures(format!("mean {}", units.heading())),
        Column::figures(format!("mean time{clock}")),
        Column::figures(format!("ops/s{clock}")),
    ]
    .into_iter()
    .chain(throughput)
    .chain([
        Column::figures(format!("median trial{clock}")),
        Column::figures("n (trials × iters)"),
    ]);
    Some(Block::Table(Table {
        caption: match hashes {
            true => "Means over all calls, by length of the input in bytes",
            false => "Means over all calls",
        }
        .to_owned(),
        columns: columns(figures),
        rows: rows(labels.iter().copied(), |_, record| {
            let rate = record.throughput_megabytes_per_second;
            let mut cells = vec![
                count(record, units),
                seconds(record),
                Cell::of(record.operations_per_second, Cell::PerSecond),
            ];
            cells.extend(hashes.then(|| Cell::of(rate, Cell::PerSecond)));
            cells.push(Cell::of(record.median_trial_seconds, Cell::Seconds));
            cells.push(calls(record));
            Some(cells)
        }),
    }))
}

/// What is in every mean beside the call itself: as an emulator shows it, and elsewhere, where noise
/// hides it, the empty call that it is more than.
fn around_a_call(candidate: &Candidate) -> Option<Block> {
    let counters = candidate.records().filter_map(|record| {
        let counter = record.meter.as_ref()?.counter.as_ref()?;
        record.mean_count().map(|_| counter)
    });
    let counters = counters.filter(|counter| counter.source != CounterSource::Missing);
    let empty = range(counters.map(|counter| (counter.overhead as f64, counter.unit)))?;
    let added = range(candidate.records().filter_map(added_by_the_loop));
    let added = match added {
        Some(added) => format!(", here {added} a call, as the same calls one by one show"),
        None if candidate.records().any(Record::is_emulated) => String::new(),
        None => "; on a real core noise hides it but from short operations".to_owned(),
    };
    let words = format!(
        "Nothing is taken off a mean, so that what the loop does between calls is in it{added}. \
         Single calls are net of an empty call, which counts {empty}."
    );
    Some(Block::Paragraph(words.into()))
}

/// What a loop counts for each call beyond the same calls one by one, net of the empty call. Known
/// where an emulator counts instructions alone, of which calls have the same whenever they are made.
fn added_by_the_loop(record: &Record) -> Option<(f64, Unit)> {
    let meter = record.meter.as_ref()?;
    if meter.counter.as_ref()?.source != CounterSource::Icount {
        return None;
    }
    let samples = meter.samples.first()?;
    let trial = meter.trials.first()?;
    if trial.measurements != samples.len() as u64 {
        return None;
    }
    let single: u64 = samples.iter().sum();
    // Less would be those of other calls.
    let added = trial.count?.checked_sub(single)?;
    Some((
        added as f64 / trial.measurements as f64,
        meter.counter.as_ref()?.unit,
    ))
}

/// The least and the greatest of some counts, each unit for itself.
fn range(counts: impl Iterator<Item = (f64, Unit)>) -> Option<String> {
    let mut ranges: Vec<(Unit, f64, f64)> = Vec::new();
    for (count, unit) in counts {
        match ranges.iter_mut().find(|(known, ..)| *known == unit) {
            Some((_, least, most)) => (*least, *most) = (least.min(count), most.max(count)),
            None => ranges.push((unit, count, count)),
        }
    }
    let words = |(unit, least, most): &(Unit, f64, f64)| {
        let (least, most) = (format::count(*least), format::count(*most));
        let unit = unit::words(*unit);
        match least == most {
            true => format!("{least} {unit}"),
            false => format!("{least} to {most} {unit}"),
        }
    };
    let words: Vec<String> = ranges.iter().map(words).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// The mean time of a record, with a mark where the machine disturbed it.
pub fn seconds(record: &Record) -> Cell {
    Cell::of(record.mean_seconds, Cell::Seconds).marked_if(is_disturbed(record), NOISY)
}

/// The mean count of a record, with a mark where the machine disturbed it, or that it has none
/// because it failed.
pub fn count(record: &Record, units: Units) -> Cell {
    match record.mean_count() {
        Some((count, unit)) => {
            Cell::Count(count, units.in_cell(unit)).marked_if(is_disturbed(record), NOISY)
        }
        None if record.status != Status::Complete => "failed".into(),
        None => Cell::NotAvailable,
    }
}

fn calls(record: &Record) -> Cell {
    let trials = &record.trials;
    let Some(first) = trials.first() else {
        return Cell::NotAvailable;
    };
    let all_alike = trials
        .iter()
        .all(|trial| trial.measurements == first.measurements);
    Cell::Calls {
        measurements: record.measurements,
        trials: trials.len() as u64,
        iterations: all_alike.then_some(first.measurements),
    }
}

/// The unit of what a record's counter itself counts.
fn counted(record: &Record) -> Option<Unit> {
    Some(record.meter.as_ref()?.counter.as_ref()?.unit)
}

/// Quantiles of single calls, and what they are the spread of.
fn spread(candidate: &Candidate) -> Vec<Block> {
    let units = Units::of(candidate.records());
    let figures = Spread::QUANTILES.into_iter().chain(["n"]);
    let rows = rows(&candidate.labels, |_, record| {
        let spread = Spread::of_samples(record.meter.as_ref()?)?;
        let unit = counted(record)?;
        let counts = spread
            .quantiles()
            .map(|count| Cell::Count(count, units.in_cell(unit)));
        let calls = Cell::Bytes(spread.calls as u64);
        Some(counts.into_iter().chain([calls]).collect())
    });
    if rows.is_empty() {
        return Vec::new();
    }
    let table = Block::Table(Table {
        caption: format!(
            "Spread of single calls: {}, net of the empty call, in a pass of its own",
            units.heading()
        ),
        columns: columns(figures.map(Column::figures)),
        rows,
    });
    let repeats = candidate.records().any(|record| !has_varied_inputs(record));
    let words = "Each call of an operation has inputs of its own, but those of dec, verify and hash, \
        which repeat one: their spread is noise.";
    let note = repeats.then(|| Block::Paragraph(words.into()));
    [table].into_iter().chain(note).collect()
}

/// Calls with nothing in caches and TLB.
fn cold(candidate: &Candidate) -> Option<Block> {
    let units = Units::of(candidate.records());
    let rows = rows(&candidate.labels, |_, record| {
        let cold = record.meter.as_ref()?.cold.as_ref()?;
        let spread = Spread::of(cold.samples.iter().copied())?;
        let unit = counted(record)?;
        let count = |count| Cell::Count(count, units.in_cell(unit));
        Some(vec![
            count(spread.minimum),
            count(spread.median),
            count(spread.maximum),
            Cell::Bytes(spread.calls as u64),
            cold.method.as_str().into(),
        ])
    });
    (!rows.is_empty()).then(|| {
        Block::Table(Table {
            caption: format!("Cold calls: {}, net of the empty call", units.heading()),
            columns: columns([
                Column::figures("minimum"),
                Column::figures("median"),
                Column::figures("maximum"),
                Column::figures("n"),
                Column::words("method"),
            ]),
            rows,
        })
    })
}

/// Images that differ in the place of their code only.
fn layouts(candidate: &Candidate) -> Option<Block> {
    let units = Units::of(candidate.records());
    let rows = rows(&candidate.labels, |_, record| {
        let layouts = record.meter.as_ref()?.layouts.as_ref()?;
        let unit = counted(record)?;
        let means = || layouts.images.iter().filter_map(|layout| layout.mean_count);
        let count = |mean| Cell::of(mean, |mean| Cell::Count(mean, units.in_cell(unit)));
        let mut reasons: Vec<&str> = Vec::new();
        for reason in layouts
            .images
            .iter()
            .filter_map(|layout| layout.reason.as_deref())
        {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        Some(vec![
            count(means().min_by(f64::total_cmp)),
            count(means().max_by(f64::total_cmp)),
            Cell::of(layouts.spread, Cell::Share),
            Cell::Bytes(means().count() as u64),
            match reasons.is_empty() {
                true => layouts.method.as_str().into(),
                false => format!("{}; {}", layouts.method, reasons.join("; ")).into(),
            },
        ])
    });
    (!rows.is_empty()).then(|| {
        Block::Table(Table {
            caption: format!(
                "Mean {} of images that differ in the place of their code only",
                units.heading()
            ),
            columns: columns([
                Column::figures("least"),
                Column::figures("greatest"),
                Column::figures("spread"),
                Column::figures("images"),
                Column::words("method"),
            ]),
            rows,
        })
    })
}

/// What this meter can measure and was not asked to, or could not.
fn not_measured(candidate: &Candidate) -> Option<Block> {
    let meters = || {
        candidate
            .records()
            .filter_map(|record| record.meter.as_ref())
    };
    meters().next()?;
    let any = |has: fn(&Meter) -> bool| meters().any(has);
    let missing = [
        (
            "spread of single calls",
            None,
            any(|meter| !meter.samples.is_empty()),
        ),
        (
            "cold calls",
            Some("--cold"),
            any(|meter| meter.cold.is_some()),
        ),
        (
            "layouts of the code",
            Some("--layouts N"),
            any(|meter| meter.layouts.is_some()),
        ),
        ("events", None, any(|meter| meter.events.is_some())),
    ];
    let missing = missing.into_iter().filter(|(_, _, is_there)| !is_there);
    let missing: Vec<Text> = missing
        .map(|(what, option, _)| match option {
            Some(option) => Text::from(format!("{what} (campaign "))
                .and(Text::code(option))
                .and(")"),
            None => what.into(),
        })
        .collect();
    (!missing.is_empty()).then(|| {
        Block::Paragraph(
            Text::from("Not available: ")
                .and(Text::join(missing, "; "))
                .and("."),
        )
    })
}

/// Other events in one call.
fn events(candidate: &Candidate) -> Vec<Block> {
    let mut names: Vec<&str> = Vec::new();
    for record in candidate.records() {
        let events = record
            .meter
            .as_ref()
            .and_then(|meter| meter.events.as_ref());
        for name in events.into_iter().flat_map(|events| events.keys()) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
    }
    sparse(Table {
        caption: "Events in one call, on average".to_owned(),
        columns: columns(
            names
                .iter()
                .chain([&"instructions in a cycle"])
                .map(|name| Column::figures(*name)),
        ),
        rows: rows(&candidate.labels, |_, record| {
            let meter = record.meter.as_ref()?;
            let events = meter.events.as_ref()?;
            let cells = names.iter().map(|name| match events.get(*name) {
                Some(EventCount::Mean(mean)) => Cell::Count(*mean, None),
                Some(EventCount::Overflowed) => "overflowed".into(),
                Some(EventCount::NotAvailable) | None => Cell::NotAvailable,
            });
            let ipc = Cell::of(meter.ipc, Cell::Ratio);
            Some(cells.chain([ipc]).collect())
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::example;

    #[test]
    fn what_a_loop_adds_is_known_of_an_emulator() {
        let mut record = example::record_of("qemu-virt", CounterSource::Icount);
        let meter = record.meter.as_mut().unwrap();
        meter.samples = vec![vec![5000, 5010]];
        meter.trials[0].measurements = 2;
        meter.trials[0].count = Some(5000 + 5010 + 2 * 127);
        assert_eq!(
            added_by_the_loop(&record),
            Some((127.0, Unit::Instructions))
        );
        let meter = record.meter.as_mut().unwrap();
        meter.trials[0].measurements = 3;
        assert_eq!(added_by_the_loop(&record), None);
        let board = example::record();
        assert_eq!(added_by_the_loop(&board), None);
    }

    #[test]
    fn counts_of_several_units_are_not_mixed() {
        let counts = [
            (58.0, Unit::Instructions),
            (12.0, Unit::Cycles),
            (60.0, Unit::Instructions),
        ];
        assert_eq!(
            range(counts.into_iter()).as_deref(),
            Some("58 to 60 instructions (emulated), 12 cycles")
        );
        assert_eq!(range([].into_iter()), None);
    }
}
