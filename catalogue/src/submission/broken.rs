//! Packages that cannot be used, and what is still known of them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::CatalogueError;

/// A package whose instances are left out because something in it is wrong.
#[derive(Clone, Debug)]
pub struct BrokenPackage {
    /// Its folder.
    pub folder: PathBuf,
    /// What is wrong.
    pub error: CatalogueError,
    /// The identity that its file seems to give.
    id: Option<String>,
    /// The labels that its file seems to give.
    labels: Vec<String>,
}

impl BrokenPackage {
    /// A package by its `candidate.toml`.
    pub(super) fn new(file: &Path, error: CatalogueError) -> Self {
        // What is no regular file may never end.
        let text = match file.is_file() {
            true => fs::read(file).unwrap_or_default(),
            false => Vec::new(),
        };
        let text = String::from_utf8_lossy(&text);
        Self {
            folder: file.parent().unwrap_or(file).to_owned(),
            error,
            id: values(&text, "id").next(),
            labels: values(&text, "label").collect(),
        }
    }

    /// Whether a candidate of this identity is this package, by its file or by its folder's name.
    pub fn is_called(&self, candidate: &str) -> bool {
        self.id.as_deref() == Some(candidate) || self.folder_name() == candidate
    }

    /// The names that its instances would have; `<candidate>/` where not even those are known.
    pub fn names(&self) -> Vec<String> {
        let candidate = self.id.clone().unwrap_or_else(|| self.folder_name());
        if self.labels.is_empty() {
            return vec![format!("{candidate}/")];
        }
        let labels = self.labels.iter();
        labels.map(|label| format!("{candidate}/{label}")).collect()
    }

    fn folder_name(&self) -> String {
        let name = self.folder.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

/// The strings that lines give to a key, each line read by itself: the file as a whole may be no
/// TOML.
fn values<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = String> + 'a {
    text.lines()
        .filter(move |line| line.trim_start().starts_with(key))
        .filter_map(move |line| {
            let line: toml::Table = line.parse().ok()?;
            Some(line.get(key)?.as_str()?.to_owned())
        })
}
