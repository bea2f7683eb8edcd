//! The tables: a line for each row of the report, or for each instance.

use wire::{Category, Unit};

use super::notes::{Note, notes};
use super::rows::{Numbers, Row};
use super::sizes::Claim;
use crate::record::profile::shares::{PARTS, parts, unsteady};
use crate::record::schema::{KatStatus, Record, Status};
use crate::record::spread::Spread;
use crate::report::cell::Cell;
use crate::report::evidence::{CATEGORIES, System};
use crate::report::model::{Column, Table, Text};
use crate::report::{names, page};
use crate::table::comparison::{BEFORE, NOISY, is_disturbed, trial_spread};
use crate::table::shares::unsteady_in_words;

/// A table with what each of its lines is about.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The id of its caption.
    pub id: String,
    /// The table, whose first columns are those of [`NAMES`].
    pub table: Table,
    /// For each line the rows of the report that it is about.
    pub numbers: Vec<Numbers>,
}

/// The columns by which lines are chosen.
pub const NAMES: [&str; 5] = ["candidate", "instance", "category", "system", "operation"];

/// The id of the table of all operations.
pub const OPERATIONS: &str = "operations";

/// Whether candidates have pages to be linked, and what their names lead to.
#[derive(Clone, Copy, Debug)]
pub struct Pages(pub bool);

impl Pages {
    fn candidate(self, row: &Row) -> Cell {
        let id = &row.candidate.id;
        match self.0 {
            true => Text::page(id, page::path(&row.system.name, id)).into(),
            false => id.as_str().into(),
        }
    }

    fn names(self, row: &Row) -> Vec<Cell> {
        vec![
            self.candidate(row),
            Cell::code(&row.label.name),
            row.category_name().into(),
            row.system.name.as_str().into(),
            match row.record {
                Some(_) => row.operation.as_str().into(),
                None => Cell::NotAvailable,
            },
        ]
    }

    /// A table with a line for every row of which there is something to say.
    fn listing<'a>(
        self,
        id: &str,
        caption: String,
        rows: impl IntoIterator<Item = &'a Row<'a>>,
        columns: impl IntoIterator<Item = Column>,
        cells: impl Fn(&Row) -> Option<Vec<Cell>>,
    ) -> Option<Listing> {
        let mut lines = Vec::new();
        let mut numbers = Vec::new();
        for row in rows {
            if let Some(cells) = cells(row) {
                lines.push(self.names(row).into_iter().chain(cells).collect());
                numbers.push(Numbers::one(row));
            }
        }
        let table = Table {
            caption,
            columns: name_columns(NAMES).chain(columns).collect(),
            rows: lines,
        };
        // What no record has is no column, and what has no line no table.
        let (table, _) = table.without_empty_columns();
        (!table.rows.is_empty()).then(|| Listing {
            id: id.to_owned(),
            table,
            numbers,
        })
    }
}

/// Candidate and instance say what a line is about; the others are words like any.
fn name_columns<'a>(names: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = Column> {
    names.into_iter().map(|name| match name {
        "candidate" | "instance" => Column::name(name),
        _ => Column::words(name),
    })
}

