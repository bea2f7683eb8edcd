//! Packages on their whole way: handed in as an archive, imported, built and measured.
//!
//! What our own packages must answer comes from `answers`, that is from implementations that are
//! not ours; the archives ship it as official packages do, as texts, because a package under
//! another id has no digests in `kat/`.

mod support;

use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use host::project::Project;
use host::system;
use serde_json::Value;
use support::packages::{Archive, Imported, answer, host, said};

/// One package at a time: a command reads all of them, and one may be going away.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn sources(package: &str) -> std::path::PathBuf {
    let root = Project::find().unwrap().root;
    root.join("submissions").join(package)
}

/// A known-answer test, as the command prints it for programs.
fn kat(instance: &str, system: &str) -> Value {
    let output = host(&["kat", instance, "--system", system, "--json"]);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{instance} on {system}: {error}: {}", said(&output)))
}

/// Known answers that pass on these systems, with the same digest on all.
fn passes(instance: &str, systems: &[String]) {
    let mut digests = Vec::new();
    for system in systems {
        let outcome = kat(instance, system);
        assert_eq!(outcome["kat"], "PASS", "{instance} on {system}: {outcome}");
        digests.push(outcome["computed_sha256"].as_str().unwrap().to_owned());
    }
    assert_eq!(digests[0].len(), 64, "{digests:?}");
    assert!(
        digests.iter().all(|digest| *digest == digests[0]),
        "{instance}: {digests:?}"
    );
}

/// Hands in one of our packages with the texts of some of its files.
fn hand_in(package: &str, files: &[&str]) -> (Imported, std::process::Output) {
    let mut archive = Archive::default();
    let name = "Reference_Implementation";
    archive.folder(name, &sources(package).join(name));
    for file in files {
        let (_, name) = file.split_once('/').unwrap();
        archive.file(&format!("KAT/{name}"), answer(package, file));
    }
    Imported::new(&format!("zip-{package}"), &archive)
}

/// Replaces what the import made of a package whose sources lie in PQClean's tree, which no import
/// can know, by the committed description, and keeps the known-answer texts that it found.
fn describe(imported: &Imported, package: &str) {
    let file = imported.folder.join("candidate.toml");
    let read = |path: &Path| -> toml::Table { fs::read_to_string(path).unwrap().parse().unwrap() };
    let found = read(&file);
    let mut ours = read(&sources(package).join("candidate.toml"));
    ours["id"] = found["id"].clone();
    let found = found["instance"].as_array().unwrap();
    for instance in ours["instance"].as_array_mut().unwrap() {
        let same = found.iter().find(|other| other["name"] == instance["name"]);
        if let Some(kat) = same.and_then(|other| other.get("kat")) {
            let instance = instance.as_table_mut().unwrap();
            instance.insert("kat".to_owned(), kat.clone());
        }
    }
    fs::write(file, ours.to_string()).unwrap();
}

