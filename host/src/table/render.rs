//! Draws a comparison as text.

use comfy_table::{
    Cell as Drawn, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle, presets,
};

use super::comparison::{
    BEFORE, Cell, Column, Comparison, Heading, NOISY, Row, compare, mark, not_built_in_words,
};
use super::format;
use crate::notice::printable;
use crate::ratio::{Against, Ratio};
use crate::record::schema::Record;

/// What stands where there is no number.
pub(crate) const NONE: &str = "–";

/// What stands where a number is impossible; a note says why.
const NOT_AVAILABLE: &str = "n/a";

/// Lines above and below, and under the header.
pub(crate) const STYLE: TableStyle = presets::UTF8_HORIZONTAL_ONLY.row_separator(LineStyle::none());

/// Columns at the left that say what a row is about, and stand in every table.
const NAMES: usize = 2;

/// Blanks left and right of a column where there is room, and where there is not.
const WIDE: (u16, u16) = (1, 1);
const TIGHT: (u16, u16) = (0, 1);

/// One column of the drawn table.
struct Strip {
    heading: String,
    cells: Vec<String>,
    is_number: bool,
    /// Columns of one group stay in one table where there is room.
    group: Group,
}

/// What a column tells.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Group {
    Names,
    Counts,
    Times,
    Ratios,
    Memory,
    Standing,
}

/// The table of one system alone.
pub fn one_system(name: &str, records: &[Record], width: Option<usize>) -> String {
    let column = Column {
        name: name.to_owned(),
        system: name.to_owned(),
        records: records.to_vec(),
    };
    comparison(&compare(&[column]), width)
}

/// The table of a comparison, and the notes under it. In a terminal that is too narrow, `width`
/// characters, columns move closer and then continue in further tables below; without a width all
/// stand in one.
pub fn comparison(comparison: &Comparison, width: Option<usize>) -> String {
    let strips = strips(comparison);
    let whole = draw(&strips.iter().collect::<Vec<_>>(), WIDE);
    let table = match width {
        _ if comparison.rows.is_empty() => None,
        Some(width) if table_width(&whole) > width => Some(narrow(&strips, width)),
        _ => Some(whole),
    };
    let below = not_built_in_words(&comparison.not_built);
    let notes = below.iter().chain(&comparison.notes);
    let lines = notes.map(|note| wrapped(&printable(note), width));
    table
        .into_iter()
        .chain(lines)
        .collect::<Vec<_>>()
        .join("\n")
}

/// A note in lines of a terminal; a word that is longer than a line has one to itself.
fn wrapped(note: &str, width: Option<usize>) -> String {
    let Some(width) = width else {
        return note.to_owned();
    };
    let mut lines: Vec<String> = Vec::new();
    for word in note.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

/// As many tables as it takes, each with the names.
fn narrow(strips: &[Strip], width: usize) -> String {
    let (names, numbers) = strips.split_at(NAMES.min(strips.len()));
    let draw = |numbers: &[&Strip]| {
        let strips = names.iter().chain(numbers.iter().copied());
        draw(&strips.collect::<Vec<_>>(), TIGHT)
    };
    let fits = |numbers: &[&Strip]| table_width(&draw(numbers)) <= width;
    let mut tables = Vec::new();
    let mut open: Vec<&Strip> = Vec::new();
    for unit in units(numbers, &fits) {
        if !open.is_empty() && !fits(&[&open[..], &unit[..]].concat()) {
            tables.push(draw(&open));
            open.clear();
        }
        open.extend(unit);
    }
    tables.push(draw(&open));
    tables.join("\n\n")
}

/// What is not torn apart: groups, or single columns of a group that is too wide by itself.
fn units<'a>(strips: &'a [Strip], fits: &dyn Fn(&[&Strip]) -> bool) -> Vec<Vec<&'a Strip>> {
    strips
        .chunk_by(|left, right| left.group == right.group)
        .flat_map(|group| {
            let whole: Vec<&Strip> = group.iter().collect();
            match fits(&whole) {
                true => vec![whole],
                false => whole.into_iter().map(|strip| vec![strip]).collect(),
            }
        })
        .collect()
}

/// Draws columns next to each other, with so many blanks left and right of each.
fn draw(strips: &[&Strip], blanks: (u16, u16)) -> String {
    let aligned = |strip: &Strip, text: &str| match strip.is_number {
        true => Drawn::new(text).set_alignment(CellAlignment::Right),
        false => Drawn::new(text),
    };
    let mut table = Table::new();
    table
        .load_style(STYLE)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(strips.iter().map(|strip| aligned(strip, &strip.heading)));
    let rows = strips.iter().map(|strip| strip.cells.len()).max();
    for row in 0..rows.unwrap_or(0) {
        table.add_row(strips.iter().map(|strip| {
            let text = strip.cells.get(row).map_or(NONE, String::as_str);
            aligned(strip, text)
        }));
    }
    for column in table.column_iter_mut() {
        column.set_padding(blanks);
    }
    table.trim_fmt()
}

