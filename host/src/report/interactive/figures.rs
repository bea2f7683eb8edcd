//! The plots: what is compared with what, never across systems or units.

use std::collections::BTreeMap;

use wire::Unit;

use super::plot::{Axis, Figure, Mark, Shape, Strip};
use super::rows::{Numbers, Row, groups, instances};
use super::scale::Logarithmic;
use super::sizes::Claim;
use crate::record::profile::shares::{PARTS, parts};
use crate::record::schema::Record;
use crate::record::spread::Spread;
use crate::report::page::{self, submission_bytes};
use crate::report::unit::words;
use crate::table::{format, order};

/// A table that has the figures of a plot: the id of its caption, and its name.
pub type TableName = (String, String);

/// Counts of one call, for each category, system and unit.
pub fn counts(rows: &[Row], table: &TableName) -> Vec<Figure> {
    let of_group = |group| Unit::ALL.map(|unit| counts_of(group, unit, table));
    groups(rows).flat_map(of_group).flatten().collect()
}

fn counts_of(group: &[Row], unit: Unit, table: &TableName) -> Option<Figure> {
    let count = |row: &Row| {
        let (count, of) = row.record?.mean_count()?;
        (of == unit).then_some(count)
    };
    let mut series: Vec<String> = group
        .iter()
        .filter(|row| count(row).is_some())
        .map(|row| row.operation.clone())
        .collect();
    series.sort_by(|a, b| order::operations(a, b));
    series.dedup();
    let mark = |row: &Row| {
        let value = count(row)?;
        let place = series.iter().position(|name| *name == row.operation)?;
        let shown = format!(
            "{}: {} {}",
            row.operation,
            format::count(value),
            words(unit)
        );
        Some(Mark {
            shape: Shape::Point(place, value),
            words: shown,
            numbers: Numbers::one(row),
        })
    };
    let strips = instances(group).map(|rows| Strip {
        name: rows[0].name(),
        operation: None,
        marks: rows.iter().filter_map(mark).collect(),
    });
    let figure = Figure {
        title: titled("Counts", group),
        description: "A row for each instance, a mark for the mean of each operation.",
        table: table.clone(),
        unit: format!("{} in one call", words(unit)),
        axis: logarithmic(group.iter().filter_map(count))?,
        strips: with_marks(strips),
        series,
    };
    Some(figure)
}

/// How single calls differ, for each category and system.
pub fn spreads(rows: &[Row], table: &dyn Fn(&Row) -> Option<TableName>) -> Vec<Figure> {
    groups(rows)
        .filter_map(|group| {
            let table = group.iter().find_map(table)?;
            spreads_of(group, table)
        })
        .collect()
}

fn spreads_of(group: &[Row], table: TableName) -> Option<Figure> {
    // Ratios to the own median have one axis whatever was counted; 0 has none.
    let ratios = |row: &Row| {
        let spread = Spread::of_samples(row.record?.meter.as_ref()?)?;
        let median = spread.median;
        (spread.minimum > 0.0).then(|| spread.quantiles().map(|value| value / median))
    };
    let ratios: Vec<Option<[f64; 6]>> = group.iter().map(ratios).collect();
    let strips = group.iter().zip(&ratios).filter_map(|(row, ratios)| {
        let ratios = (*ratios)?;
        let ends = [ratios[0], ratios[1], ratios[3], ratios[5]].map(|it| format!("{it:.3}"));
        let [least, lower, upper, most] = ends;
        Some(Strip {
            name: row.name(),
            operation: Some(row.operation.clone()),
            marks: vec![Mark {
                shape: Shape::Quantiles(ratios),
                words: format!(
                    "{least} to {most} of the median, half of the calls from {lower} to {upper}"
                ),
                numbers: Numbers::one(row),
            }],
        })
    });
    Some(Figure {
        title: titled("Single calls", group),
        description: "A row for each operation: a line from the least count of a call to the 95th \
            percentile, a box from the lower to the upper quartile, a bar at the median, and a ring \
            at the greatest.",
        table,
        unit: "count of a call ÷ median of the same operation".to_owned(),
        axis: logarithmic(ratios.iter().flatten().flatten().copied())?,
        series: Vec::new(),
        strips: strips.collect(),
    })
}

/// Memory of one instance, for each category and system.
pub fn memory(rows: &[Row], table: &TableName) -> Vec<Figure> {
    groups(rows)
        .filter_map(|group| memory_of(group, table))
        .collect()
}

type Bytes = fn(&Record) -> Option<u64>;

/// What memory there is, and where it stands in a record.
const MEMORY: [(&str, Bytes); 3] = [
    ("stack", |record| record.meter.as_ref()?.memory.stack_bytes),
    ("heap peak", |record| {
        record.meter.as_ref()?.memory.heap_peak_bytes
    }),
    ("own static memory", submission_bytes),
];

