//! Images by their ingredients: built once, kept whole or not at all, and never used unseen.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use catalogue::{BuildReport, check_map};

use super::build::{self, Built};
use super::lock;
use super::seal::{self, Flaw};
use super::{BuildError, Elf, Image, Ingredients, Recipe};
use crate::interrupt::Interrupt;
use crate::notice;
use crate::project::Project;

/// Names of the files of an image, whose digests its key keeps.
const ELF: &str = "firmware.elf";
const MAP: &str = "firmware.map";
const ARTEFACTS: [&str; 3] = [ELF, MAP, BuildReport::FILE];

/// How the names of folders begin in which images come about.
const DRAFT: &str = ".draft-";

/// The cache of images in a workspace.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
    folder: PathBuf,
    turn: Arc<Turn>,
}

/// Who builds next among the threads of this process, which share cargo's folder.
#[derive(Debug, Default)]
struct Turn {
    /// Threads that need an image now.
    wanted: AtomicUsize,
    building: Mutex<()>,
}

impl Turn {
    /// Waits for the turn of a thread that needs its image now.
    fn take(&self) -> MutexGuard<'_, ()> {
        self.wanted.fetch_add(1, Ordering::Relaxed);
        let turn = self.building.lock().unwrap_or_else(PoisonError::into_inner);
        self.wanted.fetch_sub(1, Ordering::Relaxed);
        turn
    }

    /// The turn of a thread that builds what will be needed later, unless another wants it now.
    fn take_if_free(&self) -> Option<MutexGuard<'_, ()>> {
        if self.wanted.load(Ordering::Relaxed) > 0 {
            return None;
        }
        self.building.try_lock().ok()
    }
}

impl Cache {
    /// The cache of this workspace.
    pub fn new(project: &Project) -> Self {
        Self {
            root: project.root.clone(),
            folder: project.work_folder(),
            turn: Arc::default(),
        }
    }

    /// The image of a recipe, built if it is not there yet or not what was built.
    ///
    /// # Errors
    ///
    /// [`BuildError::Failed`] when the instance is at fault, and others when it is not.
    pub fn image(&self, recipe: &Recipe, interrupt: &Interrupt) -> Result<Image, BuildError> {
        let ingredients = Ingredients::gather(recipe, &self.root)?;
        let key = ingredients.key();
        let place = self.images().join(&key);
        if seal::check(&place, &ingredients, &ARTEFACTS).is_err() {
            let _turn = self.turn.take();
            self.build(recipe, &ingredients, &place, interrupt)?;
        }
        if recipe.board.bare_metal {
            check_map(&place.join(MAP))?;
        }
        Ok(Image {
            elf: Elf::read(&place.join(ELF))?,
            instance: Some((
                recipe.instance.candidate.clone(),
                recipe.instance.label.clone(),
            )),
            report: Some(BuildReport::read(&place.join(BuildReport::FILE))?),
            name: name(&key),
        })
    }

    /// The same, where an instance that does not build is no error: the inner one says why.
    ///
    /// # Errors
    ///
    /// What keeps every instance from being built.
    pub fn attempt(
        &self,
        recipe: &Recipe,
        interrupt: &Interrupt,
    ) -> Result<Result<Image, String>, BuildError> {
        match self.image(recipe, interrupt) {
            Ok(image) => Ok(Ok(image)),
            Err(BuildError::Failed { reason, .. }) => Ok(Err(reason)),
            Err(error) => Err(error),
        }
    }

    /// Builds the image of a recipe that will be needed later, unless it is there or somebody needs
    /// another now; returns whether there was time for it.
    ///
    /// # Errors
    ///
    /// As [`Cache::image`].
    pub fn ahead(&self, recipe: &Recipe, interrupt: &Interrupt) -> Result<bool, BuildError> {
        let ingredients = Ingredients::gather(recipe, &self.root)?;
        let place = self.images().join(ingredients.key());
        if seal::check(&place, &ingredients, &ARTEFACTS).is_ok() {
            return Ok(true);
        }
        let Some(_turn) = self.turn.take_if_free() else {
            return Ok(false);
        };
        self.build(recipe, &ingredients, &place, interrupt)?;
        Ok(true)
    }

    /// The name that the image of a recipe has in records, whether it is built or not.
    ///
    /// # Errors
    ///
    /// When a tool or a file that goes into it is missing.
    pub fn name(&self, recipe: &Recipe) -> Result<String, BuildError> {
        Ok(name(&Ingredients::gather(recipe, &self.root)?.key()))
    }

    /// Removes the image of a recipe, so that it will be built anew.
    ///
    /// # Errors
    ///
    /// When it is there and cannot be removed.
    pub fn forget(&self, recipe: &Recipe) -> Result<(), BuildError> {
        let key = Ingredients::gather(recipe, &self.root)?.key();
        remove(&self.images().join(key))
    }

