//! The interactive report of a real run directory in a browser.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use host::system;
use serde_json::{Value, json};
use support::browser::Page;

/// The name of an instance that would like to be a script.
const HOSTILE: &str = "\"><script>document.title='x'<!script><img src=x onerror=alert(1)>";

fn host(arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_host"));
    command.args(arguments).stdin(Stdio::null());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    // 1 says that an answer is wrong, as one of them is.
    assert!(matches!(output.status.code(), Some(0 | 1)), "{said}");
}

/// Writes the records of one label as those of another, changed.
fn copy(records: &Path, label: &str, operations: &[&str], change: &dyn Fn(&mut Value)) {
    for operation in operations {
        let file = records.join(format!("ML-KEM-768__{operation}.json"));
        let mut record: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        record["label"] = json!(label);
        change(&mut record);
        let file = records.join(format!("{label}__{operation}.json"));
        fs::write(file, record.to_string()).unwrap();
    }
}

/// A run directory of two systems, emulated and real; in the emulated one are copies, of which one
/// has wrong answers, one few calls, one a hostile name, and one took ten times as long.
fn report(folder: &Path) -> PathBuf {
    let path = folder.to_str().unwrap();
    let [emulated, local] = system::default_names();
    let campaign = [
        "campaign",
        "--system",
        &emulated,
        "--system",
        &local,
        "--allow-unfit",
        "--no-profile",
        "--only",
        "^pqclean/ML-KEM-768$",
        "--trial-target",
        "0.005",
        "--run-dir",
        path,
    ];
    host(&campaign);
    let records = folder.join(&emulated).join("records/pqclean");
    let all = ["keygen", "enc", "dec"];
    copy(&records, "ML-KEM-768-wrong", &all, &|record| {
        record["kat"] = json!("MISMATCH");
        record["kat_not_passed"] = json!(true);
    });
    copy(&records, "ML-KEM-768-few", &["enc"], &|record| {
        record["measurements"] = json!(12);
        record["guide_100_measurements_met"] = json!(false);
    });
    copy(&records, HOSTILE, &["dec"], &|_| {});
    copy(&records, "ML-KEM-768-slow", &["enc"], &|record| {
        let count = record["meter"]["mean_count"].as_f64().unwrap();
        record["meter"]["mean_count"] = json!(count * 10.0);
    });
    host(&["report", path]);
    host(&["report", path, "--check"]);
    folder.join("report/report.html")
}

/// The texts of a column's cells that are seen, of the table with this caption.
fn column(table: &str, title: &str) -> String {
    format!(
        "(() => {{ const table = document.getElementById('{table}').closest('table');
            const place = [...table.tHead.rows[0].cells]
                .findIndex((cell) => cell.textContent === '{title}');
            return [...table.tBodies[0].rows].filter((row) => row.checkVisibility())
                .map((row) => row.cells[place].textContent); }})()"
    )
}

/// The heading of the same.
fn heading(table: &str, title: &str) -> String {
    format!(
        "[...document.getElementById('{table}').closest('table').querySelectorAll('th')]
            .find((cell) => cell.textContent === '{title}')"
    )
}

/// Gives a field a value, as a reader would.
fn choose(field: &str, value: &str) -> String {
    format!(
        "(() => {{ const field = document.getElementById('{field}'); field.value = {};
            field.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()",
        json!(value)
    )
}

