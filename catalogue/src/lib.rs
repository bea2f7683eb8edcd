//! What can be measured, and how it is compiled.
//!
//! The firmware's build script and the host tool both start here, so that they mean the same
//! instance, the same board and the same flags by the same name. [`Catalogue`] lists the
//! instances, [`boards`] the machines that images are built for, [`FlagSet`] the compiler flags,
//! [`Toolchain`] the programs that a build needs, and [`BuildReport`] what a build says of itself.

mod board;
mod digest;
pub mod environment;
mod error;
mod flags;
mod instance;
mod kind;
mod map;
mod names;
mod package;
mod pqclean;
mod report;
pub mod submission;
mod symmetric;
mod toolchain;

use std::path::{Path, PathBuf};

pub use board::{Architecture, Board, FlatImage, Isa, board, board_to_build, boards};
pub use digest::{file_digest, sha256_from_hexadecimal};
pub use error::CatalogueError;
pub use flags::{FlagSet, compiler_flags};
pub use instance::{
    IccsAnswers, Instance, Interface, Kat, Language, Library, NistAnswer, Origin, Unavailable,
};
pub use kind::Kind;
pub use map::{MemoryFunction, check_map};
pub use package::Package;
pub use report::{BuildReport, CompilerReport, Frame, FrameKind, LibraryReport, Unit};
pub use submission::BrokenPackage;
pub use symmetric::{Primitive, Symmetric, SymmetricFunction};
pub use toolchain::{CLibrary, Toolchain};

/// The instance that is built when none is named.
pub const DEFAULT_INSTANCE: &str = "pqclean/ML-KEM-768";

/// The board that is built for when none is named and the target is bare metal.
pub const DEFAULT_BOARD: &str = "qemu-virt";

/// Every instance that can be measured.
#[derive(Clone, Debug)]
pub struct Catalogue {
    root: PathBuf,
    instances: Vec<Instance>,
    /// Those of packages that test the instrument, measured only when named.
    tests: Vec<Instance>,
    broken: Vec<BrokenPackage>,
}

impl Catalogue {
    /// Reads what there is; `root` is the workspace's folder.
    ///
    /// # Errors
    ///
    /// When cargo cannot say where the C sources are, or one of their descriptions is malformed, or
    /// the packages cannot be listed. A package with something wrong in it stops no other: see
    /// [`Catalogue::broken`].
    pub fn load(root: &Path) -> Result<Self, CatalogueError> {
        let package = package::locate(root, pqclean::PACKAGE)?;
        let tree = pqclean::tree(&package);
        let mut instances = pqclean::scan(&package)?;
        names::check_labels(&instances, &tree)?;
        let mut tests = Vec::new();
        let listed = std::env::var_os(environment::TEST_PACKAGES).is_some();
        let packages = submission::scan(root, &tree, pqclean::CANDIDATE)?;
        for (instance, test) in packages.instances {
            let list = if test && !listed {
                &mut tests
            } else {
                &mut instances
            };
            list.push(instance);
        }
        Ok(Self {
            root: root.to_owned(),
            instances,
            tests,
            broken: packages.broken,
        })
    }

    /// The workspace's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All instances: PQClean's KEMs first, each kind by name, the portable variant first; then the
    /// packages by name.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// All instances, and those of packages that test the instrument.
    pub fn all(&self) -> impl Iterator<Item = &Instance> {
        self.instances.iter().chain(&self.tests)
    }

    /// Names of instances that are not listed, because their packages test the instrument, and that are
    /// chosen: why a choice may have found nothing, or less than was meant.
    pub fn unlisted(&self, chosen: impl Fn(&str) -> bool) -> Vec<String> {
        let names = self.tests.iter().map(Instance::name);
        names.filter(|name| chosen(name)).collect()
    }

    /// The packages that have something wrong in them and whose instances are left out, by path.
    pub fn broken(&self) -> &[BrokenPackage] {
        &self.broken
    }

    /// What is wrong with the first broken package one of whose names is chosen: why a choice may
    /// have found nothing.
    pub fn broken_among(&self, chosen: impl Fn(&str) -> bool) -> Option<CatalogueError> {
        let mut packages = self.broken.iter();
        packages
            .find(|package| package.names().iter().any(|name| chosen(name)))
            .map(|package| package.error.clone())
    }

    /// The instance of this name, `<candidate>/<label>`.
    ///
    /// # Errors
    ///
    /// What is wrong with the package of that candidate, where it is a broken one; otherwise
    /// [`CatalogueError::UnknownInstance`], which lists near names.
    pub fn find(&self, name: &str) -> Result<&Instance, CatalogueError> {
        self.all()
            .find(|instance| instance.name() == name)
            .ok_or_else(|| {
                let candidate = name.split('/').next().unwrap_or(name);
                let mut broken = self.broken.iter();
                match broken.find(|package| package.is_called(candidate)) {
                    Some(package) => package.error.clone(),
                    None => names::unknown_instance(name, &self.instances, &self.root),
                }
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_for_a_broken_package_hears_what_is_wrong_with_it() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("submissions/folder");
        std::fs::create_dir_all(&folder).unwrap();
        let text = "id = \"x\"\nlabel = \"A-1\"\nlabel = \"A-2\"\n";
        std::fs::write(folder.join(submission::FILE), text).unwrap();
        let packages = submission::scan(root.path(), root.path(), "pqclean").unwrap();
        let catalogue = Catalogue {
            root: root.path().to_owned(),
            instances: vec![instance::tests::example("A-3")],
            tests: Vec::new(),
            broken: packages.broken,
        };
        assert_eq!(catalogue.broken()[0].folder, folder);
        for name in ["x/A-1", "x/A-3", "folder/A-1", "x"] {
            let error = catalogue.find(name).unwrap_err();
            assert!(matches!(error, CatalogueError::Candidate { .. }), "{name}");
        }
        assert!(catalogue.find("pqclean/A-3").is_ok());
        for name in ["pqclean/A-1", "y/A-1"] {
            let error = catalogue.find(name).unwrap_err();
            assert!(
                matches!(error, CatalogueError::UnknownInstance { .. }),
                "{name}"
            );
        }
        assert!(catalogue.broken_among(|name| name == "x/A-2").is_some());
        assert!(catalogue.broken_among(|name| name == "x/A-3").is_none());
    }
}
