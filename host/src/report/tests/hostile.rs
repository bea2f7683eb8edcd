//! Records of a submission that would write pages of its own.

use super::drawn::{html_tables, markdown_tables};
use super::examples;
use crate::record::schema::{EventCount, KatStatus, Status};
use crate::report::evidence::System;
use crate::report::render::{Links, html, markdown};
use crate::report::{candidate_pages, overview_pages};

pub const HOSTILE: &str = "x<script>alert(1)</script>|`a`|\n# h\n<!-- \"'&amp; [l](javascript:x) \
    \u{202e}\x1b[31m";

/// Everything that a record quotes of a submission is hostile.
pub fn system() -> System {
    let mut system = examples::kem();
    let candidate = &mut system.candidates[0];
    candidate.id = HOSTILE.replace('/', "");
    candidate.name = Some(HOSTILE.to_owned());
    for label in &mut candidate.labels {
        label.name = HOSTILE.to_owned();
        for record in &mut label.records {
            record.candidate = HOSTILE.replace('/', "");
            record.label = HOSTILE.to_owned();
            record.variant = HOSTILE.to_owned();
            record.kat = KatStatus::Mismatch;
            record.kat_log = Some(HOSTILE.to_owned());
            record.status = Status::FailedOrPartial;
            record.environment.cpu_model = Some(HOSTILE.to_owned());
            let meter = record.meter.as_mut().expect("ours");
            meter.reason = Some(HOSTILE.to_owned());
            meter.fitness = vec![HOSTILE.to_owned()];
            meter.output.stdout.beginning = HOSTILE.to_owned();
            meter.output.stdout.length_bytes = 100;
            let kat = meter.kat.as_mut().expect("a test");
            kat.first_difference = Some(HOSTILE.to_owned());
            if let Some(events) = &mut meter.events {
                events.insert(HOSTILE.to_owned(), EventCount::Mean(1.0));
            }
        }
    }
    system
}

#[test]
fn nothing_of_it_is_markup() {
    let systems = [system()];
    let mut pages = candidate_pages(&systems, &|_| true);
    pages.extend(overview_pages(&systems));
    for page in &pages {
        let links = Links {
            from: &page.path,
            run: Some(".."),
        };
        let markdown = markdown::page(page, links);
        let html = html::page(page, links);
        for drawn in [&markdown, &html] {
            assert!(!drawn.contains(['\u{202e}', '\x1b']), "{drawn}");
            assert!(!drawn.contains("<script"), "{drawn}");
        }
        assert!(!html.contains("<!-- "), "{html}");
        assert!(!html.contains("=\"javascript:"), "{html}");
        let unescaped = markdown.replace("\\](", "");
        assert!(!unescaped.contains("](javascript"), "{markdown}");
        // It is all there to be read, in as many tables, rows and cells as without it.
        let tables = html_tables(&html);
        assert_eq!(tables.len(), page.tables().count());
        let in_markdown = markdown_tables(&markdown);
        assert_eq!(in_markdown.len(), tables.len());
        for ((drawn, in_markdown), table) in tables.iter().zip(&in_markdown).zip(page.tables()) {
            assert_eq!(drawn.len(), table.rows.len() + 1);
            assert_eq!(in_markdown.len(), table.rows.len() + 1);
            for row in drawn.iter().chain(in_markdown) {
                assert_eq!(row.len(), table.columns.len(), "{row:?}");
            }
        }
        assert!(html.contains("x&lt;script&gt;alert(1)"), "{html}");
    }
}
