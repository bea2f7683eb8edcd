//! What an image is made of, and the key that two equal images share.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use catalogue::{
    Board, CLibrary, FlagSet, Instance, Kat, Kind, Origin, Toolchain, compiler_flags, file_digest,
    submission,
};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::BuildError;
use crate::session::hexadecimal;
use crate::setup::{child, compiler};

/// Folders of the workspace that go into an image.
const FOLDERS: [&str; 5] = ["catalogue", "firmware", "kat", "linker", "wire"];

/// Files of the workspace that go into an image, beside cargo's configuration.
const FILES: [&str; 2] = ["Cargo.lock", "Cargo.toml"];

/// cargo's configuration.
const CONFIGURATION: &str = ".cargo";

/// What to build.
#[derive(Clone, Debug)]
pub struct Recipe<'a> {
    /// The instance.
    pub instance: &'a Instance,
    /// The board.
    pub board: &'static Board,
    /// Flags of the C compiler.
    pub flags: FlagSet,
    /// What the image is for.
    pub kind: Kind,
    /// Deliberate flaws, to test the instrument.
    pub drills: Vec<String>,
    /// Bytes by which the code is shifted, see [`catalogue::environment::LAYOUT`].
    pub layout: u32,
}

impl<'a> Recipe<'a> {
    /// The image that is timed, without flaws and with its code where the linker puts it.
    pub fn timed(instance: &'a Instance, board: &'static Board, flags: FlagSet) -> Self {
        Self {
            instance,
            board,
            flags,
            kind: Kind::Timed,
            drills: Vec::new(),
            layout: 0,
        }
    }
}

/// Everything that goes into an image. Two images with equal ingredients are equal.
#[derive(Clone, Debug, Serialize)]
pub struct Ingredients {
    board: String,
    cargo_target: String,
    candidate: String,
    label: String,
    flag_set: String,
    kind: String,
    drills: Vec<String>,
    layout: u32,
    rustc: String,
    c_compiler: String,
    c_library: String,
    /// What the instance is and every argument of its compiler, the order of files and folders
    /// included.
    instance: Vec<String>,
    /// Digest of every file, by its name below `$ROOT` or `$TREE`.
    files: BTreeMap<String, String>,
}

impl Ingredients {
    /// Reads everything that goes into an image of this recipe.
    ///
    /// # Errors
    ///
    /// When a tool or a file is missing.
    pub fn gather(recipe: &Recipe, root: &Path) -> Result<Self, BuildError> {
        let toolchain = Toolchain::find(recipe.board)?;
        Ok(Self {
            board: recipe.board.name.to_owned(),
            cargo_target: recipe.board.cargo_target.to_owned(),
            candidate: recipe.instance.candidate.clone(),
            label: recipe.instance.label.clone(),
            flag_set: recipe.flags.name().to_owned(),
            kind: recipe.kind.name().to_owned(),
            drills: recipe.drills.clone(),
            layout: recipe.layout,
            rustc: rust_compiler(root)?,
            c_compiler: format!(
                "{}: {}",
                toolchain.compiler.display(),
                toolchain.compiler_version
            ),
            c_library: c_library(&toolchain.library),
            instance: definition(recipe, &toolchain, root),
            files: digests(&files_of_workspace(root)?, root, "$ROOT")?
                .into_iter()
                .chain(digests(
                    &files_of_instance(recipe.instance)?,
                    &recipe.instance.root,
                    "$TREE",
                )?)
                .collect(),
        })
    }

    /// Ingredients of no image, told apart by the candidate.
    #[cfg(test)]
    pub(super) fn example(candidate: &str) -> Self {
        Self {
            board: "qemu-virt".to_owned(),
            cargo_target: "aarch64-unknown-none".to_owned(),
            candidate: candidate.to_owned(),
            label: "ML-KEM-768".to_owned(),
            flag_set: "guide".to_owned(),
            kind: Kind::Timed.name().to_owned(),
            drills: Vec::new(),
            layout: 0,
            rustc: "rustc 1.95.0".to_owned(),
            c_compiler: "gcc 12.2.0".to_owned(),
            c_library: "picolibc 1.8".to_owned(),
            instance: Vec::new(),
            files: BTreeMap::new(),
        }
    }

    /// The name in the cache.
    pub fn key(&self) -> String {
        hexadecimal(&Sha256::digest(self.text()))
    }

    /// The ingredients as text.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("texts and lists of texts are JSON") + "\n"
    }
}

