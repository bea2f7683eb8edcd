//! PQClean: its folders, its META.yml files and its names.
//!
//! An instance is a folder with a META.yml, in one of the implementations that the file lists and
//! that are there. Folders without a META.yml are remains of older versions.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::board::{Architecture, Isa};
use crate::instance::{Instance, Interface, Kat};
use crate::{CatalogueError, Package};

/// The package that carries the tree.
pub(crate) const PACKAGE: &str = "pqcrypto-mlkem";

/// The candidate's id.
const CANDIDATE: &str = "pqclean";

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

/// What this program reads of a META.yml.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Meta {
    name: String,
    #[serde(rename = "type")]
    kind: Kind,
    length_public_key: u32,
    length_secret_key: u32,
    length_ciphertext: Option<u32>,
    length_shared_secret: Option<u32>,
    length_signature: Option<u32>,
    nistkat_sha256: String,
    #[serde(default)]
    nistkat_rng: Rng,
    implementations: Vec<Implementation>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Kem,
    Signature,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Rng {
    #[default]
    Nist,
    Hqc,
}

#[derive(Debug, Deserialize)]
struct Implementation {
    name: String,
    #[serde(default)]
    supported_platforms: Vec<Platform>,
}

#[derive(Debug, Deserialize)]
struct Platform {
    architecture: String,
    #[serde(default)]
    required_flags: Vec<String>,
}

/// A folder with its description.
struct Scheme {
    folder: PathBuf,
    /// The folder's own name, from which symbols are named.
    folder_name: String,
    file: PathBuf,
    meta: Meta,
}

/// Every instance of the tree in the package.
pub(crate) fn scan(package: &Package) -> Result<Vec<Instance>, CatalogueError> {
    let root = package.folder.join("pqclean");
    let mut schemes = Vec::new();
    for kind in KINDS {
        schemes.extend(read_schemes(&root.join(kind))?);
    }
    let mut uses = HashMap::new();
    for scheme in &schemes {
        *uses.entry(scheme.meta.name.clone()).or_insert(0) += 1;
    }
    let mut instances = Vec::new();
    for scheme in &schemes {
        let unique = uses.get(&scheme.meta.name) == Some(&1);
        for implementation in &scheme.meta.implementations {
            if scheme.folder.join(&implementation.name).is_dir() {
                instances.push(instance(package, &root, scheme, unique, implementation)?);
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
                meta: parse(&text, &file)?,
                file,
            });
        }
    }
    schemes.sort_by_cached_key(|scheme| natural(&scheme.folder_name));
    Ok(schemes)
}

fn parse(text: &str, file: &Path) -> Result<Meta, CatalogueError> {
    yaml_serde::from_str(text).map_err(|error| problem(file, error.to_string()))
}

fn problem(file: &Path, problem: impl Into<String>) -> CatalogueError {
    CatalogueError::Meta {
        file: file.to_owned(),
        problem: problem.into(),
    }
}

fn instance(
    package: &Package,
    root: &Path,
    scheme: &Scheme,
    name_is_unique: bool,
    implementation: &Implementation,
) -> Result<Instance, CatalogueError> {
    let Scheme {
        folder,
        folder_name,
        file,
        meta,
    } = scheme;
    let variant = implementation.name.as_str();
    let name = if name_is_unique && !meta.name.contains(char::is_whitespace) {
        meta.name.clone()
    } else {
        folder_name.clone()
    };
    let (category, sizes) = claimed(meta, file)?;
    let (architecture, required) = platform(implementation, file)?;
    let common = root.join("common");
    let vector_keccak = VECTOR_KECCAK
        .iter()
        .find(|(start, of, _)| folder_name.starts_with(start) && variant == *of)
        .map_or(&[][..], |(_, _, sources)| sources);
    let mut include_folders = vec![folder.join(variant), common.clone()];
    if let Some(first) = vector_keccak.first() {
        include_folders.extend(common.join(first).parent().map(Path::to_owned));
    }
    let (start, of) = APPLE_SYNTAX;
    Ok(Instance {
        candidate: CANDIDATE.to_owned(),
        label: match variant {
            "clean" => name.clone(),
            other => format!("{name}-{other}"),
        },
        instance: name,
        variant: variant.to_owned(),
        category,
        interface: Interface::Nist {
            prefix: symbol_prefix(folder_name, variant),
        },
        sizes,
        kat: Kat {
            sha256: digest(&meta.nistkat_sha256)
                .ok_or_else(|| problem(file, "nistkat-sha256: not 64 hexadecimal digits"))?,
            generator: match meta.nistkat_rng {
                Rng::Nist => kat::generator::Generator::NistDrbg,
                Rng::Hqc => kat::generator::Generator::HqcPrng,
            },
        },
        architecture,
        required,
        package: package.clone(),
        root: root.to_owned(),
        folder: folder.join(variant),
        shared_sources: COMMON
            .iter()
            .chain(vector_keccak)
            .map(|source| common.join(source))
            .collect(),
        include_folders,
        defect: (folder_name.starts_with(start) && variant == of).then_some(APPLE_SYNTAX_REASON),
    })
}

