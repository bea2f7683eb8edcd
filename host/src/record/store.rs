//! Where records are, and how they get there: a run directory.
//!
//! A run directory has a folder for each system, and in it
//! `records/<candidate>/<label>__<operation>.json`. A record appears whole or not at all.

use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::{fs, os::unix::fs::PermissionsExt};

use miette::Diagnostic;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::digest;
use super::profile::Profile;
use super::read::{ReadError, read_as};
use super::run_files::BUILD;
use super::schema::Record;

/// Folder of the records in a system's folder.
pub const RECORDS: &str = "records";

/// Folder of the profiles in a system's folder.
const PROFILES: &str = "profile";

/// Extension of a record.
const EXTENSION: &str = "json";

/// How the name of a file that is being written begins, and how it ends.
const DRAFT: &str = ".tmp";
const DRAFT_END: &str = ".tmp";

/// What ends the name of a record that was set aside, before a number where there are several.
const PREVIOUS: &str = ".previous";

/// Why a record cannot be kept, or a run directory not be walked.
#[derive(Debug, Error, Diagnostic)]
pub enum StoreError {
    /// A file or folder could not be used.
    #[error("cannot {verb} {}", path.display())]
    #[diagnostic(help(
        "check that the run directory exists, is writable and has room, and repeat the command: \
         what a campaign has measured is kept, and it goes on from there"
    ))]
    Path {
        /// What was tried.
        verb: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A name in the record would lead out of the run directory.
    #[error("key `{key}`: `{name}` cannot be part of a file name")]
    #[diagnostic(help("use letters, digits, `.`, `-` and `_` in names"))]
    Name {
        /// The key that has the name.
        key: &'static str,
        /// The name.
        name: String,
    },
    /// There are no records where records were expected.
    #[error("{} holds no records", path.display())]
    #[diagnostic(help(
        "name a run directory, whose records are in <system>/records/<id>/, or make one with \
         `cargo host campaign --run-dir {}`", path.display()
    ))]
    Empty {
        /// The run directory.
        path: PathBuf,
    },
}

/// A run directory.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RunDirectory {
    root: PathBuf,
}

/// What the path of a record says.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Place {
    /// The run directory.
    pub root: PathBuf,
    /// The system.
    pub system: String,
    /// The candidate's id.
    pub candidate: String,
    /// The file's name without its extension: `<label>__<operation>`.
    pub stem: String,
}

impl Place {
    /// Reads a path of the form `.../<system>/records/<candidate>/<label>__<operation>.json`.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = |path: &Path| Some(path.file_name()?.to_str()?.to_owned());
        let folder = path.parent()?;
        let records = folder.parent()?;
        let system = records.parent()?;
        (name(records)? == RECORDS && path.extension()? == EXTENSION).then_some(())?;
        Some(Self {
            root: system.parent()?.to_owned(),
            system: name(system)?,
            candidate: name(folder)?,
            stem: path.file_stem()?.to_str()?.to_owned(),
        })
    }

    /// The label of the record: what stands before its operation.
    pub fn label(&self) -> &str {
        let parts = self.stem.rsplit_once("__");
        parts.map_or(self.stem.as_str(), |(label, _)| label)
    }

    /// The system's folder, which other files of the record are relative to.
    pub fn system_folder(&self) -> PathBuf {
        self.root.join(&self.system)
    }
}

/// Name of a record's file without its extension.
pub fn stem(record: &Record) -> String {
    let Record {
        label,
        operation,
        input_bytes,
        ..
    } = record;
    match operation.as_str() {
        "hash" => format!("{label}__hash_{input_bytes}"),
        _ => format!("{label}__{operation}"),
    }
}

impl RunDirectory {
    /// The run directory in this folder, which need not exist yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the record of one operation is or will be.
    ///
    /// # Errors
    ///
    /// [`StoreError::Name`] when a name cannot be part of a path.
    pub fn path_of(&self, system: &str, record: &Record) -> Result<PathBuf, StoreError> {
        self.path_in(RECORDS, system, record)
    }

