//! Pages as HTML: one file each, with its style inside and nothing to fetch.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Format, Links};
use crate::notice::printable;
use crate::report::cell::Cell;
use crate::report::model::{Block, ColumnKind, Page, Span, Table, Text};

/// The style of every page.
pub const STYLE: &str = include_str!("style.css");

/// Nothing is fetched and no script runs, whatever gets into a page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The page as one file.
pub fn page(page: &Page, links: Links) -> String {
    let body = html! {
        @if !page.trail.is_empty() {
            nav aria-label="Place in the report" {
                ol { @for step in &page.trail { li { (inline(step, links)) } } }
            }
        }
        main {
            h1 { (printable(&page.title)) }
            @for part in &page.lead { (block(part, links)) }
            @for section in &page.sections {
                section {
                    h2 { (printable(&section.title)) }
                    @for part in &section.blocks { (block(part, links)) }
                }
            }
        }
    };
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (printable(&page.title)) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    };
    lines(&document.into_string())
}

/// The same with line ends between elements, so that a difference has a line.
fn lines(document: &str) -> String {
    let mut text = document.to_owned();
    for element in [
        "<head>",
        "<body>",
        "<nav",
        "<main>",
        "<h1>",
        "<h2>",
        "<section>",
        "<p>",
        "<aside",
        "<ul>",
        "<li>",
        "<div",
        "<table>",
        "<thead>",
        "<tbody>",
        "<tr>",
        "</table>",
        "</main>",
        "</html>",
    ] {
        text = text.replace(element, &format!("\n{element}"));
    }
    text + "\n"
}

fn block(block: &Block, links: Links) -> Markup {
    let items = |texts: &[Text]| {
        html! { ul { @for text in texts { li { (inline(text, links)) } } } }
    };
    html! {
        @match block {
            Block::Paragraph(text) => p { (inline(text, links)) },
            Block::List(texts) => (items(texts)),
            Block::Warnings(texts) => aside aria-label="Warnings" { (items(texts)) },
            Block::Table(table) => (drawn(table, links)),
        }
    }
}

/// A table, which scrolls by itself where the window is too narrow, with the keyboard as well.
pub fn drawn(table: &Table, links: Links) -> Markup {
    let class = |kind| (kind == ColumnKind::Figures).then_some("figures");
    html! {
        div.scroll role="region" tabindex="0" aria-label=(printable(&table.caption)) {
            table {
                caption { (printable(&table.caption)) }
                thead {
                    tr {
                        @for column in &table.columns {
                            th scope="col" class=[class(column.kind)] { (printable(&column.title)) }
                        }
                    }
                }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (column, cell) in table.columns.iter().zip(row) {
                                @if column.kind == ColumnKind::Name {
                                    th scope="row" { (inline(&cell.text(), links)) }
                                } @else if *cell == Cell::NotAvailable {
                                    td.none.words[column.kind != ColumnKind::Figures] {
                                        (inline(&cell.text(), links))
                                    }
                                } @else {
                                    td class=[class(column.kind)] { (inline(&cell.text(), links)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A text with its marks and links.
pub fn inline(text: &Text, links: Links) -> Markup {
    html! {
        @for span in &text.0 {
            @match span {
                Span::Plain(words) => (printable(words)),
                Span::Code(words) => code { (printable(words)) },
                Span::Strong(words) => strong { (printable(words)) },
                Span::Page(words, path) | Span::Html(words, path) => {
                    a href=(links.to_page(path, Format::Html)) { (printable(words)) }
                },
                Span::File { shown, path } => @match links.to_file(path) {
                    Some(address) => a href=(address) { code { (printable(shown)) } },
                    None => code { (printable(shown)) },
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::model::PagePath;

    #[test]
    fn text_is_never_html() {
        let from = PagePath::new(["a", "b", "page"]);
        let links = Links {
            from: &from,
            run: Some(".."),
        };
        let hostile = "<script>alert(\"1\")</script>&amp;\n\u{202e}";
        let texts = Text::from(hostile)
            .and(Text::code(hostile))
            .and(Text::strong(hostile))
            .and(Text::file(hostile, hostile))
            .and(Text::page(hostile, PagePath::new(["\"><script>"])));
        let drawn = inline(&texts, links).into_string();
        assert!(!drawn.contains("<script"), "{drawn}");
        assert!(!drawn.contains(['\n', '\u{202e}']), "{drawn}");
        let beginning =
            "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;amp;\\n\\u{202e}<code>";
        assert!(drawn.starts_with(beginning), "{drawn}");
        assert!(
            drawn.contains("href=\"../../%22%3E%3Cscript%3E.html\""),
            "{drawn}"
        );
    }
}
