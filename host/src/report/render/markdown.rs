//! Pages as Markdown with GitHub's tables.

use super::{Format, Links};
use crate::notice::printable;
use crate::report::model::{Block, Column, ColumnKind, Page, Span, Table, Text};

/// The page as one file.
pub fn page(page: &Page, links: Links) -> String {
    let text = |text: &Text| inline(text, links);
    let mut parts = Vec::new();
    if !page.trail.is_empty() {
        let steps: Vec<String> = page.trail.iter().map(text).collect();
        parts.push(steps.join(" › "));
    }
    parts.push(format!("# {}", escaped(&page.title)));
    parts.extend(page.lead.iter().map(|part| block(part, links)));
    for section in &page.sections {
        parts.push(format!("## {}", heading(&section.title)));
        parts.extend(section.blocks.iter().map(|part| block(part, links)));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n") + "\n"
}

/// A heading's text, in which a number at the beginning makes no list.
fn heading(title: &str) -> String {
    let digits = title.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = title.split_at(digits);
    format!("{number}{}", escaped(rest))
}

fn block(block: &Block, links: Links) -> String {
    let items = |texts: &[Text], beginning: &str| {
        let lines: Vec<String> = texts
            .iter()
            .map(|text| format!("{beginning}{}", inline(text, links)))
            .collect();
        lines.join("\n")
    };
    match block {
        Block::Paragraph(text) => inline(text, links),
        Block::List(texts) => items(texts, "* "),
        Block::Warnings(texts) => items(texts, "> * "),
        Block::Table(table) => drawn(table, links),
    }
}

fn drawn(table: &Table, links: Links) -> String {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let headings = table.columns.iter().map(|column| escaped(&column.title));
    let ruler: Vec<&str> = table.columns.iter().map(ruler).collect();
    let mut lines = vec![
        format!("*{}*", escaped(&table.caption)),
        String::new(),
        line(headings.collect()),
        format!("|{}|", ruler.join("|")),
    ];
    for row in &table.rows {
        lines.push(line(
            row.iter().map(|cell| inline(&cell.text(), links)).collect(),
        ));
    }
    lines.join("\n")
}

fn ruler(column: &Column) -> &'static str {
    match column.kind {
        ColumnKind::Name | ColumnKind::Words => "---",
        ColumnKind::Figures => "---:",
    }
}

fn inline(text: &Text, links: Links) -> String {
    let spans = text.0.iter().map(|span| match span {
        Span::Plain(words) => escaped(words),
        Span::Code(words) | Span::File { shown: words, .. } => code(words),
        Span::Strong(words) => format!("**{}**", escaped(words)),
        Span::Page(words, path) => link(words, &links.to_page(path, Format::Markdown)),
        Span::Html(words, path) => link(words, &links.to_page(path, Format::Html)),
    });
    spans.collect()
}

fn link(words: &str, address: &str) -> String {
    format!("[{}]({address})", escaped(words))
}

/// Text in which nothing is Markdown, and nothing HTML.
fn escaped(text: &str) -> String {
    let text = printable(text);
    let mut safe = String::with_capacity(text.len());
    let mut before: Option<char> = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied();
        let is_inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            // A backslash before a bar would be taken as one of the table's.
            '|' => safe.push_str("&#124;"),
            '\\' => safe.push_str("&#92;"),
            '*' | '`' | '[' | ']' | '~' | '#' | '$' => {
                safe.push('\\');
                safe.push(c);
            }
            // Between letters, as in `derive_a`, it is one of them.
            '_' if !(is_inside(before) && is_inside(after)) => safe.push_str("\\_"),
            // What looks like an address becomes none.
            ':' if after == Some('/') => safe.push_str("\\:"),
            '.' if safe.to_ascii_lowercase().ends_with("www") => safe.push_str("\\."),
            // The beginning of a list or a rule.
            '-' | '+' | '=' if before.is_none() => {
                safe.push('\\');
                safe.push(c);
            }
            '.' | ')' if begins_a_list(&safe) && after.is_none_or(char::is_whitespace) => {
                safe.push('\\');
                safe.push(c);
            }
            _ => safe.push(c),
        }
        before = Some(c);
    }
    safe
}

fn begins_a_list(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A name in the type of code.
fn code(name: &str) -> String {
    let name = printable(name);
    // Within backticks nothing can be escaped, and a table's bars end its cells even there.
    let is_plain = !name.is_empty()
        && !name.contains(['`', '|'])
        && !name.starts_with(' ')
        && !name.ends_with(' ');
    if is_plain {
        return format!("`{name}`");
    }
    let mut safe = String::from("<code>");
    for c in name.chars() {
        if c.is_ascii_punctuation() {
            safe.push_str(&format!("&#{};", u32::from(c)));
        } else {
            safe.push(c);
        }
    }
    safe + "</code>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_never_markdown() {
        for (text, safe) in [
            ("derive_a", "derive_a"),
            ("_x_", "\\_x\\_"),
            ("a|b\\|c", "a&#124;b&#92;&#124;c"),
            ("<script>&", "&lt;script&gt;&amp;"),
            (
                "`code` **bold** [a](b)",
                "\\`code\\` \\*\\*bold\\*\\* \\[a\\](b)",
            ),
            ("# h", "\\# h"),
            ("- x", "\\- x"),
            ("12. x", "12\\. x"),
            ("1.73 ms", "1.73 ms"),
            ("a\nb", "a&#92;nb"),
            ("http://x www.y", "http\\://x www\\.y"),
        ] {
            assert_eq!(escaped(text), safe);
        }
    }

    #[test]
    fn code_stays_in_its_cell() {
        for (name, safe) in [
            ("TRIKE-2", "`TRIKE-2`"),
            ("a<b>", "`a<b>`"),
            ("a`b", "<code>a&#96;b</code>"),
            ("a|b", "<code>a&#124;b</code>"),
            ("a\nb", "`a\\nb`"),
            ("", "<code></code>"),
        ] {
            assert_eq!(code(name), safe);
        }
    }
}