/// Characters in a line of a table: those of the line above it.
fn table_width(table: &str) -> usize {
    table.lines().next().map_or(0, |line| line.chars().count())
}

/// All columns, in order.
fn strips(comparison: &Comparison) -> Vec<Strip> {
    let Comparison { systems, rows, .. } = comparison;
    let named = |system: &Heading, text: &str| format!("{}\n{text}", printable(&system.name));
    let mut strips = names(rows);
    let each = |text: &dyn Fn(&Cell) -> Option<String>, index: usize| -> Vec<String> {
        let text = |row: &Row| row.cells.get(index)?.as_ref().and_then(text);
        let cells = rows.iter().map(text);
        cells.map(|text| text.unwrap_or(NONE.to_owned())).collect()
    };
    // What most tables do not have takes no room in them.
    let any = |index: usize, has: fn(&Cell) -> bool| {
        let mut cells = rows.iter().filter_map(|row| row.cells.get(index)?.as_ref());
        cells.any(has)
    };
    let mut number = |group, heading: String, cells: Vec<String>| {
        strips.push(Strip {
            heading,
            cells,
            is_number: true,
            group,
        });
    };
    for (index, system) in systems.iter().enumerate() {
        let unit = system.unit_heading.unwrap_or("count").replace(", ", ",\n");
        let cells = each(&|cell| count(cell, system), index);
        number(Group::Counts, named(system, &unit), cells);
    }
    for (index, system) in systems.iter().enumerate() {
        if any(index, |cell| cell.cold_count.is_some()) {
            let unit = system.unit_heading.unwrap_or("count");
            let heading = format!("cold call, median,\n{}", unit.replace(", ", ",\n"));
            let cold = |cell: &Cell| {
                let text = marked(cell, format::count(cell.cold_count?));
                Some(with_unit(text, cell, system))
            };
            number(Group::Counts, named(system, &heading), each(&cold, index));
        }
        if any(index, |cell| cell.ipc.is_some()) {
            let ipc = |cell: &Cell| cell.ipc.map(format::general);
            number(Group::Counts, named(system, "IPC"), each(&ipc, index));
        }
    }
    for (index, system) in systems.iter().enumerate() {
        let time = match system.emulated {
            true => "time,\nvirtual",
            false => "time",
        };
        let seconds = |cell: &Cell| Some(marked(cell, format::seconds(cell.mean_seconds?)));
        number(Group::Times, named(system, time), each(&seconds, index));
    }
    let has_throughput = |cell: &Cell| cell.throughput_megabytes_per_second.is_some();
    for (index, system) in systems.iter().enumerate() {
        if !any(index, has_throughput) {
            continue;
        }
        let unit = match system.emulated {
            true => "MB/s,\nvirtual",
            false => "MB/s",
        };
        let rate = |cell: &Cell| cell.throughput_megabytes_per_second.map(format::general);
        number(Group::Times, named(system, unit), each(&rate, index));
    }
    strips.extend(ratios(comparison));
    let mut number = |group, heading: String, cells: Vec<String>| {
        strips.push(Strip {
            heading,
            cells,
            is_number: true,
            group,
        });
    };
    for (index, system) in systems.iter().enumerate() {
        let stack = |cell: &Cell| {
            let bytes = cell.stack_bytes?;
            Some(match cell.stack_is_a_lower_bound {
                true => format!("≥ {bytes}"),
                false => bytes.to_string(),
            })
        };
        number(
            Group::Memory,
            named(system, "stack\nbytes"),
            each(&stack, index),
        );
    }
    strips.push(Strip {
        is_number: true,
        group: Group::Memory,
        ..shared(comparison, "heap\nbytes", &|cell| match (
            cell.heap_peak_bytes,
            cell.has_heap_before(),
        ) {
            (None, _) => NONE.to_owned(),
            (Some(bytes), true) => format!("{BEFORE} {bytes}"),
            (Some(bytes), false) => bytes.to_string(),
        })
    });
    strips.push(shared(comparison, "KAT", &|cell| cell.kat.to_owned()));
    strips.push(Strip {
        is_number: true,
        ..shared(comparison, "calls (n)", &|cell| {
            cell.measurements.to_string()
        })
    });
    strips
}

