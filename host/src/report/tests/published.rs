//! From the figures of each published page, its tables are made again: every heading and every
//! cell, character for character.

use super::drawn::{html_tables, markdown_tables};
use super::published_records::system;
use crate::report::render::{Links, html, markdown};
use crate::report::{candidate_pages, model::Page};
use crate::table::format::published::PAGES;

fn page(published: &crate::table::format::published::PublishedPage) -> Page {
    let pages = candidate_pages(&[system(published)], &|_| true);
    let [page] = <[Page; 1]>::try_from(pages).expect("one candidate on one system");
    page
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