/// The value behind a text such as `562.0 k`.
fn value(text: &str) -> f64 {
    let (number, suffix) = text.split_once(' ').unwrap_or((text, ""));
    let scale = [("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9)];
    let (_, scale) = scale.iter().find(|(known, _)| *known == suffix).unwrap();
    number.parse::<f64>().unwrap() * scale
}

#[test]
fn a_reader_sorts_filters_and_sees_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut page = Page::open(&report(folder.path()));
    let [emulated, local] = system::default_names();
    sorts(&mut page);
    filters(&mut page, &emulated, &local);
    shows_plots_and_warnings(&mut page);
    has_colours_and_paper(&mut page);

    // Whatever was done, nothing was fetched, nothing complained, and no name became a script.
    let title = page.evaluate("document.title");
    assert_eq!(title, "Performance measurements: interactive report");
    let (addresses, complaints) = page.events();
    assert_eq!(addresses.len(), 1, "{addresses:?}");
    assert!(complaints.is_empty(), "{complaints:?}");
    let hostile = page.texts(&column("operations", "instance"));
    assert!(hostile.iter().any(|name| name == HOSTILE), "{hostile:?}");
    assert_eq!(page.evaluate("document.scripts.length"), 1);
    assert_eq!(page.evaluate("document.images.length"), 0);
}

/// By what figures are and not by how they are written, with the keyboard alone.
fn sorts(page: &mut Page) {
    // The first thing to press is a way past everything that is not a figure.
    page.press("Tab");
    assert_eq!(page.evaluate("document.activeElement.className"), "skip");
    let title = "instructions, emulated";
    let heading = heading("operations", title);
    let direction = format!("{heading}.getAttribute('aria-sort')");
    let figures = |page: &mut Page| -> Vec<f64> {
        let texts = page.texts(&column("operations", title));
        // What was not counted in this unit is behind all others, in either order.
        let number = texts.iter().take_while(|text| *text != "–").count();
        assert!(texts[number..].iter().all(|text| text == "–") && number < texts.len());
        texts[..number].iter().map(|text| value(text)).collect()
    };
    assert_eq!(page.evaluate(&direction), Value::Null);
    page.evaluate(&format!("{heading}.querySelector('button').focus()"));
    let outline = "getComputedStyle(document.activeElement).outlineStyle";
    page.press("Enter");
    assert_eq!(page.evaluate(&direction), "ascending");
    assert_eq!(page.evaluate(outline), "solid");
    let up = figures(page);
    assert!(up.len() >= 9 && up.is_sorted(), "{up:?}");
    // As texts they would be in another order.
    let texts = page.texts(&column("operations", title));
    assert!(!texts[..up.len()].is_sorted(), "{texts:?}");
    page.press("Enter");
    assert_eq!(page.evaluate(&direction), "descending");
    let down = figures(page);
    assert!(down.iter().rev().eq(&up), "{down:?}");

    // Tab leads to the next column's button, and only one column is the sorted one.
    page.press("Tab");
    page.press("Enter");
    assert_eq!(page.evaluate(&direction), Value::Null);
    let sorted = "document.querySelectorAll('#operations ~ thead th[aria-sort]').length";
    assert_eq!(page.evaluate(sorted), 1);
}

fn filters(page: &mut Page, emulated: &str, local: &str) {
    let all = page.texts(&column("operations", "system")).len();
    assert_eq!(all, 12);
    let rows = "document.querySelectorAll('g.row').length";
    let shown =
        "[...document.querySelectorAll('g.row')].filter((row) => row.checkVisibility()).length";
    assert_eq!(page.evaluate(rows), page.evaluate(shown));

    page.evaluate(&choose("system", local));
    let systems = page.texts(&column("operations", "system"));
    assert_eq!(systems, [local; 3]);
    assert_eq!(
        page.evaluate("document.getElementById('status').textContent"),
        "3 of 12 rows are shown."
    );
    let plots = page.texts(
        "[...document.querySelectorAll('figure')].filter((it) => it.checkVisibility())
            .map((it) => it.querySelector('strong').textContent)",
    );
    assert!(!plots.is_empty());
    assert!(
        plots.iter().all(|title| !title.contains(emulated)),
        "{plots:?}"
    );
    page.evaluate(&choose("system", ""));

    page.evaluate(&choose("kat", "MISMATCH"));
    let names = page.texts(&column("operations", "instance"));
    assert_eq!(names, ["ML-KEM-768-wrong"; 3]);
    page.evaluate(&choose("operation", "dec"));
    assert_eq!(page.texts(&column("memory", "operation")), ["dec"]);
    page.evaluate(&choose("kat", ""));
    page.evaluate(&choose("operation", ""));

    // Every word must be in the name, in any case; what is left closes up in the plots.
    let height = "document.querySelector('svg.panel').getAttribute('viewBox')";
    let before = page.evaluate(height);
    page.evaluate(&choose("text", "PQCLEAN/ few"));
    let names = page.texts(&column("operations", "instance"));
    assert_eq!(names, ["ML-KEM-768-few"]);
    assert_ne!(page.evaluate(height), before);
    assert!(
        page.evaluate("location.hash")
            .as_str()
            .unwrap()
            .contains("few")
    );
    page.evaluate("document.querySelector('button[type=reset]').click()");
    page.evaluate("new Promise((done) => setTimeout(done))");
    assert_eq!(page.texts(&column("operations", "system")).len(), all);
    assert_eq!(page.evaluate(height), before);
}

fn shows_plots_and_warnings(page: &mut Page) {
    let pictures = page.texts(
        "[...document.querySelectorAll('svg.panel[role=img]')].map((it) =>
            it.getAttribute('aria-labelledby').split(' ')
                .map((id) => document.getElementById(id).textContent).join(' | '))",
    );
    // Counts and single calls on both systems, memory on both, and sizes.
    assert_eq!(pictures.len(), 7, "{pictures:#?}");
    for picture in &pictures {
        // What is not on the page under this name would be read to nobody.
        let table = picture.split("The table ").nth(1).unwrap();
        let table = table.split(" has").next().unwrap();
        let captions =
            page.texts("[...document.querySelectorAll('caption')].map((it) => it.textContent)");
        let is_there = |caption: &String| caption.starts_with(&format!("{table}."));
        assert!(captions.iter().any(is_there), "{picture}");
    }
    let units =
        page.texts("[...document.querySelectorAll('text.axis')].map((it) => it.textContent)");
    assert_eq!(units[0], "instructions (emulated) in one call, logarithmic");
    assert!(!units[1].contains("emulated"), "{units:?}");
    // A mark is where its value is: ten times as much is further to the right.
    let place = |name: &str| {
        format!(
            "[...document.querySelectorAll('g.row')]
                .find((row) => row.querySelector('.name').textContent === 'pqclean/{name}')
                .querySelectorAll('use').values()
                .find((mark) => mark.textContent.startsWith('enc: ')).getBBox().x"
        )
    };
    let usual = page.evaluate(&place("ML-KEM-768")).as_f64().unwrap();
    let slow = page.evaluate(&place("ML-KEM-768-slow")).as_f64().unwrap();
    assert!(slow > usual + 50.0, "{usual} {slow}");

    let warnings = page.evaluate("document.querySelector('aside').textContent");
    let warnings = warnings.as_str().unwrap();
    for words in [
        "MISMATCH 1",
        "n < 100 (1 of 12 records)",
        "emulated (9 of 12 records)",
    ] {
        assert!(
            warnings.contains(words),
            "{words} is missing from {warnings}"
        );
    }
    let notes = page.texts(&column("operations", "notes"));
    assert_eq!(
        notes.iter().filter(|note| note.contains("n < 100")).count(),
        1
    );
}

