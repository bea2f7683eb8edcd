//! What the catalogue says of the package that cargo fetched.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use catalogue::{Architecture, Catalogue, DEFAULT_INSTANCE, board};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn load() -> &'static Catalogue {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    CATALOGUE.get_or_init(|| Catalogue::load(&root()).unwrap())
}

/// The candidates that come with the repository, but for the tests of the instrument.
const OURS: [&str; 6] = ["pqclean", "akex", "iccs", "sha3", "standards", "x25519"];

#[test]
fn every_live_instance_is_listed() {
    let count = |variant: &str| {
        load()
            .instances()
            .iter()
            .filter(|instance| instance.variant == variant)
            .count()
    };
    assert_eq!(count("clean"), 35);
    assert_eq!(count("aarch64"), 16);
    assert_eq!(count("avx2"), 32);
    let names: Vec<_> = load()
        .instances()
        .iter()
        // What a user has imported is the user's.
        .filter(|instance| OURS.contains(&instance.candidate.as_str()))
        .map(|instance| instance.name())
        .collect();
    insta::assert_snapshot!(names.join("\n"));
}

#[test]
fn nothing_of_ours_is_broken() {
    let ours = OURS.into_iter().chain(["rogues"]);
    for candidate in ours {
        let mut broken = load().broken().iter();
        let package = broken.find(|package| package.is_called(candidate));
        assert!(package.is_none(), "{package:?}");
    }
}

#[test]
fn the_default_instance_is_there_and_portable() {
    let instance = load().find(DEFAULT_INSTANCE).unwrap();
    assert_eq!(instance.architecture, None);
    assert_eq!(instance.sizes.unwrap().public_key, 1184);
    let sources = &instance.sources;
    assert!(sources.iter().all(|source| source.is_file()));
    let names: Vec<_> = sources
        .iter()
        .map(|source| instance.source_name(source))
        .collect();
    assert!(
        names.contains(&"crypto_kem/ml-kem-768/clean/kem.c".to_owned()),
        "{names:?}"
    );
    assert!(names.contains(&"common/fips202.c".to_owned()));
    assert!(!names.iter().any(|name| name.contains("randombytes.c")));
}

#[test]
fn names_with_spaces_or_twins_come_from_the_folder() {
    for name in [
        "pqclean/mceliece348864",
        "pqclean/mceliece348864f",
        "pqclean/mceliece348864f-avx2",
    ] {
        assert_eq!(load().find(name).unwrap().name(), name);
    }
}

#[test]
fn every_file_that_is_named_exists() {
    for instance in load().instances() {
        for file in &instance.sources {
            assert!(file.is_file(), "{}", file.display());
        }
        for folder in &instance.include_folders {
            assert!(folder.is_dir(), "{}", folder.display());
        }
    }
}

#[test]
fn availability_follows_from_the_board() {
    let virt = board("qemu-virt").unwrap();
    for instance in load().instances() {
        let reason = instance.availability(virt).err().map(|why| why.reason);
        let expected = match (
            instance.architecture,
            instance.label.starts_with("SPHINCS+-shake"),
        ) {
            (None, _) | (Some(Architecture::Aarch64), false) => None,
            (Some(Architecture::Aarch64), true) => Some(
                "needs FEAT_SHA3, which cortex-a72 lacks (and its assembly has Apple syntax that GNU as rejects)",
            ),
            (Some(Architecture::X86_64), _) => Some("needs x86_64, and qemu-virt is aarch64"),
        };
        assert_eq!(reason.as_deref(), expected, "{}", instance.name());
    }
}

#[test]
fn an_unknown_name_is_answered_with_near_ones() {
    let error = load().find("pqclean/ML-KEM-765").unwrap_err();
    let help = miette::Diagnostic::help(&error).unwrap().to_string();
    assert!(help.contains("pqclean/ML-KEM-768"), "{help}");
}

#[test]
fn a_folder_without_a_workspace_is_an_error_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let error = Catalogue::load(folder.path()).unwrap_err();
    let help = miette::Diagnostic::help(&error).unwrap().to_string();
    assert!(help.contains("cargo fetch"), "{help}");
}
