//! The files of the systems of several run directories, by their place in the joined one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::MergeError;
use super::agreement::differ;
use crate::record::read::read_as;
use crate::record::run_files::BUILD;
use crate::record::store::{Place, StoreError, is_record};

/// What to do about two that differ.
const REMEDY: &str = "two runs measured the same; join one of them only, or remove what one of them \
                      has of this label: its records, profiles, log and entry in build.json";

/// Ending of a file that was never finished.
const DRAFT: &str = "tmp";

/// What goes where.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// The source of each file, by its place in the joined run directory.
    pub(super) places: BTreeMap<PathBuf, PathBuf>,
    /// How labels were built, by system.
    pub(super) builds: BTreeMap<String, Labels>,
}

/// How the labels of a system were built, each with the file that says so.
#[derive(Debug, Default)]
pub(super) struct Labels(BTreeMap<String, (PathBuf, Value)>);

impl Labels {
    /// The content of the joined file.
    pub(super) fn entries(&self) -> Value {
        let entries = self.0.iter();
        Value::Object(
            entries
                .map(|(name, (_, entry))| (name.clone(), entry.clone()))
                .collect(),
        )
    }

    fn add(&mut self, file: &Path, name: String, entry: Value) -> Result<(), MergeError> {
        let Some((other, there)) = self.0.get(&name) else {
            self.0.insert(name, (file.to_owned(), entry));
            return Ok(());
        };
        let named = |entry: &Value| Value::Object(Map::from_iter([(name.clone(), entry.clone())]));
        differ(file, &named(&entry), other, &named(there), REMEDY)
    }
}

impl Files {
    /// Adds everything that a run directory has of a system.
    ///
    /// # Errors
    ///
    /// When something is there with other contents already, or cannot be read.
    pub(super) fn add(&mut self, run: &Path, system: &str) -> miette::Result<()> {
        let root = run.join(system);
        let build = root.join(BUILD);
        if build.exists() {
            let entries: BTreeMap<String, Value> = read_as(&build)?;
            let labels = self.builds.entry(system.to_owned()).or_default();
            for (name, entry) in entries {
                labels.add(&build, name, entry)?;
            }
        }
        let mut folders = vec![root];
        while let Some(folder) = folders.pop() {
            let failed = |source| StoreError::Path {
                verb: "read",
                path: folder.clone(),
                source,
            };
            for entry in fs::read_dir(&folder).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
                if kind.is_dir() {
                    folders.push(path);
                } else if !kind.is_file() {
                    return Err(MergeError::NoFile { path }.into());
                } else if path != build && path.extension().is_none_or(|it| it != DRAFT) {
                    self.place(run, path)?;
                }
            }
        }
        Ok(())
    }

    fn place(&mut self, run: &Path, path: PathBuf) -> miette::Result<()> {
        let place = path.strip_prefix(run).unwrap_or(&path).to_owned();
        match self.places.get(&place) {
            Some(other) => same(&path, other),
            None => {
                self.places.insert(place, path);
                Ok(())
            }
        }
    }

    /// Number of records of a system.
    pub(super) fn records(&self, system: &str) -> usize {
        let places = self.places.keys().filter(|path| is_record(path));
        let places = places.filter_map(|path| Place::of_path(&Path::new(".").join(path)));
        places.filter(|place| place.system == system).count()
    }
}

/// Refuses two files that differ, by the first key where they are JSON.
fn same(file: &Path, other: &Path) -> miette::Result<()> {
    let content = |path: &Path| {
        fs::read(path).map_err(|source| StoreError::Path {
            verb: "read",
            path: path.to_owned(),
            source,
        })
    };
    let (ours, theirs) = (content(file)?, content(other)?);
    if ours == theirs {
        return Ok(());
    }
    let parse = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes);
    if let (Ok(ours), Ok(theirs)) = (parse(&ours), parse(&theirs)) {
        differ(file, &ours, other, &theirs, REMEDY)?;
    }
    // The same values in other words, or no JSON.
    let bytes = |content: &[u8]| format!("{} bytes", content.len());
    Err(MergeError::Contradiction {
        file: file.into(),
        key: "(content)".into(),
        ours: bytes(&ours).into(),
        other: other.into(),
        theirs: format!("{} that differ", bytes(&theirs)).into(),
        remedy: REMEDY,
    }
    .into())
}
