//! The committed manifests are what the independent implementations compute today.
//!
//! A million hashes take ten seconds and more: by default one hash of each package goes through its
//! loop; with NGCC_TEST_ALL set, all of them.

use std::fs;
use std::path::Path;

/// The files of a million hashes that are always computed.
const LOOPS: [&str; 2] = ["SM3/KAT_Loop_SM3.txt", "SHA3-256/KAT_Loop_SHA3-256.txt"];

/// Computes a package's manifest anew and compares it with the committed one.
fn reproduces(package: &str) {
    let all = std::env::var_os("NGCC_TEST_ALL").is_some();
    let wanted = |path: &str| all || LOOPS.contains(&path) || !path.contains("/KAT_Loop_");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../kat/{package}/kat.sha256"));
    let committed: String = fs::read_to_string(&path)
        .expect("the manifest is committed")
        .split_inclusive('\n')
        .filter(|line| line.split_whitespace().last().is_some_and(wanted))
        .collect();
    let computed = answers::manifest(package, wanted).expect("every scheme agrees with itself");
    assert_eq!(
        committed, computed,
        "write it anew with `cargo run -p answers --target host-tuple -- {package}` if the \
         package was changed on purpose"
    );
}

#[test]
fn akex() {
    reproduces("akex");
}

#[test]
fn iccs() {
    reproduces("iccs");
}

#[test]
fn rogues() {
    reproduces("rogues");
}

#[test]
fn sha3() {
    reproduces("sha3");
}

#[test]
fn standards() {
    reproduces("standards");
}

#[test]
fn x25519() {
    reproduces("x25519");
}

#[test]
fn names_that_are_not_there_are_refused_with_those_that_are() {
    let help =
        |error: answers::AnswerError| miette::Diagnostic::help(&error).map(|help| help.to_string());
    let error = answers::manifest("kem-36", |_| true).expect_err("it is not ours");
    assert_eq!(
        help(error).as_deref(),
        Some("packages are: akex, iccs, rogues, sha3, standards, x25519")
    );
    let mut digest = kat::canonical::CanonicalDigest::new(1);
    let error = answers::write_file("x25519", "X25519/KAT.txt", &mut digest)
        .expect_err("there is no such file");
    assert_eq!(
        help(error).as_deref(),
        Some("name it as the manifest does, for example X25519/KAT_KEX_X25519.txt")
    );
}
