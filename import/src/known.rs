//! Known candidates: what the repository knows of a package before it is imported.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use catalogue::submission::{Candidate, Expected, FILE, Mode, manifest};
use kat::canonical::CanonicalDigest;
use kat::text::TextSink;

use crate::error::ImportError;
use crate::scan::Instance;

/// The folder of known candidates, relative to the workspace's.
const FOLDER: &str = "kat";

/// A candidate whose facts are published.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its identity, names and sizes; no sources.
    pub candidate: Candidate,
    /// Digests of its known-answer texts.
    pub manifest: Vec<Expected>,
}

impl Known {
    /// The names of its instances.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.candidate
            .instances
            .iter()
            .map(|entry| entry.name.as_str())
    }
}

/// All known candidates, by identity.
///
/// # Errors
///
/// When one of their files is not what it must be.
pub fn all(root: &Path) -> Result<Vec<Known>, ImportError> {
    let folder = root.join(FOLDER);
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&folder).map_err(ImportError::file("list", &folder))? {
        let entry = entry.map_err(ImportError::file("list", &folder))?;
        let file = entry.path().join(FILE);
        if file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    let known = files.iter().map(|file| {
        Ok(Known {
            candidate: Candidate::read(file)?,
            manifest: manifest::read(&file.with_file_name(manifest::FILE))?,
        })
    });
    known.collect()
}

/// The known candidate that instances of these names belong to: it has all of them, or they
/// include all of its.
pub fn recognise<'a>(known: &'a [Known], names: &[&str]) -> Option<&'a Known> {
    known.iter().find(|known| {
        let has = |name: &str| known.names().any(|known| known == name);
        !names.is_empty()
            && (names.iter().all(|name| has(name))
                || known.names().all(|name| names.contains(&name)))
    })
}

/// How a known-answer text compares with the published digest.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Check {
    /// The label in the manifest.
    pub label: String,
    /// The text's name.
    pub file_name: String,
    /// What of it is digested: `strict`, `nolen`, `strict:N`.
    pub mode: String,
    /// What came of it.
    pub outcome: Agreement,
}

/// Whether two digests are the same.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Agreement {
    /// They are.
    Agrees,
    /// They are not; the digest of the package's text.
    Differs(String),
    /// The package has no such instance or no such text.
    NoText,
}

/// Compares a package's own known-answer texts with a manifest.
///
/// # Errors
///
/// When a text cannot be read.
pub fn check(
    manifest: &[Expected],
    instances: &[Instance],
    package: &Path,
) -> Result<Vec<Check>, ImportError> {
    let mut checks = Vec::new();
    for expected in manifest {
        let instance = instances
            .iter()
            .find(|instance| instance.entry.label == expected.label);
        let text = instance.and_then(|instance| {
            let mut texts = instance.entry.kat.iter();
            texts.find(|text| {
                let name = text.rsplit('/').next().unwrap_or(text);
                name.eq_ignore_ascii_case(&expected.file_name)
            })
        });
        let outcome = match text {
            None => Agreement::NoText,
            Some(text) => {
                let digest = digest(&package.join(text), expected.mode)?;
                if digest == expected.sha256 {
                    Agreement::Agrees
                } else {
                    Agreement::Differs(digest.iter().map(|byte| format!("{byte:02x}")).collect())
                }
            }
        };
        checks.push(Check {
            label: expected.label.clone(),
            file_name: expected.file_name.clone(),
            mode: expected.mode.to_string(),
            outcome,
        });
    }
    Ok(checks)
}

fn digest(file: &Path, mode: Mode) -> Result<[u8; 32], ImportError> {
    let records = match mode {
        Mode::FirstRecords(count) => count,
        Mode::Strict | Mode::NoLengths => 0,
    };
    let mut digest = CanonicalDigest::new(records);
    let mut text = File::open(file).map_err(ImportError::file("read", file))?;
    let mut piece = vec![0; 1 << 16];
    loop {
        let count = text
            .read(&mut piece)
            .map_err(ImportError::file("read", file))?;
        match piece.get(..count) {
            None | Some([]) => break,
            Some(read) => digest.text(read),
        }
    }
    let digests = digest.finish();
    Ok(match mode {
        Mode::Strict => digests.strict,
        Mode::NoLengths => digests.nolen,
        Mode::FirstRecords(_) => digests.first_records,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalogue::submission::Kind;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    #[test]
    fn the_repositorys_known_candidates_are_whole() {
        let known = all(&root()).unwrap();
        let ids: Vec<_> = known
            .iter()
            .map(|known| known.candidate.id.as_str())
            .collect();
        assert_eq!(ids, ["kem-36", "kex-04", "kex-05", "kex-08", "kex-09"]);
        for known in &known {
            let candidate = &known.candidate;
            // A line for each instance, in the same order.
            let labels: Vec<_> = known
                .manifest
                .iter()
                .map(|line| line.label.as_str())
                .collect();
            assert_eq!(labels, known.names().collect::<Vec<_>>());
            for entry in &candidate.instances {
                let sizes = entry.sizes.expect("sizes are published");
                assert!(entry.sources.is_empty() && entry.variant == "reference");
                assert!(sizes.pk_bytes > 0 && sizes.sk_bytes > 0 && sizes.ss_bytes > 0);
                assert_eq!(sizes.ct_bytes > 0, candidate.category == Kind::Kem);
                assert_eq!(sizes.messages_bytes > 0, sizes.passes > 0, "{}", entry.name);
            }
        }
    }

    #[test]
    fn candidates_are_recognised_by_their_instances() {
        let known = all(&root()).unwrap();
        let id = |names: &[&str]| recognise(&known, names).map(|known| known.candidate.id.clone());
        assert_eq!(id(&["TRIKE-2"]).as_deref(), Some("kem-36"));
        assert_eq!(
            id(&["NIIKE-lv256", "NIIKE-lv128", "more"]).as_deref(),
            Some("kex-08")
        );
        assert_eq!(id(&["TRIKE-2", "other"]), None);
        assert_eq!(id(&[]), None);
    }
}
