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
mod toolchain;

use std::path::{Path, PathBuf};

pub use board::{Architecture, Board, Isa, board, board_for_target, boards};
pub use error::CatalogueError;
pub use flags::{FlagSet, compiler_flags};
pub use instance::{Instance, Interface, Kat, Unavailable};
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
}

impl Catalogue {
    /// Reads what there is; `root` is the workspace's folder.
    ///
    /// # Errors
    ///
    /// When cargo cannot say where the C sources are, or one of their descriptions is malformed.
    pub fn load(root: &Path) -> Result<Self, CatalogueError> {
        let package = package::locate(root, pqclean::PACKAGE)?;
        let instances = pqclean::scan(&package)?;
        names::check_labels(&instances)?;
        Ok(Self {
            root: root.to_owned(),
            instances,
        })
    }

    /// The workspace's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All instances: KEMs first, each kind by name, the portable variant first.
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
            .find(|instance| instance.name() == name)
            .ok_or_else(|| names::unknown_instance(name, &self.instances))
    }
}
