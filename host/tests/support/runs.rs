//! Run directories held against each other.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use host::campaign::first_difference;
use serde_json::Value;

/// The emulated board, whose numbers are the same in every run.
pub const EMULATED: &str = "qemu-virt";

/// What differs between two runs on the emulated board: dates, the host's load and processes, its
/// deadlines, which follow from how fast it was, and frames, among which are those by which a meter
/// says that it is still alive. The digest is over all of that, and a profile names the date of its
/// record.
const OF_THE_MOMENT: [&str; 11] = [
    "started_utc",
    "ended_utc",
    "load_average_start",
    "load_average_end",
    "plan.timeout_per_process_s",
    "processes.command",
    "processes.wall_s",
    "meter.transport",
    "meter.digest",
    "meter.record.started_utc",
    "digest",
];

/// What a command said on its standard error.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// All files of a kind in a run directory, by their path there.
pub fn files(run: &Path, kind: &str) -> BTreeMap<PathBuf, PathBuf> {
    let mut found = BTreeMap::new();
    for system in folders(run) {
        for candidate in folders(&system.join(kind)) {
            for file in entries(&candidate) {
                found.insert(file.strip_prefix(run).unwrap().to_owned(), file);
            }
        }
    }
    found
}

pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

pub fn folders(folder: &Path) -> Vec<PathBuf> {
    let mut folders = entries(folder);
    folders.retain(|path| path.is_dir());
    folders
}

/// A file without what is of the moment.
fn lasting(file: &Path) -> Value {
    fn strip(value: &mut Value, path: &str) {
        match value {
            Value::Object(keys) => {
                let at = |key: &str| match path {
                    "" => key.to_owned(),
                    path => format!("{path}.{key}"),
                };
                keys.retain(|key, _| !OF_THE_MOMENT.contains(&at(key).as_str()));
                for (key, value) in keys.iter_mut() {
                    strip(value, &at(key));
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| strip(item, path)),
            _ => {}
        }
    }
    let mut value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    strip(&mut value, "");
    value
}

/// Asserts that a run has the records, profiles and logs of another as far as `concerns` says, and
/// that those of the emulated board are the same.
pub fn assert_same(run: &Path, other: &Path, concerns: &dyn Fn(&Path) -> bool) {
    for kind in ["records", "profile", "kat"] {
        let [ours, mut theirs] = [run, other].map(|run| files(run, kind));
        theirs.retain(|name, _| concerns(name));
        let names = |files: &BTreeMap<PathBuf, PathBuf>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&ours), names(&theirs));
        for (name, file) in ours.iter().filter(|(name, _)| name.starts_with(EMULATED)) {
            let theirs = &theirs[name];
            if kind == "kat" {
                assert_eq!(fs::read(file).unwrap(), fs::read(theirs).unwrap());
                continue;
            }
            let [one, two] = [file, theirs].map(|file| lasting(file));
            let difference = first_difference("", &one, &two);
            assert_eq!(difference, None, "{}", name.display());
            assert_eq!(one, two, "{}", name.display());
        }
    }
}

/// Asserts that nothing in a run directory can be found fault with, and that nothing is left over.
pub fn assert_whole(run: &Path) {
    let mut validate = Command::new(env!("CARGO_BIN_EXE_host"));
    let output = validate.arg("validate").arg(run).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let mut open = vec![run.to_owned()];
    while let Some(folder) = open.pop() {
        for path in entries(&folder) {
            let name = path.to_string_lossy().into_owned();
            assert!(!name.ends_with(".tmp"), "{name} is left");
            assert!(!name.contains(".previous"), "{name} was set aside");
            if path.is_dir() {
                open.push(path);
            }
        }
    }
}
