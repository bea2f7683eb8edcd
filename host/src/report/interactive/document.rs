//! The page of the interactive report.

use data_encoding::BASE64;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::plot::{self, Figure};
use super::rows::{Row, rows};
use super::tables::{self, Listing, Pages};
use super::{drawn, figures, notes, sizes};
use crate::notice::printable;
use crate::record::schema::KatStatus;
use crate::report::evidence::System;
use crate::report::model::Text;
use crate::report::page;
use crate::report::render::{Format, Links, html as pages_html};
use crate::table::format::number_of;

/// What it does.
const SCRIPT: &str = include_str!("script.js");

/// How it looks, beside what all pages share.
const STYLE: &str = include_str!("style.css");

/// Part of the page.
struct Section {
    /// Its id.
    id: &'static str,
    /// Its heading.
    title: &'static str,
    /// What its figures are.
    introduction: &'static str,
    figures: Vec<Figure>,
    tables: Vec<Listing>,
}

/// Makes the file from systems of different names; `has_pages` says that the candidates' pages are
/// beside it.
pub fn document(systems: &[System], has_pages: bool) -> String {
    let rows = rows(systems);
    let path = super::path();
    let links = Links {
        from: &path,
        run: None,
    };
    let sections = sections(&rows, Pages(has_pages));
    let style = format!("{}{STYLE}", pages_html::STYLE);
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            (PreEscaped("\n"))
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy(&style));
                title { "Performance measurements: interactive report" }
                style { (PreEscaped(&style)) }
            }
            (PreEscaped("\n"))
            body {
                a.skip href="#main" { "Skip to the figures" }
                header {
                    @if has_pages { (trail(links)) }
                    h1 { "Performance measurements" }
                    p { (summary(&rows, systems.len())) }
                    (colours())
                }
                (filters(&rows))
                main id="main" tabindex="-1" {
                    (contents(&sections))
                    (before(&rows, systems, links))
                    @let mut number = 0;
                    @for section in &sections { (drawn_section(section, &mut number, links)) }
                }
                (plot::symbols())
                (PreEscaped("\n"))
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    document.into_string() + "\n"
}

/// Only this script runs and only this style applies, by their digests (Content Security Policy
/// Level 3, section 2.3.1); nothing is fetched or sent.
fn policy(style: &str) -> String {
    let digest = |text: &str| BASE64.encode(&Sha256::digest(text));
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; \
         form-action 'none'",
        digest(SCRIPT),
        digest(style)
    )
}

fn trail(links: Links) -> Markup {
    let index = links.to_page(&super::super::index::path(), Format::Html);
    html! {
        nav aria-label="Place in the report" {
            ol { li { a href=(index) { "All pages" } } li { "Interactive report" } }
        }
    }
}

fn summary(rows: &[Row], systems: usize) -> String {
    let records = rows.iter().filter(|row| row.record.is_some()).count();
    let instances = super::rows::instances(rows).count();
    format!(
        "{} of {} on {}, with everything that is known of them. Counts of different units are \
         never in one column or on one axis; a dash is what is not available.",
        number_of(records, "record"),
        number_of(instances, "instance"),
        number_of(systems, "system"),
    )
}

/// The colours are those of the reader's system until others are chosen; the script shows this.
fn colours() -> Markup {
    html! {
        p.colours hidden {
            label for="colours" { "Colours" }
            select id="colours" autocomplete="off" {
                option value="" { "as the system" }
                option value="light" { "light" }
                option value="dark" { "dark" }
            }
        }
    }
}

/// The fields by which rows are chosen; the script shows them.
fn filters(rows: &[Row]) -> Markup {
    let kat = |row: &Row| {
        page::kat(row.label)
            .map_or("unknown", KatStatus::name)
            .to_owned()
    };
    let mut operations = tables::choices(rows, |row| row.operation.clone());
    operations.sort_by(|a, b| crate::table::order::operations(a, b));
    let fields = [
        (
            "category",
            "Category",
            tables::choices(rows, |row| row.category_name().to_owned()),
        ),
        (
            "system",
            "System",
            tables::choices(rows, |row| row.system.name.clone()),
        ),
        ("operation", "Operation", operations),
        ("kat", "KAT", tables::choices(rows, kat)),
    ];
    html! {
        (PreEscaped("\n"))
        form id="filters" role="search" aria-label="Filter tables and plots" hidden autocomplete="off" {
            p {
                label for="text" { "Candidate or instance" }
                input id="text" type="search" spellcheck="false";
            }
            @for (id, title, choices) in &fields {
                p {
                    label for=(id) { (title) }
                    select id=(id) {
                        option value="" { "all" }
                        @for choice in choices {
                            option value=(printable(choice)) { (printable(choice)) }
                        }
                    }
                }
            }
            p { button type="reset" { "Show all" } }
            p id="status" role="status" {}
        }
    }
}