    fn path_in(
        &self,
        folder: &'static str,
        system: &str,
        record: &Record,
    ) -> Result<PathBuf, StoreError> {
        let stem = stem(record);
        for (key, name) in [
            ("system", system),
            ("candidate", &record.candidate),
            ("label", &stem),
        ] {
            check_name(key, name)?;
        }
        Ok(self
            .root
            .join(system)
            .join(folder)
            .join(&record.candidate)
            .join(format!("{stem}.{EXTENSION}")))
    }

    /// Keeps a record and returns its path; one that is there already is replaced.
    ///
    /// # Errors
    ///
    /// See [`StoreError`].
    pub fn write(&self, system: &str, record: &Record) -> Result<PathBuf, StoreError> {
        let path = self.path_of(system, record)?;
        write_whole(&path, digest::text(&digest::content(record)).as_bytes())?;
        Ok(path)
    }

    /// Keeps the profile of a record's operation; one that is there already is replaced.
    ///
    /// # Errors
    ///
    /// See [`StoreError`].
    pub fn write_profile(
        &self,
        system: &str,
        record: &Record,
        profile: &Profile,
    ) -> Result<(), StoreError> {
        let path = self.path_in(PROFILES, system, record)?;
        write_whole(&path, digest::text(&digest::content(profile)).as_bytes())
    }

    /// The files of all profiles of a system; none where it has no such folder.
    ///
    /// # Errors
    ///
    /// [`StoreError::Path`] when a folder cannot be read.
    pub fn profiles_of(&self, system: &str) -> Result<Vec<PathBuf>, StoreError> {
        self.files_of(system, PROFILES)
    }

    /// Renames a record that another takes the place of: `<name>.previous.json`, and
    /// `<name>.previous-2.json` where that is taken. Nothing reads it any more, and nothing ever
    /// overwrites it.
    ///
    /// # Errors
    ///
    /// See [`StoreError`].
    pub fn set_aside(&self, system: &str, record: &Record) -> Result<(), StoreError> {
        let path = self.path_of(system, record)?;
        let stem = stem(record);
        let aside = (1_u32..)
            .map(|number| match number {
                1 => format!("{stem}{PREVIOUS}.{EXTENSION}"),
                number => format!("{stem}{PREVIOUS}-{number}.{EXTENSION}"),
            })
            .map(|name| path.with_file_name(name))
            .find(|place| fs::symlink_metadata(place).is_err());
        let renamed = aside.map_or(Ok(()), |aside| fs::rename(&path, aside));
        renamed.map_err(|source| StoreError::Path {
            verb: "rename",
            path,
            source,
        })
    }

    /// The systems that have records, or instances that were built in vain, by name.
    ///
    /// # Errors
    ///
    /// [`StoreError::Path`] when the folder cannot be read.
    pub fn systems(&self) -> Result<Vec<String>, StoreError> {
        let has_records =
            |path: &PathBuf| path.join(RECORDS).is_dir() || path.join(BUILD).is_file();
        let folders = entries(&self.root)?.into_iter().filter(has_records);
        Ok(folders
            .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
            .collect())
    }

    /// The records of a system, by candidate and name.
    ///
    /// # Errors
    ///
    /// [`StoreError::Path`] when a folder cannot be read.
    pub fn records_of(&self, system: &str) -> Result<Vec<PathBuf>, StoreError> {
        self.files_of(system, RECORDS)
    }

    fn files_of(&self, system: &str, folder: &str) -> Result<Vec<PathBuf>, StoreError> {
        let mut found = Vec::new();
        let records = self.root.join(system).join(folder);
        if !records.exists() {
            return Ok(found);
        }
        for folder in entries(&records)? {
            if folder.is_dir() {
                found.extend(entries(&folder)?.into_iter().filter(|path| is_record(path)));
            }
        }
        Ok(found)
    }