/// The Rust compiler that cargo uses here, in its own words.
fn rust_compiler(root: &Path) -> Result<String, BuildError> {
    let program = std::env::var_os("RUSTC").map_or_else(
        || compiler::rustc(compiler::LocalConfig::load(root).as_ref()),
        PathBuf::from,
    );
    let output = child::command(&program)
        .arg("-vV")
        .current_dir(root)
        .output()
        .map_err(|source| BuildError::Tool {
            program: program.display().to_string(),
            source,
        })?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn c_library(library: &CLibrary) -> String {
    let archive = library
        .archive
        .as_ref()
        .map_or(String::new(), |archive| format!(" {}", archive.display()));
    format!("{} {}{archive}", library.name, library.version)
}

fn files_of_workspace(root: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let mut files: Vec<PathBuf> = FILES.iter().map(|name| root.join(name)).collect();
    let configuration = list(&root.join(CONFIGURATION))?.into_iter();
    files.extend(configuration.filter(|path| path.extension().is_some_and(|e| e == "toml")));
    for name in FOLDERS {
        files.extend(below(&root.join(name))?);
    }
    Ok(files)
}

/// What decides about an image beside the contents of files.
fn definition(recipe: &Recipe, toolchain: &Toolchain, root: &Path) -> Vec<String> {
    let instance = recipe.instance;
    let sources = instance.sources.iter();
    let mut lines = vec![
        format!("instance {}", instance.instance),
        format!("category {}", instance.category.name()),
        format!("interface {:?}", instance.interface),
        format!("libraries {:?}", instance.libraries),
        format!("known answers {:?}", instance.generator()),
    ];
    lines.extend(sources.map(|source| format!("source {}", instance.source_name(source))));
    // With the macros and the folders for headers, in their order.
    let board = recipe.board;
    lines.extend(compiler_flags(
        recipe.flags,
        instance,
        board,
        toolchain,
        root,
    ));
    lines
}

/// Every file that a source of the instance can include: the whole package where it is a folder,
/// whose files a user may edit, and otherwise its sources and what lies in its folders for headers.
fn files_of_instance(instance: &Instance) -> Result<Vec<PathBuf>, BuildError> {
    let mut files = instance.sources.clone();
    for folder in &instance.include_folders {
        files.extend(list(folder)?.into_iter().filter(|path| path.is_file()));
    }
    if let Origin::Folder(package) = &instance.origin {
        let texts: &[PathBuf] = match &instance.kat {
            Kat::Iccs(answers) => &answers.texts,
            Kat::Nist(_) => &[],
        };
        files.extend(below(package)?);
        // They are large, are no part of an image, and have outcomes of their own.
        files.retain(|file| !texts.contains(file) && !file.ends_with(submission::FILE));
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// Every file below a folder.
fn below(folder: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in list(&folder)? {
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    Ok(files)
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let entries = || -> io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?
            .map(|entry| Ok(entry?.path()))
            .collect()
    };
    entries().map_err(|source| BuildError::file("list", folder, source))
}

fn digests(
    files: &[PathBuf],
    root: &Path,
    prefix: &str,
) -> Result<Vec<(String, String)>, BuildError> {
    files
        .iter()
        .map(|file| {
            let name = file.strip_prefix(root).unwrap_or(file);
            Ok((format!("{prefix}/{}", name.display()), file_digest(file)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalogue::Catalogue;

    /// A package in a folder of its own, with a header that no folder for headers holds.
    fn package(folder: &Path) -> Instance {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let catalogue = Catalogue::load(&root).unwrap();
        let mut instance = catalogue.find("x25519/X25519").unwrap().clone();
        for name in ["first", "second", "elsewhere/tables"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        fs::write(folder.join("elsewhere/tables/t.inc"), "1").unwrap();
        instance.origin = Origin::Folder(folder.to_owned());
        instance.root = folder.to_owned();
        instance.include_folders = ["first", "second"].map(|name| folder.join(name)).into();
        instance
    }

    #[test]
    fn whatever_a_package_s_build_depends_on_changes_the_key() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let folder = tempfile::tempdir().unwrap();
        let instance = package(folder.path());
        let key = |instance: &Instance| {
            let recipe =
                Recipe::timed(instance, catalogue::board("linux").unwrap(), FlagSet::Guide);
            Ingredients::gather(&recipe, &root).unwrap().key()
        };
        let first = key(&instance);
        assert_eq!(key(&instance), first);

        let mut macros = instance.clone();
        macros.defines.push("MODE=2".to_owned());
        let mut order = instance.clone();
        order.include_folders.reverse();
        let mut libraries = instance.clone();
        libraries.libraries.push(catalogue::Library::Gmp);
        for changed in [&macros, &order, &libraries] {
            assert_ne!(key(changed), first);
        }
        fs::write(folder.path().join("elsewhere/tables/t.inc"), "2").unwrap();
        assert_ne!(key(&instance), first);
    }
}