fn contents(sections: &[Section]) -> Markup {
    html! {
        nav.contents aria-label="Sections" {
            ul { @for section in sections {
                li { a href={ "#" (section.id) } { (section.title) } }
            } }
        }
    }
}

/// What comes before all figures.
fn before(rows: &[Row], systems: &[System], links: Links) -> Markup {
    let warnings: Vec<Text> = notes::warnings(rows);
    html! {
        @if !warnings.is_empty() {
            aside aria-label="Warnings" {
                ul { @for warning in &warnings { li { (pages_html::inline(warning, links)) } } }
            }
        }
        (pages_html::drawn(&tables::systems(systems), links))
    }
}

fn drawn_section(section: &Section, number: &mut usize, links: Links) -> Markup {
    html! {
        (PreEscaped("\n"))
        section aria-labelledby=(section.id) {
            h2 id=(section.id) { (section.title) }
            p { (section.introduction) }
            @if section.tables.is_empty() { p { "Not available: no record has any." } }
            @for (index, figure) in section.figures.iter().enumerate() {
                (plot::draw(figure, &format!("plot-{}-{index}", section.id)))
            }
            @for listing in &section.tables {
                ({ *number += 1; drawn::table(listing, &table_name(*number), links) })
            }
        }
    }
}

fn table_name(number: usize) -> String {
    format!("Table {number}")
}

/// All sections; tables are numbered as they follow each other.
fn sections(rows: &[Row], pages: Pages) -> Vec<Section> {
    let mut number = 0;
    let mut name = |listing: &Listing| {
        number += 1;
        (listing.id.clone(), table_name(number))
    };
    let operations = tables::operations(rows, pages);
    let counts = operations.as_ref().map(&mut name);
    let spreads = tables::spreads(rows, pages);
    let of_units: Vec<_> = spreads
        .iter()
        .map(|(unit, listing)| (*unit, name(listing)))
        .collect();
    let spread_table = |row: &Row| {
        let unit = tables::counted(row.record?)?;
        let mut tables = of_units.iter();
        let (_, table) = tables.find(|(of, _)| *of == unit)?;
        Some(table.clone())
    };
    let memory = tables::memory(rows, pages);
    let of_memory = memory.as_ref().map(&mut name);
    let claims = sizes::claims(rows);
    let sizes = tables::sizes(rows, &claims, pages);
    let of_sizes: Vec<_> = sizes.iter().map(&mut name).collect();
    let shares = tables::shares(rows, pages);
    let of_shares = shares.as_ref().map(&mut name);
    let drawn = |table: Option<figures::TableName>,
                 draw: fn(&[Row], &figures::TableName) -> Vec<Figure>| {
        table.map(|table| draw(rows, &table)).unwrap_or_default()
    };
    vec![
        Section {
            id: "counts",
            title: "Counts and times",
            introduction: "Means over all calls of all trials, which start from the same state. \
                What the notes mean is told above.",
            figures: drawn(counts, figures::counts),
            tables: operations.into_iter().collect(),
        },
        Section {
            id: "calls",
            title: "Single calls",
            introduction: "Quantiles of calls that were counted one by one. The plots divide each \
                by the median of its own operation, so that what they show is spread alone.",
            figures: figures::spreads(rows, &spread_table),
            tables: spreads.into_iter().map(|(_, listing)| listing).collect(),
        },
        Section {
            id: "memory-use",
            title: "Memory",
            introduction: "Stack and heap are those of one call, apart from the driver's; own \
                static memory is that of the submission's objects, and an image everything that \
                was linked.",
            figures: drawn(of_memory, figures::memory),
            tables: memory.into_iter().collect(),
        },
        Section {
            id: "sizes",
            title: "Sizes",
            introduction: "Bytes of keys and of what is sent, as the interface of the code reports \
                them. Bandwidth of a key exchange is all messages and each side's public key once.",
            figures: figures::sizes(&claims, &of_sizes),
            tables: sizes,
        },
        Section {
            id: "symmetric",
            title: "Symmetric functions",
            introduction: "What part of an operation lies in hash functions and in the generator \
                of random bytes, from an image of its own in which their calls are counted.",
            figures: drawn(of_shares, figures::shares),
            tables: shares.into_iter().collect(),
        },
    ]
}