/// Two columns for each system that is compared with another: the ratio with its interval, under
/// what was divided, and what follows from it. One for each system, where there is a yardstick.
fn ratios(comparison: &Comparison) -> Vec<Strip> {
    let Comparison { systems, rows, .. } = comparison;
    let mut strips = Vec::new();
    let mut strip = |heading: String, cells: Vec<String>, is_number| {
        strips.push(Strip {
            heading,
            cells,
            is_number,
            group: Group::Ratios,
        });
    };
    for (index, system) in systems.iter().enumerate() {
        let Some(to) = &system.ratio_to else { continue };
        let column: Vec<_> = rows.iter().map(|row| row.ratios[index].as_ref()).collect();
        let heading = format!("{}\n÷ {}", printable(&system.name), printable(to));
        let (heading, cells) = quotients(heading, &column);
        strip(heading, cells, true);
        let verdict = |against: &Option<&Against>| {
            let ratio = against.and_then(Against::ratio);
            ratio.map_or(NONE, Ratio::verdict_in_words).to_owned()
        };
        strip(
            "verdict".to_owned(),
            column.iter().map(verdict).collect(),
            false,
        );
    }
    if let Some(yardstick) = &comparison.yardstick {
        for (index, system) in systems.iter().enumerate() {
            let column = rows.iter().map(|row| row.by_yardstick[index].as_ref());
            let heading = format!("{}\n÷ {}", printable(&system.name), printable(yardstick));
            let (heading, cells) = quotients(heading, &column.collect::<Vec<_>>());
            strip(heading, cells, true);
        }
    }
    strips
}

/// A column of ratios: its heading with what was divided, and its cells; where different things
/// were, each cell says which.
fn quotients(heading: String, column: &[Option<&Against>]) -> (String, Vec<String>) {
    let ratios = column
        .iter()
        .flatten()
        .filter_map(|against| against.ratio());
    let mut quantities: Vec<&str> = ratios.map(|ratio| ratio.quantity.heading()).collect();
    quantities.sort_unstable();
    quantities.dedup();
    let value = |against: &Option<&Against>| match against {
        None => NONE.to_owned(),
        Some(Against::NotAvailable { .. }) => NOT_AVAILABLE.to_owned(),
        Some(Against::Ratio(ratio)) if quantities.len() > 1 => {
            format!("{} {}", quotient(ratio), ratio.quantity.heading())
        }
        Some(Against::Ratio(ratio)) => quotient(ratio),
    };
    let cells = column.iter().map(value).collect();
    match quantities[..] {
        [quantity] => (format!("{heading},\n{quantity}"), cells),
        _ => (heading, cells),
    }
}

/// A ratio with its interval, and the mark of what the interval is not of.
fn quotient(ratio: &Ratio) -> String {
    let interval = ratio.interval.map(|interval| (interval.low, interval.high));
    format::ratio(ratio.value, interval) + mark(ratio)
}

/// The columns that say what a row is about; a label is written once.
fn names(rows: &[Row]) -> Vec<Strip> {
    let mut above: Option<&Row> = None;
    let label = |row: &'_ Row| format!("{}/{}", printable(&row.candidate), printable(&row.label));
    let mut labels = Vec::new();
    for row in rows {
        let same = above
            .is_some_and(|above| (&above.candidate, &above.label) == (&row.candidate, &row.label));
        labels.push(if same { String::new() } else { label(row) });
        above = Some(row);
    }
    let operations = rows
        .iter()
        .map(|row| printable(&row.operation).into_owned());
    [("label", labels), ("operation", operations.collect())]
        .into_iter()
        .map(|(heading, cells)| Strip {
            heading: heading.to_owned(),
            cells,
            is_number: false,
            group: Group::Names,
        })
        .collect()
}

/// A column for all systems: one text where they agree, or each system's own, in the order that
/// the heading then names.
fn shared(comparison: &Comparison, heading: &str, text: &dyn Fn(&Cell) -> String) -> Strip {
    let mut heading = heading.to_owned();
    let mut cells = Vec::new();
    let mut differ = false;
    for row in &comparison.rows {
        let each = row
            .cells
            .iter()
            .map(|cell| cell.as_ref().map_or(NONE.to_owned(), text));
        let each: Vec<String> = each.collect();
        if each.windows(2).all(|pair| pair[0] == pair[1]) {
            cells.extend(each.into_iter().next());
        } else {
            differ = true;
            cells.push(each.join(" / "));
        }
    }
    if differ {
        let names = comparison
            .systems
            .iter()
            .map(|system| printable(&system.name));
        heading.push('\n');
        heading.push_str(&names.collect::<Vec<_>>().join(" /\n"));
    }
    Strip {
        heading,
        cells,
        is_number: false,
        group: Group::Standing,
    }
}

/// A count; with its unit where the heading cannot name it for all.
fn count(cell: &Cell, system: &Heading) -> Option<String> {
    let text = marked(cell, format::count(cell.mean_count?));
    Some(with_unit(text, cell, system))
}

/// The same with the record's own unit, where the heading cannot name it for all.
fn with_unit(text: String, cell: &Cell, system: &Heading) -> String {
    match (system.unit_heading, cell.unit_heading) {
        (None, Some(unit)) => format!("{text} {unit}"),
        _ => text,
    }
}

/// A mean, with a mark where the machine disturbed it.
fn marked(cell: &Cell, text: String) -> String {
    match cell.is_disturbed() {
        true => format!("{NOISY} {text}"),
        false => text,
    }
}

#[cfg(test)]
mod tests;
