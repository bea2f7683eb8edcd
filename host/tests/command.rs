//! The command as people use it: real images, real signals, real exit codes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use host::project::Project;
use host::system;
use serde_json::Value;

/// The instance that all of these use: quick to build and to measure.
const INSTANCE: &str = "pqclean/ML-KEM-768";

fn host(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_host"));
    command
        .args(arguments)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    host(arguments).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

/// A campaign over one instance on one system, as short as it can be, on whatever machine this is.
fn campaign<'a>(folder: &'a str, system: &'a str) -> Vec<&'a str> {
    vec![
        "campaign",
        "--no-profile",
        "--system",
        system,
        "--only",
        "^pqclean/ML-KEM-768$",
        "--trial-target",
        "0.02",
        "--run-dir",
        folder,
        "--allow-unfit",
    ]
}

fn records(folder: &Path, system: &str) -> Vec<PathBuf> {
    let folder = folder.join(system).join("records/pqclean");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    files.sort();
    files
}

#[test]
fn a_campaign_is_kept_validated_compared_and_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let [emulated, local] = system::default_names();
    for system in [&emulated, &local] {
        let output = run(&campaign(path, system));
        assert_eq!(code(&output), Some(0), "{}", text(&output.stderr));
        assert_eq!(records(folder.path(), system).len(), 3);
    }
    let record = fs::read_to_string(&records(folder.path(), &emulated)[0]).unwrap();
    assert!(record.contains(r#""unit": "instructions""#), "{record}");
    assert!(record.contains(r#""cpu_cycles_available": "no""#));
    assert!(record.contains(r#""kat": "PASS""#));
    for system in [&emulated, &local] {
        let record = fs::read_to_string(&records(folder.path(), system)[0]).unwrap();
        let record: Value = serde_json::from_str(&record).unwrap();
        let linker = record["meter"]["image"]["linker"].as_str();
        assert!(
            linker.is_some_and(|words| words.starts_with("LLD ")),
            "{linker:?}"
        );
        let counter = &record["meter"]["counter"];
        if counter["source"] == "tsc" {
            // Ticks and time of the same calls.
            let number = |value: &Value| value.as_f64().unwrap();
            let trial = &record["meter"]["trials"][0];
            let rate = number(&trial["count"]) / number(&record["trials"][0]["seconds"]);
            let stated = number(&counter["frequency_hz"]);
            assert!(
                (rate / stated - 1.0).abs() < 0.01,
                "{rate} Hz, stated {stated} Hz"
            );
        }
    }
    assert!(
        folder
            .path()
            .join(&emulated)
            .join("kat/pqclean/ML-KEM-768.log")
            .is_file()
    );
    assert!(folder.path().join(&emulated).join("build.json").is_file());

    let output = run(&["validate", path]);
    assert_eq!(code(&output), Some(0), "{}", text(&output.stdout));

    let output = run(&["compare", path]);
    let table = text(&output.stdout);
    assert_eq!(code(&output), Some(0));
    for word in ["keygen", "enc", "dec", "instructions,", "emulated", "PASS"] {
        assert!(table.contains(word), "{word} is missing from\n{table}");
    }

    // Nothing is measured twice, and QEMU's numbers repeat.
    let before = fs::metadata(&records(folder.path(), &emulated)[0]).unwrap();
    let output = run(&campaign(path, &emulated));
    assert_eq!(code(&output), Some(0));
    let after = fs::metadata(&records(folder.path(), &emulated)[0]).unwrap();
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());

    // Other settings are refused by their key.
    let mut other = campaign(path, &emulated);
    other[7] = "0.03";
    let output = run(&other);
    assert_eq!(code(&output), Some(2));
    assert!(text(&output.stderr).contains("plan.trial_target_seconds"));

    // One flipped bit in one record is found and named.
    let file = records(folder.path(), &emulated)[1].clone();
    let mut bytes = fs::read(&file).unwrap();
    let place = text(&bytes).find("\"seconds\": 0.0").unwrap() + 14;
    bytes[place] ^= 1;
    fs::write(&file, bytes).unwrap();
    let output = run(&["validate", path]);
    assert_eq!(code(&output), Some(1));
    let said = text(&output.stdout);
    assert!(
        said.contains(file.file_name().unwrap().to_str().unwrap()),
        "{said}"
    );
    assert!(
        said.contains("`meter.digest`") && said.contains("`trials`"),
        "{said}"
    );

    // A record that cannot be read is measured anew.
    fs::write(&file, "{").unwrap();
    let output = run(&campaign(path, &emulated));
    assert_eq!(code(&output), Some(0));
    assert!(text(&output.stderr).contains("measuring anew"));
    assert_eq!(code(&run(&["validate", path])), Some(0));
}

/// A machine where nobody can count cycles or find out about the clock, or one where a test runs
/// beside others, may be fit by chance: then there is nothing to refuse.
#[test]
fn an_unfit_machine_is_refused_unless_it_is_taken_as_it_is() {
    let [emulated, local] = system::default_names();
    let judged = |system: &str| {
        let output = run(&["doctor", "--json", "--system", system]);
        let said = text(&output.stdout);
        let summary: Value = serde_json::from_str(&said).expect(&said);
        let verdict = summary["systems"][0].clone();
        assert_eq!(code(&output), Some(i32::from(verdict["fit"] != true)));
        verdict
    };
    let verdict = judged(&emulated);
    assert_eq!(verdict["fit"], true, "{verdict}");
    assert!(
        verdict["remarks"].to_string().contains("counts repeat"),
        "{verdict}"
    );

    let verdict = judged(&local);
    let is_virtual = |finding: &Value| finding["problem"].to_string().contains("virtual machine");
    let findings = verdict["findings"].as_array().unwrap();
    if !findings.iter().any(is_virtual) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("runs");
    let path = runs.to_str().unwrap();
    let mut arguments = campaign(path, &local);
    assert_eq!(arguments.pop(), Some("--allow-unfit"));
    let output = run(&arguments);
    let said = text(&output.stderr);
    assert_eq!(code(&output), Some(2), "{said}");
    for word in [
        "virtual machine",
        "remedy: ",
        "--allow-unfit",
        "cargo host doctor",
    ] {
        assert!(said.contains(word), "{word} is missing from\n{said}");
    }
    assert!(!runs.exists());

    let output = run(&campaign(path, &local));
    assert_eq!(code(&output), Some(0), "{}", text(&output.stderr));
    let note = "was not fit for a trustworthy measurement";
    assert!(text(&output.stdout).contains(note));
    let record = fs::read_to_string(&records(&runs, &local)[0]).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    assert!(
        record["meter"]["fitness"]
            .to_string()
            .contains("virtual machine")
    );

    // Each time it must be said anew, and a system that is fit needs no word wherever it is measured.
    let output = run(&arguments);
    assert_eq!(code(&output), Some(2));
    assert!(text(&output.stderr).contains("virtual machine"));
    let mut on_the_emulator = campaign(path, &emulated);
    on_the_emulator.pop();
    let output = run(&on_the_emulator);
    assert_eq!(code(&output), Some(0), "{}", text(&output.stderr));
    assert_eq!(code(&run(&["validate", path])), Some(0));
}

#[test]
fn a_folder_in_the_place_of_a_file_costs_one_label() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let [_, local] = system::default_names();
    let in_the_way = folder
        .path()
        .join(&local)
        .join("kat/pqclean/ML-KEM-512.log");
    fs::create_dir_all(&in_the_way).unwrap();
    let mut arguments = campaign(path, &local);
    arguments[5] = "^pqclean/ML-KEM-(512|768)$";
    let output = run(&arguments);
    let said = text(&output.stderr);
    assert_eq!(code(&output), Some(1), "{said}");
    assert!(
        said.contains("pqclean/ML-KEM-512: failed: cannot replace"),
        "{said}"
    );
    assert!(said.contains("ML-KEM-512.log"), "{said}");
    assert_eq!(records(folder.path(), &local).len(), 3);
}

#[test]
fn a_missing_tool_is_never_the_outcome_of_a_submission() {
    let folder = tempfile::tempdir().unwrap();
    let compiler = folder.path().join("compiler");
    let script = "#!/bin/sh\n\
        [ \"$1\" = -print-prog-name=objcopy ] && echo /nowhere/objcopy && exit 0\n\
        exec gcc \"$@\"\n";
    fs::write(&compiler, script).unwrap();
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).unwrap();
    let runs = folder.path().join("runs");
    let [_, local] = system::default_names();
    let output = host(&campaign(runs.to_str().unwrap(), &local))
        .env("NGCC_CC_LINUX", &compiler)
        .output()
        .unwrap();
    let said = text(&output.stderr);
    assert_eq!(code(&output), Some(2), "{said}");
    assert!(
        said.contains("/nowhere/objcopy") && said.contains("cargo host setup"),
        "{said}"
    );
    assert!(!said.contains("BUILDFAIL"), "{said}");
    assert!(!runs.join(&local).join("build.json").exists());
}

#[test]
fn without_cargo_the_cause_is_cargo() {
    let output = host(&["list"])
        .env_remove("CARGO")
        .env("PATH", "/nowhere")
        .output()
        .unwrap();
    let said = text(&output.stderr);
    assert_eq!(code(&output), Some(2), "{said}");
    assert!(said.starts_with("error: `cargo` cannot be run"), "{said}");
}

#[test]
fn nobody_listening_to_errors_is_no_error() {
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let status = host(&["validate", "/nonexistent"]).stderr(full).status();
    assert_eq!(status.unwrap().code(), Some(2));
}

/// The first command of the README: three instances on both systems, and where their records are.
#[test]
fn the_demo_measures_on_both_systems_and_everything_passes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let output = run(&["demo", "--yes", "--run-dir", path]);
    let said = text(&output.stdout);
    assert_eq!(code(&output), Some(0), "{said}{}", text(&output.stderr));
    for word in ["ML-KEM-768", "ML-DSA-65", "HQC-128", "virtual", path] {
        assert!(said.contains(word), "{word} is missing from\n{said}");
    }
    assert_eq!(text(&output.stderr).matches("KAT PASS").count(), 6);
    for system in system::default_names() {
        assert_eq!(records(folder.path(), &system).len(), 9);
    }
    assert_eq!(code(&run(&["validate", path])), Some(0));
}

#[test]
fn flags_of_the_environment_are_taken_or_refused_by_name() {
    let [_, local] = system::default_names();
    let kat = |flags: &str| {
        host(&["kat", INSTANCE, "--system", &local, "--json"])
            .env("NGCC_FLAGS", flags)
            .output()
            .unwrap()
    };
    let output = kat("harness-default");
    assert_eq!(code(&output), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains(r#""flags": "harness-default""#), "{said}");
    let output = kat("-O3");
    assert_eq!(code(&output), Some(2));
    let said = text(&output.stderr);
    for words in ["NGCC_FLAGS", "-O3", "guide, harness-default"] {
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn what_is_no_folder_and_no_image_is_told_with_the_remedy() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    let output = run(&["kat", "x25519/X25519", "--text", path]);
    assert_eq!(code(&output), Some(2));
    let said = text(&output.stderr);
    assert!(
        said.contains("is a file") && said.contains("`kat`"),
        "{said}"
    );
    let output = run(&["run", INSTANCE]);
    assert_eq!(code(&output), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("NGCC_INSTANCE=pqclean/ML-KEM-768"), "{said}");
}

#[test]
fn an_unknown_instance_is_told_with_its_neighbours() {
    let output = run(&["kat", "pqclean/ML-KEM-786"]);
    assert_eq!(code(&output), Some(2));
    let said = text(&output.stderr);
    assert!(
        said.contains("ML-KEM-786") && said.contains(INSTANCE),
        "{said}"
    );
}

#[test]
fn known_answers_are_told_with_the_field_that_differs_first() {
    let output = run(&["kat", INSTANCE]);
    assert_eq!(code(&output), Some(0));
    assert!(text(&output.stdout).contains("PASS"));
    // The drill flips one bit of the ciphertext, in the text alone.
    for system in system::default_names() {
        let output = run(&["kat", INSTANCE, "--system", &system, "--drill", "wrong-kat"]);
        assert_eq!(code(&output), Some(1), "{}", text(&output.stderr));
        let said = text(&output.stdout);
        assert!(
            said.contains("MISMATCH") && said.contains("field `ct`"),
            "{said}"
        );
    }
}

#[test]
fn a_counter_that_stands_still_is_refused() {
    let output = run(&["kat", INSTANCE, "--drill", "still-counter"]);
    assert_eq!(code(&output), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("stands still"), "{said}");
}

/// `cargo run -p firmware` builds the default instance, or another, and runs it in QEMU.
#[test]
fn cargo_run_measures_an_instance_and_lists_near_names() {
    let project = Project::find().unwrap();
    let cargo = |instance: Option<&str>| {
        let mut command = Command::new("cargo");
        command
            .args(["run", "--quiet", "--package", "firmware"])
            .current_dir(&project.root)
            .env("CARGO_TARGET_DIR", &project.target_folder)
            .env_remove("NGCC_INSTANCE")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null());
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CARGO_PKG")) {
            command.env_remove(name);
        }
        if let Some(instance) = instance {
            command.env("NGCC_INSTANCE", instance);
        }
        command.output().unwrap()
    };
    let output = cargo(None);
    let said = text(&output.stdout);
    assert_eq!(code(&output), Some(0), "{said}{}", text(&output.stderr));
    assert!(
        said.contains(INSTANCE) && said.contains("emulated"),
        "{said}"
    );
    assert!(text(&output.stderr).contains("KAT PASS"));

    let output = cargo(Some("pqclean/ML-DSA-44"));
    let said = text(&output.stdout);
    assert_eq!(code(&output), Some(0), "{said}{}", text(&output.stderr));
    assert!(
        said.contains("pqclean/ML-DSA-44") && said.contains("sign"),
        "{said}"
    );

    let output = cargo(Some("pqclean/ML-DSA-45"));
    assert_ne!(code(&output), Some(0));
    let said = text(&output.stderr);
    assert!(
        said.contains("ML-DSA-45") && said.contains("ML-DSA-44"),
        "{said}"
    );
}

/// Timing is not judged: a machine under test is busy.
#[test]
fn the_bench_names_what_it_measures() {
    let [_, local] = system::default_names();
    let only = format!("^overhead/{local}$");
    let output = run(&["bench", "--json", "--repeat", "1", "--only", &only]);
    assert_eq!(code(&output), Some(0), "{}", text(&output.stderr));
    let summary: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    let items = summary["items"].as_array().unwrap();
    assert_eq!(items.len(), 1);
    assert_eq!(items[0]["name"], format!("overhead/{local}"));
    let figures = items[0]["figures"].as_array().unwrap();
    for figure in figures {
        assert_eq!(figure["repetitions"], 1);
        assert!(figure["median"].as_f64().unwrap() > 0.0, "{figure}");
        assert_eq!(figure["least"], figure["most"]);
    }
    let units: Vec<&Value> = figures.iter().map(|figure| &figure["unit"]).collect();
    assert_eq!(units[1], "ns");

    let output = run(&["bench", "--only", "nothing"]);
    assert_eq!(code(&output), Some(2));
    assert!(text(&output.stderr).contains("agreement/qemu-virt"));
}
