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

/// Families of parameter sets, with NIST's security category of each: those of FIPS 203 (section 8)
/// and FIPS 204 (section 4), and otherwise those that the submissions claim, as PQClean gives them
/// under `claimed-nist-level`.
const SECURITY: [(&str, &[(&str, u8)]); 6] = [
    ("ML-KEM-", &[("512", 1), ("768", 3), ("1024", 5)]),
    ("ML-DSA-", &[("44", 2), ("65", 3), ("87", 5)]),
    ("HQC-", &[("128", 1), ("192", 3), ("256", 5)]),
    ("Falcon-", &[("512", 1), ("1024", 5)]),
    ("SPHINCS+-", &[("128", 1), ("192", 3), ("256", 5)]),
    (
        "Classic",
        &[
            ("348864", 1),
            ("460896", 3),
            ("6688128", 5),
            ("6960119", 5),
            ("8192128", 5),
        ],
    ),
];

/// The candidates whose instances have the names of those families.
const NAMED_SO: [&str; 2] = ["pqclean", "standards"];

/// NIST's security category of a parameter set, from 1 to 5, where there is a known one: no record
/// has it, and of other candidates it is not known here.
pub fn security(candidate: &str, instance: &str) -> Option<u8> {
    let (beginning, sets) = SECURITY
        .iter()
        .find(|(beginning, _)| instance.starts_with(beginning))?;
    let parts = instance.get(beginning.len()..)?.split(['-', ' ']);
    let number = parts.filter_map(leading_digits).next_back()?;
    let set = sets.iter().find(|(name, _)| *name == number)?;
    NAMED_SO.contains(&candidate).then_some(set.1)
}

/// The number with which a part of a name begins; `None` where it begins otherwise.
fn leading_digits(part: &str) -> Option<&str> {
    let end = part
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(part.len());
    (end > 0).then(|| &part[..end])
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
    fn security_categories_are_those_of_known_families() {
        for (candidate, instance, category) in [
            ("pqclean", "ML-KEM-768", Some(3)),
            ("standards", "ML-DSA-44", Some(2)),
            ("pqclean", "Falcon-padded-1024", Some(5)),
            ("pqclean", "SPHINCS+-sha2-192f-simple", Some(3)),
            ("pqclean", "Classic-McEliece-6688128f", Some(5)),
            ("pqclean", "ML-KEM-769", None),
            ("pqclean", "ML-KEM-", None),
            // Another's name promises nothing.
            ("kem-01", "ML-KEM-768", None),
            ("kem-36", "TRIKE-2", None),
        ] {
            assert_eq!(security(candidate, instance), category, "{instance}");
        }
    }

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
