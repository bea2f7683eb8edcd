//! Where cargo keeps a package's sources.

use std::path::{Path, PathBuf};

use cargo_metadata::MetadataCommand;

use crate::CatalogueError;

/// A package that carries C sources.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Package {
    /// Name on crates.io.
    pub name: String,
    /// Version, pinned together with a checksum in Cargo.lock.
    pub version: String,
    /// Its unpacked folder.
    pub folder: PathBuf,
}

/// Asks cargo for a package among the workspace's dependencies.
///
/// First without the network: cargo has fetched everything that it builds. A package that no
/// target builds is fetched only when asked for, so the second question may use the network.
pub(crate) fn locate(root: &Path, name: &'static str) -> Result<Package, CatalogueError> {
    let metadata = ask(root, &["--locked", "--offline"])
        .or_else(|_| ask(root, &["--locked"]))
        .map_err(|error| CatalogueError::Metadata {
            root: root.to_owned(),
            output: match error {
                cargo_metadata::Error::CargoMetadata { stderr } => stderr.trim().to_owned(),
                other => other.to_string(),
            },
        })?;
    let package = metadata
        .packages
        .iter()
        .find(|package| package.name.as_str() == name)
        .ok_or_else(|| CatalogueError::NoPackage {
            root: root.to_owned(),
            package: name,
        })?;
    let folder = package
        .manifest_path
        .parent()
        .map_or_else(|| root.to_owned(), |folder| folder.as_std_path().to_owned());
    Ok(Package {
        name: package.name.to_string(),
        version: package.version.to_string(),
        folder,
    })
}

fn ask(root: &Path, options: &[&str]) -> cargo_metadata::Result<cargo_metadata::Metadata> {
    MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .current_dir(root)
        // Set for a build script and meant for its target: cargo would ask rustc once more.
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .other_options(options.iter().map(ToString::to_string).collect::<Vec<_>>())
        .exec()
}
