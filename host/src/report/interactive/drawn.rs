//! Tables of the interactive report as HTML.

use maud::{Markup, PreEscaped, html};

use super::tables::Listing;
use crate::notice::printable;
use crate::report::cell::Cell;
use crate::report::model::ColumnKind;
use crate::report::render::{Links, html::inline};

/// Draws a table under a name. A dash stands for what is not available, which is much where units
/// have columns of their own; the values of its figures are beside their texts, so that they are
/// sorted by what they are and not by how they are written.
pub fn table(listing: &Listing, name: &str, links: Links) -> Markup {
    let Listing { id, table, numbers } = listing;
    let class = |kind| (kind == ColumnKind::Figures).then_some("figures");
    let caption = format!("{name}. {}", table.caption);
    html! {
        (PreEscaped("\n"))
        div.scroll role="region" tabindex="0" aria-labelledby=(id) {
            table data-sortable {
                caption id=(id) { (printable(&caption)) }
                (PreEscaped("\n"))
                thead { tr {
                    @for column in &table.columns {
                        th scope="col" class=[class(column.kind)] { (printable(&column.title)) }
                    }
                } }
                (PreEscaped("\n"))
                tbody {
                    @for (row, numbers) in table.rows.iter().zip(numbers) {
                        (PreEscaped("\n"))
                        tr data-r=(numbers) {
                            @for (column, cell) in table.columns.iter().zip(row) {
                                @if column.kind == ColumnKind::Name {
                                    th scope="row" { (inline(&cell.text(), links)) }
                                } @else if *cell == Cell::NotAvailable {
                                    td.none.words[column.kind != ColumnKind::Figures] { "–" }
                                } @else {
                                    td data-v=[cell.value().map(exact)] {
                                        (inline(&cell.text(), links))
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A value with as many digits as can matter.
fn exact(value: f64) -> String {
    match value.fract() == 0.0 && value.abs() < 1e15 {
        true => format!("{value:.0}"),
        false => format!("{value:.6e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_so_that_a_script_reads_them() {
        assert_eq!(exact(13_384.0), "13384");
        assert_eq!(exact(562_012.333_33), "5.620123e5");
        assert_eq!(exact(0.000_012_5), "1.250000e-5");
    }
}
