//! A system's folder in the making: nobody sees it before it is whole.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::PublishedError;
use crate::record::profile::Profile;
use crate::record::read::read_as;
use crate::record::run_files::{BUILD, CAMPAIGN, read_build};
use crate::record::store::RunDirectory;
use crate::record::validate::{Finding, Operations, Validator, unreadable};

/// Name of a file that says how labels were built in a form that is not ours; nothing reads it.
const OTHER_BUILD: &str = "build.published.json";

/// The folder; it goes when this goes, unless it was moved to its place.
pub(super) struct Draft {
    /// A folder in the run directory, laid out like one.
    root: TempDir,
    system: String,
    /// Profiles that were copied.
    pub(super) profiles: usize,
    /// What is wrong with files that were left out.
    left_out: Vec<Finding>,
}

fn failed(verb: &'static str, path: &Path) -> impl FnOnce(io::Error) -> PublishedError {
    let path = path.to_owned();
    move |source| PublishedError::Path { verb, path, source }
}

/// A data set is made by others: a link in it could lead anywhere.
pub(super) fn check_regular(path: &Path) -> Result<(), PublishedError> {
    let metadata = fs::symlink_metadata(path).map_err(failed("read", path))?;
    match metadata.is_file() {
        true => Ok(()),
        false => Err(PublishedError::NotAFile {
            path: path.to_owned(),
        }),
    }
}

impl Draft {
    pub(super) fn new(run: &Path, system: &str) -> Result<Self, PublishedError> {
        fs::create_dir_all(run).map_err(failed("create", run))?;
        // One level above the system: a folder with records is a system of the run directory.
        let root = tempfile::Builder::new().prefix(".import-").tempdir_in(run);
        Ok(Self {
            root: root.map_err(failed("create a folder in", run))?,
            system: system.to_owned(),
            profiles: 0,
            left_out: Vec::new(),
        })
    }

    fn folder(&self) -> PathBuf {
        self.root.path().join(&self.system)
    }

    /// The place of a data set's file in the draft, whose folder is made.
    fn place(&self, data_set: &Path, file: &Path) -> Result<PathBuf, PublishedError> {
        let place = self
            .folder()
            .join(file.strip_prefix(data_set).unwrap_or(file));
        let folder = place.parent().unwrap_or(&place);
        fs::create_dir_all(folder).map_err(failed("create", folder))?;
        Ok(place)
    }

    /// Writes a file of a data set with this content.
    pub(super) fn write(
        &self,
        data_set: &Path,
        file: &Path,
        bytes: &[u8],
    ) -> Result<(), PublishedError> {
        let place = self.place(data_set, file)?;
        fs::write(&place, bytes).map_err(failed("write", &place))
    }

    fn copy(&self, data_set: &Path, file: &Path) -> Result<(), PublishedError> {
        check_regular(file)?;
        let place = self.place(data_set, file)?;
        let copied = fs::copy(file, &place);
        copied.map_err(failed("copy", file)).map(|_| ())
    }

    /// Copies all but the records, and says what was decided.
    pub(super) fn copy_rest(&mut self, data_set: &Path) -> Result<Vec<String>, PublishedError> {
        for log in files(&data_set.join("kat"), "log")? {
            self.copy(data_set, &log)?;
        }
        for profile in files(&data_set.join("profile"), "json")? {
            check_regular(&profile)?;
            match read_as::<Profile>(&profile) {
                Ok(_) => {
                    self.copy(data_set, &profile)?;
                    self.profiles += 1;
                }
                // A report would end there.
                Err(error) => self.left_out.extend(unreadable(&error)),
            }
        }
        let campaign = data_set.join(CAMPAIGN);
        if exists(&campaign) {
            self.copy(data_set, &campaign)?;
        }
        let build = data_set.join(BUILD);
        if !exists(&build) {
            return Ok(Vec::new());
        }
        check_regular(&build)?;
        let is_label = |name: &String| name.split('/').count() == 2;
        match read_build(&build) {
            Ok(labels) if labels.keys().all(is_label) => {
                self.copy(data_set, &build)?;
                Ok(Vec::new())
            }
            _ => {
                let bytes = fs::read(&build).map_err(failed("read", &build))?;
                self.write(data_set, &build.with_file_name(OTHER_BUILD), &bytes)?;
                Ok(vec![format!(
                    "{BUILD} is in a form that is not known here: it is kept as {OTHER_BUILD}, and \
                     nothing reads it"
                )])
            }
        }
    }

    /// Checks the draft as any run directory; the findings name the files of the data set.
    pub(super) fn check(&self, data_set: &Path) -> Result<Vec<Finding>, PublishedError> {
        let mut validator = Validator::default();
        let run = RunDirectory::new(self.root.path());
        let mut found = self.left_out.clone();
        for file in run.records_of(&self.system)? {
            found.extend(validator.check_file(&file));
        }
        found.extend(validator.check_run(self.root.path(), &Operations::new()));
        let folder = self.folder();
        let (here, there) = (folder.to_string_lossy(), data_set.to_string_lossy());
        for finding in &mut found {
            if let Ok(rest) = finding.file.strip_prefix(&folder) {
                finding.file = data_set.join(rest);
            }
            finding.problem = finding.problem.replace(&*here, &there);
        }
        Ok(found)
    }

    /// Makes it the system's folder; what is there is removed.
    pub(super) fn move_to(self, place: &Path) -> Result<(), PublishedError> {
        match fs::rename(place, self.root.path().join("replaced")) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(failed("replace", place)(error));
            }
            _ => {}
        }
        fs::rename(self.folder(), place).map_err(failed("create", place))
    }
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// The files `<folder>/<candidate>/*.<extension>`; none where there is no such folder.
fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, PublishedError> {
    let mut found = Vec::new();
    if !folder.is_dir() {
        return Ok(found);
    }
    for candidate in entries(folder)?.into_iter().filter(|path| path.is_dir()) {
        let is_wanted = |path: &PathBuf| path.extension().is_some_and(|it| it == extension);
        found.extend(entries(&candidate)?.into_iter().filter(is_wanted));
    }
    Ok(found)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, PublishedError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(failed("read", folder))?;
    let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    Ok(paths)
}
