//! Draws a comparison as text.

use comfy_table::{
    Cell as Drawn, CellAlignment, ContentArrangement, LineStyle, Row as Line, Table, TableStyle,
    presets,
};

use super::comparison::{Cell, Column, Comparison, Heading, Row, compare};
use super::format;
use crate::record::schema::Record;

/// What stands where there is no number.
const NONE: &str = "–";

/// Lines above and below, and under the header.
const STYLE: TableStyle = presets::UTF8_HORIZONTAL_ONLY.row_separator(LineStyle::none());

/// The table of one system alone.
pub fn one_system(name: &str, records: &[Record]) -> String {
    let column = Column {
        name: name.to_owned(),
        records: records.to_vec(),
    };
    comparison(&compare(&[column]))
}

/// The table of a comparison, and the notes under it.
pub fn comparison(comparison: &Comparison) -> String {
    let mut table = Table::new();
    table
        .load_style(STYLE)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(header(comparison));
    let mut above: Option<&Row> = None;
    for row in &comparison.rows {
        let same_label = above
            .is_some_and(|above| (&above.candidate, &above.label) == (&row.candidate, &row.label));
        let name = match same_label {
            true => String::new(),
            false => format!("{}/{}", row.candidate, row.label),
        };
        table.add_row(line(name, row, comparison));
        above = Some(row);
    }
    let mut text = table.trim_fmt();
    for note in &comparison.notes {
        text.push('\n');
        text.push_str(note);
    }
    text
}

fn header(comparison: &Comparison) -> Line {
    let systems = &comparison.systems;
    let named = |system: &Heading, text: &str| format!("{}\n{text}", system.name);
    let mut line = Line::new();
    line.add_cell(Drawn::new("label"));
    line.add_cell(Drawn::new("operation"));
    for system in systems {
        let unit = system.unit_heading.unwrap_or("count");
        line.add_cell(right(named(system, &unit.replace(", ", ",\n"))));
    }
    for system in systems {
        let time = match system.emulated {
            true => "time,\nvirtual",
            false => "time",
        };
        line.add_cell(right(named(system, time)));
    }
    for index in ratio_columns(comparison) {
        let of = &systems[index].name;
        let to = comparison.ratio_to.as_deref().unwrap_or_default();
        line.add_cell(right(format!("{of}\n÷ {to}")));
    }
    for system in systems {
        line.add_cell(right(named(system, "stack\nbytes")));
    }
    line.add_cell(Drawn::new("KAT"));
    line.add_cell(right("n"));
    line
}

/// The systems that have a ratio to the reference.
fn ratio_columns(comparison: &Comparison) -> Vec<usize> {
    let Some(reference) = &comparison.ratio_to else {
        return Vec::new();
    };
    let emulated = |name: &str| {
        let mut systems = comparison.systems.iter();
        systems.any(|system| system.name == name && system.emulated)
    };
    let (systems, virtual_times) = (&comparison.systems, emulated(reference));
    (0..systems.len())
        .filter(|index| systems[*index].name != *reference)
        .filter(|index| systems[*index].emulated == virtual_times)
        .collect()
}

fn line(name: String, row: &Row, comparison: &Comparison) -> Line {
    let each = |text: &dyn Fn(&Cell) -> Option<String>| -> Vec<String> {
        let text = |cell: &Option<Cell>| cell.as_ref().and_then(text);
        let cells = row.cells.iter().map(text);
        cells.map(|text| text.unwrap_or(NONE.to_owned())).collect()
    };
    let mut line = Line::new();
    line.add_cell(Drawn::new(name));
    line.add_cell(Drawn::new(&row.operation));
    for (cell, system) in row.cells.iter().zip(&comparison.systems) {
        let text = cell.as_ref().and_then(|cell| count(cell, system));
        line.add_cell(right(text.unwrap_or(NONE.to_owned())));
    }
    for text in each(&|cell| Some(marked(cell, format::seconds(cell.mean_seconds?)))) {
        line.add_cell(right(text));
    }
    for index in ratio_columns(comparison) {
        let ratio = row.time_ratios[index];
        line.add_cell(right(ratio.map_or(NONE.to_owned(), format::general)));
    }
    for text in each(&|cell| Some(cell.stack_bytes?.to_string())) {
        line.add_cell(right(text));
    }
    line.add_cell(Drawn::new(joined(each(&|cell| Some(cell.kat.to_owned())))));
    let calls = each(&|cell| Some(cell.measurements.to_string()));
    line.add_cell(right(joined(calls)));
    line
}

/// A count; with its unit where the heading cannot name it for all.
fn count(cell: &Cell, system: &Heading) -> Option<String> {
    let text = marked(cell, format::count(cell.mean_count?));
    Some(match system.unit_heading {
        Some(_) => text,
        None => format!("{text} {}", cell.unit_heading?),
    })
}

/// A mean, with a mark where the machine disturbed it.
fn marked(cell: &Cell, text: String) -> String {
    match cell.is_disturbed() {
        true => format!("~ {text}"),
        false => text,
    }
}

/// One text when all systems agree, or each system's own.
fn joined(texts: Vec<String>) -> String {
    match texts.iter().all(|text| *text == texts[0]) {
        true => texts.into_iter().next().unwrap_or_default(),
        false => texts.join(" / "),
    }
}

fn right(text: impl Into<String>) -> Drawn {
    Drawn::new(text.into()).set_alignment(CellAlignment::Right)
}

#[cfg(test)]
mod tests;
