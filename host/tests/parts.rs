//! A campaign in two parts, joined, is the same as one that was whole; and what was measured tells
//! what another campaign would take.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use host::record::read::read;
use host::record::schema::Record;
use host::record::store::RunDirectory;
use serde_json::Value;

/// The emulated board, whose counts repeat.
const SYSTEM: &str = "qemu-virt";

/// Runs the command and expects this exit code; its standard output.
fn expect(code: i32, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_host"))
        .args(arguments)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .expect("the command starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Two instances, as short as they can be measured, and more arguments.
fn campaign(run: &Path, more: &[&str]) {
    let run = run.to_str().unwrap();
    let only = "^(pqclean/ML-KEM-512|pqclean/ML-KEM-768)$";
    let mut arguments = vec!["campaign", "--system", SYSTEM, "--only", only];
    arguments.extend(["--trial-target", "0.005", "--no-profile", "--run-dir", run]);
    arguments.extend(more);
    expect(0, &arguments);
}

fn records(run: &Path) -> Vec<Record> {
    let files = RunDirectory::new(run).records_of(SYSTEM).unwrap();
    files.iter().map(|file| read(file).unwrap()).collect()
}

/// What repeats in a record: counts of the trials and of single calls, and the stack. Times do not,
/// which have the grain of the emulated clock.
type Counts = (Vec<Option<u64>>, Vec<Vec<u64>>, Option<u64>);

/// The counts of all records, by their names.
fn counts(run: &Path) -> BTreeMap<String, Counts> {
    let counts = |record: Record| {
        let name = format!("{} {}", record.label, record.operation);
        let meter = record.meter.unwrap();
        let trials = meter.trials.iter().map(|trial| trial.count).collect();
        (name, (trials, meter.samples, meter.memory.stack_bytes))
    };
    records(run).into_iter().map(counts).collect()
}

#[test]
fn a_campaign_in_two_parts_is_joined_to_the_same_as_a_whole_one() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str| folder.path().join(name);
    let [whole, first, second, joined] = ["whole", "first", "second", "joined"].map(run);
    // What is deferred comes last, though it stands first in the catalogue.
    campaign(&whole, &["--defer", "ML-KEM-512"]);
    campaign(&first, &["--shard", "1/2"]);
    campaign(&second, &["--shard", "2/2"]);
    let ended = |label: &str| {
        let of_label = records(&whole).into_iter().filter(|it| it.label == label);
        let times =
            of_label.map(|record| (record.started_utc.instant(), record.ended_utc.instant()));
        times.collect::<Vec<_>>()
    };
    let last_of_others = ended("ML-KEM-768")
        .into_iter()
        .map(|(_, ended)| ended)
        .max();
    let first_of_deferred = ended("ML-KEM-512")
        .into_iter()
        .map(|(started, _)| started)
        .min();
    assert!(last_of_others <= first_of_deferred);

    let [whole, first, second, joined] =
        [&whole, &first, &second, &joined].map(|path| path.to_str().unwrap());
    let said = expect(0, &["merge", first, second, "--to", joined, "--json"]);
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["records"][SYSTEM], 6);
    assert_eq!(said["missing_shards"], serde_json::json!([]));
    assert_eq!(counts(Path::new(first)).len(), 3);
    assert_eq!(counts(Path::new(joined)), counts(Path::new(whole)));
    expect(0, &["validate", joined]);
    expect(0, &["compare", joined]);

    // A part is gone on with as the same part only; what was joined is whole, and has everything.
    let part = [
        "campaign",
        "--system",
        SYSTEM,
        "--only",
        "ML-KEM-512$",
        "--run-dir",
        first,
    ];
    expect(
        2,
        &[&part[..], &["--trial-target", "0.005", "--shard", "2/2"]].concat(),
    );
    let before = records(Path::new(joined));
    campaign(Path::new(joined), &[]);
    assert_eq!(records(Path::new(joined)), before);
    // Without a word of settings it goes on with those that it has.
    let kept = records(Path::new(first));
    expect(0, &[&part[..], &["--no-profile"]].concat());
    assert_eq!(records(Path::new(first)), kept);
    // The whole and a part measured the same.
    let twice = folder.path().join("twice");
    expect(2, &["merge", whole, first, "--to", twice.to_str().unwrap()]);
    assert!(!twice.exists());

    plans(&folder.path().join("new"), Path::new(first));
}

/// What another campaign would take, where half of it is known.
fn plans(new: &Path, first: &Path) {
    let plan = |run: &Path, more: &[&str]| -> Value {
        let run = run.to_str().unwrap();
        let only = "^pqclean/ML-KEM-(512|768)$";
        let mut arguments = vec!["plan", "--system", SYSTEM, "--only", only, "--json"];
        arguments.extend(["--run-dir", run]);
        arguments.extend(more);
        serde_json::from_str::<Value>(&expect(0, &arguments)).unwrap()[0].take()
    };
    // The run directory knows that it is a part.
    let own = plan(first, &[]);
    assert_eq!(
        (&own["total"]["known"], &own["total"]["unknown"]),
        (&3.into(), &0.into())
    );
    assert_eq!(
        (&own["left"]["known"], &own["left"]["unknown"]),
        (&0.into(), &0.into())
    );
    let measured: Vec<f64> = records(first)
        .iter()
        .map(|record| record.processes[0].wall_seconds)
        .collect();
    let known = own["total"]["known_wall_seconds"].as_f64().unwrap();
    assert!((known - measured.iter().sum::<f64>()).abs() < 1e-9, "{own}");
    let slowest = measured.iter().copied().fold(0.0, f64::max);
    assert_eq!(
        own["rows"][0]["cost"]["wall_seconds"].as_f64(),
        Some(slowest)
    );
    assert_eq!(own["rows"][0]["cost"]["basis"], "measured");
    let of_all = plan(new, &["--times-from", first.to_str().unwrap()]);
    assert_eq!(of_all["total"]["unknown"], 3);
    assert_eq!(of_all["rows"][5]["cost"], Value::Null);

    // Another run directory has the times, and another target other calls.
    let first = first.to_str().unwrap();
    let other = plan(
        new,
        &["--times-from", first, "--shard", "1/2", "--defer", "512"],
    );
    assert_eq!(other["left"]["known"], 3);
    assert_eq!(other["left"]["unknown"], 0);
    assert_eq!(other["deferred_left"], other["left"]);
    assert_eq!(other["rows"][0]["cost"]["basis"], "scaled");
    assert!(!new.exists());
    let nowhere = new.to_str().unwrap();
    expect(2, &["plan", "--system", SYSTEM, "--times-from", nowhere]);
    let text = expect(
        0,
        &[
            "plan",
            "--system",
            SYSTEM,
            "--only",
            "ML-KEM",
            "--run-dir",
            first,
        ],
    );
    assert!(text.contains("of unknown time"), "{text}");
}
