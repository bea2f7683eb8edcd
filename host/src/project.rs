//! Where the workspace is, and where cargo keeps what it builds.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use cargo_metadata::MetadataCommand;
use miette::Diagnostic;
use thiserror::Error;

use crate::setup::child;

/// The member by which the workspace is known.
const MEMBER: &str = "firmware";

/// The workspace that images are built from.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Project {
    /// The workspace's folder.
    pub root: PathBuf,
    /// cargo's target folder.
    pub target_folder: PathBuf,
}

/// Why there is no workspace to build images from.
#[derive(Debug, Error, Diagnostic)]
pub enum NoProject {
    /// This folder is not in one.
    #[error("this folder is not inside the meter's source tree: {reason}")]
    #[diagnostic(help("change into the source tree, then run `cargo host` again"))]
    Elsewhere {
        /// Why not.
        reason: String,
    },
    /// cargo, which knows the workspace, cannot be asked.
    #[error("`{program}` cannot be run, and only it knows where the workspace is: {source}")]
    #[diagnostic(help(
        "put cargo's folder, usually ~/.cargo/bin, into PATH, or install Rust: https://rustup.rs"
    ))]
    NoCargo {
        /// The program.
        program: String,
        /// The system's error.
        source: io::Error,
    },
}

impl Project {
    /// The workspace around the current folder, or else the one that this tool was built from.
    ///
    /// # Errors
    ///
    /// When neither is there.
    pub fn find() -> Result<Self, NoProject> {
        let here = std::env::current_dir().map_err(|error| NoProject::Elsewhere {
            reason: error.to_string(),
        })?;
        let built_from = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self::around(&here).or_else(|error| Self::around(built_from).map_err(|_| error))
    }

    /// The workspace around a folder.
    ///
    /// # Errors
    ///
    /// When cargo finds none there, or another one.
    pub fn around(folder: &Path) -> Result<Self, NoProject> {
        Self::asked_of(child::cargo(), folder)
    }

    fn asked_of(cargo: OsString, folder: &Path) -> Result<Self, NoProject> {
        let program = cargo.to_string_lossy().into_owned();
        let mut command = MetadataCommand::new();
        command.cargo_path(cargo).current_dir(folder).no_deps();
        let metadata = command.exec().map_err(|error| match error {
            cargo_metadata::Error::CargoMetadata { stderr } => NoProject::Elsewhere {
                reason: stderr.trim().to_owned(),
            },
            cargo_metadata::Error::Io(source) => NoProject::NoCargo { program, source },
            other => NoProject::Elsewhere {
                reason: other.to_string(),
            },
        })?;
        let is_ours = metadata
            .workspace_packages()
            .iter()
            .any(|package| package.name.as_str() == MEMBER);
        if !is_ours {
            return Err(NoProject::Elsewhere {
                reason: format!("{} has no member `{MEMBER}`", metadata.workspace_root),
            });
        }
        Ok(Self {
            root: metadata.workspace_root.into(),
            target_folder: metadata.target_directory.into(),
        })
    }

    /// The folder for everything of ours in cargo's target folder.
    pub fn work_folder(&self) -> PathBuf {
        self.target_folder.join("ngcc")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_is_found_from_any_folder_in_it() {
        let from = |folder: &str| {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            Project::around(&folder).unwrap()
        };
        let root = from("..").root;
        assert!(root.join("firmware/Cargo.toml").is_file());
        assert_eq!(from("src/verb").root, root);
    }

    #[test]
    fn a_missing_cargo_is_not_blamed_on_the_folder() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let error = Project::asked_of("/nowhere/cargo".into(), here).unwrap_err();
        assert!(matches!(error, NoProject::NoCargo { .. }), "{error}");
        assert!(
            error
                .to_string()
                .starts_with("`/nowhere/cargo` cannot be run")
        );
        assert!(error.help().unwrap().to_string().contains("PATH"));
    }

    #[test]
    fn another_folder_is_refused_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let error = Project::around(folder.path()).unwrap_err();
        assert!(error.to_string().contains("Cargo.toml"), "{error}");
    }
}
