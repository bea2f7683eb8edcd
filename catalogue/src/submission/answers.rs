//! Whether a package's known answers belong to its instances: a digest or a text that belongs to
//! none would never be compared, and nobody would notice.

use std::path::{Path, PathBuf};

use wire::{Category, KatFile};

use super::manifest::{self, Expected, file_name};
use super::{Candidate, Entry, FILE};
use crate::CatalogueError;

/// The names of an instance's official files.
pub(super) fn official(candidate: &Candidate, entry: &Entry) -> Vec<String> {
    let category = Category::from(entry.category.unwrap_or(candidate.category));
    let files = KatFile::of(category).into_iter();
    files
        .map(|file| file_name(file, category, &entry.name))
        .collect()
}

/// The candidate's manifest, every line of which belongs to one of its instances. A package may
/// lack instances of a known candidate: those that `kat/<id>/candidate.toml` lists count too.
///
/// # Errors
///
/// When the manifest cannot be read, or a line is none or belongs to no instance.
pub(super) fn manifest(
    root: &Path,
    candidate: &Candidate,
) -> Result<Vec<Expected>, CatalogueError> {
    let folder = root.join("kat").join(&candidate.id);
    let file = folder.join(manifest::FILE);
    let lines = manifest::read_numbered(&file)?;
    let known = folder.join(FILE);
    let known = match known.is_file() && !lines.is_empty() {
        true => Some(Candidate::read(&known)?),
        false => None,
    };
    for (number, line) in &lines {
        let of = |candidate: &Candidate| {
            let mut entries = candidate.instances.iter();
            let entry = entries.find(|entry| entry.label == line.label)?;
            Some(official(candidate, entry))
        };
        let problem = match of(candidate).or_else(|| known.as_ref().and_then(of)) {
            None => format!(
                "no instance of {} has the label {:?}",
                candidate.id, line.label
            ),
            Some(names) if !names.contains(&line.file_name) => format!(
                "{} has no known-answer file {:?}, only {}",
                line.label,
                line.file_name,
                names.join(", ")
            ),
            Some(_) => continue,
        };
        return Err(CatalogueError::Manifest {
            file,
            problem: format!("line {number}: {problem}"),
        });
    }
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}

/// Sees that each text is a file with one of the official names, and that none is given twice.
/// Letters count the same in both cases, as import takes them.
pub(super) fn check_texts(official: &[String], texts: &[PathBuf]) -> Result<(), String> {
    let mut seen: Vec<&str> = Vec::new();
    for text in texts {
        let path = text.display();
        let name = text.file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or_default();
        let same = |other: &str| other.eq_ignore_ascii_case(name);
        if !official.iter().any(|official| same(official)) {
            return Err(format!(
                "{path} has not the name of one of its known-answer files, {}",
                official.join(", ")
            ));
        }
        if text.is_dir() {
            return Err(format!("{path} is a folder, not a file"));
        }
        if !text.is_file() {
            return Err(format!("{path} is not there"));
        }
        if seen.iter().any(|other| same(other)) {
            return Err(format!("{path} is a second file called {name}"));
        }
        seen.push(name);
    }
    Ok(())
}
