//! The whole file: what is in it, that nothing in it is more than text, and that it is the same
//! whenever it is made.

use std::sync::LazyLock;

use data_encoding::BASE64;
use regex::Regex;
use sha2::{Digest, Sha256};
use wire::CounterSource;

use super::document;
use crate::record::example;
use crate::record::schema::Record;
use crate::report::evidence::{Label, System};
use crate::report::tests::{examples, hostile};

static CELL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("(?s)<t[hd][^>]*>(.*?)</t[hd]>").expect("a regular expression"));

/// The part of a file between two others, which come once.
fn between<'a>(document: &'a str, before: &str, after: &str) -> &'a str {
    assert_eq!(document.matches(before).count(), 1, "{before}");
    let (_, rest) = document.split_once(before).expect("it is there");
    rest.split_once(after).expect("it ends").0
}

fn cells(row: &str) -> Vec<&str> {
    let found = CELL.captures_iter(row).filter_map(|found| found.get(1));
    found.map(|cell| cell.as_str()).collect()
}

/// Headings and rows of the table with this caption's id.
fn table<'a>(document: &'a str, id: &str) -> Vec<Vec<&'a str>> {
    let caption = format!("<caption id=\"{id}\">");
    let table = between(document, &caption, "</table>");
    table.split("<tr").skip(1).map(cells).collect()
}

#[test]
fn the_file_as_it_is() {
    let text = document(&[examples::all()], true);
    let changing = Regex::new("(?s)(<style>).*(</style>)|(<script>).*(</script>)|sha256-[^']*");
    let text = changing
        .expect("a regular expression")
        .replace_all(&text, "$1$2$3$4");
    insta::assert_snapshot!(text);
}

#[test]
fn the_same_evidence_gives_the_same_bytes() {
    let systems = || [examples::all(), board()];
    assert_eq!(document(&systems(), true), document(&systems(), true));
}

/// Another system with the first one's candidates.
fn board() -> System {
    let mut board = examples::all();
    board.name = "board".to_owned();
    board
}

#[test]
fn each_unit_has_a_column_and_axes_of_its_own() {
    let document = document(&[examples::all()], true);
    let table = table(&document, "operations");
    let units = ["cycles", "instructions, emulated", "TSC ticks"];
    let places = units.map(|unit| {
        let place = table[0].iter().position(|heading| *heading == unit);
        place.unwrap_or_else(|| panic!("{unit}: {:?}", table[0]))
    });
    let mut found = [0; 3];
    for row in &table[1..] {
        let counts: Vec<usize> = (0..3).filter(|unit| row[places[*unit]] != "–").collect();
        assert!(counts.len() <= 1, "{row:?}");
        for unit in counts {
            found[unit] += 1;
        }
    }
    // One operation failed, and one instance was not built.
    assert_eq!(found, [4, 7, 3]);
    for unit in ["cycles", "instructions (emulated)", "TSC ticks"] {
        let axis = format!(">{unit} in one call, logarithmic</text>");
        assert!(document.contains(&axis), "{unit}");
    }
    for id in ["calls-cycles", "calls-instructions", "calls-ticks"] {
        assert!(document.contains(&format!("<caption id=\"{id}\">")), "{id}");
    }
}

#[test]
fn ticks_of_the_generic_timer_are_a_unit_like_any_other() {
    let mut system = examples::all();
    let label = &mut system.candidates[0].labels[0];
    label.records = vec![example::record_of("arm_lab", CounterSource::Cntvct)];
    let document = document(&[system], true);
    let table = table(&document, "operations");
    let place = table[0].iter().position(|it| *it == "timer ticks");
    let place = place.expect("a column");
    let counted = table[1..].iter().filter(|row| row[place] != "–");
    assert_eq!(counted.count(), 1);
    assert!(document.contains(">timer ticks in one call, logarithmic</text>"));
    assert!(document.contains("<caption id=\"calls-timer_ticks\">"));
}

