//! What candidates and their kinds are called.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use catalogue::submission::{self, Candidate, Entry};
use wire::Category;

use super::evidence;

/// The candidates that are standards, or made of them: what others are measured against.
const YARDSTICKS: [&str; 4] = ["standards", "akex", "x25519", "sha3"];

/// The candidate under which PQClean's schemes stand, and the standards among these.
const PQCLEAN: (&str, [&str; 2]) = ("pqclean", ["ML-KEM-", "ML-DSA-"]);

/// Whether a label is one of the standards that others are measured against.
pub fn is_yardstick(candidate: &str, label: &evidence::Label) -> bool {
    let (pqclean, standards) = PQCLEAN;
    let standard = |beginning: &&str| label.instance().starts_with(beginning);
    YARDSTICKS.contains(&candidate) || candidate == pqclean && standards.iter().any(standard)
}

/// What is known of a candidate without measuring it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Known {
    /// Its name for people.
    pub name: String,
    /// The category of each of its labels.
    pub categories: BTreeMap<String, Category>,
}

/// What a candidate's package says of it, or else what is published.
pub fn known(root: &Path, id: &str) -> Option<Known> {
    if id == PQCLEAN.0 {
        return Some(Known {
            name: "PQClean".to_owned(),
            ..Known::default()
        });
    }
    let file = |folder: &str| -> PathBuf { root.join(folder).join(id).join(submission::FILE) };
    [file(submission::FOLDER), file("kat")]
        .iter()
        .filter_map(|file| Candidate::read(file).ok())
        .find(|candidate| candidate.id == id)
        .map(|candidate| {
            let category = |entry: &Entry| entry.category.unwrap_or(candidate.category).into();
            let entries = candidate.instances.iter();
            let categories = entries.map(|entry| (entry.label.clone(), category(entry)));
            Known {
                categories: categories.collect(),
                name: candidate.name.clone(),
            }
        })
}

/// Category and function, as the first section of a page gives them.
pub fn function(category: Category) -> &'static str {
    match category {
        Category::Kem => "public-key algorithm; function: key encapsulation",
        Category::Sig => "public-key algorithm; function: digital signature",
        Category::Kex => "public-key algorithm; function: key exchange",
        Category::Hash => "cryptographic hash algorithm; function: hashing",
    }
}

/// The schemes of a category, as a heading.
pub fn plural(category: Category) -> &'static str {
    match category {
        Category::Kem => "Key encapsulation",
        Category::Sig => "Digital signatures",
        Category::Kex => "Key exchange",
        Category::Hash => "Hash functions",
    }
}

/// An architecture as people write it.
pub fn architecture(name: &str) -> &str {
    match name {
        "x86_64" => "x86-64",
        "aarch64" => "AArch64",
        "armv7l" | "arm" => "Arm (32 bits)",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_and_published_candidates_have_names() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let name = |id| known(&root, id).map(|known| known.name);
        assert_eq!(name("pqclean").as_deref(), Some("PQClean"));
        assert_eq!(name("akex").as_deref(), Some("AKEX"));
        assert_eq!(name("kem-36").as_deref(), Some("TRIKE"));
        assert_eq!(name("../kat/kem-36"), None);
        assert_eq!(name("nobody"), None);
        let standards = known(&root, "standards").expect("a package");
        assert_eq!(standards.categories["ML-KEM-512"], Category::Kem);
        assert_eq!(standards.categories["ML-DSA-44"], Category::Sig);
    }

    #[test]
    fn standards_are_yardsticks_and_others_are_not() {
        let label = |name: &str| evidence::Label {
            name: name.to_owned(),
            ..evidence::Label::default()
        };
        assert!(is_yardstick("pqclean", &label("ML-KEM-768")));
        assert!(is_yardstick("x25519", &label("X25519")));
        assert!(!is_yardstick("pqclean", &label("HQC-128")));
        assert!(!is_yardstick("kem-36", &label("ML-KEM-768")));
    }
}
