//! One thing that can be measured: a parameter set in one of its implementations.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::board::{Architecture, Board, Isa};
use crate::{CatalogueError, Package};

/// One parameter set of a candidate, in one of its implementations.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The candidate's id.
    pub candidate: String,
    /// Unique within the candidate, used in every file name and command.
    pub label: String,
    /// The parameter set, as its package names it.
    pub instance: String,
    /// The implementation: `clean`, `aarch64`, `avx2`.
    pub variant: String,
    /// What kind of scheme it is.
    pub category: wire::Category,
    /// How its functions are called.
    pub interface: Interface,
    /// Sizes in bytes that it claims.
    pub sizes: wire::Sizes,
    /// Its published known answers.
    pub kat: Kat,
    /// The only architecture that it compiles for; `None` when it is portable C.
    pub architecture: Option<Architecture>,
    /// Extensions of the instruction set that it uses.
    pub required: Vec<Isa>,
    /// The package that it came with.
    pub package: Package,
    /// The folder that all its files lie under, and that they are named relative to.
    pub root: PathBuf,
    /// The folder of its own sources.
    pub folder: PathBuf,
    /// Sources that it shares with other instances.
    pub shared_sources: Vec<PathBuf>,
    /// Folders in which the compiler looks for its headers.
    pub include_folders: Vec<PathBuf>,
    /// Why it cannot be built with GNU tools even where the instruction set would do.
    pub(crate) defect: Option<&'static str>,
}

/// The C interface that a submission speaks.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Interface {
    /// `crypto_kem_*` and `crypto_sign_*`, as NIST's call defines them.
    Nist {
        /// What precedes every global name, for example `PQCLEAN_MLKEM768_CLEAN_`.
        prefix: String,
    },
}

impl Interface {
    /// The name in lists and records.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Nist { .. } => "nist",
        }
    }
}

/// Published known answers: the first record of the NIST KAT.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Kat {
    /// SHA-256 of the record's text.
    pub sha256: [u8; 32],
    /// The generator behind `randombytes` in it.
    pub generator: kat::generator::Generator,
}

/// Why an instance cannot be measured on a board.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Unavailable {
    /// In words that follow "unavailable:".
    pub reason: String,
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Unavailable {}

impl Instance {
    /// `<candidate>/<label>`, which is unique.
    pub fn name(&self) -> String {
        format!("{}/{}", self.candidate, self.label)
    }

    /// Whether the board can run it.
    ///
    /// # Errors
    ///
    /// The reason names the architecture or the instructions that are missing.
    pub fn availability(&self, board: &Board) -> Result<(), Unavailable> {
        if let Some(needed) = self.architecture
            && needed != board.architecture
        {
            return Err(Unavailable {
                reason: format!(
                    "needs {needed}, and {} is {}",
                    board.name, board.architecture
                ),
            });
        }
        let missing: Vec<&str> = self
            .required
            .iter()
            .filter(|isa| !board.has(**isa))
            .map(|isa| isa.name())
            .collect();
        let reason = match (missing.is_empty(), self.defect) {
            (true, None) => return Ok(()),
            (true, Some(defect)) => defect.to_owned(),
            (false, None) => {
                format!("needs {}, which {} lacks", missing.join(", "), board.core)
            }
            (false, Some(defect)) => format!(
                "needs {}, which {} lacks (and {defect})",
                missing.join(", "),
                board.core
            ),
        };
        Err(Unavailable { reason })
    }

    /// Every file that is compiled: the shared ones, which take longest and so are compiled
    /// first, then its own by name.
    ///
    /// # Errors
    ///
    /// When its folder cannot be listed.
    pub fn sources(&self) -> Result<Vec<PathBuf>, CatalogueError> {
        let mut own = fs::read_dir(&self.folder)
            .and_then(|entries| {
                entries
                    .map(|entry| entry.map(|entry| entry.path()))
                    .collect::<Result<Vec<_>, _>>()
            })
            .map_err(CatalogueError::file("list", &self.folder))?;
        own.retain(|path| is_source(path));
        own.sort();
        Ok([self.shared_sources.clone(), own].concat())
    }

    /// A source's name relative to [`Instance::root`], the same on every machine.
    pub fn source_name(&self, source: &Path) -> String {
        source
            .strip_prefix(&self.root)
            .unwrap_or(source)
            .display()
            .to_string()
    }
}

/// C, and assembly with or without the preprocessor.
fn is_source(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| ["c", "s", "S"].iter().any(|known| extension == *known))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::board;

    /// An instance with nothing behind it.
    pub(crate) fn example(label: &str) -> Instance {
        Instance {
            candidate: "pqclean".into(),
            label: label.into(),
            instance: label.into(),
            variant: "clean".into(),
            category: wire::Category::Kem,
            interface: Interface::Nist {
                prefix: "PQCLEAN_EXAMPLE_CLEAN_".into(),
            },
            sizes: wire::Sizes::default(),
            kat: Kat {
                sha256: [0; 32],
                generator: kat::generator::Generator::NistDrbg,
            },
            architecture: None,
            required: vec![],
            package: Package {
                name: "example".into(),
                version: "1.0.0".into(),
                folder: "/example".into(),
            },
            root: "/example".into(),
            folder: "/example/clean".into(),
            shared_sources: vec![],
            include_folders: vec![],
            defect: None,
        }
    }

    #[test]
    fn portable_code_runs_everywhere() {
        for board in board::boards() {
            assert_eq!(example("A").availability(board), Ok(()));
        }
    }

    #[test]
    fn the_reason_names_what_is_missing() {
        let virt = board::board("qemu-virt").unwrap();
        let mut instance = example("A");
        instance.architecture = Some(Architecture::X86_64);
        instance.required = vec![Isa::Avx2];
        assert_eq!(
            instance.availability(virt).unwrap_err().reason,
            "needs x86_64, and qemu-virt is aarch64"
        );
        instance.architecture = Some(Architecture::Aarch64);
        instance.required = vec![Isa::Sha3];
        assert_eq!(
            instance.availability(virt).unwrap_err().reason,
            "needs FEAT_SHA3, which cortex-a72 lacks"
        );
        instance.defect = Some("it has a defect");
        assert_eq!(
            instance.availability(virt).unwrap_err().reason,
            "needs FEAT_SHA3, which cortex-a72 lacks (and it has a defect)"
        );
        instance.required = vec![Isa::Asimd];
        assert_eq!(
            instance.availability(virt).unwrap_err().reason,
            "it has a defect"
        );
    }
}
