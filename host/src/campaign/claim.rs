//! A run directory that is in use is nobody else's.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use super::CampaignError;
use crate::record::store::StoreError;

/// Name of the file that a campaign at work holds locked.
const LOCK: &str = ".lock";

/// A run directory that no other campaign may write into, until this goes.
#[derive(Debug)]
pub struct Claim(File);

impl Claim {
    /// Keeps others out of a run directory: they would overwrite records and disturb counts. Makes
    /// its folder where there is none.
    ///
    /// # Errors
    ///
    /// [`CampaignError::Busy`], or that the file cannot be made.
    pub fn take(run_directory: &Path) -> miette::Result<Self> {
        let path = run_directory.join(LOCK);
        let failed = |verb| {
            let path = path.clone();
            move |source| StoreError::Path { verb, path, source }
        };
        fs::create_dir_all(run_directory).map_err(failed("create the folder of"))?;
        let file = File::create(&path).map_err(failed("create"))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(busy(run_directory).into()),
            Err(TryLockError::Error(source)) => Err(failed("lock")(source).into()),
        }
    }

    /// Keeps campaigns out of a run directory that is read, until this goes. Nothing is written, so
    /// that it may be one that can only be read, or that no campaign ever had: `None` then.
    ///
    /// # Errors
    ///
    /// [`CampaignError::Busy`].
    pub fn share(run_directory: &Path) -> Result<Option<Self>, CampaignError> {
        let Ok(file) = File::open(run_directory.join(LOCK)) else {
            return Ok(None);
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Err(busy(run_directory)),
            // A file system that knows no locks has none that anybody could hold.
            Err(TryLockError::Error(_)) => Ok(None),
        }
    }
}

fn busy(run_directory: &Path) -> CampaignError {
    CampaignError::Busy {
        run_directory: run_directory.to_owned(),
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // To close the file is not enough: a process that is just being started has it open, too,
        // until it becomes another program. An error means that there is no lock any more.
        let _ = self.0.unlock();
    }
}
