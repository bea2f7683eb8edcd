//! All instances of one category on one system, yardsticks first.

use wire::Category;

use super::cell::Cell;
use super::evidence::{Candidate, Label, System, operation};
use super::interactive;
use super::model::{Block, Column, Page, PagePath, Section, Table, Text};
use super::names;
use super::page;
use super::unit::Units;
use crate::record::schema::{KatStatus, Record};
use crate::table::comparison::{BEFORE, BEFORE_MEANING};
use crate::table::order;

/// Where the summary of a category is.
pub fn path(system: &str, category: Category) -> PagePath {
    PagePath::new([system, &format!("summary-{}", category.name())])
}

/// One row of every table.
struct Entry<'a> {
    candidate: &'a Candidate,
    label: &'a Label,
    is_yardstick: bool,
}

/// Makes the summary; `None` where a system has nothing of the category.
pub fn page(system: &System, category: Category) -> Option<Page> {
    let mut entries: Vec<Entry> = system
        .candidates
        .iter()
        .flat_map(|candidate| {
            candidate.labels_of(category).map(move |label| Entry {
                is_yardstick: names::is_yardstick(&candidate.id, label),
                candidate,
                label,
            })
        })
        .collect();
    // The order among each other is that of the candidates.
    entries.sort_by_key(|entry| !entry.is_yardstick);
    (!entries.is_empty()).then(|| {
        let operations = operations(&entries);
        Page {
            path: path(&system.name, category),
            title: format!("{} on {}", names::plural(category), system.name),
            candidate: None,
            system: Some(system.name.clone()),
            trail: vec![
                Text::page("Performance measurements", super::index::path()),
                Text::from(system.name.as_str()),
                Text::from(names::plural(category)),
            ],
            lead: lead(&entries, system, category),
            sections: vec![
                Section::new("Sizes and standing").with([standing(category, &entries)]),
                Section::new("Counts")
                    .with([counts(&entries, &operations)])
                    .with(relative(category, &entries, &operations)),
                Section::new("Times").with(times(category, &entries, &operations)),
                Section::new("Memory").with(memory(&entries)),
            ],
        }
    })
}

fn lead(entries: &[Entry], system: &System, category: Category) -> Vec<Block> {
    let mut words = "Means over all calls; sizes and memory in bytes.".to_owned();
    if entries.iter().any(|entry| entry.is_yardstick) {
        words.push_str(" Yardsticks, which are standards or made of them, come first.");
    }
    let warnings = interactive::warnings_of(system, category);
    let warnings = (!warnings.is_empty()).then_some(Block::Warnings(warnings));
    [Block::Paragraph(words.into())]
        .into_iter()
        .chain(warnings)
        .collect()
}

fn records<'a>(entries: &'a [Entry]) -> impl Iterator<Item = &'a Record> {
    entries.iter().flat_map(|entry| &entry.label.records)
}

/// The operations that any of them has, in the order of the pages.
fn operations(entries: &[Entry]) -> Vec<String> {
    let mut found: Vec<String> = records(entries).map(operation).collect();
    found.sort_by(|a, b| order::operations(a, b));
    found.dedup();
    found
}

/// A table with a row for every entry.
fn table(
    caption: &str,
    entries: &[Entry],
    columns: Vec<Column>,
    cells: impl Fn(&Entry) -> Vec<Cell>,
) -> Block {
    let names = [Column::name("candidate"), Column::name("instance")];
    let rows = entries.iter().map(|entry| {
        let Candidate { system, id, .. } = entry.candidate;
        let candidate = Text::page(id, page::path(system, id));
        let candidate = match entry.is_yardstick {
            true => candidate.and(" (yardstick)"),
            false => candidate,
        };
        let names = [candidate.into(), Cell::code(&entry.label.name)];
        names.into_iter().chain(cells(entry)).collect()
    });
    Block::Table(Table {
        caption: caption.to_owned(),
        columns: names.into_iter().chain(columns).collect(),
        rows: rows.collect(),
    })
}

fn standing(category: Category, entries: &[Entry]) -> Block {
    let sizes = |entry: &Entry| page::sizes_table(category, entry.label);
    let columns = entries.first().map(sizes).unwrap_or_default();
    let columns = columns.into_iter().map(|(column, _)| column);
    let standing = [
        Column::figures("NIST security category"),
        Column::words("KAT"),
        Column::words("symmetric primitives"),
    ];
    table(
        "Sizes, known answers and symmetric primitives",
        entries,
        columns.chain(standing).collect(),
        |entry| {
            let sizes = sizes(entry).into_iter().map(|(_, cell)| cell);
            let kat = page::kat(entry.label).map(KatStatus::name);
            let verdict = page::verdict(entry.label);
            let security = names::security(&entry.candidate.id, entry.label.instance());
            let security = Cell::of(security, |category| Cell::Bytes(category.into()));
            sizes
                .chain([
                    security,
                    Cell::of(kat, Cell::from),
                    Cell::of(verdict, Cell::from),
                ])
                .collect()
        },
    )
}