fn has_colours_and_paper(page: &mut Page) {
    let paper = "getComputedStyle(document.body).backgroundColor";
    let ink = "getComputedStyle(document.querySelector('.panel .name')).fill";
    let colours = |page: &mut Page| (page.evaluate(paper), page.evaluate(ink));
    page.show_on("screen", "light");
    let light = colours(page);
    page.show_on("screen", "dark");
    let dark = colours(page);
    assert_eq!(light.0, "rgb(255, 255, 255)");
    assert!(light.0 != dark.0 && light.1 != dark.1, "{light:?} {dark:?}");
    // The reader's choice is stronger than the system.
    page.evaluate(&choose("colours", "light"));
    assert_eq!(colours(page), light);
    page.evaluate(&choose("colours", "dark"));
    page.show_on("screen", "light");
    assert_eq!(colours(page), dark);

    // Paper is white whatever was chosen, and has nothing to press.
    page.show_on("print", "dark");
    assert_eq!(page.evaluate(paper), light.0);
    let hidden = "['form', '.colours', '.skip', 'nav'].every((it) =>
        [...document.querySelectorAll(it)].every((it) => !it.checkVisibility()))";
    assert_eq!(page.evaluate(hidden), true);
    assert_eq!(
        page.evaluate("document.querySelector('svg.panel').checkVisibility()"),
        true
    );
    page.show_on("screen", "light");
    page.evaluate(&choose("colours", ""));
    assert_eq!(colours(page), light);
}