/// Every operation with its outcome, counts and times, each unit in a column of its own.
pub fn operations(rows: &[Row], pages: Pages) -> Option<Listing> {
    let counts = Unit::ALL.map(|unit| Column::figures(unit.heading()));
    let rest = ["time", "time, virtual", "MB/s", "MB/s, virtual"];
    let columns = [Column::words("KAT")]
        .into_iter()
        .chain(counts)
        .chain(rest.map(Column::figures))
        .chain(["slowest ÷ fastest", "n"].map(Column::figures))
        .chain([Column::words("notes")]);
    let cells = |row: &Row| {
        let kat = match page::kat(row.label) {
            Some(KatStatus::Pass) => KatStatus::Pass.name().into(),
            outcome => Text::strong(outcome.map_or("unknown", KatStatus::name)).into(),
        };
        let Some(record) = row.record else {
            let mut cells = vec![kat];
            // A count of each unit, and what stands beside them.
            cells.extend((0..Unit::ALL.len() + 6).map(|_| Cell::NotAvailable));
            cells.push("nothing was measured".into());
            return Some(cells);
        };
        let real = !record.is_emulated();
        let seconds = page::seconds(record);
        let rate = record.throughput_megabytes_per_second;
        let count = |unit| match record.mean_count() {
            Some((count, of)) if of == unit => {
                Cell::Count(count, None).marked_if(is_disturbed(record), NOISY)
            }
            _ => Cell::NotAvailable,
        };
        let only_if = |is: bool, cell: Cell| if is { cell } else { Cell::NotAvailable };
        let mut cells = vec![kat];
        cells.extend(Unit::ALL.map(count));
        cells.extend([
            only_if(real, seconds.clone()),
            only_if(!real, seconds),
            only_if(real, Cell::of(rate, Cell::PerSecond)),
            only_if(!real, Cell::of(rate, Cell::PerSecond)),
            Cell::of(trial_spread(record), Cell::Ratio),
            Cell::Bytes(record.measurements),
        ]);
        let words: Vec<&str> = notes(record).map(Note::words).collect();
        cells.push(words.join(", ").into());
        Some(cells)
    };
    let caption = "Means over all calls of each operation, and known answers".to_owned();
    pages.listing(OPERATIONS, caption, rows, columns, cells)
}

/// Quantiles of single calls: a table for each unit.
pub fn spreads(rows: &[Row], pages: Pages) -> Vec<(Unit, Listing)> {
    let of_unit = |unit: Unit| {
        let cells = |row: &Row| {
            let record = row.record.filter(|record| counted(record) == Some(unit))?;
            let spread = Spread::of_samples(record.meter.as_ref()?)?;
            let quantiles = spread.quantiles();
            let quantiles = quantiles.map(|count| Cell::Count(count, None)).into_iter();
            let calls = Cell::Bytes(spread.calls as u64);
            Some(quantiles.chain([calls]).collect())
        };
        let caption = format!(
            "Single calls: {}, net of the empty call, in a pass of its own",
            unit.heading()
        );
        let id = format!("calls-{}", unit.name());
        let titles = Spread::QUANTILES.into_iter().chain(["n"]);
        let columns = titles.map(Column::figures);
        let listing = pages.listing(&id, caption, rows, columns, cells)?;
        Some((unit, listing))
    };
    Unit::ALL.into_iter().filter_map(of_unit).collect()
}

/// What a record's counter itself counts.
pub fn counted(record: &Record) -> Option<Unit> {
    Some(record.meter.as_ref()?.counter.as_ref()?.unit)
}

/// Memory of every operation.
pub fn memory(rows: &[Row], pages: Pages) -> Option<Listing> {
    let titles = [
        "stack, bytes",
        "heap peak, bytes",
        "in use before the call, bytes",
        "heap blocks",
        "heap left in use, bytes",
        "own static memory, bytes",
        "image, bytes",
        "peak RSS, KiB",
    ];
    let cells = |row: &Row| {
        let record = row.record?;
        let memory = record.meter.as_ref().map(|meter| &meter.memory);
        let bytes = |bytes: Option<u64>| Cell::of(bytes, Cell::Bytes);
        let stack = match memory.is_some_and(|memory| memory.stack_is_a_lower_bound()) {
            true => Cell::of(
                memory.and_then(|memory| memory.stack_bytes),
                Cell::AtLeastBytes,
            ),
            false => bytes(memory.and_then(|memory| memory.stack_bytes)),
        };
        let cells = vec![
            stack,
            memory.map_or(Cell::NotAvailable, page::heap),
            bytes(memory.and_then(|memory| memory.heap_live_before_bytes)),
            bytes(memory.and_then(|memory| memory.heap_allocations)),
            bytes(memory.and_then(|memory| memory.heap_leaked_bytes)),
            bytes(page::submission_bytes(record)),
            bytes(page::image_bytes(row.label, record)),
            Cell::of(record.peak_rss_bytes, Cell::Kibibytes),
        ];
        let is_known = cells.iter().any(|cell| *cell != Cell::NotAvailable);
        is_known.then_some(cells)
    };
    let caption = format!(
        "Memory of one call of each operation; ≥ marks what can be more, {BEFORE} a peak of the \
         heap of which a part was in use before the call"
    );
    pages.listing("memory", caption, rows, titles.map(Column::figures), cells)
}