#[test]
fn a_complete_package_passes_as_it_was_imported() {
    let _alone = alone();
    let (imported, output) = hand_in("x25519", &["X25519/KAT_KEX_X25519.txt"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    passes(&imported.instance("X25519"), &system::default_names());
}

#[test]
fn hash_functions_pass_as_they_were_imported() {
    let _alone = alone();
    let labels = [
        "SM3",
        "pseudohash-512",
        "pseudohash-768",
        "pseudohash-1024",
        "pseudoXOF-512",
    ];
    // The other files take a minute each in QEMU; tests/instances.rs has them.
    let files = labels.map(|label| format!("{label}/KAT_2_12_{label}.txt"));
    let (imported, output) = hand_in("iccs", &files.each_ref().map(String::as_str));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let [emulated, local] = system::default_names();
    let all = std::env::var_os("NGCC_TEST_ALL").is_some();
    for label in labels {
        let mut systems = vec![local.clone()];
        if all || label == "SM3" {
            systems.push(emulated.clone());
        }
        passes(&imported.instance(label), &systems);
    }
}

#[test]
fn packages_with_sources_elsewhere_pass_once_they_are_described() {
    let _alone = alone();
    for (package, instances) in [
        ("akex", &["AKEX-128/KAT_KEX_AKEX-128.txt"][..]),
        ("sha3", &["SHA3-256/KAT_2_12_SHA3-256.txt"]),
        (
            "standards",
            &[
                "ML-KEM-512/KAT_KEM_ML-KEM-512.txt",
                "ML-DSA-44/KAT_SIG_ML-DSA-44.txt",
            ],
        ),
    ] {
        let (imported, output) = hand_in(package, instances);
        assert!(imported.folder.is_dir(), "{package}: {}", said(&output));
        describe(&imported, package);
        for file in instances {
            let (label, _) = file.split_once('/').unwrap();
            passes(&imported.instance(label), &system::default_names());
        }
    }
}

/// Two instances below folders with blanks and Chinese names, whose headers have the same name.
#[test]
fn folders_with_foreign_names_and_equal_headers_are_measured() {
    let _alone = alone();
    let toys = sources("rogues").join("Reference_Implementation");
    let mut archive = Archive::default();
    for name in ["甲", "乙"] {
        let folder = format!("实现/参考实现 v1/{name}");
        archive.folder(&folder, &toys.join("common"));
        for other in ["kex", "sig"] {
            archive.remove(&format!("{folder}/{other}_interface.h"));
            archive.remove(&format!("{folder}/toy_{other}.c"));
            archive.remove(&format!("{folder}/toy_{other}.h"));
        }
        let header = fs::read_to_string(toys.join("own-helpers/KEM_AlgorithmInstance.h")).unwrap();
        let label = if name == "甲" { "toy-1" } else { "toy-2" };
        let header = header.replace("own-helpers", label);
        archive.file(&format!("{folder}/KEM_AlgorithmInstance.h"), header);
    }
    let (imported, output) = Imported::new("zip-foreign-names", &archive);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let [_, local] = system::default_names();
    for label in ["toy-1", "toy-2"] {
        let outcome = kat(&imported.instance(label), &local);
        assert_eq!(outcome["kat"], "NOKAT", "{outcome}");
    }
}

#[test]
fn a_package_that_forks_or_writes_files_is_stopped_and_the_line_is_named() {
    let _alone = alone();
    let toys = sources("rogues").join("Reference_Implementation");
    let mut archive = Archive::default();
    archive.folder("own/common", &toys.join("common"));
    for other in ["kex", "sig"] {
        archive.remove(&format!("own/common/{other}_interface.h"));
        archive.remove(&format!("own/common/toy_{other}.c"));
        archive.remove(&format!("own/common/toy_{other}.h"));
    }
    let folder = tempfile::tempdir().unwrap();
    let written = folder.path().join("written");
    let header = fs::read_to_string(toys.join("calls-exit/KEM_AlgorithmInstance.h")).unwrap();
    let dec = fs::read_to_string(toys.join("calls-exit/KEM_AlgorithmInstance.c")).unwrap();
    let vice = format!(
        "if (fopen(\"{}\", \"w\")) return -7;\n    fork();",
        written.display()
    );
    let forks = dec
        .replace("exit(3);", &vice)
        .replace("<stdlib.h>", "<stdio.h>\n#include <unistd.h>");
    assert!(
        forks.contains("fork()") && forks.contains("unistd"),
        "{forks}"
    );
    let line = forks
        .lines()
        .position(|line| line.contains("fork()"))
        .unwrap()
        + 1;
    archive.file("own/KEM_AlgorithmInstance.h", header);
    archive.file("own/KEM_AlgorithmInstance.c", forks);
    let (imported, output) = Imported::new("zip-forks", &archive);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let [_, local] = system::default_names();
    let outcome = kat(&imported.instance("calls-exit"), &local);
    assert_eq!(outcome["kat"], "NORESULT", "{outcome}");
    let detail = outcome["detail"].as_str().unwrap();
    assert!(detail.contains("a filter forbids"), "{detail}");
    let place = format!("KEM_AlgorithmInstance.c:{line})");
    assert!(
        detail.contains("in kem_dec") && detail.contains(&place),
        "{detail}"
    );
    assert!(!written.exists());
}

#[test]
fn a_wrong_text_is_named_by_record_field_and_byte() {
    let _alone = alone();
    let file = "X25519/KAT_KEX_X25519.txt";
    let mut text = String::from_utf8(answer("x25519", file)).unwrap();
    // The sixth byte of the secret of the fourth record, which is number 3.
    let (place, _) = text.match_indices("\nSS = ").nth(3).unwrap();
    let digit = place + "\nSS = ".len() + 2 * 5;
    let other = if &text[digit..=digit] == "0" {
        "1"
    } else {
        "0"
    };
    text.replace_range(digit..=digit, other);
    let mut archive = Archive::default();
    let name = "Reference_Implementation";
    archive.folder(name, &sources("x25519").join(name));
    archive.file("KAT/KAT_KEX_X25519.txt", text);
    let (imported, output) = Imported::new("zip-wrong-text", &archive);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    for system in system::default_names() {
        let outcome = kat(&imported.instance("X25519"), &system);
        assert_eq!(outcome["kat"], "MISMATCH", "{outcome}");
        let detail = outcome["detail"].as_str().unwrap();
        assert!(
            detail.contains("KAT_KEX_X25519.txt: record 3, `SS`: differs from byte 5 on"),
            "{detail}"
        );
    }
}

/// Measures one instance into a run directory, on this machine or the emulated board.
fn campaign(instance: &str, system: &str, run: &Path) -> std::process::Output {
    let only = format!("^{instance}$");
    let run = run.to_str().unwrap();
    host(&[
        "campaign",
        "--no-profile",
        "--system",
        system,
        "--only",
        &only,
        "--trial-target",
        "0.001",
        "--run-dir",
        run,
        "--allow-unfit",
    ])
}

fn json(file: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn a_label_that_fails_with_the_guide_s_flags_is_measured_with_the_harness_s() {
    let _alone = alone();
    let mut archive = Archive::default();
    let name = "Reference_Implementation";
    archive.folder(name, &sources("x25519").join(name));
    // Strict C99, which only the guide's flags ask for, shows in a macro.
    let path = format!("{name}/X25519/KEX_AlgorithmInstance.c");
    let right = fs::read_to_string(sources("x25519").join(&path)).unwrap();
    let getter = "kex_get_passes_num() {\n";
    let wrong = format!("{getter}#ifdef __STRICT_ANSI__\n    return 1;\n#endif\n");
    assert!(right.contains(getter));
    archive.remove(&path);
    archive.file(&path, right.replace(getter, &wrong));
    let text = "KAT_KEX_X25519.txt";
    archive.file(
        &format!("KAT/{text}"),
        answer("x25519", &format!("X25519/{text}")),
    );
    let (imported, output) = Imported::new("zip-second-flags", &archive);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));

    let [_, local] = system::default_names();
    let run = tempfile::tempdir().unwrap();
    let output = campaign(&imported.instance("X25519"), &local, run.path());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    for words in [
        "KAT PASS (with the flags harness-default",
        "compiled with the flags",
    ] {
        assert!(said(&output).contains(words), "{}", said(&output));
    }
    let name = imported.instance("X25519");
    let output = host(&["kat", &name, "--system", &local]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("PASS, with the flags harness-default"));
    let folder = run.path().join(&local).join("records/zip-second-flags");
    let record = json(&folder.join("X25519__exchange.json"));
    assert_eq!(
        (&record["flags"], &record["kat"]),
        (&"harness-default".into(), &"PASS".into())
    );
}

/// The names of all files of records, those that were set aside among them.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The loop of whoever submits something: correct, measure again.
#[test]
fn a_campaign_that_goes_on_measures_another_build_anew_and_keeps_the_rest() {
    let _alone = alone();
    let (imported, output) = hand_in("x25519", &["X25519/KAT_KEX_X25519.txt"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let [_, local] = system::default_names();
    let run = tempfile::tempdir().unwrap();
    let path = run.path().to_str().unwrap();
    let records = run.path().join(&local).join("records/zip-x25519");
    let name = imported.instance("X25519");
    let again = |code: i32, words: &[&str]| {
        let output = campaign(&name, &local, run.path());
        let said = said(&output);
        assert_eq!(output.status.code(), Some(code), "{said}");
        for words in words {
            assert!(said.contains(words), "`{words}` is not in\n{said}");
        }
        if code == 0 {
            let output = host(&["validate", path]);
            let said = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(0), "{said}");
        }
    };
    again(0, &["KAT PASS"]);
    let first = names(&records);
    let count = first.len();
    let all = |rest: &str| format!("{count} records {rest}");
    let kept = all("kept, nothing left to measure");
    again(0, &[&kept]);

    // A wrong answer is measured once, and is no less wrong when it is kept.
    let text = imported.folder.join("KAT/KAT_KEX_X25519.txt");
    let right = fs::read_to_string(&text).unwrap();
    fs::write(&text, right.replacen("SS = ", "SS = 00", 1)).unwrap();
    again(1, &["KAT MISMATCH", &all("with another outcome")]);
    again(1, &[&kept, "wrong answers"]);
    fs::write(&text, right).unwrap();
    again(0, &["KAT PASS", &all("with another outcome")]);

    // Another file, and the same image.
    let source = imported
        .folder
        .join("Reference_Implementation/X25519/x25519.c");
    let code = fs::read_to_string(&source).unwrap();
    let commented = format!("{code}/* a remark */\n");
    fs::write(&source, &commented).unwrap();
    again(0, &[&kept]);

    let more = "int ngcc_more(int x);\nint ngcc_more(int x) { return x + 1; }\n";
    let getter = imported
        .folder
        .join("Reference_Implementation/X25519/KEX_AlgorithmInstance.c");
    let getters = fs::read_to_string(&getter).unwrap();
    let call = "kex_get_passes_num() {\n";
    let calling = format!("int ngcc_more(int x);\n{getters}").replace(
        call,
        &format!("{call}    if (ngcc_more(1) == 1) return 1;\n"),
    );
    fs::write(&getter, calling).unwrap();
    fs::write(&source, format!("{code}{more}")).unwrap();
    again(0, &[&all("of another build to be measured anew")]);
    assert_eq!(names(&records).len(), 4 * count, "{:?}", names(&records));

    // It does not link any more: no old number stands for it.
    fs::write(&source, &code).unwrap();
    let reason = "undefined symbol: ngcc_more, used in KEX_AlgorithmInstance.c";
    again(1, &["BUILDFAIL", reason, "not shown any more"]);
    for command in ["compare", "validate"] {
        let output = host(&[command, path]);
        let said = said(&output);
        let is_wrong = command == "compare";
        assert_eq!(output.status.code(), Some(i32::from(is_wrong)), "{said}");
        let words = match is_wrong {
            true => reason,
            false => "not built: 1 instance",
        };
        assert!(said.contains(words), "{said}");
    }
    let output = host(&["kat", &name, "--system", &local]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains(reason), "{}", said(&output));

    fs::write(&getter, getters).unwrap();
    again(0, &["KAT PASS"]);
    let only = format!("^{name}$");
    let mut redo = vec!["campaign", "--system", &local, "--only", &only];
    redo.extend(["--trial-target", "0.001", "--run-dir", path]);
    redo.extend(["--redo", "__exchange$", "--allow-unfit", "--no-profile"]);
    let output = host(&redo);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let words = format!("{} records kept, 1 measured", count - 1);
    assert!(said(&output).contains(&words), "{}", said(&output));
}

#[test]
fn what_a_system_cannot_run_is_a_build_failure_there_with_the_reason() {
    let [emulated, _] = system::default_names();
    let run = tempfile::tempdir().unwrap();
    let output = campaign("pqclean/ML-KEM-512-avx2", &emulated, run.path());
    let build = json(&run.path().join(&emulated).join("build.json"));
    let entry = &build["pqclean/ML-KEM-512-avx2"];
    assert_eq!(entry["kat"], "BUILDFAIL", "{}", said(&output));
    let reason = entry["reason"].as_str().unwrap();
    assert!(reason.contains("needs x86_64"), "{reason}");
}

#[test]
fn the_text_that_is_written_is_that_of_other_implementations() {
    let _alone = alone();
    let name = "KAT_KEX_AKEX-128.txt";
    let expected = answer("akex", &format!("AKEX-128/{name}"));
    for system in system::default_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let output = host(&["kat", "akex/AKEX-128", "--system", &system, "--text", path]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let written = fs::read(folder.path().join(name)).unwrap();
        assert!(written == expected, "{system}: the texts differ");
    }
}

#[test]
fn records_of_exchanges_and_hash_functions_say_what_theirs_alone_have() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let [_, local] = system::default_names();
    let only = "^(akex/AKEX-128|iccs/SM3)$";
    let mut arguments = vec!["campaign", "--system", &local, "--only", only];
    arguments.extend(["--no-profile", "--trial-target", "0.005"]);
    arguments.extend(["--run-dir", path, "--allow-unfit"]);
    let output = host(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let record = |name: &str| -> Value {
        let file = folder.path().join(&local).join("records").join(name);
        let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{name}: {e}"));
        serde_json::from_str(&text).unwrap()
    };

    let step = record("akex/AKEX-128__pass1.json");
    assert_eq!(step["timing_scope"], "per_call_step");
    let kex = |key: &str| {
        step["kex"][key]
            .as_i64()
            .unwrap_or_else(|| panic!("{key}: {}", step["kex"]))
    };
    let passes = kex("kex_passes");
    assert_eq!(kex("kex_passes_run"), passes);
    let messages: Vec<i64> = (1..=passes)
        .map(|number| kex(&format!("kex_msg{number}_bytes")))
        .collect();
    // FIPS 203, table 3, and FIPS 204, table 2: each side sends a key or ciphertext of ML-KEM-512
    // or a signature of ML-DSA-44 at least.
    assert!(
        messages.iter().all(|bytes| (768..16_384).contains(bytes)),
        "{messages:?}"
    );
    assert_eq!(kex("kex_total_msg_bytes"), messages.iter().sum::<i64>());
    assert!(kex("kex_ss_bytes") >= 16 && kex("kex_pk_bytes") > 0 && kex("kex_sk_bytes") > 0);
    let whole = record("akex/AKEX-128__exchange.json");
    assert_eq!(whole["timing_scope"], "loop");
    assert_eq!(whole["kex"], step["kex"]);

    let hash = record("iccs/SM3__hash_32.json");
    // The length stands in the name of the file and in input_bytes.
    assert_eq!(hash["operation"], "hash");
    assert_eq!(hash["input_bytes"], 32);
    let number = |value: &Value| value.as_f64().unwrap();
    let throughput = number(&hash["throughput_MB_per_second"]);
    let computed = 32.0 / number(&hash["mean_seconds"]) / 1e6;
    assert!(
        (throughput / computed - 1.0).abs() < 1e-9,
        "{throughput} MB/s, {computed} MB/s"
    );
    assert_eq!(host(&["validate", path]).status.code(), Some(0));
}
