//! Run directories joined into one: parts of a campaign, or campaigns on different systems.
//!
//! Nothing is chosen between two that contradict each other: [`agreement`] says what must be the
//! same, and a difference ends the merge before anything is written. What is joined is written
//! beside its place and renamed, so that it is there whole or not at all.

mod agreement;
mod files;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde_json::Value;
use thiserror::Error;

use crate::campaign::{Claim, Shard};
use crate::interrupt::{Interrupt, Urgency};
use crate::record::read::read_as;
use crate::record::run_files::{self, BUILD, CAMPAIGN};
use crate::record::store::{RunDirectory, StoreError, write_whole};
use agreement::Machine;
use files::Files;

/// Key of a campaign's settings that names its part.
const SHARD: &str = "shard";

/// Why run directories are not joined.
#[derive(Debug, Error, Diagnostic)]
pub enum MergeError {
    /// Two files say different things of the same.
    #[error("{}: key `{key}` is {ours}, and {} has {theirs}", file.display(), other.display())]
    #[diagnostic(help("{remedy}"))]
    Contradiction {
        /// The file.
        file: Box<Path>,
        /// The key, from the top.
        key: Box<str>,
        /// Its value.
        ours: Box<str>,
        /// The file of a run that was named before.
        other: Box<Path>,
        /// Its value there.
        theirs: Box<str>,
        /// What to do.
        remedy: &'static str,
    },
    /// The place of the joined run directory is taken.
    #[error("{} is there already", to.display())]
    #[diagnostic(help("name a folder with --to that is not there, or remove this one"))]
    Taken {
        /// The place.
        to: PathBuf,
    },
    /// Something in a run directory is neither file nor folder.
    #[error("{} is neither a file nor a folder", path.display())]
    #[diagnostic(help("put the file itself in its place, or remove it"))]
    NoFile {
        /// What it is.
        path: PathBuf,
    },
    /// The settings name a part that cannot be.
    #[error("{}: key `shard` is {value}: {reason}", file.display())]
    #[diagnostic(help("restore the file from its source"))]
    Shard {
        /// The settings.
        file: PathBuf,
        /// What they have.
        value: String,
        /// Why that is no part.
        reason: String,
    },
}

/// What was joined.
#[derive(Debug, Eq, PartialEq)]
pub struct Merged {
    /// Records of each system.
    pub records: BTreeMap<String, usize>,
    /// Parts of the campaign that are in none of the run directories.
    pub missing: Vec<Shard>,
}

/// Joins run directories into a new one; `None` when the user wanted an end before it was there.
///
/// # Errors
///
/// [`MergeError`]; or a campaign is at work in one of them, or a file cannot be read or written.
pub fn merge(runs: &[PathBuf], to: &Path, interrupt: &Interrupt) -> miette::Result<Option<Merged>> {
    refuse_taken(to)?;
    let _claims = runs
        .iter()
        .map(|run| Claim::share(run))
        .collect::<Result<Vec<_>, _>>()?;
    let settings = runs
        .iter()
        .map(|run| Ok((run.join(CAMPAIGN), read_as(&run.join(CAMPAIGN))?)))
        .collect::<miette::Result<Vec<(PathBuf, Value)>>>()?;
    agreement::settings(&settings)?;
    let missing = missing(&settings)?;

    let mut files = Files::default();
    let mut machines: BTreeMap<String, Machine> = BTreeMap::new();
    let mut records = BTreeMap::new();
    for run in runs {
        let directory = RunDirectory::new(run);
        for system in directory.systems()? {
            let machine = machines.entry(system.clone()).or_default();
            for record in directory.records_of(&system)? {
                machine.see(&record)?;
            }
            files.add(run, &system)?;
        }
    }
    for system in machines.keys() {
        records.insert(system.clone(), files.records(system));
    }

    let failed = |verb, path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::Path { verb, path, source }
    };
    let parent = match to.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(parent).map_err(failed("create", parent))?;
    let draft = tempfile::Builder::new()
        .prefix(".merge-")
        .tempdir_in(parent)
        .map_err(failed("create a folder in", parent))?;
    for (place, source) in &files.places {
        if interrupt.urgency() > Urgency::None {
            return Ok(None);
        }
        let content = fs::read(source).map_err(failed("read", source))?;
        write_whole(&draft.path().join(place), &content)?;
    }
    for (system, labels) in &files.builds {
        let place = draft.path().join(system).join(BUILD);
        write_whole(&place, json(&labels.entries()).as_bytes())?;
    }
    let whole = whole_campaign(&settings[0].1);
    write_whole(&draft.path().join(CAMPAIGN), json(&whole).as_bytes())?;
    let open = fs::Permissions::from_mode(0o755);
    fs::set_permissions(draft.path(), open).map_err(failed("open", draft.path()))?;
    // An empty folder is replaced; one that has come to hold something in between is not.
    fs::rename(draft.path(), to).map_err(failed("create", to))?;
    let synced = fs::File::open(parent).and_then(|folder| folder.sync_all());
    synced.map_err(failed("write", parent))?;
    Ok(Some(Merged { records, missing }))
}

fn refuse_taken(to: &Path) -> Result<(), MergeError> {
    let is_empty = || fs::read_dir(to).is_ok_and(|mut entries| entries.next().is_none());
    if fs::symlink_metadata(to).is_ok() && !is_empty() {
        return Err(MergeError::Taken { to: to.to_owned() });
    }
    Ok(())
}

/// The parts of a campaign that are missing from these settings.
fn missing(settings: &[(PathBuf, Value)]) -> Result<Vec<Shard>, MergeError> {
    let mut there: Vec<Shard> = Vec::new();
    for (file, settings) in settings {
        let wrong = |reason: &str| MergeError::Shard {
            file: file.clone(),
            value: settings[SHARD].to_string(),
            reason: reason.to_owned(),
        };
        match &settings[SHARD] {
            Value::Null => {}
            Value::String(text) => {
                there.push(text.parse().map_err(|reason: String| wrong(&reason))?);
            }
            _ => return Err(wrong("it must be a text or null")),
        }
    }
    let mut missing: Vec<Shard> = Vec::new();
    for other in there.iter().flat_map(|part| part.others()) {
        if !there.contains(&other) && !missing.contains(&other) {
            missing.push(other);
        }
    }
    Ok(missing)
}

/// The settings of a campaign that is no part any more.
fn whole_campaign(part: &Value) -> Value {
    let mut whole = part.clone();
    if let Some(shard) = whole.get_mut(SHARD) {
        *shard = Value::Null;
    }
    if let Some(keys) = whole.as_object_mut() {
        keys.shift_remove(agreement::ALLOW_UNFIT);
    }
    // Settings of an earlier format have no digest.
    if run_files::stated_digest(part).is_some() {
        run_files::seal(CAMPAIGN, &mut whole);
    }
    whole
}

/// A run directory's own files as campaigns write them.
fn json(value: &Value) -> String {
    format!("{value:#}\n")
}
