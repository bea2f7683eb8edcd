//! One thing that can be measured: a parameter set in one of its implementations.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::board::{Architecture, Board, Isa};
use crate::submission::Expected;
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
    /// Sizes in bytes, where they are known without running its code.
    pub sizes: Option<wire::Sizes>,
    /// Its published known answers.
    pub kat: Kat,
    /// The only architecture that it compiles for; `None` when it is portable C.
    pub architecture: Option<Architecture>,
    /// Extensions of the instruction set that it uses.
    pub required: Vec<Isa>,
    /// Libraries and languages beyond C that it uses.
    pub libraries: Vec<Library>,
    /// Macros for the compiler, `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Where its sources came from.
    pub origin: Origin,
    /// The folder that its files are named relative to.
    pub root: PathBuf,
    /// Other folders that some of its files lie under, each with what their names begin with.
    pub outside: Vec<(String, PathBuf)>,
    /// Every file that is compiled. Those that take longest come first.
    pub sources: Vec<PathBuf>,
    /// Folders in which the compiler looks for its headers.
    pub include_folders: Vec<PathBuf>,
    /// What its package seems to lack of it, in words. It may build all the same: not all that is
    /// included is compiled.
    pub incomplete: Option<String>,
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
    /// The NGCC interface: `kem_*`, `sig_*`, `kex_*` and `CryptHash`.
    Iccs,
}

impl Interface {
    /// The name in lists and records.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Nist { .. } => "nist",
            Self::Iccs => "iccs",
        }
    }
}

/// Published known answers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Kat {
    /// The first record of the NIST KAT.
    Nist(NistAnswer),
    /// The official texts of the NGCC interface.
    Iccs(IccsAnswers),
}

/// The first record of the NIST KAT.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct NistAnswer {
    /// SHA-256 of the record's text.
    pub sha256: [u8; 32],
    /// The generator behind `randombytes` in it.
    pub generator: kat::generator::Generator,
}

/// What is known of the official texts of one label; nothing for a candidate without any.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct IccsAnswers {
    /// Digests from the candidate's manifest.
    pub expected: Vec<Expected>,
    /// Texts that the package ships.
    pub texts: Vec<PathBuf>,
}

/// Where sources came from.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Origin {
    /// A package that cargo fetched and verified.
    Cargo(Package),
    /// A folder under `submissions/`.
    Folder(PathBuf),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cargo(package) => write!(f, "{} {}", package.name, package.version),
            Self::Folder(folder) => {
                let name = folder.file_name().unwrap_or_default().to_string_lossy();
                write!(f, "{}/{name}", crate::submission::FOLDER)
            }
        }
    }
}

/// What an instance needs beyond a C compiler and its library.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Library {
    /// The C++ language and its library.
    CPlusPlus,
    /// The GNU multiple-precision library.
    Gmp,
    /// OpenSSL's libcrypto.
    OpenSsl,
}

impl Library {
    /// All names in `candidate.toml`.
    pub const NAMES: [&str; 3] = ["c++", "gmp", "openssl"];

    /// The library of this name in `candidate.toml`.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "c++" => Self::CPlusPlus,
            "gmp" => Self::Gmp,
            "openssl" => Self::OpenSsl,
            _ => return None,
        })
    }

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::CPlusPlus => "C++",
            Self::Gmp => "GMP",
            Self::OpenSsl => "OpenSSL",
        }
    }

    /// What the linker knows it by.
    pub fn link_name(self) -> &'static str {
        match self {
            Self::CPlusPlus => "stdc++",
            Self::Gmp => "gmp",
            Self::OpenSsl => "crypto",
        }
    }
}

/// The language of a source.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Language {
    /// C.
    C,
    /// C++.
    CPlusPlus,
    /// Assembly, with or without the preprocessor.
    Assembly,
}

impl Language {
    /// The language that a file's name tells of; `None` for a file that is not compiled.
    pub fn of(file: &Path) -> Option<Self> {
        Some(match file.extension()?.to_str()? {
            "c" => Self::C,
            "cc" | "cpp" | "cxx" | "C" => Self::CPlusPlus,
            "s" | "S" => Self::Assembly,
            _ => return None,
        })
    }

    /// The sources directly in a folder, by name.
    ///
    /// # Errors
    ///
    /// When it cannot be listed.
    pub fn files_in(folder: &Path) -> Result<Vec<PathBuf>, CatalogueError> {
        let entries = fs::read_dir(folder).map_err(CatalogueError::file("list", folder))?;
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.map_err(CatalogueError::file("list", folder))?.path();
            if Self::of(&path).is_some() && path.is_file() {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }
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

    /// The same with these sources behind the others.
    pub(crate) fn with_sources(mut self, own: Vec<PathBuf>) -> Self {
        self.sources.extend(own);
        self
    }

    /// The generator behind NIST's known answers, where the instance has these.
    pub fn generator(&self) -> Option<kat::generator::Generator> {
        match &self.kat {
            Kat::Nist(answer) => Some(answer.generator),
            Kat::Iccs(_) => None,
        }
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
        if !board.is_this_machine() && !self.libraries.is_empty() {
            let names: Vec<_> = self
                .libraries
                .iter()
                .map(|library| library.name())
                .collect();
            let lacking = match board.bare_metal {
                true => "firmware does not have",
                false => "a build for another machine does not have",
            };
            return Err(Unavailable {
                reason: format!("needs {}, which {lacking}", names.join(", ")),
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

    /// A source's name, the same on every machine.
    pub fn source_name(&self, source: &Path) -> String {
        if let Ok(own) = source.strip_prefix(&self.root) {
            return own.display().to_string();
        }
        let named = self.outside.iter().find_map(|(prefix, folder)| {
            let relative = source.strip_prefix(folder).ok()?;
            Some(format!("{prefix}{}", relative.display()))
        });
        named.unwrap_or_else(|| source.display().to_string())
    }
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
            sizes: Some(wire::Sizes::default()),
            kat: Kat::Nist(NistAnswer {
                sha256: [0; 32],
                generator: kat::generator::Generator::NistDrbg,
            }),
            architecture: None,
            required: vec![],
            libraries: vec![],
            defines: vec![],
            origin: Origin::Folder("/submissions/example".into()),
            root: "/example".into(),
            outside: vec![("pqclean:".into(), "/pqclean".into())],
            sources: vec![],
            include_folders: vec![],
            incomplete: None,
            defect: None,
        }
    }

    #[test]
    fn names_of_sources_do_not_depend_on_the_machine() {
        let name = |path: &str| example("A").source_name(Path::new(path));
        assert_eq!(name("/example/a/b.c"), "a/b.c");
        assert_eq!(name("/pqclean/common/sha2.c"), "pqclean:common/sha2.c");
    }

    #[test]
    fn firmware_has_no_libraries_and_linux_has() {
        let mut instance = example("A");
        instance.libraries = vec![Library::CPlusPlus, Library::Gmp];
        let on = |board| instance.availability(board::board(board).unwrap());
        assert_eq!(
            on("qemu-virt").unwrap_err().reason,
            "needs C++, GMP, which firmware does not have"
        );
        assert_eq!(
            on("linux-aarch64").unwrap_err().reason,
            "needs C++, GMP, which a build for another machine does not have"
        );
        assert_eq!(on("linux"), Ok(()));
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