/// Category and sizes, of which each kind has its own.
fn claimed(meta: &Meta, file: &Path) -> Result<(wire::Category, wire::Sizes), CatalogueError> {
    let need = |length: Option<u32>, key: &str, kind: &str| {
        length.ok_or_else(|| problem(file, format!("{key}: missing, and a {kind} must have it")))
    };
    let common = wire::Sizes {
        public_key: meta.length_public_key,
        secret_key: meta.length_secret_key,
        ..wire::Sizes::default()
    };
    Ok(match meta.kind {
        Kind::Kem => (
            wire::Category::Kem,
            wire::Sizes {
                ciphertext: need(meta.length_ciphertext, "length-ciphertext", "kem")?,
                shared_secret: need(meta.length_shared_secret, "length-shared-secret", "kem")?,
                ..common
            },
        ),
        Kind::Signature => (
            wire::Category::Sig,
            wire::Sizes {
                signature: need(meta.length_signature, "length-signature", "signature")?,
                ..common
            },
        ),
    })
}

/// What an implementation needs of the machine; portable ones name no platform.
fn platform(
    implementation: &Implementation,
    file: &Path,
) -> Result<(Option<Architecture>, Vec<Isa>), CatalogueError> {
    let key = |rest: &str| format!("implementations, {}, {rest}", implementation.name);
    let platform = match implementation.supported_platforms.as_slice() {
        [] => return Ok((None, vec![])),
        [platform] => platform,
        _ => return Err(problem(file, key("supported_platforms: more than one"))),
    };
    let architecture = match platform.architecture.as_str() {
        "x86_64" => Architecture::X86_64,
        "arm_8" => Architecture::Aarch64,
        other => {
            return Err(problem(
                file,
                key(&format!("architecture: unknown: {other}")),
            ));
        }
    };
    let required = platform
        .required_flags
        .iter()
        .map(|flag| {
            Isa::from_meta(flag)
                .ok_or_else(|| problem(file, key(&format!("required_flags: unknown: {flag}"))))
        })
        .collect::<Result<_, _>>()?;
    Ok((Some(architecture), required))
}

/// `PQCLEAN_<SCHEME>_<IMPLEMENTATION>_`, as `test/Makefile` of PQClean computes it.
fn symbol_prefix(folder: &str, variant: &str) -> String {
    let upper = |name: &str| name.replace('-', "").to_uppercase();
    format!("PQCLEAN_{}_{}_", upper(folder), upper(variant))
}

