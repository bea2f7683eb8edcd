//! `candidate.toml`: what a package holds and how each of its instances is compiled.
//!
//! Import writes the file, people read and correct it, and the catalogue reads it again; this one
//! type is what all three mean.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::CatalogueError;

/// Name of the file in a package's folder.
pub const FILE: &str = "candidate.toml";

/// A package of one candidate.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// Identity in file names and commands, for example `kem-36`.
    pub id: String,
    /// Name for people, for example `TRIKE`.
    pub name: String,
    /// What kind of scheme its instances are, unless they say otherwise.
    pub category: Kind,
    /// The package tests the instrument itself: it is measured only when named.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// Its instances.
    #[serde(default, rename = "instance")]
    pub instances: Vec<Entry>,
}

/// One instance in one of its implementations.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// `ALGORITHM_INSTANCE`, which also names its known-answer files.
    pub name: String,
    /// Unique in the package: the name for the reference implementation, otherwise
    /// `<name>-<variant>`.
    pub label: String,
    /// `reference`, `optimized`, `additional`, or an instruction set such as `avx2`.
    pub variant: String,
    /// Where it differs from the package's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Kind>,
    /// Files to compile, relative to the package's folder; a folder stands for the C and assembly
    /// files directly in it; what begins with `pqclean:` is relative to PQClean's tree.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Folders for headers, in order, relative like the sources.
    #[serde(default)]
    pub include: Vec<String>,
    /// Macros for the compiler, `NAME` or `NAME=VALUE`.
    #[serde(default)]
    pub defines: Vec<String>,
    /// Which of our helpers are linked because the package ships none: `drng`, `auxfunc`.
    #[serde(default)]
    pub helpers: Vec<String>,
    /// What a system must have: `c++`, `gmp`, `openssl`, or an extension of an instruction set
    /// as compilers name it, such as `avx2`.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Headers that its sources include and the package lacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The package's own known-answer files, relative to its folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kat: Vec<String>,
    /// Sizes that the submission documents, for comparison with what its code says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<ClaimedSizes>,
}

/// Kind of scheme.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Key encapsulation.
    #[default]
    Kem,
    /// Digital signature.
    Sig,
    /// Key exchange.
    Kex,
    /// Hash function.
    Hash,
}

impl From<Kind> for wire::Category {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Kem => Self::Kem,
            Kind::Sig => Self::Sig,
            Kind::Kex => Self::Kex,
            Kind::Hash => Self::Hash,
        }
    }
}

/// Sizes in bytes, 0 where the category has no such thing.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClaimedSizes {
    /// Public key.
    pub pk_bytes: u32,
    /// Secret key.
    pub sk_bytes: u32,
    /// Ciphertext.
    pub ct_bytes: u32,
    /// Shared secret.
    pub ss_bytes: u32,
    /// Longest signature.
    pub signature_bytes: u32,
    /// Digest.
    pub digest_bytes: u32,
    /// All messages of a key exchange.
    pub messages_bytes: u32,
    /// Passes of a key exchange: a number, not a size.
    pub passes: u32,
}

impl From<ClaimedSizes> for wire::Sizes {
    fn from(claimed: ClaimedSizes) -> Self {
        Self {
            public_key: claimed.pk_bytes,
            secret_key: claimed.sk_bytes,
            ciphertext: claimed.ct_bytes,
            shared_secret: claimed.ss_bytes,
            signature: claimed.signature_bytes,
            digest: claimed.digest_bytes,
            messages: claimed.messages_bytes,
            passes: claimed.passes,
            ..Self::default()
        }
    }
}

impl Candidate {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// When it cannot be read or is not what it must be; the problem names line and key.
    pub fn read(file: &Path) -> Result<Self, CatalogueError> {
        let text = fs::read_to_string(file).map_err(CatalogueError::file("read", file))?;
        let candidate: Self = toml::from_str(&text).map_err(|error| CatalogueError::Candidate {
            file: file.to_owned(),
            problem: error.to_string().trim_end().to_owned(),
        })?;
        candidate
            .problem()
            .map_or(Ok(candidate.clone()), |problem| {
                Err(CatalogueError::Candidate {
                    file: file.to_owned(),
                    problem,
                })
            })
    }

