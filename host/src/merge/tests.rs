use std::fs;

use serde_json::json;
use tempfile::TempDir;
use wire::CounterSource;

use super::*;
use crate::record::example;
use crate::record::schema::Record;

/// Run directories, and room for the joined one.
struct Runs {
    folder: TempDir,
    names: Vec<PathBuf>,
}

impl Runs {
    /// Parts of one campaign, each with a label of its own and what belongs to it.
    fn of(shards: &[&str]) -> Self {
        let mut runs = Self {
            folder: tempfile::tempdir().unwrap(),
            names: Vec::new(),
        };
        for (number, shard) in shards.iter().enumerate() {
            let run = runs.folder.path().join(number.to_string());
            let mut record = example::record_of("qemu-virt", CounterSource::Icount);
            record.label = format!("label-{number}");
            RunDirectory::new(&run).write("qemu-virt", &record).unwrap();
            let entry = json!({ "kat": "PASS", "image": number });
            let build = json!({ format!("pqclean/label-{number}"): entry });
            runs.names.push(run);
            runs.put(number, "qemu-virt/build.json", &build.to_string());
            let log = format!("qemu-virt/kat/pqclean/label-{number}.log");
            runs.put(number, &log, "PASS");
            let settings = json!({ "plan": { "trials": 5 }, "cold": false, "shard": shard });
            runs.put(number, CAMPAIGN, &settings.to_string());
        }
        runs
    }

    fn put(&self, run: usize, place: &str, text: &str) {
        write_whole(&self.names[run].join(place), text.as_bytes()).unwrap();
    }

    fn write(&self, run: usize, record: &Record) {
        let system = &record.meter.as_ref().unwrap().system;
        let directory = RunDirectory::new(&self.names[run]);
        directory.write(system, record).unwrap();
    }

    fn to(&self) -> PathBuf {
        self.folder.path().join("all/of/them")
    }

    fn merge(&self) -> miette::Result<Option<Merged>> {
        merge(&self.names, &self.to(), &Interrupt::new())
    }

    /// Why they are not joined; nothing was written then.
    fn refusal(&self) -> String {
        let error = self.merge().unwrap_err().to_string();
        assert!(!self.to().exists());
        error.replace(&format!("{}/", self.folder.path().display()), "")
    }
}

#[test]
fn parts_become_one_campaign_with_everything_that_is_in_them() {
    let runs = Runs::of(&["1/3", "2/3"]);
    runs.put(0, ".lock", "");
    runs.put(0, "report/index.md", "pages");
    runs.put(0, "qemu-virt/records/pqclean/x__enc.json.tmp", "a draft");
    runs.put(1, "qemu-virt/profile/pqclean/label-1__dec.json", "{}");
    runs.put(1, "qemu-virt/captures/line", "bytes");
    let merged = runs.merge().unwrap().unwrap();
    assert_eq!(merged.records, BTreeMap::from([("qemu-virt".into(), 2)]));
    assert_eq!(merged.missing, ["3/3".parse().unwrap()]);
    let settings = ["1/2", "1/2", "1/3"].map(|part| (PathBuf::new(), json!({ "shard": part })));
    let parts = ["2/2", "2/3", "3/3"].map(|part| part.parse().unwrap());
    assert_eq!(missing(&settings).unwrap(), parts);
    for (run, place) in [
        (0, "qemu-virt/records/pqclean/label-0__dec.json"),
        (1, "qemu-virt/records/pqclean/label-1__dec.json"),
        (0, "qemu-virt/kat/pqclean/label-0.log"),
        (1, "qemu-virt/profile/pqclean/label-1__dec.json"),
        (1, "qemu-virt/captures/line"),
    ] {
        let source = fs::read(runs.names[run].join(place)).unwrap();
        assert_eq!(fs::read(runs.to().join(place)).unwrap(), source, "{place}");
    }
    for absent in [
        ".lock",
        "report",
        "qemu-virt/records/pqclean/x__enc.json.tmp",
    ] {
        assert!(!runs.to().join(absent).exists(), "{absent}");
    }
    let content = |name: &str| -> Value { read_as(&runs.to().join(name)).unwrap() };
    let settings = json!({ "plan": { "trials": 5 }, "cold": false, "shard": null });
    assert_eq!(content(CAMPAIGN), settings);
    let build = content("qemu-virt/build.json");
    assert_eq!(build["pqclean/label-0"]["image"], 0);
    assert_eq!(build["pqclean/label-1"]["image"], 1);
    // Nothing else is left beside it.
    let beside = fs::read_dir(runs.to().parent().unwrap()).unwrap();
    assert_eq!(beside.count(), 1);
    assert_eq!(
        fs::metadata(runs.to()).unwrap().permissions().mode() & 0o777,
        0o755
    );

    let again = runs.merge().unwrap_err().to_string();
    assert!(again.ends_with("all/of/them is there already"), "{again}");
}

#[test]
fn the_same_twice_and_other_systems_are_no_contradiction() {
    let mut runs = Runs::of(&["1/2", "2/2"]);
    runs.names.push(runs.names[0].clone());
    runs.write(1, &example::record());
    let merged = runs.merge().unwrap().unwrap();
    let records = BTreeMap::from([("qemu-virt".into(), 2), ("rpi4".into(), 1)]);
    assert_eq!(merged.records, records);
    assert_eq!(merged.missing, []);
}

