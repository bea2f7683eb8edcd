//! The tables of a drawn page, read back from its text.

use std::sync::LazyLock;

use regex::Regex;

/// Rows of cells, the headings first.
pub type Table = Vec<Vec<String>>;

/// The tables of a Markdown page, with the marks of code in their cells.
pub fn markdown_tables(page: &str) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut open = Table::new();
    for line in page.lines().chain([""]) {
        if let Some(row) = line.strip_prefix('|') {
            let row = row
                .strip_suffix('|')
                .expect("a table's row ends with a bar");
            open.push(row.split('|').map(|cell| cell.trim().to_owned()).collect());
        } else if !open.is_empty() {
            let ruler = open.remove(1);
            assert!(
                ruler.iter().all(|cell| cell.starts_with("---")),
                "{ruler:?}"
            );
            tables.push(std::mem::take(&mut open));
        }
    }
    tables
}

/// The tables of an HTML page, as their text.
pub fn html_tables(page: &str) -> Vec<Table> {
    static TABLE: LazyLock<Regex> = LazyLock::new(|| pattern("(?s)<table>(.*?)</table>"));
    static ROW: LazyLock<Regex> = LazyLock::new(|| pattern("(?s)<tr>(.*?)</tr>"));
    static CELL: LazyLock<Regex> = LazyLock::new(|| pattern("(?s)<t[hd][^>]*>(.*?)</t[hd]>"));
    let row = |row: &str| inside(&CELL, row).into_iter().map(text_of).collect();
    let table = |table: &str| inside(&ROW, table).into_iter().map(row).collect();
    inside(&TABLE, page).into_iter().map(table).collect()
}

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a regular expression")
}

fn inside<'a>(pattern: &Regex, text: &'a str) -> Vec<&'a str> {
    let found = pattern.captures_iter(text).filter_map(|found| found.get(1));
    found.map(|found| found.as_str()).collect()
}

/// The text of a piece of HTML.
fn text_of(markup: &str) -> String {
    static TAG: LazyLock<Regex> = LazyLock::new(|| pattern("<[^>]*>"));
    let text = TAG.replace_all(markup, "");
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&quot;", "\"").replace("&amp;", "&")
}