fn digest(hexadecimal: &str) -> Option<[u8; 32]> {
    if hexadecimal.len() != 64 || !hexadecimal.is_ascii() {
        return None;
    }
    let mut digest = [0; 32];
    for (byte, place) in digest.iter_mut().zip(0..) {
        *byte = u8::from_str_radix(&hexadecimal[2 * place..2 * place + 2], 16).ok()?;
    }
    Some(digest)
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
    use proptest::prelude::*;

    use super::*;

    const GOOD: &str = "\
name: ML-KEM-768
type: kem
length-public-key: 1184
length-ciphertext: 1088
length-secret-key: 2400
length-shared-secret: 32
nistkat-sha256: 5352539586b6c3df58be6158a6250aeff402bd73060b0a3de68850ac074c17c3
implementations:
  - name: clean
    version: 1
  - name: avx2
    version: 1
    supported_platforms:
      - architecture: x86_64
        required_flags: [avx2, bmi2]
";

    fn convert(text: &str) -> Result<Vec<Instance>, String> {
        let file = Path::new("/tree/pqclean/crypto_kem/ml-kem-768/META.yml");
        let package = Package {
            name: PACKAGE.into(),
            version: "0.1.1".into(),
            folder: "/tree".into(),
        };
        let scheme = Scheme {
            folder: "/tree/pqclean/crypto_kem/ml-kem-768".into(),
            folder_name: "ml-kem-768".into(),
            file: file.into(),
            meta: parse(text, file).map_err(|error| error.to_string())?,
        };
        scheme
            .meta
            .implementations
            .iter()
            .map(|implementation| {
                let root = Path::new("/tree/pqclean");
                instance(&package, root, &scheme, true, implementation)
                    .map_err(|error| error.to_string())
            })
            .collect()
    }

    #[test]
    fn a_good_file_gives_an_instance_for_each_implementation() {
        let instances = convert(GOOD).unwrap();
        let [clean, avx2] = instances.as_slice() else {
            panic!("{instances:?}");
        };
        assert_eq!(clean.name(), "pqclean/ML-KEM-768");
        assert_eq!(clean.sizes.ciphertext, 1088);
        assert_eq!(clean.sizes.signature, 0);
        assert_eq!(clean.kat.sha256[..2], [0x53, 0x52]);
        assert_eq!(clean.kat.generator, kat::generator::Generator::NistDrbg);
        assert_eq!(clean.architecture, None);
        assert_eq!(avx2.name(), "pqclean/ML-KEM-768-avx2");
        assert_eq!(avx2.instance, "ML-KEM-768");
        assert_eq!(avx2.architecture, Some(Architecture::X86_64));
        assert_eq!(avx2.required, [Isa::Avx2, Isa::Bmi2]);
        assert_eq!(
            avx2.interface,
            Interface::Nist {
                prefix: "PQCLEAN_MLKEM768_AVX2_".into()
            }
        );
        assert!(
            avx2.shared_sources
                .iter()
                .any(|path| path.ends_with(KECCAK_4X[0]))
        );
        assert!(
            avx2.include_folders
                .iter()
                .any(|path| path.ends_with("common/keccak4x"))
        );
    }

    #[test]
    fn a_malformed_file_is_named_with_its_key() {
        let cases = [
            ("length-secret-key: 2400\n", "", "length-secret-key"),
            ("length-ciphertext: 1088\n", "", "length-ciphertext"),
            (
                "length-public-key: 1184",
                "length-public-key: many",
                "length-public-key",
            ),
            ("type: kem", "type: hash", "type"),
            ("5352", "53", "nistkat-sha256"),
            ("5352", "53é", "nistkat-sha256"),
            ("x86_64", "vax", "architecture"),
            ("bmi2", "bmi9", "required_flags"),
            ("type: kem", "type: signature", "length-signature"),
        ];
        for (from, to, key) in cases {
            let error = convert(&GOOD.replace(from, to)).unwrap_err();
            assert!(error.contains("ml-kem-768/META.yml"), "{error}");
            assert!(error.contains(key), "{key} is not in: {error}");
        }
        assert!(convert("]").unwrap_err().contains("META.yml"));
    }

    #[test]
    fn hqc_has_a_generator_of_its_own() {
        let instances = convert(&format!("{GOOD}nistkat-rng: hqc\n")).unwrap();
        assert_eq!(
            instances[0].kat.generator,
            kat::generator::Generator::HqcPrng
        );
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

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "(?s).{0,200}") {
            let _ = parse(&text, Path::new("META.yml"));
            let _ = digest(&text);
            let _ = natural(&text);
        }

        #[test]
        fn digests_read_back(bytes in any::<[u8; 32]>()) {
            let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            prop_assert_eq!(digest(&text), Some(bytes));
        }
    }
}