/// A cell for every operation.
fn by_operation(entry: &Entry, operations: &[String], cell: impl Fn(&Record) -> Cell) -> Vec<Cell> {
    let find = |name: &String| {
        let mut records = entry.label.records.iter();
        records.find(|record| operation(record) == *name)
    };
    let cells = operations.iter().map(|name| Cell::of(find(name), &cell));
    cells.collect()
}

fn figures(operations: &[String]) -> Vec<Column> {
    operations.iter().map(Column::figures).collect()
}

fn counts(entries: &[Entry], operations: &[String]) -> Block {
    let units = Units::of(records(entries));
    let caption = format!("Mean {} of one call", units.heading());
    table(&caption, entries, figures(operations), |entry| {
        by_operation(entry, operations, |record| page::count(record, units))
    })
}

/// What others of a category are divided by: the standard of the middle size.
const UNIT_OF: [(Category, &str); 4] = [
    (Category::Kem, "ML-KEM-768"),
    (Category::Sig, "ML-DSA-65"),
    (Category::Kex, "AKEX-192"),
    (Category::Hash, "SHA3-256"),
];

/// Counts by those of one yardstick on the same system: numbers without a unit, which stand beside
/// those of other systems. What is counted in another unit than the yardstick is has none, and neither
/// has what gives wrong answers.
fn relative(category: Category, entries: &[Entry], operations: &[String]) -> Vec<Block> {
    let name = UNIT_OF.iter().find(|(of, _)| *of == category);
    let is_unit = |entry: &&Entry, name: &str| entry.is_yardstick && entry.label.name == name;
    let Some((yardstick, name)) = name.and_then(|(_, name)| {
        let entry = entries.iter().find(|entry| is_unit(entry, name))?;
        Some((entry, name))
    }) else {
        return Vec::new();
    };
    let sound = |record: &&Record| record.is_clean();
    let base = |name: &str| {
        let mut records = yardstick.label.records.iter().filter(sound);
        records
            .find(|record| operation(record) == name)?
            .mean_count()
    };
    let ratio = |record: &Record| {
        let (count, unit) = record.mean_count()?;
        let (base, of_base) = base(&operation(record))?;
        let ratio = count / base;
        (unit == of_base && record.is_clean() && ratio.is_finite()).then_some(ratio)
    };
    let caption = format!("Mean count of one call, by that of {name}");
    let table = table(&caption, entries, figures(operations), |entry| {
        by_operation(entry, operations, |record| {
            Cell::of(ratio(record), Cell::Ratio)
        })
    });
    vec![
        table,
        Block::Paragraph(
            format!(
                "Each divided by the same operation of {}/{name} on this system, in the same unit.",
                yardstick.candidate.id
            )
            .into(),
        ),
    ]
}

fn times(category: Category, entries: &[Entry], operations: &[String]) -> Vec<Block> {
    let clock = match records(entries).any(Record::is_emulated) {
        true => " (virtual)",
        false => "",
    };
    let rate = |record: &Record| Cell::of(record.throughput_megabytes_per_second, Cell::PerSecond);
    let times = table(
        &format!("Mean time of one call{clock}"),
        entries,
        figures(operations),
        |entry| by_operation(entry, operations, page::seconds),
    );
    let rates = || {
        table(
            &format!("Throughput in MB/s{clock}"),
            entries,
            figures(operations),
            |entry| by_operation(entry, operations, rate),
        )
    };
    let rates = (category == Category::Hash).then(rates);
    [times].into_iter().chain(rates).collect()
}

fn memory(entries: &[Entry]) -> Vec<Block> {
    let columns = [
        "stack",
        "heap peak",
        "own static memory",
        "image",
        "peak RSS",
    ];
    let table = table(
        "Most memory of any operation",
        entries,
        columns.map(Column::figures).to_vec(),
        |entry| {
            let most = |of: &dyn Fn(&Record) -> Option<u64>| {
                entry.label.records.iter().filter_map(of).max()
            };
            let of_memory = |record: &Record| Some(record.meter.as_ref()?.memory.clone());
            let stacks = entry.label.records.iter().filter_map(of_memory);
            let deepest =
                stacks.max_by_key(|memory| (memory.stack_bytes, memory.stack_is_a_lower_bound()));
            let heaps = entry.label.records.iter().filter_map(of_memory);
            let greatest_heap = heaps.max_by_key(|memory| memory.heap_peak_bytes);
            vec![
                deepest.map_or(Cell::NotAvailable, |memory| page::stack(&memory)),
                greatest_heap.map_or(Cell::NotAvailable, |memory| page::heap(&memory)),
                Cell::of(most(&page::submission_bytes), Cell::Bytes),
                Cell::of(
                    most(&|record| page::image_bytes(entry.label, record)),
                    Cell::Bytes,
                ),
                Cell::of(most(&|record| record.peak_rss_bytes), Cell::Kibibytes),
            ]
        },
    );
    let memories = records(entries).filter_map(|record| record.meter.as_ref());
    let mut memories = memories.map(|meter| &meter.memory);
    let has_before = memories.any(|memory| memory.heap_before_and_peak().is_some());
    let note = has_before.then(|| Block::Paragraph(format!("{BEFORE} {BEFORE_MEANING}").into()));
    [table].into_iter().chain(note).collect()
}
