//! What run directories must agree on to be joined.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{MergeError, SHARD};
use crate::campaign::first_difference;
use crate::record::identity::of_record;
use crate::record::read::read;
use crate::record::run_files::DIGEST;

/// Whether a campaign took systems that were not fit: a key of settings of earlier versions, which
/// records themselves tell.
pub(super) const ALLOW_UNFIT: &str = "allow_unfit";

/// Campaigns are joined that measured alike: all settings but the part are the same.
pub(super) fn settings(all: &[(PathBuf, Value)]) -> Result<(), MergeError> {
    let without_part = |settings: &Value| {
        let mut settings = settings.clone();
        if let Some(keys) = settings.as_object_mut() {
            keys.remove(SHARD);
            keys.remove(ALLOW_UNFIT);
            // It covers the part as well.
            keys.remove(DIGEST);
        }
        settings
    };
    let Some(((other, first), rest)) = all.split_first() else {
        return Ok(());
    };
    let first = without_part(first);
    for (file, settings) in rest {
        let remedy = "only campaigns with the same settings are joined: measure one of them anew \
                      with those of the other, or compare them with `cargo host compare <run> <run>`";
        differ(file, &without_part(settings), other, &first, remedy)?;
    }
    Ok(())
}

/// Refuses a difference between two values, naming the first key that differs in either.
pub(super) fn differ(
    file: &Path,
    ours: &Value,
    other: &Path,
    theirs: &Value,
    remedy: &'static str,
) -> Result<(), MergeError> {
    let difference = first_difference("", ours, theirs).or_else(|| {
        let (key, theirs, ours) = first_difference("", theirs, ours)?;
        Some((key, ours, theirs))
    });
    match difference {
        None => Ok(()),
        Some((key, ours, theirs)) => Err(MergeError::Contradiction {
            file: file.into(),
            key: key.into(),
            ours: ours.into(),
            other: other.into(),
            theirs: theirs.into(),
            remedy,
        }),
    }
}

/// The machine behind a system's name: that of the first record, which all others must name.
#[derive(Debug, Default)]
pub(super) struct Machine {
    first: Option<(PathBuf, Value)>,
}

impl Machine {
    /// Takes notice of a record of the system.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or is of another machine or another configuration of it.
    pub(super) fn see(&mut self, file: &Path) -> miette::Result<()> {
        let ours = of_record(&read(file)?);
        let (other, theirs) = self
            .first
            .get_or_insert_with(|| (file.to_owned(), ours.clone()));
        let remedy = "one system is one machine in one configuration: give the other one a name of \
                      its own with --system <architecture>_<name> and measure it under that";
        Ok(differ(file, &ours, other, theirs, remedy)?)
    }
}
