//! Where the workspace is, and where cargo keeps what it builds.

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

/// There is no workspace to build images from.
#[derive(Debug, Error, Diagnostic)]
#[error("this folder is not inside the meter's source tree: {reason}")]
#[diagnostic(help("change into the source tree, then run `cargo host` again"))]
pub struct NoProject {
    reason: String,
}

impl Project {
    /// The workspace around the current folder, or else the one that this tool was built from.
    ///
    /// # Errors
    ///
    /// When neither is there.
    pub fn find() -> Result<Self, NoProject> {
        let here = std::env::current_dir().map_err(|error| NoProject {
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
        let mut command = MetadataCommand::new();
        command
            .cargo_path(child::cargo())
            .current_dir(folder)
            .no_deps();
        let metadata = command.exec().map_err(|error| NoProject {
            reason: match error {
                cargo_metadata::Error::CargoMetadata { stderr } => stderr.trim().to_owned(),
                other => other.to_string(),
            },
        })?;
        let is_ours = metadata
            .workspace_packages()
            .iter()
            .any(|package| package.name.as_str() == MEMBER);
        if !is_ours {
            return Err(NoProject {
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
    fn another_folder_is_refused_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let error = Project::around(folder.path()).unwrap_err();
        assert!(error.to_string().contains("Cargo.toml"), "{error}");
    }
}
