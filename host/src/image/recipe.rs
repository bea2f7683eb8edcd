//! What an image is made of, and the key that two equal images share.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use catalogue::{Board, CLibrary, FlagSet, Instance, Toolchain, file_digest};
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
    /// Deliberate flaws, to test the instrument.
    pub drills: Vec<String>,
}

/// Everything that goes into an image. Two images with equal ingredients are equal.
#[derive(Clone, Debug, Serialize)]
pub struct Ingredients {
    board: String,
    cargo_target: String,
    candidate: String,
    label: String,
    flag_set: String,
    drills: Vec<String>,
    rustc: String,
    c_compiler: String,
    c_library: String,
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
            drills: recipe.drills.clone(),
            rustc: rust_compiler(root)?,
            c_compiler: format!(
                "{}: {}",
                toolchain.compiler.display(),
                toolchain.compiler_version
            ),
            c_library: c_library(&toolchain.library),
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
            drills: Vec::new(),
            rustc: "rustc 1.95.0".to_owned(),
            c_compiler: "gcc 12.2.0".to_owned(),
            c_library: "picolibc 1.8".to_owned(),
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
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|name| root.join(name)).collect();
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

/// The sources of an instance, and whatever lies in the folders of its headers.
fn files_of_instance(instance: &Instance) -> Result<Vec<PathBuf>, BuildError> {
    let mut files = instance.sources.clone();
    for folder in &instance.include_folders {
        files.extend(list(folder)?.into_iter().filter(|path| path.is_file()));
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
