//! From the figures of each published page, its tables are made again: every heading and every
//! cell, character for character.

use super::drawn::{html_tables, markdown_tables};
use super::published_records::system;
use crate::record::schema::FlagSet;
use crate::report::evidence::{Label, System};
use crate::report::render::{Links, html, markdown};
use crate::report::{candidate_pages, model::Page};
use crate::table::format::published::PAGES;

fn page(published: &crate::table::format::published::PublishedPage) -> Page {
    let pages = candidate_pages(&[system(published)], &|_| true);
    let [page] = <[Page; 1]>::try_from(pages).expect("one candidate on one system");
    page
}

/// Cells of each page, headings with them: a page that lost some on both sides would pass otherwise.
const CELLS: [(&str, usize); 5] = [
    ("kem-36", 362),
    ("kex-04", 471),
    ("kex-05", 516),
    ("kex-08", 239),
    ("kex-09", 553),
];

fn cells<T: AsRef<str>>(tables: &[Vec<Vec<T>>]) -> usize {
    let rows = tables.iter().flatten();
    rows.flatten()
        .filter(|cell| !cell.as_ref().is_empty())
        .count()
}

#[test]
fn every_cell_is_compared() {
    let counted = PAGES.each_ref().map(|published| {
        let page = page(published);
        let expected = cells(&published.tables());
        let drawn = markdown_tables(&markdown::page(&page, links(&page)));
        assert_eq!(cells(&drawn), expected, "{}", published.id);
        let drawn = html_tables(&html::page(&page, links(&page)));
        assert_eq!(cells(&drawn), expected, "{}", published.id);
        (published.id, expected)
    });
    assert_eq!(counted, CELLS);
}

/// One figure that is another is found, wherever it stands.
#[test]
fn a_changed_figure_is_another_page() {
    let published = &PAGES[0];
    let drawn = |system: &System| {
        let pages = candidate_pages(std::slice::from_ref(system), &|_| true);
        markdown_tables(&markdown::page(&pages[0], links(&pages[0])))
    };
    let original = system(published);
    type Change = fn(&mut Label);
    let changes: [(usize, Change); 6] = [
        (0, |label| {
            label.records[0].environment.memory_total_kib = Some(1024.into())
        }),
        (1, |label| label.records[0].flags = FlagSet::HarnessDefault),
        (2, |label| label.records[0].mean_cycles = Some(1.0)),
        (3, |label| label.records[0].peak_rss_bytes = Some(1024)),
        (4, |label| label.records[0].sizes.pk_bytes = Some(1)),
        (5, |label| label.profiles[0].1.calls[0].calls += 1_000_000),
    ];
    for (table, change) in changes {
        let mut other = original.clone();
        change(&mut other.candidates[0].labels[0]);
        let (before, after) = (drawn(&original), drawn(&other));
        assert_ne!(before[table], after[table], "table {table}");
    }
}

fn links(page: &Page) -> Links<'_> {
    Links {
        from: &page.path,
        run: Some(".."),
    }
}

/// Three of the pages were copied as Markdown, with marks of code, and two as text, without.
fn without_marks(cell: &str) -> String {
    cell.replace('`', "")
}

#[test]
fn markdown() {
    for published in &PAGES {
        let page = page(published);
        let drawn = markdown_tables(&markdown::page(&page, links(&page)));
        let expected = published.tables();
        assert_eq!(drawn.len(), expected.len(), "{}", published.id);
        let has_marks = expected[1][1][0].starts_with('`');
        for (drawn, expected) in drawn.iter().zip(&expected) {
            assert_eq!(
                drawn.len(),
                expected.len(),
                "{}: {:?}",
                published.id,
                expected[0]
            );
            for (drawn, expected) in drawn.iter().zip(expected) {
                if has_marks {
                    assert_eq!(drawn, expected, "{}", published.id);
                } else {
                    let drawn: Vec<String> = drawn.iter().map(|cell| without_marks(cell)).collect();
                    assert_eq!(&drawn, expected, "{}", published.id);
                }
            }
        }
    }
}

#[test]
fn html() {
    for published in &PAGES {
        let page = page(published);
        let drawn = html_tables(&html::page(&page, links(&page)));
        let expected = published.tables().map(|table| {
            let row = |row: &Vec<&str>| -> Vec<String> {
                row.iter().map(|cell| without_marks(cell)).collect()
            };
            table.iter().map(row).collect::<Vec<_>>()
        });
        assert_eq!(drawn, expected, "{}", published.id);
    }
}
