//! Records of earlier formats, read as if they were of the present one.
//!
//! `meter.format` numbers the shape of what is under `meter`; the rest is schema 2 and has its own
//! number. A key that a format has and the one before had not was not measured then: it becomes null,
//! empty, or what follows from the other keys, and never a value that nobody measured. The file stays
//! as it is, and so does its digest, which is that of the file.
//!
//! To change the shape: raise [`FORMAT`], add a step to [`STEPS`], and keep a record of the shape
//! before under `migrate/`.

use std::path::Path;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use wire::Unit;

use super::read::ReadError;
use super::schema::{EventCount, Memory};
use super::statistics;

/// The format that this program writes.
pub const FORMAT: u32 = 2;

/// The format of records without such a number.
const FIRST: u32 = 1;

/// Key of the number.
pub const KEY: &str = "format";

/// Makes the key `meter` of one format that of the next.
type Step = fn(&mut Map<String, Value>);

/// The step from each format to the next, the first one first.
const STEPS: [Step; (FORMAT - FIRST) as usize] = [from_1];

/// The content of a record in the present format; `None` where it is in that already, belongs to
/// another program, or has no number that could be a format's.
///
/// # Errors
///
/// When the format is newer than this program.
pub fn content(file: &Path, content: &Value) -> Result<Option<Value>, ReadError> {
    let Some(meter) = content.get("meter").and_then(Value::as_object) else {
        return Ok(None);
    };
    let format = match meter.get(KEY) {
        None => Some(FIRST),
        Some(number) => number.as_u64().and_then(|number| number.try_into().ok()),
    };
    match format {
        Some(format) if format > FORMAT => Err(newer(file, meter, format)),
        Some(format @ FIRST..FORMAT) => {
            let mut migrated = content.clone();
            if let Some(meter) = migrated["meter"].as_object_mut() {
                for step in &STEPS[(format - FIRST) as usize..] {
                    step(meter);
                }
                meter.insert(KEY.to_owned(), FORMAT.into());
            }
            Ok(Some(migrated))
        }
        _ => Ok(None),
    }
}

fn newer(file: &Path, meter: &Map<String, Value>, format: u32) -> ReadError {
    let version = meter.get("version").and_then(Value::as_str);
    ReadError::Content {
        file: file.to_owned(),
        key: format!("meter.{KEY}"),
        line: 0,
        problem: format!(
            "is {format}, and this program knows {FIRST} to {FORMAT}; version {} of it wrote this",
            version.unwrap_or("unknown")
        ),
        remedy: "read it with the version of this program that wrote it or a newer one, or measure \
                 this operation again with this one",
    }
}