/// Shares of symmetric functions in every operation of which there is a profile.
pub fn shares(rows: &[Row], pages: Pages) -> Option<Listing> {
    let columns = PARTS.map(Column::figures).into_iter();
    let columns = columns.chain([Column::words("share of"), Column::words("verdict")]);
    let cells = |row: &Row| {
        let profile = row.profile()?;
        let of = match row.record.is_some_and(Record::is_emulated) {
            true => "instructions, emulated",
            false => "time",
        };
        let shares = parts(profile).map(page::share).into_iter();
        let verdict = Cell::of(page::verdict(row.label), Cell::from);
        Some(shares.chain([of.into(), verdict]).collect())
    };
    let apart = rows.iter().filter_map(|row| unsteady(row.profile()?));
    let caption = "Shares of symmetric functions in each operation";
    let caption = match apart.max_by(f64::total_cmp) {
        Some(apart) => format!("{caption}. {}", unsteady_in_words(apart)),
        None => caption.to_owned(),
    };
    pages.listing("shares", caption, rows, columns, cells)
}

/// Sizes of every instance: a table for each category, which have unlike ones.
pub fn sizes(rows: &[Row], claims: &[Claim], pages: Pages) -> Vec<Listing> {
    let of_category = |category: Category| {
        let claims: Vec<&Claim> = claims
            .iter()
            .filter(|claim| claim.category == category)
            .collect();
        let columns = claims.first()?.sizes.iter().map(|(column, _)| column);
        let names = name_columns(["candidate", "instance", "systems"]);
        let line = |claim: &&Claim| {
            let row = &rows[claim.first];
            let names = [
                pages.candidate(row),
                Cell::code(&row.label.name),
                claim.systems.join(", ").into(),
            ];
            let sizes = claim.sizes.iter().map(|(_, cell)| cell.clone());
            names.into_iter().chain(sizes).collect()
        };
        Some(Listing {
            id: format!("sizes-{}", category.name()),
            table: Table {
                caption: format!("{}: sizes in bytes", names::plural(category)),
                columns: names.chain(columns.cloned()).collect(),
                rows: claims.iter().map(line).collect(),
            },
            numbers: claims.iter().map(|claim| claim.numbers.clone()).collect(),
        })
    };
    CATEGORIES.into_iter().filter_map(of_category).collect()
}

/// The values of a column of names that rows have, each once and in their order.
pub fn choices(rows: &[Row], of: impl Fn(&Row) -> String) -> Vec<String> {
    let mut choices: Vec<String> = Vec::new();
    for row in rows {
        let choice = of(row);
        if !choice.is_empty() && !choices.contains(&choice) {
            choices.push(choice);
        }
    }
    choices
}

/// One line about each system: what it is, and what its counts are.
pub fn systems(systems: &[System]) -> Table {
    let row = |system: &System| {
        let records = || {
            let candidates = system.candidates.iter();
            candidates.flat_map(crate::report::evidence::Candidate::records)
        };
        let environment = records().next().map(|record| &record.environment);
        let words = |of: Option<&String>| Cell::of(of, |words| words.as_str().into());
        let complete = records().filter(|record| record.status == Status::Complete);
        vec![
            Cell::code(&system.name),
            words(environment.and_then(|it| it.cpu_model.as_ref())),
            Cell::of(
                environment.and_then(|it| it.architecture.as_deref()),
                |name| names::architecture(name).into(),
            ),
            crate::report::unit::Units::of(records()).heading().into(),
            Cell::Bytes(records().count() as u64),
            Cell::Bytes(complete.count() as u64),
        ]
    };
    Table {
        caption: "Systems".to_owned(),
        columns: vec![
            Column::name("system"),
            Column::words("processor"),
            Column::words("architecture"),
            Column::words("counts"),
            Column::figures("records"),
            Column::figures("complete"),
        ],
        rows: systems.iter().map(row).collect(),
    }
}
