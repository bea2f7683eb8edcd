//! Builds of real instances.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use catalogue::{BuildReport, Catalogue, DEFAULT_INSTANCE, FlagSet, Kind, board};

use crate::build::functions::Functions;
use crate::build::{self, Settings};
use crate::{root, settings, undefined};

/// A finished build and its folder.
struct Finished {
    out: PathBuf,
    built: build::Built,
}

impl Finished {
    /// Builds in a folder of this name, in cargo's folder for tests.
    fn new(instance: &str, board: &str, folder: &str) -> Self {
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
        fs::create_dir_all(&out).unwrap();
        let built = build::run(&settings(instance, board, &out)).unwrap();
        Self { out, built }
    }

    /// The default instance for QEMU, built once.
    fn for_qemu() -> &'static Self {
        static BUILD: OnceLock<Finished> = OnceLock::new();
        BUILD.get_or_init(|| Self::new(DEFAULT_INSTANCE, "qemu-virt", "qemu"))
    }

    /// The default instance for this machine, built once.
    fn for_linux() -> &'static Self {
        static BUILD: OnceLock<Finished> = OnceLock::new();
        BUILD.get_or_init(|| Self::new(DEFAULT_INSTANCE, "linux", "linux"))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.out.join(name)
    }

    fn report(&self) -> BuildReport {
        BuildReport::read(&self.file(BuildReport::FILE)).unwrap()
    }
}

#[test]
fn the_default_instance_builds_for_every_board() {
    for (finished, board) in [
        (Finished::for_qemu(), "qemu-virt"),
        (Finished::for_linux(), "linux"),
    ] {
        let names = undefined(&finished.file("libsubmission.a"));
        assert!(names.contains("meter_randombytes"), "{names:?}");
        assert!(!names.contains("PQCLEAN_randombytes"));
        let report = finished.report();
        assert_eq!(report.label, "ML-KEM-768");
        assert_eq!(report.board, board);
        assert_eq!(report.units.len(), 14);
        assert!(report.units.iter().all(|unit| unit.warnings == 0));
    }
}

#[test]
fn the_generated_source_has_the_agreed_form() {
    let text = fs::read_to_string(Finished::for_qemu().file("instance.rs")).unwrap();
    insta::assert_snapshot!(text);
}

#[test]
fn a_scheme_with_contexts_is_known_by_its_symbols() {
    let finished = Finished::new("pqclean/ML-DSA-44", "linux", "contexts");
    let text = fs::read_to_string(finished.file("instance.rs")).unwrap();
    insta::assert_snapshot!(text);
}

#[test]
fn a_scheme_without_contexts_and_another_generator_are_told() {
    let catalogue = Catalogue::load(&root()).unwrap();
    let board = board("linux").unwrap();
    let functions = |names: &[&'static str]| Functions {
        named: names
            .iter()
            .map(|name| (*name, format!("PREFIX_{name}")))
            .collect(),
        passes: Vec::new(),
        with_context: false,
    };
    let falcon = build::generate::instance_source(
        catalogue.find("pqclean/Falcon-512").unwrap(),
        board,
        &functions(&["keypair", "signature", "verify", "sign", "open"]),
        &[],
        None,
    );
    let hqc = build::generate::instance_source(
        catalogue.find("pqclean/HQC-128").unwrap(),
        board,
        &functions(&["keypair", "enc", "dec"]),
        &["wrong-kat"],
        Some(&[build::counted::Counted {
            symbol: "shake256".into(),
            counter: "meter_counted_shake256".into(),
            function: "shake256".into(),
            helper: 18,
        }]),
    );
    insta::assert_snapshot!(falcon + &hqc);
}

#[test]
fn a_report_says_everything_and_names_no_folder_of_this_machine() {
    let finished = Finished::for_qemu();
    let text = fs::read_to_string(finished.file(BuildReport::FILE)).unwrap();
    for folder in [&finished.out, &root()] {
        assert!(!text.contains(&folder.display().to_string()), "{text}");
    }
    let report = finished.report();
    let name = "crypto_kem/ml-kem-768/clean/cbd.c";
    let unit = report
        .units
        .iter()
        .find(|unit| unit.source == name)
        .unwrap();
    assert_eq!(report.libc.archive.as_deref(), Some("release/libc.a"));
    let command = unit.command.join(" ");
    assert!(command.starts_with(&report.compiler.program), "{command}");
    for flag in FlagSet::Guide.flags() {
        assert!(command.contains(flag), "{command}");
    }
    assert!(command.ends_with(&format!("-c $TREE/{name}")), "{command}");
    // Nothing but the table's flags: in particular none from cc or from the environment.
    assert!(!command.contains(" -w "), "{command}");
    assert_eq!(command.matches("-Wall").count(), 1, "{command}");
}

#[test]
fn primitives_are_known_by_their_constants() {
    for (instance, expected) in [
        (
            "pqclean/Falcon-512",
            &[
                ("ChaCha", "crypto_sign/falcon-512/clean/rng.c", false),
                ("Keccak", "common/fips202.c", true),
            ][..],
        ),
        (
            "pqclean/SPHINCS+-sha2-128f-simple",
            &[("SHA-2", "common/sha2.c", true)],
        ),
        (
            "pqclean/mceliece348864",
            // It brings AES as well, and no function of the interface reaches it.
            &[("Keccak", "common/fips202.c", true)],
        ),
    ] {
        for board in ["qemu-virt", "linux"] {
            let out = tempfile::tempdir().unwrap();
            let settings = Settings {
                kind: Kind::Profile,
                ..settings(instance, board, out.path())
            };
            build::run(&settings).unwrap();
            let report = BuildReport::read(&out.path().join(BuildReport::FILE)).unwrap();
            let symmetric = report.symmetric.unwrap();
            let found: Vec<_> = symmetric
                .primitives
                .iter()
                .map(|it| (it.name.as_str(), it.source.as_str(), it.observable))
                .collect();
            assert_eq!(found, expected, "{instance} on {board}");
        }
    }
}

#[test]
fn equal_sources_give_equal_archives_wherever_they_are_built() {
    let digest =
        |finished: &Finished| catalogue::file_digest(&finished.file("libsubmission.a")).unwrap();
    let again = Finished::new(DEFAULT_INSTANCE, "qemu-virt", "again");
    assert_eq!(digest(Finished::for_qemu()), digest(&again));
    assert_eq!(Finished::for_qemu().report(), again.report());
}

#[test]
fn directives_keep_the_order_of_libraries() {
    let directives = &Finished::for_qemu().built.directives;
    let libraries: Vec<_> = directives
        .iter()
        .filter_map(|line| line.strip_prefix("cargo::rustc-link-lib="))
        .collect();
    assert_eq!(libraries, ["static:-bundle=submission", "static:-bundle=c"]);
    let scripts: Vec<_> = directives
        .iter()
        .filter(|line| line.contains("=-T"))
        .collect();
    assert!(scripts[0].ends_with("linker/qemu-virt.ld"), "{scripts:?}");
    assert!(scripts[1].ends_with("linker/image.ld"), "{scripts:?}");
}

#[test]
fn an_instance_that_a_board_cannot_run_is_not_built() {
    let out = tempfile::tempdir().unwrap();
    for (name, word) in [
        ("pqclean/ML-KEM-768-avx2", "x86_64"),
        ("pqclean/SPHINCS+-shake-128f-simple-aarch64", "FEAT_SHA3"),
    ] {
        let error = build::run(&settings(name, "qemu-virt", out.path()))
            .err()
            .unwrap();
        assert!(error.to_string().contains(word), "{error}");
    }
}
