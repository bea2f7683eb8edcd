//! Packages under `submissions/`, in the official layout: ours and imported ones.

mod answers;
mod broken;
mod candidate;
pub mod manifest;
mod reader;

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub use broken::BrokenPackage;

pub use candidate::{Candidate, ClaimedSizes, Entry, FILE, Kind, is_name};
pub use manifest::{Expected, Mode, file_name};

use crate::{CatalogueError, Instance};
use reader::Reader;

/// What a path in PQClean's tree begins with.
pub(crate) const PQCLEAN: &str = "pqclean:";

/// The folder of packages, relative to the workspace's.
pub const FOLDER: &str = "submissions";

/// What the packages hold.
#[derive(Debug, Default)]
pub(crate) struct Packages {
    /// Every instance of every sound package, and whether its package is a test of the instrument.
    pub(crate) instances: Vec<(Instance, bool)>,
    /// The packages that are not sound, by path.
    pub(crate) broken: Vec<BrokenPackage>,
}

/// Reads all packages, in the order of their paths. `reserved` is the identity of the candidate
/// that is no package, and where that one is.
///
/// # Errors
///
/// When the folder of packages cannot be listed. What is wrong with one package concerns no other.
pub(crate) fn scan(
    root: &Path,
    pqclean: &Path,
    reserved: &str,
) -> Result<Packages, CatalogueError> {
    let mut owners = HashMap::from([(reserved.to_owned(), pqclean.to_owned())]);
    let mut packages = Packages::default();
    for file in files(root)? {
        match package(root, pqclean, &file, &mut owners) {
            Ok(instances) => packages.instances.extend(instances),
            Err(error) => packages.broken.push(BrokenPackage::new(&file, error)),
        }
    }
    Ok(packages)
}

/// The `candidate.toml` of every package, whether or not it can be read.
fn files(root: &Path) -> Result<Vec<PathBuf>, CatalogueError> {
    let folder = root.join(FOLDER);
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(CatalogueError::file("list", &folder))?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.map_err(CatalogueError::file("list", &folder))?;
        let file = entry.path().join(FILE);
        let absent = fs::symlink_metadata(&file).is_err_and(|error| {
            matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
        });
        if !absent {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// The instances of one package; `owners` says which file has which identity.
fn package(
    root: &Path,
    pqclean: &Path,
    file: &Path,
    owners: &mut HashMap<String, PathBuf>,
) -> Result<Vec<(Instance, bool)>, CatalogueError> {
    // Whatever is neither file nor folder, a pipe for example, might never end.
    if fs::metadata(file).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(CatalogueError::Candidate {
            file: file.to_owned(),
            problem: "not a file".to_owned(),
        });
    }
    let candidate = Candidate::read(file)?;
    if let Some(other) = owners.get(&candidate.id) {
        return Err(CatalogueError::DuplicateId {
            id: candidate.id,
            file: file.to_owned(),
            other: other.clone(),
        });
    }
    owners.insert(candidate.id.clone(), file.to_owned());
    let manifest = answers::manifest(root, &candidate)?;
    let reader = Reader {
        file,
        package: file.parent().unwrap_or(root),
        root,
        pqclean,
        manifest,
    };
    let mut instances = Vec::new();
    for entry in &candidate.instances {
        instances.push(reader.instance(&candidate, entry)?);
    }
    crate::names::check_labels(&instances, file)?;
    let instances = instances.into_iter();
    Ok(instances
        .map(|instance| (instance, candidate.test))
        .collect())
}

#[cfg(test)]
mod tests;
