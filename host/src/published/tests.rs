//! Data sets that are taken, and those that are not.

use serde_json::{Value, json};

use super::*;
use crate::ratio::{Against, Basis};
use crate::record::example::{self, published};
use crate::record::validate::{Operations, Validator};
use crate::report::candidate_pages;
use crate::report::evidence::gather;
use crate::report::render::{Links, markdown};
use crate::table::comparison::{Column, compare};

struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        published::data_set(&folder.path().join("data"));
        Self { folder }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn run(&self) -> RunDirectory {
        RunDirectory::new(self.folder.path().join("run"))
    }

    fn import_as(&self, system: &str, change: fn(&mut Request<'_>)) -> Result<Imported, String> {
        let run = self.run();
        let mut request = Request {
            run: &run,
            system,
            force: false,
            allow_findings: false,
        };
        change(&mut request);
        let data = DataSet::find(&self.data()).expect("a data set");
        let imported = data.import(&request).map_err(|error| error.to_string());
        // Nothing but whole systems is ever left behind.
        for entry in fs::read_dir(run.root()).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            assert!(!name.starts_with('.'), "{name} is left");
        }
        imported
    }

    fn import(&self) -> Result<Imported, String> {
        self.import_as("arm_1", |_| {})
    }

    fn change(&self, operation: &str, pointer: &str, value: Value) {
        let name = format!("records/kem-36/TRIKE-2__{operation}.json");
        let file = self.data().join(name);
        let mut content: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        *content.pointer_mut(pointer).expect("exists") = value;
        fs::write(&file, content.to_string()).unwrap();
    }
}

#[test]
fn a_data_set_becomes_a_system() {
    let fixture = Fixture::new();
    let imported = fixture.import().unwrap();
    assert_eq!((imported.records, imported.profiles), (3, 1));
    assert!(imported.is_taken);
    assert_eq!(imported.findings, []);
    assert_eq!(imported.notes, [""; 0]);
    let run = fixture.run();
    assert_eq!(run.systems().unwrap(), ["arm_1"]);
    let files = run.records().unwrap();
    assert_eq!(files.len(), 3);
    // Byte for byte what was published, and as good as any run directory.
    for file in &files {
        let rest = file.strip_prefix(run.root().join("arm_1")).unwrap();
        let original = fixture.data().join(rest);
        assert_eq!(fs::read(file).unwrap(), fs::read(original).unwrap());
    }
    let mut validator = Validator::default();
    let mut found: Vec<Finding> = files
        .iter()
        .flat_map(|file| validator.check_file(file))
        .collect();
    found.extend(validator.check_run(run.root(), &Operations::new()));
    assert_eq!(found, []);
}

#[test]
fn it_stands_beside_what_was_measured() {
    let fixture = Fixture::new();
    let run = fixture.run();
    run.write("rpi4", &example::record()).unwrap();
    fixture.import().unwrap();
    assert_eq!(run.systems().unwrap(), ["arm_1", "rpi4"]);
}

#[test]
fn pages_and_comparisons_show_both() {
    let fixture = Fixture::new();
    let run = fixture.run();
    let mut ours = example::record();
    ours.candidate = "kem-36".to_owned();
    ours.label = "TRIKE-2".to_owned();
    run.write("rpi4", &ours).unwrap();
    fixture.import().unwrap();
    let columns = ["arm_1", "rpi4"].map(|system| Column {
        name: system.to_owned(),
        system: system.to_owned(),
        records: run
            .records_of(system)
            .unwrap()
            .iter()
            .map(|file| read(file).unwrap())
            .collect(),
    });
    let comparison = compare(&columns);
    let row = comparison.rows.iter().find(|row| row.operation == "dec");
    let [Some(published), Some(own)] = &row.unwrap().cells[..] else {
        panic!("{row:?}");
    };
    assert_eq!((published.unit, own.unit), (Some("cycles"), Some("cycles")));
    assert_eq!(
        (published.stack_bytes, own.stack_bytes),
        (None, Some(13_384))
    );
    let of_means = own.mean_seconds.unwrap() / published.mean_seconds.unwrap();
    let [None, Some(Against::Ratio(ratio))] = &row.unwrap().ratios[..] else {
        panic!("{row:?}");
    };
    // Cycles on both, but of two cores: it is time that says which is faster.
    assert_eq!((ratio.of, ratio.ratio_of_means), ("seconds", of_means));
    assert_eq!((ratio.basis, ratio.distinct_inputs), (Basis::Trials, None));

    let systems = gather(&run, &|_| None).unwrap();
    let pages = candidate_pages(&systems, &|_| true);
    let page = pages.iter().find(|page| page.path.parts()[0] == "arm_1");
    let page = page.expect("a page of the published system");
    let links = Links {
        from: &page.path,
        run: None,
    };
    let text = markdown::page(page, links);
    // Resident memory before and at most, the cycles, and the part of the hash function.
    for cell in ["2048", "2568", "35.19 M", "60%"] {
        assert!(text.contains(cell), "{cell} is missing in\n{text}");
    }
}