#[test]
fn nothing_that_records_quote_is_markup() {
    let document = document(&[hostile::system()], true);
    for (markup, times) in [("<script", 1), ("</script", 1), ("<style", 1), ("<!--", 0)] {
        assert_eq!(document.matches(markup).count(), times, "{markup}");
    }
    assert!(!document.contains(['\u{202e}', '\x1b', '\0']));
    assert!(!document.contains("=\"javascript:") && !document.contains("src="));
    assert!(document.contains("x&lt;script&gt;alert(1)"));
    // A name is in as many cells as any other.
    let table = table(&document, "operations");
    assert_eq!(table.len(), 5);
    assert!(
        table.iter().all(|row| row.len() == table[0].len()),
        "{table:?}"
    );
    let attributes = Regex::new(r#" (on\w+|style)="#).expect("a regular expression");
    let markup = document.split_once("<script>").expect("a script").0;
    let tags = Regex::new("<[^>]*>").expect("a regular expression");
    for tag in tags.find_iter(markup) {
        assert!(!attributes.is_match(tag.as_str()), "{}", tag.as_str());
    }
}

#[test]
fn the_policy_lets_this_script_and_style_alone_do_anything() {
    let document = document(&[examples::kem()], true);
    let policy = between(&document, "Content-Security-Policy\" content=\"", "\"");
    let policy = policy.replace("&#39;", "'");
    assert!(policy.starts_with("default-src 'none';"), "{policy}");
    for (element, directive) in [("script", "script-src"), ("style", "style-src")] {
        let text = between(&document, &format!("<{element}>"), &format!("</{element}>"));
        let digest = BASE64.encode(&Sha256::digest(text));
        let words = format!("{directive} 'sha256-{digest}'");
        assert!(policy.contains(&words), "{words} is not in {policy}");
    }
    assert!(!document.contains("http:") && !document.contains("https:"));
}

#[test]
fn pages_are_linked_where_they_are() {
    let page = "href=\"bench/pqclean/page.html\"";
    let with = document(&[examples::kem()], true);
    assert!(with.contains(page) && with.contains("href=\"index.html\""));
    let without = document(&[examples::kem()], false);
    assert!(!without.contains("page.html") && !without.contains("index.html"));
}

#[test]
fn without_the_script_there_are_plain_tables() {
    let document = document(&[examples::all()], true);
    let body = between(&document, "<main", "</main>");
    assert!(
        !body.contains(" hidden"),
        "what only the script shows is no figure"
    );
    assert!(!body.contains("<button"));
    let tables = body.matches("<table").count();
    assert!(tables > 6);
    assert_eq!(body.matches("<caption").count(), tables);
    assert_eq!(body.matches("<thead").count(), tables);
    // Every reference leads to one element.
    let ids = Regex::new(r#" id="([^"]*)""#).expect("a regular expression");
    let mut ids: Vec<&str> = ids
        .captures_iter(&document)
        .filter_map(|found| found.get(1))
        .map(|id| id.as_str())
        .collect();
    let links = Regex::new(r##"(?:href="#|aria-labelledby=")([^"]*)""##).expect("an expression");
    for found in links.captures_iter(&document) {
        for id in found[1].split(' ') {
            assert!(ids.contains(&id), "{id}");
        }
    }
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn the_file_grows_with_the_records_and_not_with_their_samples() {
    let size = |labels: usize, samples: u64| {
        let record = |label: usize| -> Record {
            let mut record = example::record_of("bench", CounterSource::Tsc);
            record.label = format!("L-{label}");
            let meter = record.meter.as_mut().expect("ours");
            meter.samples = vec![(1_000_000..1_000_000 + samples).collect()];
            record
        };
        let label = |number: usize| Label {
            name: format!("L-{number}"),
            records: vec![record(number)],
            ..Label::default()
        };
        let system = examples::system("x", (0..labels).map(label).collect());
        document(&[system], true).len()
    };
    let (one, hundred) = (size(1, 500), size(101, 500));
    assert!(hundred - one < 100 * 4096, "{one} {hundred}");
    assert!(size(1, 5_000).abs_diff(one) < 200);
}