/// Clocks of trials and instructions in a cycle were left to the reader, and calls of other layouts or
/// with cold caches did not exist. The heap was not counted, stack pointers were not noted and frames not listed; the sections of
/// the image were not either.
fn from_1(meter: &mut Map<String, Value>) {
    let unit = meter.get("counter").and_then(|counter| counter.get("unit"));
    let cycles = unit.is_some_and(|unit| unit == Unit::Cycles.name());
    let trials = meter.get_mut("trials").and_then(Value::as_array_mut);
    for trial in trials
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
    {
        let number = |key| trial.get(key).and_then(Value::as_f64);
        let clock = number("count").zip(number("seconds")).filter(|_| cycles);
        let clock = clock.map(|(count, seconds)| count / seconds);
        trial.entry("clock_hz").or_insert_with(|| json!(clock));
    }
    let events = meter.get("events").cloned().unwrap_or_default();
    let events = IndexMap::<String, EventCount>::deserialize(&events).unwrap_or_default();
    meter
        .entry("ipc")
        .or_insert_with(|| json!(statistics::ipc(&events)));
    for key in ["events", "cold", "layouts"] {
        meter.entry(key).or_insert(Value::Null);
    }
    let Some(memory) = meter.get_mut("memory").and_then(Value::as_object_mut) else {
        return;
    };
    for key in [
        "stack_painted_bytes",
        "stack_pointer_bytes",
        "largest_frame",
        "heap_leaked_blocks",
        "heap_frees",
        "heap_failures",
        "heap_live_before_bytes",
        "heap_live_after_bytes",
        "heap_available_bytes",
        "heap_repeats",
        "image_static",
    ] {
        memory.entry(key).or_insert(Value::Null);
    }
    memory.entry("heap_sweeps").or_insert_with(|| json!([]));
    if !memory.contains_key("marks") {
        memory.insert("marks".to_owned(), json!([]));
        // A value that cannot be read has an error of its own soon after.
        let figures = Memory::deserialize(&Value::Object(memory.clone()));
        let marks = figures.map(|figures| figures.deduced_marks());
        memory.insert("marks".to_owned(), json!(marks.unwrap_or_default()));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::digest;
    use crate::record::example;
    use crate::record::read::parse;
    use crate::record::validate::Validator;

    /// A record that an earlier build wrote, shortened and sealed again.
    const FORMAT_1: &str = include_str!("migrate/format-1.json");

    const PLACE: &str = "run/qemu-virt/records/iccs/SM3__hash_8192.json";

    #[test]
    fn a_record_of_the_first_format_is_read_and_checked() {
        let record = parse(Path::new(PLACE), FORMAT_1.as_bytes()).unwrap();
        let memory = &record.meter.as_ref().unwrap().memory;
        assert_eq!(memory.stack_bytes, Some(544));
        assert_eq!(memory.stack_painted_bytes, None);
        assert!(memory.heap_sweeps.is_empty() && memory.marks.is_empty());
        let written = digest::content(&record);
        assert_eq!(written["meter"][KEY], FORMAT);

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("SM3__hash_8192.json");
        let check = |text: &str| Validator::default().check(&file, text.as_bytes());
        assert_eq!(check(FORMAT_1), []);
        let changed = FORMAT_1.replace("\"stack_bytes\": 544", "\"stack_bytes\": 545");
        assert_eq!(check(&changed)[0].key, "meter.digest");
    }

    #[test]
    fn what_is_wrong_in_an_old_record_is_named() {
        let wrong = FORMAT_1.replace("\"stack_bytes\": 544", "\"stack_bytes\": \"544\"");
        let error = parse(Path::new(PLACE), wrong.as_bytes()).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("key `meter.memory.stack_bytes`"), "{error}");
    }

    #[test]
    fn a_newer_format_has_one_error_with_a_remedy() {
        let mut content = digest::content(&example::record());
        content["meter"][KEY] = (FORMAT + 1).into();
        content["meter"]["version"] = "9.1.0".into();
        content["meter"]
            .as_object_mut()
            .unwrap()
            .shift_remove("memory");
        let error = parse(Path::new("x.json"), digest::text(&content).as_bytes()).unwrap_err();
        insta::assert_snapshot!(crate::explain::explain(&error).trim_end());
        for odd in [json!("2"), json!(-1), json!(null), json!(1e30)] {
            content["meter"][KEY] = odd;
            let error = parse(Path::new("x.json"), digest::text(&content).as_bytes());
            let error = error.unwrap_err().to_string();
            assert!(error.contains("key `meter"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn unknown_keys_outlive_a_migration(name in "[a-z]{1,8}_x", number: i64) {
            let mut old: Value = serde_json::from_str(FORMAT_1).unwrap();
            for pointer in ["", "/meter", "/meter/memory", "/meter/counter"] {
                old.pointer_mut(pointer).unwrap()[&name] = number.into();
            }
            let new = content(Path::new(PLACE), &old).unwrap().unwrap();
            for pointer in ["", "/meter", "/meter/memory", "/meter/counter"] {
                prop_assert_eq!(&new.pointer(pointer).unwrap()[&name], &json!(number));
            }
        }
    }
}
