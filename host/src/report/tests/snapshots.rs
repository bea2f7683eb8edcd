//! Pages of each category as people see them.

use regex::Regex;

use super::examples;
use crate::record::example::profile_in_passes;
use crate::record::schema::KatStatus;
use crate::report::evidence::System;
use crate::report::model::Page;
use crate::report::render::{Links, html, markdown};
use crate::report::{candidate_pages, overview_pages};

fn links(page: &Page) -> Links<'_> {
    Links {
        from: &page.path,
        run: Some(".."),
    }
}

fn candidate(system: System) -> String {
    let pages = candidate_pages(&[system], &|_| true);
    markdown::page(&pages[0], links(&pages[0]))
}

#[test]
fn a_page_of_each_category() {
    insta::assert_snapshot!("kem", candidate(examples::kem()));
    insta::assert_snapshot!("signature", candidate(examples::signature()));
    insta::assert_snapshot!("exchange", candidate(examples::exchange()));
    insta::assert_snapshot!("hash", candidate(examples::hash()));
}

#[test]
fn a_page_as_html() {
    let pages = candidate_pages(&[examples::kem()], &|_| true);
    let page = html::page(&pages[0], links(&pages[0]));
    let style = Regex::new("(?s)<style>.*</style>").expect("a regular expression");
    insta::assert_snapshot!("kem_html", style.replace(&page, "<style></style>"));
}

#[test]
fn overviews() {
    let pages = overview_pages(&[examples::all()]);
    let drawn: Vec<String> = pages
        .iter()
        .map(|page| markdown::page(page, links(page)))
        .collect();
    assert_eq!(drawn.len(), 5);
    insta::assert_snapshot!("overviews", drawn.join("\n----\n\n"));
}

#[test]
fn two_systems_lead_to_each_other() {
    let mut other = examples::kem();
    other.name = "board".to_owned();
    other.candidates[0].system = "board".to_owned();
    let pages = candidate_pages(&[examples::kem(), other], &|_| true);
    let page = markdown::page(&pages[0], links(&pages[0]));
    let trail = "[Performance measurements](../../index.md) › bench › pqclean · system: **bench** · \
        [board](../../board/pqclean/page.md)\n";
    assert!(page.starts_with(trail), "{page}");
}

#[test]
fn few_calls_and_unlike_trials_are_told_with_their_numbers() {
    let mut system = examples::kem();
    let record = &mut system.candidates[0].labels[0].records[2];
    record.measurements = 35;
    record.guide_100_measurements_met = false;
    record.max_trial_seconds = record.min_trial_seconds.map(|least| least * 1.5);
    record.disturbed_retries = 2;
    let page = candidate(system);
    for words in [
        "**Few calls.** Fewer than the guide's 100: `ML-KEM-768` dec (35).",
        "so that the mean says little: `ML-KEM-768` dec (1.5).",
        "**Disturbed.** `ML-KEM-768` dec: 2 trials were repeated because the clock fell during",
    ] {
        assert!(page.contains(words), "{words} is missing from\n{page}");
    }
}

/// One record of a KEM that the machine disturbed, with heap in use before the call, on a host that
/// was not fit, without known answers, and with few calls.
fn troubled() -> System {
    let mut system = examples::kem();
    let label = &mut system.candidates[0].labels[0];
    for record in &mut label.records {
        record.kat = KatStatus::NoKat;
    }
    let record = &mut label.records[0];
    record.max_trial_seconds = record.min_trial_seconds.map(|seconds| seconds * 1.5);
    record.measurements = 35;
    record.guide_100_measurements_met = false;
    let meter = record.meter.as_mut().expect("ours");
    meter.fitness = vec!["the clock follows the load".to_owned()];
    meter.memory.heap_peak_bytes = Some(40_960);
    meter.memory.heap_live_before_bytes = Some(1623);
    label.profiles = vec![("keygen".to_owned(), profile_in_passes(&[150, 160, 800]))];
    system
}

#[test]
fn summaries_say_what_single_pages_do() {
    let pages = overview_pages(&[troubled()]);
    let summary = pages
        .iter()
        .find(|page| page.title.starts_with("Key encapsulation"));
    let summary = summary.expect("of the KEM");
    let text = markdown::page(summary, links(summary));
    for words in [
        "unfit host** (1 of 3 records)",
        "bench, the clock follows the load.",
        "n &lt; 100** (1 of ",
        "unlike trials** (1 of 3 records)",
        "Known-answer tests** did not pass, of 2 instances: BUILDFAIL 1, NOKAT 1.",
        "| § 40960 |",
        "§ A part of this heap was in use before the call",
    ] {
        assert!(text.contains(words), "{words} is missing from\n{text}");
    }
    // Its mean count and its mean time.
    assert_eq!(text.matches("| \\~ ").count(), 2, "{text}");
}

#[test]
fn a_page_marks_what_a_disturbed_machine_leaves() {
    let text = candidate(troubled());
    for words in [
        "\\~ The slowest trial took more than 1.2 times as long",
        "| § 40960 | 1623 |",
        "§ of the 40960 bytes of heap at the peak 1623 were in use before the call",
        "\\~ Passes with the same calls lie more than 3 percentage points apart in this share, up \
         to 65",
        "net of an empty call, which counts 12 cycles.",
    ] {
        assert!(text.contains(words), "{words} is missing from\n{text}");
    }
    // Its mean count, its mean time, and the share of the generator.
    assert_eq!(text.matches("| \\~ ").count(), 3, "{text}");
    assert!(text.contains("| 4.7% | \\~ 16% |"), "{text}");
}
