//! Images by their ingredients: built once, kept whole or not at all.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use catalogue::{BuildReport, check_map};

use super::build::{self, Built};
use super::{BuildError, Elf, Image, Ingredients, Recipe};
use crate::interrupt::Interrupt;
use crate::project::Project;

/// Names of the files of an image.
const ELF: &str = "firmware.elf";
const MAP: &str = "firmware.map";
const KEY: &str = "key.json";

/// The cache of images in a workspace.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
    folder: PathBuf,
}

impl Cache {
    /// The cache of this workspace.
    pub fn new(project: &Project) -> Self {
        Self {
            root: project.root.clone(),
            folder: project.work_folder(),
        }
    }

    /// The image of a recipe, built if it is not there yet.
    ///
    /// # Errors
    ///
    /// [`BuildError::Failed`] when the instance is at fault, and others when it is not.
    pub fn image(&self, recipe: &Recipe, interrupt: &Interrupt) -> Result<Image, BuildError> {
        let ingredients = Ingredients::gather(recipe, &self.root)?;
        let key = ingredients.key();
        let images = self.folder.join("images");
        let place = images.join(&key);
        if !place.is_dir() {
            self.build(recipe, &ingredients, &images, &place, interrupt)?;
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
            name: format!("images/{key}/{ELF}"),
        })
    }

    /// Removes the image of a recipe, so that it will be built anew.
    ///
    /// # Errors
    ///
    /// When it is there and cannot be removed.
    pub fn forget(&self, recipe: &Recipe) -> Result<(), BuildError> {
        let key = Ingredients::gather(recipe, &self.root)?.key();
        let place = self.folder.join("images").join(key);
        match fs::remove_dir_all(&place) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(BuildError::file("remove", &place, error))
            }
            _ => Ok(()),
        }
    }

    /// Builds into a temporary folder beside the others and gives it its name when it is whole.
    /// cargo's folder is shared, so one build at a time runs and is copied.
    fn build(
        &self,
        recipe: &Recipe,
        ingredients: &Ingredients,
        images: &Path,
        place: &Path,
        interrupt: &Interrupt,
    ) -> Result<(), BuildError> {
        create(images)?;
        let lock = self.folder.join("build.lock");
        let lock_file = File::create(&lock).map_err(|e| BuildError::file("create", &lock, e))?;
        lock_file
            .lock()
            .map_err(|e| BuildError::file("lock", &lock, e))?;
        if place.is_dir() {
            return Ok(()); // Another campaign built it while we waited.
        }
        let built = build::cargo(recipe, &self.root, &self.folder.join("build"), interrupt)?;
        let draft = tempfile::Builder::new()
            .prefix(".draft-")
            .tempdir_in(images)
            .map_err(|e| BuildError::file("create a folder in", images, e))?;
        collect(&built, draft.path())?;
        let key = draft.path().join(KEY);
        fs::write(&key, ingredients.text()).map_err(|e| BuildError::file("write", &key, e))?;
        let draft = draft.keep();
        fs::rename(&draft, place).map_err(|e| BuildError::file("rename", &draft, e))
    }
}

/// Copies what belongs to an image out of cargo's folders.
fn collect(built: &Built, draft: &Path) -> Result<(), BuildError> {
    for (from, name) in [
        (built.executable.clone(), ELF),
        (built.out_folder.join(MAP), MAP),
        (built.out_folder.join(BuildReport::FILE), BuildReport::FILE),
    ] {
        fs::copy(&from, draft.join(name)).map_err(|e| BuildError::file("copy", &from, e))?;
    }
    Ok(())
}

fn create(folder: &Path) -> Result<(), BuildError> {
    fs::create_dir_all(folder).map_err(|e| BuildError::file("create", folder, e))
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
