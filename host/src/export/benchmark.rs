//! Rows as the JSON of the GitHub action github-action-benchmark, in its form
//! `customSmallerIsBetter`: an array of `{name, unit, value, range, extra}`.

use serde::Serialize;

use super::Row;
use crate::record::schema::Status;

/// One figure, as that action reads it. It follows a name from one commit to the next.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// System, label, operation and unit: a count in another unit is another figure.
    pub name: String,
    /// What is counted, or `s` where nothing is.
    pub unit: &'static str,
    /// Count or time of one call.
    pub value: f64,
    /// How far the trials' own means lie on either side, at most.
    pub range: String,
    /// What else a reader should know, one line each.
    pub extra: String,
}

/// The entries of rows; a row that is not complete, or whose answers are known to be wrong, has
/// none.
pub fn entries(rows: &[Row]) -> Vec<Entry> {
    rows.iter().filter_map(entry).collect()
}

fn entry(row: &Row) -> Option<Entry> {
    if row.status != Status::Complete || !row.kat.is_clean() {
        return None;
    }
    let counted = row.unit_heading.zip(row.mean_count);
    let (unit, value, ends) = match counted {
        Some((unit, mean)) => (unit, mean, row.min_trial_count.zip(row.max_trial_count)),
        None => (
            "s",
            row.mean_seconds?,
            row.min_trial_seconds.zip(row.max_trial_seconds),
        ),
    };
    let (least, most) = ends?;
    let Row {
        system,
        candidate,
        label,
        operation,
        ..
    } = row;
    let mut extra = vec![
        format!("calls: {} in {} trials", row.measurements, row.trials),
        format!("KAT: {}", row.kat.name()),
        format!("flags: {}", row.flags.name()),
    ];
    extra.extend(row.stack_bytes.map(|bytes| format!("stack: {bytes} bytes")));
    extra.extend(
        row.heap_peak_bytes
            .map(|bytes| format!("heap: {bytes} bytes")),
    );
    if row.emulated {
        extra.push("emulated".to_owned());
    }
    extra.extend(
        row.fitness
            .iter()
            .map(|problem| format!("not fit: {problem}")),
    );
    Some(Entry {
        name: format!("{system}: {candidate}/{label} {operation} ({unit})"),
        unit,
        value,
        range: format!("± {}", (value - least).max(most - value)),
        extra: extra.join("\n"),
    })
}
