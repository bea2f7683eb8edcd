//! What a page is: titles, sections, and tables whose cells keep the values that they show.
//!
//! Pages are data. They are made from records in one place and drawn in another, and whoever draws
//! them computes nothing.

use serde::Serialize;

use super::cell::Cell;

/// One page of a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Page {
    /// Where it is in the report.
    pub path: PagePath,
    /// Its heading.
    pub title: String,
    /// The candidate that it is about, if it is about one.
    pub candidate: Option<String>,
    /// The system that it is about, if it is about one.
    pub system: Option<String>,
    /// The way here from the report's first page, and to the same page of other systems.
    pub trail: Vec<Text>,
    /// What comes before the first section.
    pub lead: Vec<Block>,
    /// The sections, in order.
    pub sections: Vec<Section>,
}

impl Page {
    /// Every table, in order.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        self.lead
            .iter()
            .chain(blocks)
            .filter_map(|block| match block {
                Block::Table(table) => Some(table),
                _ => None,
            })
    }
}

/// Where a page is in a report: folders and a name without extension.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct PagePath(Vec<String>);

impl PagePath {
    /// The page with these folders and this name.
    pub fn new<const N: usize>(parts: [&str; N]) -> Self {
        Self(parts.map(str::to_owned).to_vec())
    }

    /// Folders and the name.
    pub fn parts(&self) -> &[String] {
        &self.0
    }
}

/// A heading and what stands under it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Section {
    /// The heading, with its number where it has one.
    pub title: String,
    /// Its content, in order.
    pub blocks: Vec<Block>,
}

impl Section {
    /// A section with this heading and nothing in it.
    pub fn new(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            blocks: Vec::new(),
        }
    }

    /// The same with a paragraph behind what it has.
    #[must_use]
    pub fn paragraph(mut self, text: impl Into<Text>) -> Self {
        self.blocks.push(Block::Paragraph(text.into()));
        self
    }

    /// The same with this behind what it has.
    #[must_use]
    pub fn with(mut self, blocks: impl IntoIterator<Item = Block>) -> Self {
        self.blocks.extend(blocks);
        self
    }
}

/// A part of a section.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Block {
    /// Sentences.
    Paragraph(Text),
    /// Short facts or links, one a line.
    List(Vec<Text>),
    /// What a reader must know before any figure.
    Warnings(Vec<Text>),
    /// Figures.
    Table(Table),
}

/// Figures in rows, with a heading over each column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// What the table shows.
    pub caption: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows, each with a cell for every column.
    pub rows: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Column {
    /// Its heading, with the unit of its cells.
    pub title: String,
    /// What its cells are.
    pub kind: ColumnKind,
}

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum ColumnKind {
    /// Says what the row is about.
    Name,
    /// Words.
    Words,
    /// Figures, which stand at the right.
    Figures,
}

impl Column {
    /// A column that says what a row is about.
    pub fn name(title: &str) -> Self {
        Self::new(title, ColumnKind::Name)
    }

    /// A column of words.
    pub fn words(title: &str) -> Self {
        Self::new(title, ColumnKind::Words)
    }

    /// A column of figures.
    pub fn figures(title: impl Into<String>) -> Self {
        Self::new(title, ColumnKind::Figures)
    }

    fn new(title: impl Into<String>, kind: ColumnKind) -> Self {
        Self {
            title: title.into(),
            kind,
        }
    }
}

impl Table {
    /// The same without the columns of figures in which there is nothing, and their headings.
    pub fn without_empty_columns(mut self) -> (Self, Vec<String>) {
        let mut left_out = Vec::new();
        for index in (0..self.columns.len()).rev() {
            let is_empty = self.rows.iter().all(|row| row[index] == Cell::NotAvailable);
            if self.columns[index].kind == ColumnKind::Figures && is_empty {
                left_out.insert(0, self.columns.remove(index).title);
                for row in &mut self.rows {
                    row.remove(index);
                }
            }
        }
        (self, left_out)
    }

