//! PQClean: its folders, its META.yml files and its names.
//!
//! An instance is a folder with a META.yml, in one of the implementations that the file lists and
//! that are there. Folders without a META.yml are remains of older versions.

mod meta;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::instance::{Instance, Interface, Kat, Language, Origin};
use crate::{CatalogueError, Package};

use meta::{Claims, Implementation};

/// The package that carries the tree.
pub(crate) const PACKAGE: &str = "pqcrypto-mlkem";

/// The candidate's id.
pub(crate) const CANDIDATE: &str = "pqclean";

/// The folders of instances, in the order of lists.
const KINDS: [&str; 2] = ["crypto_kem", "crypto_sign"];

/// Sources in `common` that every instance links. `randombytes.c` is not among them: randomness
/// is the meter's.
const COMMON: [&str; 5] = [
    "aes.c",
    "fips202.c",
    "nistseedexpander.c",
    "sha2.c",
    "sp800-185.c",
];

/// Vectorised Keccak in `common`, as the Makefiles of these implementations link it: the start of
/// the folder's name, the implementation, the sources.
const VECTOR_KECCAK: [(&str, &str, &[&str]); 5] = [
    ("ml-kem-", "aarch64", KECCAK_2X),
    ("ml-dsa-", "aarch64", KECCAK_2X),
    ("ml-kem-", "avx2", KECCAK_4X),
    ("ml-dsa-", "avx2", KECCAK_4X),
    ("sphincs-shake-", "avx2", KECCAK_4X),
];
const KECCAK_2X: &[&str] = &["keccak2x/feat.S", "keccak2x/fips202x2.c"];
const KECCAK_4X: &[&str] = &["keccak4x/KeccakP-1600-times4-SIMD256.c"];

/// What GNU as has against `f1600x2.s` of these, the start of the folder's name and the
/// implementation.
const APPLE_SYNTAX: (&str, &str) = ("sphincs-shake-", "aarch64");
const APPLE_SYNTAX_REASON: &str = "its assembly has Apple syntax that GNU as rejects";

/// A folder with its description.
struct Scheme {
    folder: PathBuf,
    /// The folder's own name, from which symbols are named.
    folder_name: String,
    claims: Claims,
}

/// The tree in the package.
pub(crate) fn tree(package: &Package) -> PathBuf {
    package.folder.join("pqclean")
}

/// Every instance of the tree in the package.
pub(crate) fn scan(package: &Package) -> Result<Vec<Instance>, CatalogueError> {
    let root = tree(package);
    let mut schemes = Vec::new();
    for kind in KINDS {
        schemes.extend(read_schemes(&root.join(kind))?);
    }
    let mut uses = HashMap::new();
    for scheme in &schemes {
        *uses.entry(scheme.claims.name.clone()).or_insert(0) += 1;
    }
    let mut instances = Vec::new();
    for scheme in &schemes {
        let unique = uses.get(&scheme.claims.name) == Some(&1);
        for implementation in &scheme.claims.implementations {
            let folder = scheme.folder.join(&implementation.name);
            if folder.is_dir() {
                let made = instance(package, &root, scheme, unique, implementation);
                instances.push(made.with_sources(Language::files_in(&folder)?));
            }
        }
    }
    Ok(instances)
}

/// The folders with a META.yml, numbers in their names compared as numbers.
fn read_schemes(folder: &Path) -> Result<Vec<Scheme>, CatalogueError> {
    let mut schemes = Vec::new();
    let list = fs::read_dir(folder).map_err(CatalogueError::file("list", folder))?;
    for entry in list {
        let entry = entry.map_err(CatalogueError::file("list", folder))?;
        let file = entry.path().join("META.yml");
        if file.is_file() {
            let text = fs::read_to_string(&file).map_err(CatalogueError::file("read", &file))?;
            schemes.push(Scheme {
                folder: entry.path(),
                folder_name: entry.file_name().to_string_lossy().into_owned(),
                claims: meta::parse(&text, &file)?,
            });
        }
    }
    schemes.sort_by_cached_key(|scheme| natural(&scheme.folder_name));
    Ok(schemes)
}

/// An instance with the sources that it shares with others; its own come to them.
fn instance(
    package: &Package,
    root: &Path,
    scheme: &Scheme,
    name_is_unique: bool,
    implementation: &Implementation,
) -> Instance {
    let Scheme {
        folder,
        folder_name,
        claims,
    } = scheme;
    let variant = implementation.name.as_str();
    let name = if name_is_unique && !claims.name.contains(char::is_whitespace) {
        claims.name.clone()
    } else {
        folder_name.clone()
    };
    let common = root.join("common");
    let vector_keccak = VECTOR_KECCAK
        .iter()
        .find(|(start, of, _)| folder_name.starts_with(start) && variant == *of)
        .map_or(&[][..], |(_, _, sources)| sources);
    let mut include_folders = vec![folder.join(variant), common.clone()];
    if let Some(first) = vector_keccak.first() {
        include_folders.extend(common.join(first).parent().map(Path::to_owned));
    }
    let shared = COMMON.iter().chain(vector_keccak);
    let sources = shared.map(|source| common.join(source)).collect();
    let (start, of) = APPLE_SYNTAX;
    Instance {
        candidate: CANDIDATE.to_owned(),
        label: match variant {
            "clean" => name.clone(),
            other => format!("{name}-{other}"),
        },
        instance: name,
        variant: variant.to_owned(),
        category: claims.category,
        interface: Interface::Nist {
            prefix: symbol_prefix(folder_name, variant),
        },
        sizes: Some(claims.sizes),
        kat: Kat::Nist(claims.kat),
        architecture: implementation.architecture,
        required: implementation.required.clone(),
        libraries: Vec::new(),
        defines: Vec::new(),
        origin: Origin::Cargo(package.clone()),
        root: root.to_owned(),
        outside: Vec::new(),
        sources,
        include_folders,
        incomplete: None,
        defect: (folder_name.starts_with(start) && variant == of).then_some(APPLE_SYNTAX_REASON),
    }
}

