//! What each column of a comparison is divided by, and what comes of it.

use std::collections::BTreeSet;

use super::{Column, Heading, Key};
use crate::ratio::{self, Against, Unjudged};
use crate::record::schema::Record;

/// One operation, and what each column has of it.
pub(super) type Found<'a> = (Key, Vec<Option<&'a Record>>);

/// A ratio that is still to be judged, or why there is none; `None` where a side has no record.
type Open = Option<Result<Unjudged, String>>;

/// What a column is divided by; `None` when that is this one.
pub(super) fn reference(columns: &[Column], systems: &[Heading], index: usize) -> Option<usize> {
    let same = |other: &Column| other.system == columns[index].system;
    let earlier = columns[..index].iter().position(same);
    let alike = |other: &Heading| other.emulated == systems[index].emulated;
    let first = earlier.or_else(|| systems.iter().position(alike))?;
    (first != index).then_some(first)
}

/// Each column by its reference; the ratios of all rows are judged together.
pub(super) fn of_columns(
    columns: &[Column],
    references: &[Option<usize>],
    rows: &[Found],
) -> Vec<Vec<Option<Against>>> {
    let one = |(_, records): &Found, index: usize| {
        let base = references[index]?;
        Some(ratio::ratio(
            columns[index].side(records[index]?),
            columns[base].side(records[base]?),
        ))
    };
    judged(columns, rows, one)
}

/// Each column by the same operation of the yardstick in the same column.
pub(super) fn by_yardstick(
    columns: &[Column],
    yardstick: &str,
    rows: &[Found],
) -> Vec<Vec<Option<Against>>> {
    let name = |(candidate, label, _): &Key| format!("{candidate}/{label}");
    let is_yardstick = |key: &Key| name(key) == yardstick;
    // Schemes of all kinds but hash functions have a keygen, which compares within a kind only.
    let of_yardstick = rows
        .iter()
        .map(|(key, _)| key)
        .filter(|key| is_yardstick(key));
    let telling: BTreeSet<&str> = of_yardstick
        .map(|(_, _, operation)| operation.as_str())
        .filter(|operation| *operation != "keygen")
        .collect();
    let alike: BTreeSet<String> = rows
        .iter()
        .filter(|((_, _, operation), _)| telling.contains(operation.as_str()))
        .map(|(key, _)| name(key))
        .collect();
    let one = |(key, records): &Found, index: usize| {
        let operation = alike.contains(&name(key)).then_some(&key.2)?;
        let mut others = rows.iter().filter(|(key, _)| is_yardstick(key));
        let (_, base) = others.find(|((_, _, other), _)| other == operation)?;
        let (record, base) = (records[index]?, base[index]?);
        let same = (&record.candidate, &record.label) == (&base.candidate, &base.label);
        let column = &columns[index];
        (!same).then(|| ratio::ratio(column.side(record), column.side(base)))
    };
    judged(columns, rows, one)
}

/// A ratio for each column of each row, judged together.
fn judged(
    columns: &[Column],
    rows: &[Found],
    one: impl Fn(&Found, usize) -> Open,
) -> Vec<Vec<Option<Against>>> {
    let row = |row: &Found| -> Vec<Open> {
        let cells = 0..columns.len();
        cells.map(|index| one(row, index)).collect()
    };
    let open: Vec<Vec<Open>> = rows.iter().map(row).collect();
    let there = open.iter().flatten().flatten();
    let there = there.filter_map(|ratio| ratio.as_ref().ok().cloned());
    // In the order in which they are taken out below.
    let mut ratios = ratio::judge(there.collect()).into_iter();
    let mut against = |open| match open {
        Ok(_) => ratios.next().map(Against::Ratio),
        Err(not_available) => Some(Against::NotAvailable { not_available }),
    };
    let rows = open.into_iter();
    rows.map(|row| {
        let cells = row.into_iter();
        cells.map(|open| open.and_then(&mut against)).collect()
    })
    .collect()
}
