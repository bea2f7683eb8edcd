//! Names of instances: that they differ, and which one was probably meant.

use std::collections::HashSet;
use std::path::Path;

use crate::submission::{FILE, is_name};
use crate::{CatalogueError, Instance};

/// Similarity from which on a name is worth suggesting; 1 is equality.
const NEAR: f64 = 0.8;

/// Names that are suggested at most.
const SUGGESTIONS: usize = 3;

/// Every name stands for one instance; `file` is where all of them are described.
pub(crate) fn check_labels(instances: &[Instance], file: &Path) -> Result<(), CatalogueError> {
    let mut seen = HashSet::new();
    for instance in instances {
        let name = instance.name();
        if !seen.insert(name.clone()) {
            return Err(CatalogueError::DuplicateLabel {
                file: file.to_owned(),
                name,
            });
        }
    }
    Ok(())
}

/// The error for a name that is not there, with the nearest ones that are.
pub(crate) fn unknown_instance(name: &str, instances: &[Instance], root: &Path) -> CatalogueError {
    if let Some(candidate) = known_candidate(name, instances, root) {
        return CatalogueError::UnknownInstance {
            name: name.to_owned(),
            hint: format!(
                "{candidate} is a known candidate whose package is not here: `cargo host import \
                 <its .zip, .tar.gz or folder>` brings it"
            ),
        };
    }
    let near = near(name, instances);
    CatalogueError::UnknownInstance {
        name: name.to_owned(),
        hint: if near.is_empty() {
            "`cargo host list` shows all instances".to_owned()
        } else {
            format!(
                "did you mean {}? `cargo host list` shows all instances",
                near.join(" or ")
            )
        },
    }
}

/// The candidate of a name, where it is known and none of its instances is there.
fn known_candidate<'a>(name: &'a str, instances: &[Instance], root: &Path) -> Option<&'a str> {
    let (candidate, _) = name.split_once('/')?;
    let is_here = |instance: &Instance| instance.candidate == candidate;
    let known = is_name(candidate) && root.join("kat").join(candidate).join(FILE).is_file();
    (known && !instances.iter().any(is_here)).then_some(candidate)
}

/// The names most similar to this one, nearest first. The candidate may have been left out.
fn near(name: &str, instances: &[Instance]) -> Vec<String> {
    let wanted = name.to_lowercase();
    let mut scored: Vec<(f64, String)> = instances
        .iter()
        .map(|instance| {
            let full = instance.name().to_lowercase();
            let label = instance.label.to_lowercase();
            let score = strsim::normalized_damerau_levenshtein(&wanted, &full)
                .max(strsim::normalized_damerau_levenshtein(&wanted, &label));
            (score, instance.name())
        })
        .filter(|(score, _)| *score >= NEAR)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.truncate(SUGGESTIONS);
    scored.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::tests::example;

    #[test]
    fn near_names_are_offered_nearest_first() {
        let instances = [
            example("ML-KEM-512"),
            example("ML-KEM-768"),
            example("Falcon-512"),
        ];
        assert_eq!(
            near("pqclean/ML-KEM-786", &instances)[0],
            "pqclean/ML-KEM-768"
        );
        assert_eq!(near("ml-kem-512", &instances)[0], "pqclean/ML-KEM-512");
        assert!(near("kem-36/TRIKE-2", &instances).is_empty());
        let help = |name: &str, instances: &[Instance]| {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
            let error = unknown_instance(name, instances, &root);
            miette::Diagnostic::help(&error).unwrap().to_string()
        };
        assert!(help("Falcon-513", &instances).contains("pqclean/Falcon-512"));
        assert!(help("kem-36/TRIKE-2", &instances).contains("cargo host import"));
        let mut imported = example("TRIKE-5");
        "kem-36".clone_into(&mut imported.candidate);
        assert!(help("kem-36/TRIKE-6", &[imported]).contains("kem-36/TRIKE-5"));
    }

    #[test]
    fn equal_labels_are_refused() {
        let file = Path::new("candidate.toml");
        assert!(check_labels(&[example("A"), example("B")], file).is_ok());
        let error = check_labels(&[example("A"), example("B"), example("A")], file).unwrap_err();
        assert!(matches!(
            error,
            CatalogueError::DuplicateLabel { name, .. } if name == "pqclean/A"
        ));
    }
}