fn memory_of(group: &[Row], table: &TableName) -> Option<Figure> {
    let strips: Vec<Strip> = instances(group)
        .map(|rows| {
            let records = || rows.iter().filter_map(|row| row.record);
            let mark = |(place, (name, of)): (usize, &(&str, Bytes))| {
                let bytes = records().filter_map(of).max()?;
                Some(Mark {
                    shape: Shape::Point(place, bytes as f64),
                    words: format!("{name}: {bytes} bytes"),
                    numbers: Numbers::of(rows),
                })
            };
            Strip {
                name: rows[0].name(),
                operation: None,
                marks: MEMORY.iter().enumerate().filter_map(mark).collect(),
            }
        })
        .collect();
    Some(Figure {
        title: titled("Memory", group),
        description: "A row for each instance, a mark for the most of any operation.",
        table: table.clone(),
        unit: "bytes".to_owned(),
        axis: logarithmic(points(&strips))?,
        series: MEMORY.map(|(name, _)| name.to_owned()).to_vec(),
        strips: with_marks(strips.into_iter()),
    })
}

/// Sizes, for each category, of which there is a table each.
pub fn sizes(claims: &[Claim], tables: &[TableName]) -> Vec<Figure> {
    let mut by_category: BTreeMap<usize, Vec<&Claim>> = BTreeMap::new();
    for claim in claims {
        by_category.entry(claim.rank()).or_default().push(claim);
    }
    // The tables are those of the same categories, in the same order.
    by_category
        .into_values()
        .zip(tables)
        .filter_map(|(claims, table)| sizes_of(&claims, table))
        .collect()
}

fn sizes_of(claims: &[&Claim], table: &TableName) -> Option<Figure> {
    let mut series: Vec<&str> = Vec::new();
    for (name, _) in claims.iter().flat_map(|claim| claim.plotted()) {
        if !series.contains(&name) {
            series.push(name);
        }
    }
    let strip = |claim: &&Claim| {
        let mark = |(name, bytes): (&str, u64)| {
            let place = series.iter().position(|known| *known == name)?;
            Some(Mark {
                shape: Shape::Point(place, bytes as f64),
                words: format!("{name}: {bytes} bytes"),
                numbers: claim.numbers.clone(),
            })
        };
        Strip {
            name: claim.name.clone(),
            operation: None,
            marks: claim.plotted().into_iter().filter_map(mark).collect(),
        }
    };
    let strips: Vec<Strip> = claims.iter().map(strip).collect();
    Some(Figure {
        title: format!("Sizes: {}", claims.first()?.category_name),
        description: "A row for each instance, a mark for each size.",
        table: table.clone(),
        unit: "bytes".to_owned(),
        axis: logarithmic(points(&strips))?,
        series: series.into_iter().map(str::to_owned).collect(),
        strips: with_marks(strips.into_iter()),
    })
}

/// Shares of symmetric functions, for each category and system.
pub fn shares(rows: &[Row], table: &TableName) -> Vec<Figure> {
    groups(rows)
        .filter_map(|group| shares_of(group, table))
        .collect()
}

fn shares_of(group: &[Row], table: &TableName) -> Option<Figure> {
    let strips = group.iter().filter_map(|row| {
        let profile = row.profile()?;
        let mut from = 0.0;
        let mut marks = Vec::new();
        for (series, part) in parts(profile).into_iter().enumerate() {
            let Some(part) = part.filter(|part| part.share > 0.0) else {
                continue;
            };
            let share = page::share(Some(part)).text().plain();
            marks.push(Mark {
                shape: Shape::Bar(series, from, from + part.share),
                words: format!("{}: {share}", PARTS[series]),
                numbers: Numbers::one(row),
            });
            from += part.share;
        }
        // A row without any share is one nevertheless: nothing symmetric was seen.
        if marks.is_empty() {
            marks.push(Mark {
                shape: Shape::Bar(0, 0.0, 0.0),
                words: "none".to_owned(),
                numbers: Numbers::one(row),
            });
        }
        Some(Strip {
            name: row.name(),
            operation: Some(row.operation.clone()),
            marks,
        })
    });
    let strips: Vec<Strip> = strips.collect();
    let unit = match group
        .iter()
        .any(|row| row.record.is_some_and(Record::is_emulated))
    {
        true => "share of the operation's instructions (emulated)",
        false => "share of the operation's time",
    };
    (!strips.is_empty()).then(|| Figure {
        title: titled("Symmetric functions", group),
        description: "A row for each operation, a bar for each kind of function; what is left is \
            everything else, and what could not be observed.",
        table: table.clone(),
        unit: unit.to_owned(),
        axis: Axis::Share,
        series: PARTS.map(str::to_owned).to_vec(),
        strips,
    })
}

fn titled(what: &str, group: &[Row]) -> String {
    let place = group.first().map(|row| {
        let emulated = match row.record.is_some_and(Record::is_emulated) {
            true => " (emulated)",
            false => "",
        };
        format!("{} on {}{emulated}", row.category_name(), row.system.name)
    });
    format!("{what}: {}", place.unwrap_or_default())
}

fn logarithmic(values: impl IntoIterator<Item = f64>) -> Option<Axis> {
    Logarithmic::over(values).map(Axis::Logarithmic)
}

fn points(strips: &[Strip]) -> impl Iterator<Item = f64> {
    let marks = strips.iter().flat_map(|strip| &strip.marks);
    marks.filter_map(|mark| match mark.shape {
        Shape::Point(_, value) => Some(value),
        Shape::Quantiles(_) | Shape::Bar(..) => None,
    })
}

fn with_marks(strips: impl Iterator<Item = Strip>) -> Vec<Strip> {
    strips.filter(|strip| !strip.marks.is_empty()).collect()
}