#[test]
fn wrong_statistics_and_digests_are_found_and_nothing_is_kept() {
    let fixture = Fixture::new();
    fixture.change("dec", "/mean_seconds", json!(0.5));
    let log = fixture.data().join("kat/kem-36/TRIKE-2.log");
    fs::write(log, "all are well\n").unwrap();
    let imported = fixture.import().unwrap();
    assert!(!imported.is_taken);
    assert!(fixture.run().systems().unwrap().is_empty());
    let keys: Vec<&str> = imported.findings.iter().map(|it| it.key.as_str()).collect();
    let digest = "kat_log_sha256";
    assert_eq!(keys, ["mean_seconds", digest, digest, digest]);
    let file = fixture.data().join("records/kem-36/TRIKE-2__dec.json");
    assert_eq!(imported.findings[0].file, file);
    let problem = &imported.findings[1].problem;
    assert!(problem.contains("data/kat/kem-36/TRIKE-2.log"), "{problem}");
    let accepted = fixture.import_as("arm_1", |request| request.allow_findings = true);
    let accepted = accepted.unwrap();
    assert!(accepted.is_taken && accepted.findings.len() == 4);
    assert_eq!(fixture.run().systems().unwrap(), ["arm_1"]);
}

#[test]
fn names_of_measured_systems_are_refused() {
    let fixture = Fixture::new();
    for name in ["qemu-virt", &system::default_names()[1]] {
        let error = fixture.import_as(name, |_| {}).unwrap_err();
        assert!(error.contains("measured here"), "{error}");
    }
    for name in ["", "..", "a/b", ".hidden"] {
        let error = fixture.import_as(name, |_| {}).unwrap_err();
        assert!(error.contains("cannot be the name"), "{error}");
    }
}

#[test]
fn what_is_there_is_replaced_only_if_told_and_never_if_it_was_measured() {
    let fixture = Fixture::new();
    fixture.import().unwrap();
    let error = fixture.import().unwrap_err();
    assert!(error.ends_with("arm_1 is there already"), "{error}");
    fs::remove_file(fixture.data().join("records/kem-36/TRIKE-2__enc.json")).unwrap();
    let again = fixture.import_as("arm_1", |request| request.force = true);
    assert_eq!(again.unwrap().records, 2);
    assert_eq!(fixture.run().records().unwrap().len(), 2);
    fixture.run().write("arm_2", &example::record()).unwrap();
    let error = fixture.import_as("arm_2", |request| request.force = true);
    assert!(error.unwrap_err().contains("would be lost"));
}

#[test]
fn what_cannot_be_read_is_named_with_its_key() {
    let fixture = Fixture::new();
    fixture.change("enc", "/trials/2/cycles", json!("many"));
    let error = fixture.import_as("arm_1", |request| request.allow_findings = true);
    let error = error.unwrap_err();
    assert!(
        error.contains("data/records/kem-36/TRIKE-2__enc.json"),
        "{error}"
    );
    assert!(error.contains("key `trials[2].cycles`"), "{error}");
}

#[test]
fn records_of_ones_own_and_links_are_no_published_records() {
    let fixture = Fixture::new();
    let own = example::record();
    let ours = fixture.data().join("records/kem-36/ML-KEM-768__dec.json");
    fs::write(&ours, serde_json::to_string(&own).unwrap()).unwrap();
    let error = fixture.import().unwrap_err();
    assert!(error.contains("this program measured it"), "{error}");
    fs::remove_file(&ours).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", &ours).unwrap();
    let error = fixture.import().unwrap_err();
    assert!(error.contains("no regular file"), "{error}");
}

#[test]
fn other_forms_beside_the_records_do_no_harm() {
    let fixture = Fixture::new();
    fs::write(fixture.data().join("build.json"), "{\"version\": 3}").unwrap();
    let profile = fixture.data().join("profile/kem-36/TRIKE-2__dec.json");
    fs::write(&profile, "{}").unwrap();
    let imported = fixture.import_as("arm_1", |request| request.allow_findings = true);
    let imported = imported.unwrap();
    assert_eq!(imported.profiles, 0);
    assert_eq!(imported.findings.len(), 1);
    assert_eq!(imported.findings[0].file, profile);
    assert!(imported.notes[0].contains("build.published.json"));
    let folder = fixture.run().root().join("arm_1");
    assert!(!folder.join("build.json").exists());
    assert!(folder.join("build.published.json").exists());
}

#[test]
fn other_folders_are_no_data_sets() {
    let folder = tempfile::tempdir().unwrap();
    assert!(DataSet::find(folder.path()).is_none());
    fs::create_dir_all(folder.path().join("records/music")).unwrap();
    fs::write(folder.path().join("records/music/blue.json"), "{}").unwrap();
    assert!(DataSet::find(folder.path()).is_none());
    assert!(DataSet::find(&folder.path().join("none")).is_none());
}
