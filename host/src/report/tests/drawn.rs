//! The tables of a drawn page, read back from its text.

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
    let all = |pattern: &str, text: &str| -> Vec<String> {
        let pattern = Regex::new(pattern).expect("a regular expression");
        let found = pattern.captures_iter(text);
        found.map(|found| found[1].to_owned()).collect()
    };
    let row = |row: &String| {
        let cells = all(r"(?s)<t[hd][^>]*>(.*?)</t[hd]>", row);
        cells.iter().map(|cell| text_of(cell)).collect()
    };
    let tables = all(r"(?s)<table>(.*?)</table>", page);
    let rows = tables.iter().map(|table| all(r"(?s)<tr>(.*?)</tr>", table));
    rows.map(|rows| rows.iter().map(row).collect()).collect()
}

/// The text of a piece of HTML.
pub fn text_of(markup: &str) -> String {
    let tags = Regex::new("<[^>]*>").expect("a regular expression");
    let text = tags.replace_all(markup, "");
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&quot;", "\"").replace("&amp;", "&")
}
