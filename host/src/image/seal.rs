//! The key of an image in the cache: what it was made of, and the digest of each of its files.
//!
//! A file that is shorter, longer or different by one bit is not the image that was built, and its
//! counts would be another program's.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use catalogue::file_digest;
use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use super::{BuildError, Ingredients};

/// Name of the file.
const FILE: &str = "key.json";

/// What the file says.
#[derive(Serialize)]
struct Seal<'a> {
    ingredients: &'a Ingredients,
    /// SHA-256 of each file of the image, in hexadecimal, by its name.
    files_sha256: BTreeMap<&'a str, String>,
}

/// Why a kept image cannot be used.
#[derive(Debug, Error)]
pub(super) enum Flaw {
    /// There is none.
    #[error("it is not there")]
    Absent,
    /// Its key is missing, damaged or of another version of this program.
    #[error("{FILE} {0}")]
    Key(String),
    /// A file is not the one that was built.
    #[error("{name} {problem}")]
    File {
        /// Its name in the image's folder.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// Checks every file of the image in `place` against the digest that its key keeps.
///
/// # Errors
///
/// The first flaw.
pub(super) fn check(
    place: &Path,
    ingredients: &Ingredients,
    artefacts: &[&str],
) -> Result<(), Flaw> {
    let text = match fs::read(place.join(FILE)) {
        Ok(text) => text,
        Err(_) if !exists(place) => return Err(Flaw::Absent),
        Err(error) => return Err(Flaw::Key(format!("cannot be read: {error}"))),
    };
    let key: Value =
        serde_json::from_slice(&text).map_err(|e| Flaw::Key(format!("is no JSON: {e}")))?;
    let ours = serde_json::to_value(ingredients).map_err(|e| Flaw::Key(e.to_string()))?;
    if key.get("ingredients") != Some(&ours) {
        return Err(Flaw::Key("names other ingredients".to_owned()));
    }
    for name in artefacts {
        let flawed = |problem| Flaw::File {
            name: (*name).to_owned(),
            problem,
        };
        let stated = key
            .get("files_sha256")
            .and_then(|files| files.get(name)?.as_str())
            .ok_or_else(|| Flaw::Key(format!("has no digest of {name}")))?;
        let found = file_digest(&place.join(name))
            .map_err(|_| flawed("is missing or cannot be read".to_owned()))?;
        if stated != found {
            return Err(flawed(format!(
                "has the SHA-256 {found}, and {FILE} keeps {stated}"
            )));
        }
    }
    Ok(())
}

/// Writes the key of the image in `place`, onto the disk.
///
/// # Errors
///
/// When a file of the image cannot be read, or the key not be written.
pub(super) fn write(
    place: &Path,
    ingredients: &Ingredients,
    artefacts: &[&str],
) -> Result<(), BuildError> {
    let mut files_sha256 = BTreeMap::new();
    for name in artefacts {
        files_sha256.insert(*name, file_digest(&place.join(name))?);
    }
    let seal = Seal {
        ingredients,
        files_sha256,
    };
    let path = place.join(FILE);
    let save = || -> io::Result<()> {
        let mut file = File::create(&path)?;
        serde_json::to_writer_pretty(&mut file, &seal)?;
        file.write_all(b"\n")?;
        file.sync_all()
    };
    save().map_err(|e| BuildError::file("write", &path, e))
}

/// Whether anything at all has this name, even a link that leads nowhere.
fn exists(place: &Path) -> bool {
    !matches!(fs::symlink_metadata(place), Err(error) if error.kind() == ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FILES: [&str; 2] = ["firmware.elf", "firmware.map"];

    /// A sealed image of two files.
    fn sealed() -> (tempfile::TempDir, Ingredients) {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in FILES.iter().zip(["\x7fELF and code", "Memory map"]) {
            fs::write(folder.path().join(name), content).unwrap();
        }
        let ingredients = Ingredients::example("pqclean");
        write(folder.path(), &ingredients, &FILES).unwrap();
        (folder, ingredients)
    }

    #[test]
    fn what_was_sealed_is_sound_and_what_was_never_there_is_absent() {
        let (folder, ingredients) = sealed();
        check(folder.path(), &ingredients, &FILES).unwrap();
        let nowhere = folder.path().join("none");
        let flaw = check(&nowhere, &ingredients, &FILES).unwrap_err();
        assert!(matches!(flaw, Flaw::Absent), "{flaw}");
        fs::write(&nowhere, "a file in the way").unwrap();
        let flaw = check(&nowhere, &ingredients, &FILES).unwrap_err();
        assert!(matches!(flaw, Flaw::Key(_)), "{flaw}");
    }

    #[test]
    fn a_key_without_digests_or_of_another_image_is_a_flaw() {
        let (folder, ingredients) = sealed();
        let other = Ingredients::example("other");
        let flaw = check(folder.path(), &other, &FILES).unwrap_err();
        assert_eq!(flaw.to_string(), "key.json names other ingredients");
        let old = serde_json::to_string(&ingredients).unwrap();
        fs::write(folder.path().join(FILE), old).unwrap();
        check(folder.path(), &ingredients, &FILES).unwrap_err();
    }

    proptest! {
        #[test]
        fn any_changed_bit_and_any_lost_byte_is_found(
            name in prop::sample::select(&["firmware.elf", "firmware.map"][..]),
            at in any::<prop::sample::Index>(),
            bit in 0_u32..8,
            cut in any::<bool>(),
        ) {
            let (folder, ingredients) = sealed();
            let path = folder.path().join(name);
            let mut bytes = fs::read(&path).unwrap();
            let at = at.index(bytes.len());
            if cut {
                bytes.truncate(at);
            } else {
                bytes[at] ^= 1 << bit;
            }
            fs::write(&path, bytes).unwrap();
            let flaw = check(folder.path(), &ingredients, &FILES).unwrap_err();
            prop_assert!(flaw.to_string().starts_with(name), "{}", flaw);
        }
    }
}
