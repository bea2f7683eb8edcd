//! What can be measured, and how it is compiled.
//!
//! The firmware's build script and the host tool both start here, so that they mean the same
//! instance, the same board and the same flags by the same name. [`Catalogue`] lists the
//! instances, [`boards`] the machines that images are built for, [`FlagSet`] the compiler flags,
//! [`Toolchain`] the programs that a build needs, and [`BuildReport`] what a build says of itself.

mod board;
pub mod environment;
mod error;
mod flags;
mod instance;
mod map;
mod names;
mod package;
mod pqclean;
mod report;
pub mod submission;
mod toolchain;

use std::path::{Path, PathBuf};

pub use board::{Architecture, Board, Isa, board, board_for_target, boards};
pub use error::CatalogueError;
pub use flags::{FlagSet, compiler_flags};
pub use instance::{
    IccsAnswers, Instance, Interface, Kat, Language, Library, NistAnswer, Origin, Unavailable,
};
pub use map::{MemoryFunction, check_map};
pub use package::Package;
pub use report::{BuildReport, CompilerReport, LibraryReport, Unit, file_digest};
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
}

impl Catalogue {
    /// Reads what there is; `root` is the workspace's folder.
    ///
    /// # Errors
    ///
    /// When cargo cannot say where the C sources are, or one of their descriptions is malformed, or
    /// a `candidate.toml` or a manifest is.
    pub fn load(root: &Path) -> Result<Self, CatalogueError> {
        let package = package::locate(root, pqclean::PACKAGE)?;
        let mut instances = pqclean::scan(&package)?;
        let mut tests = Vec::new();
        let listed = std::env::var_os(environment::TEST_PACKAGES).is_some();
        for (instance, test) in submission::scan(root, &pqclean::tree(&package))? {
            let list = if test && !listed {
                &mut tests
            } else {
                &mut instances
            };
            list.push(instance);
        }
        names::check_labels(instances.iter().chain(&tests))?;
        Ok(Self {
            root: root.to_owned(),
            instances,
            tests,
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

    /// The instance of this name, `<candidate>/<label>`.
    ///
    /// # Errors
    ///
    /// [`CatalogueError::UnknownInstance`] lists near names.
    pub fn find(&self, name: &str) -> Result<&Instance, CatalogueError> {
        self.instances
            .iter()
            .chain(&self.tests)
            .find(|instance| instance.name() == name)
            .ok_or_else(|| names::unknown_instance(name, &self.instances, &self.root))
    }
}