    /// The folder of all images.
    fn images(&self) -> PathBuf {
        self.folder.join("images")
    }

    /// Builds into a temporary folder beside the others and gives it its name when it is whole.
    /// cargo's folder is shared, so one build at a time runs and is copied.
    fn build(
        &self,
        recipe: &Recipe,
        ingredients: &Ingredients,
        place: &Path,
        interrupt: &Interrupt,
    ) -> Result<(), BuildError> {
        let images = self.images();
        fs::create_dir_all(&images).map_err(|e| BuildError::file("create", &images, e))?;
        let _alone = lock::wait(&self.folder.join("build.lock"), interrupt, &mut |words| {
            notice::line(words);
        })?;
        match seal::check(place, ingredients, &ARTEFACTS) {
            Ok(()) => return Ok(()), // Another campaign built it while we waited.
            Err(Flaw::Absent) => {}
            Err(flaw) => {
                notice::line(format_args!(
                    "{}: the image kept for {} is not used: {flaw}; building it anew",
                    place.display(),
                    recipe.instance.name(),
                ));
                remove(place)?;
            }
        }
        remove_drafts(&images)?;
        let built = build::cargo(recipe, &self.root, &self.folder.join("build"), interrupt)?;
        let draft = tempfile::Builder::new()
            .prefix(DRAFT)
            .tempdir_in(&images)
            .map_err(|e| BuildError::file("create a folder in", &images, e))?;
        collect(&built, draft.path())?;
        seal::write(draft.path(), ingredients, &ARTEFACTS)?;
        settle(draft.path())?;
        fs::rename(draft.path(), place).map_err(|e| BuildError::file("rename", draft.path(), e))?;
        // Its name is another one now.
        let _ = draft.keep();
        settle(&images)
    }
}

/// The name of an image in records, by its key.
fn name(key: &str) -> String {
    format!("images/{key}/{ELF}")
}

/// Copies what belongs to an image out of cargo's folders, and onto the disk.
fn collect(built: &Built, draft: &Path) -> Result<(), BuildError> {
    for (from, name) in [
        (built.executable.clone(), ELF),
        (built.out_folder.join(MAP), MAP),
        (built.out_folder.join(BuildReport::FILE), BuildReport::FILE),
    ] {
        let to = draft.join(name);
        fs::copy(&from, &to).map_err(|e| BuildError::file("copy", &from, e))?;
        settle(&to)?;
    }
    Ok(())
}

/// Waits until a file, or the names in a folder, would survive a loss of power.
fn settle(path: &Path) -> Result<(), BuildError> {
    let sync = || -> io::Result<()> { File::open(path)?.sync_all() };
    sync().map_err(|e| BuildError::file("write", path, e))
}

/// Removes what builds left that were killed; nobody but the holder of the lock has a draft.
fn remove_drafts(images: &Path) -> Result<(), BuildError> {
    let entries = fs::read_dir(images).map_err(|e| BuildError::file("read", images, e))?;
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(DRAFT) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

/// Removes an image, or whatever stands in its place.
fn remove(place: &Path) -> Result<(), BuildError> {
    let removed = match fs::symlink_metadata(place) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(place),
        Ok(_) => fs::remove_file(place),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(BuildError::file("remove", place, error))
        }
        _ => Ok(()),
    }
}

/// What the build said of an image that was built elsewhere: its report lies beside it, or in the
/// output folder of the build script that cargo ran last for it.
pub fn report_beside(elf: &Path) -> Option<BuildReport> {
    let folder = elf.parent()?;
    let beside = folder.join(BuildReport::FILE);
    if beside.is_file() {
        return BuildReport::read(&beside).ok();
    }
    let scripts = fs::read_dir(folder.join("build")).ok()?.flatten();
    let reports = scripts
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("firmware-"))
        .map(|entry| entry.path().join("out").join(BuildReport::FILE));
    let newest = reports
        .filter_map(|file| Some((fs::metadata(&file).ok()?.modified().ok()?, file)))
        .max()?;
    BuildReport::read(&newest.1).ok()
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn who_needs_an_image_now_comes_before_who_builds_ahead() {
        let turn = Turn::default();
        let ahead = turn.take_if_free().unwrap();
        thread::scope(|scope| {
            let now = scope.spawn(|| drop(turn.take()));
            while turn.wanted.load(Ordering::Relaxed) == 0 {
                thread::yield_now();
            }
            drop(ahead);
            now.join().unwrap();
        });
        let now = turn.take();
        assert!(turn.take_if_free().is_none());
        drop(now);
        turn.wanted.store(1, Ordering::Relaxed);
        assert!(turn.take_if_free().is_none());
    }
}