    /// The files that are records of a label, by name.
    ///
    /// # Errors
    ///
    /// [`StoreError::Path`] when the folder cannot be read.
    pub fn records_of_label(
        &self,
        system: &str,
        candidate: &str,
        label: &str,
    ) -> Result<Vec<PathBuf>, StoreError> {
        let folder = self.root.join(system).join(RECORDS).join(candidate);
        if !folder.exists() {
            return Ok(Vec::new());
        }
        let start = format!("{label}__");
        let is_of_label = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            is_record(path) && name.starts_with(&start)
        };
        Ok(entries(&folder)?.into_iter().filter(is_of_label).collect())
    }

    /// All records, by system, candidate and name.
    ///
    /// # Errors
    ///
    /// [`StoreError::Empty`] when there are none, [`StoreError::Path`] when a folder cannot be
    /// read.
    pub fn records(&self) -> Result<Vec<PathBuf>, StoreError> {
        let mut found = Vec::new();
        for system in self.systems()? {
            found.extend(self.records_of(&system)?);
        }
        if found.is_empty() {
            return Err(StoreError::Empty {
                path: self.root.clone(),
            });
        }
        Ok(found)
    }

    /// Reads the record of one operation, if it is there.
    ///
    /// # Errors
    ///
    /// See [`ReadError`].
    pub fn find(
        &self,
        system: &str,
        candidate: &str,
        stem: &str,
    ) -> Result<Option<Record>, ReadError> {
        self.find_in(RECORDS, system, candidate, stem)
    }

    /// Reads the profile of one operation, if it is there.
    ///
    /// # Errors
    ///
    /// See [`ReadError`].
    pub fn find_profile(
        &self,
        system: &str,
        candidate: &str,
        stem: &str,
    ) -> Result<Option<Profile>, ReadError> {
        self.find_in(PROFILES, system, candidate, stem)
    }

    fn find_in<T: DeserializeOwned>(
        &self,
        folder: &str,
        system: &str,
        candidate: &str,
        stem: &str,
    ) -> Result<Option<T>, ReadError> {
        let folder = self.root.join(system).join(folder).join(candidate);
        match read_as(&folder.join(format!("{stem}.{EXTENSION}"))) {
            Ok(content) => Ok(Some(content)),
            Err(ReadError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// Whether a file in a folder of records is one: not a draft, and not set aside.
pub fn is_record(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let set_aside = stem.rsplit_once(PREVIOUS).is_some_and(|(_, rest)| {
        let number = rest.strip_prefix('-').unwrap_or("1");
        (rest.is_empty() || rest.starts_with('-')) && number.parse::<u32>().is_ok()
    });
    path.extension().is_some_and(|e| e == EXTENSION) && !set_aside
}

/// Whether a file is one that [`write_whole`] has not given its name yet.
pub fn is_draft(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(DRAFT) && name.ends_with(DRAFT_END) && path.is_file()
}

/// Writes a file that is there whole or not at all, even if the power goes off.
///
/// # Errors
///
/// [`StoreError::Path`].
pub fn write_whole(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let folder = folder_of(path);
    let error = |verb, path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::Path { verb, path, source }
    };
    fs::create_dir_all(folder).map_err(error("create", folder))?;
    let mut file = tempfile::Builder::new()
        .prefix(DRAFT)
        .suffix(DRAFT_END)
        .permissions(fs::Permissions::from_mode(0o644))
        .tempfile_in(folder)
        .map_err(error("create a file in", folder))?;
    file.write_all(content).map_err(error("write", path))?;
    file.as_file().sync_all().map_err(error("write", path))?;
    file.persist(path)
        .map_err(|failed| error("replace", path)(failed.error))?;
    let synced = fs::File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(error("write", folder))
}

/// The folder that a file is in; that of a bare name is the present one.
pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// What a folder holds, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let error = |source| StoreError::Path {
        verb: "read",
        path: folder.to_owned(),
        source,
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(error)? {
        found.push(entry.map_err(error)?.path());
    }
    found.sort();
    Ok(found)
}

/// A name must be one plain component of a path.
fn check_name(key: &'static str, name: &str) -> Result<(), StoreError> {
    let mut components = Path::new(name).components();
    let first = components.next();
    let plain = matches!(first, Some(Component::Normal(first)) if first == name);
    if plain && components.next().is_none() && !name.contains('\0') {
        Ok(())
    } else {
        Err(StoreError::Name {
            key,
            name: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests;
