//! The lock that lets one build at a time run.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::BuildError;
use crate::interrupt::{Interrupt, Urgency};

/// How often a lock that another holds is tried.
const POLL: Duration = Duration::from_millis(50);

/// Tries in silence; whoever waits longer is told what for.
const SILENT_TRIES: u32 = 20;

/// Waits for the lock, which is ours as long as the returned file is kept. `say` is told once what
/// is waited for, when that takes more than a moment.
///
/// # Errors
///
/// [`BuildError::Interrupted`] on the first Ctrl-C: nothing is being measured that could be
/// finished first.
pub(super) fn wait(
    path: &Path,
    interrupt: &Interrupt,
    say: &mut dyn FnMut(&str),
) -> Result<File, BuildError> {
    let file = File::create(path).map_err(|e| BuildError::file("create", path, e))?;
    let mut tries = 0_u32;
    loop {
        if interrupt.urgency() > Urgency::None {
            return Err(BuildError::Interrupted);
        }
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(BuildError::file("lock", path, error)),
            Err(TryLockError::WouldBlock) => {}
        }
        tries = tries.saturating_add(1);
        if tries == SILENT_TRIES {
            say(&format!(
                "waiting for another build of this workspace to end: it holds {}; Ctrl-C ends the \
                 wait",
                path.display()
            ));
        }
        thread::sleep(POLL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(folder: &Path) -> (std::path::PathBuf, File) {
        let path = folder.join("build.lock");
        let held = wait(&path, &Interrupt::new(), &mut |words| panic!("{words}")).unwrap();
        (path, held)
    }

    #[test]
    fn a_taken_lock_is_named_once_and_one_press_ends_the_wait() {
        let folder = tempfile::tempdir().unwrap();
        let (path, _held) = taken(folder.path());
        let interrupt = Interrupt::new();
        let mut said = Vec::new();
        let result = wait(&path, &interrupt, &mut |words| {
            said.push(words.to_owned());
            interrupt.press();
        });
        assert!(matches!(result, Err(BuildError::Interrupted)), "{result:?}");
        assert_eq!(said.len(), 1);
        assert!(said[0].contains("build.lock"), "{}", said[0]);
    }

    #[test]
    fn a_lock_that_is_given_back_is_had() {
        let folder = tempfile::tempdir().unwrap();
        let (path, held) = taken(folder.path());
        let mut held = Some(held);
        wait(&path, &Interrupt::new(), &mut |_| drop(held.take())).unwrap();
    }
}