    /// The file's text.
    pub fn to_toml(&self) -> String {
        // Strings, lists and numbers in tables: nothing that TOML cannot express.
        toml::to_string_pretty(self).unwrap_or_default()
    }

    /// What well-formed TOML can still have wrong.
    fn problem(&self) -> Option<String> {
        if !is_name(&self.id) {
            return Some(format!("id = {:?}: {NAME_RULE}", self.id));
        }
        let entries = self.instances.iter();
        entries.map(Entry::problem).find_map(|problem| problem)
    }
}

const NAME_RULE: &str =
    "a name has 1 to 64 letters, digits, '-', '_', '+' and '.', and begins with a letter or digit";

/// Names become file names, and go over the wire in 64 bytes.
pub fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    text.len() <= 64
        && characters.next().is_some_and(|c| c.is_ascii_alphanumeric())
        && characters.all(|c| c.is_ascii_alphanumeric() || "-_+.".contains(c))
}

impl Entry {
    fn problem(&self) -> Option<String> {
        let label = &self.label;
        for (key, value) in [
            ("name", &self.name),
            ("label", label),
            ("variant", &self.variant),
        ] {
            if !is_name(value) {
                return Some(format!(
                    "{key} = {value:?} of instance {label:?}: {NAME_RULE}"
                ));
            }
        }
        let paths = [&self.sources, &self.include, &self.kat];
        for path in paths.into_iter().flatten() {
            let relative = path.strip_prefix(super::PQCLEAN).unwrap_or(path);
            let plain = Path::new(relative)
                .components()
                .all(|part| matches!(part, std::path::Component::Normal(_)));
            if !plain && relative != "." {
                return Some(format!(
                    "the path {path:?} of instance {label:?} leaves the package's folder"
                ));
            }
        }
        let defines = self.defines.iter();
        let mut wrong = defines.filter(|define| {
            let name = define.split('=').next().unwrap_or_default();
            name.is_empty()
                || name.starts_with(|c: char| c.is_ascii_digit())
                || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        wrong.next().map(|define| {
            format!("{define:?} in defines of instance {label:?} is neither NAME nor NAME=VALUE")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MINIMAL: &str = r#"
id = "kem-99"
name = "Example"
category = "kem"

[[instance]]
name = "Example-1"
label = "Example-1"
variant = "reference"
sources = ["a.c"]
"#;

    fn read(text: &str) -> Result<Candidate, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        fs::write(&file, text).unwrap();
        Candidate::read(&file).map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_reads_back_as_it_was_written() {
        let candidate = read(MINIMAL).unwrap();
        assert_eq!(candidate.instances[0].sources, ["a.c"]);
        assert_eq!(read(&candidate.to_toml()).unwrap(), candidate);
    }

    #[test]
    fn an_error_names_file_line_and_key() {
        let error = read(&MINIMAL.replace("sources", "source")).unwrap_err();
        assert!(error.contains("candidate.toml"), "{error}");
        assert!(error.contains("line 10"), "{error}");
        assert!(error.contains("unknown field `source`"), "{error}");
    }

    #[test]
    fn paths_stay_in_the_package_and_names_are_file_names() {
        for (from, to, what) in [
            ("\"a.c\"", "\"../a.c\"", "leaves the package"),
            ("\"a.c\"", "\"/a.c\"", "leaves the package"),
            ("\"a.c\"", "\"pqclean:../a.c\"", "leaves the package"),
            ("kem-99", "../x", "a name has"),
            ("Example-1\"\nvar", "a b\"\nvar", "a name has"),
            ("[\"a.c\"]", "[]\ndefines = [\"-O3\"]", "neither NAME"),
        ] {
            let text = MINIMAL.replacen(from, to, 1);
            assert_ne!(text, MINIMAL);
            let error = read(&text).unwrap_err();
            assert!(error.contains(what), "{error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in ".{0,200}") {
            let _ = read(&text);
            let _ = read(&format!("{MINIMAL}{text}"));
        }
    }
}
