//! META.yml: what an instance claims, and what its implementations need.

use std::path::Path;

use serde::Deserialize;

use crate::board::{Architecture, Isa};
use crate::instance::NistAnswer;
use crate::{CatalogueError, sha256_from_hexadecimal};

/// What a META.yml says, checked.
#[derive(Debug)]
pub(super) struct Claims {
    /// The parameter set's name, not always unique.
    pub(super) name: String,
    /// What kind of scheme it is.
    pub(super) category: wire::Category,
    /// Its sizes in bytes.
    pub(super) sizes: wire::Sizes,
    /// Its known answers.
    pub(super) kat: NistAnswer,
    /// Its implementations, in the file's order.
    pub(super) implementations: Vec<Implementation>,
}

/// An implementation, and what it needs of the machine.
#[derive(Debug)]
pub(super) struct Implementation {
    /// Name of its folder.
    pub(super) name: String,
    /// The only architecture that it compiles for; `None` when it is portable C.
    pub(super) architecture: Option<Architecture>,
    /// Extensions of the instruction set that it uses.
    pub(super) required: Vec<Isa>,
}

/// Reads a META.yml; the file is for messages.
pub(super) fn parse(text: &str, file: &Path) -> Result<Claims, CatalogueError> {
    let meta: Meta =
        yaml_serde::from_str(text).map_err(|error| problem(file, error.to_string()))?;
    let (category, sizes) = claimed(&meta, file)?;
    let kat = NistAnswer {
        sha256: sha256_from_hexadecimal(&meta.nistkat_sha256)
            .ok_or_else(|| problem(file, "nistkat-sha256: not 64 hexadecimal digits"))?,
        generator: match meta.nistkat_rng {
            Rng::Nist => kat::generator::Generator::NistDrbg,
            Rng::Hqc => kat::generator::Generator::HqcPrng,
        },
    };
    let implementations = meta
        .implementations
        .into_iter()
        .map(|listed| implementation(listed, file))
        .collect::<Result<_, _>>()?;
    Ok(Claims {
        name: meta.name,
        category,
        sizes,
        kat,
        implementations,
    })
}

/// The keys of the file that are read.
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
    implementations: Vec<Listed>,
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
struct Listed {
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

fn problem(file: &Path, problem: impl Into<String>) -> CatalogueError {
    CatalogueError::Meta {
        file: file.to_owned(),
        problem: problem.into(),
    }
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
fn implementation(listed: Listed, file: &Path) -> Result<Implementation, CatalogueError> {
    let wrong = |what: String| {
        let key = format!("implementations, {}, {what}", listed.name);
        problem(file, key)
    };
    let platform = match listed.supported_platforms.as_slice() {
        [] => {
            return Ok(Implementation {
                name: listed.name,
                architecture: None,
                required: vec![],
            });
        }
        [platform] => platform,
        _ => return Err(wrong("supported_platforms: more than one".to_owned())),
    };
    let architecture = match platform.architecture.as_str() {
        "x86_64" => Architecture::X86_64,
        "arm_8" => Architecture::Aarch64,
        other => return Err(wrong(format!("architecture: unknown: {other}"))),
    };
    let required = platform
        .required_flags
        .iter()
        .map(|flag| {
            Isa::from_meta(flag).ok_or_else(|| wrong(format!("required_flags: unknown: {flag}")))
        })
        .collect::<Result<_, _>>()?;
    Ok(Implementation {
        architecture: Some(architecture),
        required,
        name: listed.name,
    })
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

    fn read(text: &str) -> Result<Claims, String> {
        parse(text, Path::new("ml-kem-768/META.yml")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_good_file_says_it_all() {
        let claims = read(GOOD).unwrap();
        assert_eq!(claims.name, "ML-KEM-768");
        assert_eq!(claims.category, wire::Category::Kem);
        assert_eq!(claims.sizes.ciphertext, 1088);
        assert_eq!(claims.sizes.signature, 0);
        assert_eq!(claims.kat.sha256[..2], [0x53, 0x52]);
        assert_eq!(claims.kat.generator, kat::generator::Generator::NistDrbg);
        let [clean, avx2] = claims.implementations.as_slice() else {
            panic!("{:?}", claims.implementations);
        };
        assert_eq!(clean.architecture, None);
        assert_eq!(avx2.architecture, Some(Architecture::X86_64));
        assert_eq!(avx2.required, [Isa::Avx2, Isa::Bmi2]);
    }

    #[test]
    fn a_malformed_file_is_named_with_its_key() {
        let cases = [
            ("length-secret-key: 2400\n", "", "length-secret-key"),
            ("length-ciphertext: 1088\n", "", "length-ciphertext"),
            ("key: 1184", "key: many", "length-public-key"),
            ("type: kem", "type: hash", "type"),
            ("5352", "53", "nistkat-sha256"),
            ("5352", "53é", "nistkat-sha256"),
            ("x86_64", "vax", "architecture"),
            ("bmi2", "bmi9", "required_flags"),
            ("type: kem", "type: signature", "length-signature"),
        ];
        for (from, to, key) in cases {
            let error = read(&GOOD.replace(from, to)).unwrap_err();
            assert!(error.contains("ml-kem-768/META.yml"), "{error}");
            assert!(error.contains(key), "{key} is not in: {error}");
        }
        assert!(read("]").unwrap_err().contains("META.yml"));
    }

    #[test]
    fn hqc_has_a_generator_of_its_own() {
        let claims = read(&format!("{GOOD}nistkat-rng: hqc\n")).unwrap();
        assert_eq!(claims.kat.generator, kat::generator::Generator::HqcPrng);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "(?s).{0,200}") {
            let _ = read(&text);
            let _ = sha256_from_hexadecimal(&text);
        }

        #[test]
        fn digests_read_back(bytes in any::<[u8; 32]>()) {
            let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            prop_assert_eq!(sha256_from_hexadecimal(&text), Some(bytes));
        }
    }
}