/// `PQCLEAN_<SCHEME>_<IMPLEMENTATION>_`, as `test/Makefile` of PQClean computes it.
fn symbol_prefix(folder: &str, variant: &str) -> String {
    let upper = |name: &str| name.replace('-', "").to_uppercase();
    format!("PQCLEAN_{}_{}_", upper(folder), upper(variant))
}

/// Sorts `ml-kem-1024` behind `ml-kem-768`: runs of digits count as numbers.
fn natural(name: &str) -> Vec<(u64, String)> {
    let mut parts = vec![(0, String::new())];
    let mut digits = String::new();
    for character in name.chars() {
        if character.is_ascii_digit() {
            digits.push(character);
            continue;
        }
        if !digits.is_empty() {
            parts.push((digits.parse().unwrap_or(u64::MAX), String::new()));
            digits.clear();
        }
        if let Some((_, text)) = parts.last_mut() {
            text.push(character);
        }
    }
    if !digits.is_empty() {
        parts.push((digits.parse().unwrap_or(u64::MAX), String::new()));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Architecture, Isa};
    use crate::instance::NistAnswer;

    fn scheme(folder_name: &str, name: &str) -> Scheme {
        Scheme {
            folder: format!("/tree/pqclean/crypto_kem/{folder_name}").into(),
            folder_name: folder_name.into(),
            claims: Claims {
                name: name.into(),
                category: wire::Category::Kem,
                sizes: wire::Sizes::default(),
                kat: NistAnswer {
                    sha256: [0; 32],
                    generator: kat::generator::Generator::NistDrbg,
                },
                implementations: vec![],
            },
        }
    }

    fn convert(scheme: &Scheme, unique: bool, variant: &str) -> Instance {
        let package = Package {
            name: PACKAGE.into(),
            version: "0.1.1".into(),
            folder: "/tree".into(),
        };
        let implementation = Implementation {
            name: variant.into(),
            architecture: Some(Architecture::X86_64),
            required: vec![Isa::Avx2],
        };
        let root = Path::new("/tree/pqclean");
        instance(&package, root, scheme, unique, &implementation)
    }

    #[test]
    fn the_label_is_the_instance_and_the_variant_unless_that_is_clean() {
        let scheme = scheme("ml-kem-768", "ML-KEM-768");
        assert_eq!(convert(&scheme, true, "clean").name(), "pqclean/ML-KEM-768");
        let avx2 = convert(&scheme, true, "avx2");
        assert_eq!(avx2.name(), "pqclean/ML-KEM-768-avx2");
        assert_eq!(avx2.instance, "ML-KEM-768");
        assert_eq!(avx2.required, [Isa::Avx2]);
    }

    #[test]
    fn names_with_spaces_or_twins_give_way_to_the_folder_s() {
        let spaced = scheme("mceliece348864", "Classic McEliece 348864");
        assert_eq!(convert(&spaced, true, "clean").instance, "mceliece348864");
        let twin = scheme("a-b", "AB");
        assert_eq!(convert(&twin, false, "clean").instance, "a-b");
    }

    #[test]
    fn vectorised_keccak_comes_with_its_headers() {
        let avx2 = convert(&scheme("ml-kem-768", "ML-KEM-768"), true, "avx2");
        let ends = |paths: &[PathBuf], end: &str| paths.iter().any(|path| path.ends_with(end));
        assert!(ends(&avx2.sources, KECCAK_4X[0]));
        assert!(ends(&avx2.include_folders, "common/keccak4x"));
        let hqc = convert(&scheme("hqc-128", "HQC-128"), true, "clean");
        assert!(!ends(&hqc.sources, KECCAK_4X[0]));
        assert_eq!(hqc.include_folders.len(), 2);
    }

    #[test]
    fn prefixes_are_upper_case_without_dashes() {
        assert_eq!(
            symbol_prefix("sphincs-shake-128f-simple", "clean"),
            "PQCLEAN_SPHINCSSHAKE128FSIMPLE_CLEAN_"
        );
    }

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = [
            "ml-kem-1024",
            "ml-kem-512",
            "ml-kem-768",
            "hqc-128",
            "ml-kem",
        ];
        names.sort_by_cached_key(|name| natural(name));
        assert_eq!(
            names,
            [
                "hqc-128",
                "ml-kem",
                "ml-kem-512",
                "ml-kem-768",
                "ml-kem-1024"
            ]
        );
    }
}