    /// Whether there is any figure in it.
    pub fn has_figures(&self) -> bool {
        let figures = |row: &Vec<Cell>| {
            let cells = self.columns.iter().zip(row);
            cells
                .filter(|(column, _)| column.kind == ColumnKind::Figures)
                .any(|(_, cell)| *cell != Cell::NotAvailable)
        };
        self.rows.iter().any(figures)
    }
}

/// Words, some of which are more than words.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Text(pub Vec<Span>);

/// A piece of a text.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub enum Span {
    /// Just words.
    Plain(String),
    /// A name as a computer knows it.
    Code(String),
    /// Words that must be seen.
    Strong(String),
    /// Words that lead to another page.
    Page(String, PagePath),
    /// Words that lead to a page which is there as HTML alone.
    Html(String, PagePath),
    /// A file of the run directory, relative to it, shown by its name within the system's folder.
    File {
        /// What is shown.
        shown: String,
        /// Where it is, relative to the run directory.
        path: String,
    },
}

impl Text {
    /// A name as a computer knows it.
    pub fn code(name: impl Into<String>) -> Self {
        Self(vec![Span::Code(name.into())])
    }

    /// Words that must be seen.
    pub fn strong(words: impl Into<String>) -> Self {
        Self(vec![Span::Strong(words.into())])
    }

    /// Words that lead to another page.
    pub fn page(words: impl Into<String>, path: PagePath) -> Self {
        Self(vec![Span::Page(words.into(), path)])
    }

    /// Words that lead to a page which is there as HTML alone.
    pub fn html(words: impl Into<String>, path: PagePath) -> Self {
        Self(vec![Span::Html(words.into(), path)])
    }

    /// A file of the run directory.
    pub fn file(shown: impl Into<String>, path: impl Into<String>) -> Self {
        let (shown, path) = (shown.into(), path.into());
        Self(vec![Span::File { shown, path }])
    }

    /// The same with this behind it.
    #[must_use]
    pub fn and(mut self, more: impl Into<Self>) -> Self {
        self.0.extend(more.into().0);
        self
    }

    /// Texts with something between each two.
    pub fn join(texts: impl IntoIterator<Item = Self>, between: &str) -> Self {
        let mut joined = Self::default();
        for (index, text) in texts.into_iter().enumerate() {
            if index > 0 {
                joined = joined.and(between);
            }
            joined = joined.and(text);
        }
        joined
    }

    /// The words alone.
    pub fn plain(&self) -> String {
        let words = self.0.iter().map(|span| match span {
            Span::Plain(words) | Span::Code(words) | Span::Strong(words) => words.as_str(),
            Span::Page(words, _) | Span::Html(words, _) | Span::File { shown: words, .. } => {
                words.as_str()
            }
        });
        words.collect()
    }
}

impl From<&str> for Text {
    fn from(words: &str) -> Self {
        Self(vec![Span::Plain(words.to_owned())])
    }
}

impl From<String> for Text {
    fn from(words: String) -> Self {
        Self(vec![Span::Plain(words)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_a_figure_go_and_are_named() {
        let table = Table {
            caption: "c".to_owned(),
            columns: vec![
                Column::name("instance"),
                Column::figures("a"),
                Column::figures("b"),
                Column::words("c"),
            ],
            rows: vec![
                vec![
                    "x".into(),
                    Cell::NotAvailable,
                    Cell::Bytes(1),
                    Cell::NotAvailable,
                ],
                vec![
                    "y".into(),
                    Cell::NotAvailable,
                    Cell::NotAvailable,
                    Cell::NotAvailable,
                ],
            ],
        };
        assert!(table.has_figures());
        let (table, left_out) = table.without_empty_columns();
        assert_eq!(left_out, ["a"]);
        assert_eq!(table.columns.len(), 3);
        assert_eq!(table.rows[0][1], Cell::Bytes(1));
        let (none, left_out) = Table {
            columns: vec![Column::figures("a")],
            rows: vec![vec![Cell::NotAvailable]],
            ..table
        }
        .without_empty_columns();
        assert!(!none.has_figures() && left_out == ["a"]);
    }
}