#[test]
fn what_a_campaign_took_as_it_was_is_each_records_own_matter() {
    let runs = Runs::of(&["1/2", "2/2"]);
    let settings = r#"{"plan": {"trials": 5}, "cold": false, "shard": "2/2", "allow_unfit": true}"#;
    runs.put(1, CAMPAIGN, settings);
    assert!(runs.merge().is_ok());
}

#[test]
fn settings_that_differ_are_refused_by_their_key_in_whichever_file_it_stands() {
    for (text, said) in [
        (
            r#"{"plan": {"trials": 3}, "cold": false, "shard": "2/2"}"#,
            "1/campaign.json: key `plan.trials` is 3, and 0/campaign.json has 5",
        ),
        (
            r#"{"plan": {"trials": 5}, "shard": "2/2"}"#,
            "1/campaign.json: key `cold` is null, and 0/campaign.json has false",
        ),
        (
            r#"{"plan": {"trials": 5}, "cold": false, "new": 1, "shard": "2/2"}"#,
            "1/campaign.json: key `new` is 1, and 0/campaign.json has null",
        ),
        (
            r#"{"plan": {"trials": 5}, "cold": false, "shard": "3/2"}"#,
            "1/campaign.json: key `shard` is \"3/2\": K/N is needed",
        ),
        (
            r#"{"plan": {"trials": 5}, "cold": false, "shard": 2}"#,
            "1/campaign.json: key `shard` is 2: it must be a text or null",
        ),
    ] {
        let runs = Runs::of(&["1/2", "2/2"]);
        runs.put(1, CAMPAIGN, text);
        let refusal = runs.refusal();
        assert!(refusal.starts_with(said), "{refusal}");
    }
    let runs = Runs::of(&["1/2", "2/2"]);
    fs::remove_file(runs.names[1].join(CAMPAIGN)).unwrap();
    assert_eq!(runs.refusal(), "cannot read 1/campaign.json");
}

#[test]
fn two_machines_under_one_name_are_refused_but_an_emulated_one_is_the_same_everywhere() {
    let elsewhere = |source| {
        let runs = Runs::of(&["1/2", "2/2"]);
        let mut record = example::record_of("a", source);
        runs.write(0, &record);
        record.label = "other".into();
        record.environment.hostname = Some("elsewhere".into());
        record.environment.core_clock_hz = None;
        runs.write(1, &record);
        runs
    };
    assert!(elsewhere(CounterSource::Icount).merge().is_ok());
    let refusal = elsewhere(CounterSource::PerfEvent).refusal();
    assert_eq!(
        refusal,
        "1/a/records/pqclean/other__dec.json: key `environment.hostname` is \"elsewhere\", and \
         0/a/records/pqclean/ML-KEM-768__dec.json has \"bench\""
    );

    let runs = Runs::of(&["1/2", "2/2"]);
    let mut record = example::record_of("qemu-virt", CounterSource::Icount);
    let emulator = record.meter.as_mut().unwrap().emulator.as_mut().unwrap();
    emulator.version = "8.0".into();
    runs.write(1, &record);
    let refusal = runs.refusal();
    assert!(
        refusal.contains("key `meter.emulator.version` is \"8.0\""),
        "{refusal}"
    );
}

#[test]
fn one_name_with_two_contents_is_refused_by_its_file_and_key() {
    let runs = Runs::of(&["1/2", "2/2"]);
    let mut record = example::record_of("qemu-virt", CounterSource::Icount);
    runs.write(0, &record);
    record.trials[0].seconds = 1.5;
    runs.write(1, &record);
    let refusal = runs.refusal();
    let file = "qemu-virt/records/pqclean/ML-KEM-768__dec.json";
    assert!(
        refusal.starts_with(&format!("1/{file}: key `")),
        "{refusal}"
    );
    assert!(refusal.contains(&format!("and 0/{file} has")), "{refusal}");

    let runs = Runs::of(&["1/2", "2/2"]);
    runs.put(1, "qemu-virt/kat/pqclean/label-0.log", "MISMATCH");
    assert_eq!(
        runs.refusal(),
        "1/qemu-virt/kat/pqclean/label-0.log: key `(content)` is 8 bytes, and \
         0/qemu-virt/kat/pqclean/label-0.log has 4 bytes that differ"
    );

    let runs = Runs::of(&["1/2", "2/2"]);
    let build = r#"{"pqclean/label-0": {"kat": "MISMATCH", "image": 0}}"#;
    runs.put(1, "qemu-virt/build.json", build);
    assert_eq!(
        runs.refusal(),
        "1/qemu-virt/build.json: key `pqclean/label-0.kat` is \"MISMATCH\", and \
         0/qemu-virt/build.json has \"PASS\""
    );
}

#[test]
fn what_is_in_use_or_no_file_or_interrupted_is_not_joined() {
    let runs = Runs::of(&["1/2", "2/2"]);
    let claim = Claim::take(&runs.names[1]).unwrap();
    assert!(runs.refusal().starts_with("another campaign is measuring"));
    drop(claim);
    let link = runs.names[0].join("qemu-virt/captures");
    std::os::unix::fs::symlink("/dev", &link).unwrap();
    assert_eq!(
        runs.refusal(),
        "0/qemu-virt/captures is neither a file nor a folder"
    );
    fs::remove_file(link).unwrap();
    let interrupt = Interrupt::new();
    interrupt.press();
    assert_eq!(merge(&runs.names, &runs.to(), &interrupt).unwrap(), None);
    let beside = fs::read_dir(runs.to().parent().unwrap()).unwrap();
    assert_eq!(beside.count(), 0);
}
