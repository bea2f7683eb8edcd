//! The JSON Schema of a record, for the programs of others.
//!
//! It is derived from [`Record`], which reads and writes records, and so says of them what this
//! program does: which keys are there, what their values are, and, in the words of the type's
//! documentation, what they mean. That further keys are allowed is part of schema 2.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{Record, SCHEMA};

/// The schema, as JSON Schema 2020-12.
pub fn document() -> Value {
    // What is written is stricter than what serde would read: each key is there, or null.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<Record>();
    let Value::Object(mut rest) = schema.to_value() else {
        unreachable!("the schema of a record is an object");
    };
    rest.insert(
        "title".to_owned(),
        format!("Record of a measurement, schema {SCHEMA}").into(),
    );
    // A reader meets first what this is.
    let first = ["$schema", "title", "description"].map(String::from);
    let first = first.map(|key| rest.shift_remove_entry(&key));
    first.into_iter().flatten().chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use jsonschema::Validator;
    use serde_json::json;
    use wire::CounterSource;

    use super::*;
    use crate::record::digest::content;
    use crate::record::example;

    fn validator() -> Validator {
        let options = jsonschema::draft202012::options().should_validate_formats(true);
        options.build(&document()).expect("a schema")
    }

    /// Records of every kind that the tests of others are made of.
    fn examples() -> Vec<Record> {
        let sources = [
            CounterSource::Pmccntr,
            CounterSource::PerfEvent,
            CounterSource::Tsc,
            CounterSource::Cntvct,
            CounterSource::Icount,
            CounterSource::Missing,
        ];
        let mut records = sources.map(|it| example::record_of("rpi4", it)).to_vec();
        records.extend(example::failures());
        records.push(example::published::record());
        records
    }

    #[test]
    fn every_record_is_valid() {
        let validator = validator();
        for record in examples() {
            let record = content(&record);
            let errors: Vec<String> = validator
                .iter_errors(&record)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert!(errors.is_empty(), "{errors:#?}");
        }
    }

    #[test]
    fn what_the_reader_refuses_is_invalid() {
        let validator = validator();
        let good = content(&example::record());
        for (pointer, wrong) in [
            ("/schema", json!(3)),
            ("/status", json!("done")),
            ("/kat", json!("pass")),
            ("/flags", json!("-O3")),
            ("/plan/trials", json!(-5)),
            ("/library_sha256", json!("00")),
            ("/started_utc", json!("yesterday")),
            ("/started_utc", json!("2026-09-25T10:02:21")),
            ("/trials/1/seconds", json!("1")),
            ("/trials/1/cycles", json!(0.5)),
            ("/environment/cpu_number", json!([])),
            ("/load_average_start", json!([1.0, 2.0])),
            ("/timing_scope", json!("call")),
            ("/meter/counter/unit", json!("seconds")),
            ("/meter/counter/source", json!("clock")),
            ("/meter/samples/0/3", json!(-1)),
            ("/meter/events/cycles", json!("none")),
            ("/processes/0/meta/id", json!(1)),
        ] {
            let mut bad = good.clone();
            *bad.pointer_mut(pointer).expect("exists") = wrong.clone();
            assert!(!validator.is_valid(&bad), "{pointer}: {wrong}");
        }
    }

    #[test]
    fn a_missing_key_is_invalid_and_a_further_one_is_not() {
        let validator = validator();
        let good = content(&example::record());
        let keys = good.as_object().expect("an object").keys();
        for key in keys.filter(|key| *key != "meter") {
            let mut bad = good.clone();
            bad.as_object_mut().expect("an object").shift_remove(key);
            assert!(!validator.is_valid(&bad), "{key}");
        }
        let mut more = good;
        for pointer in ["", "/plan", "/environment", "/meter", "/meter/counter"] {
            let object = more.pointer_mut(pointer).and_then(Value::as_object_mut);
            object.expect("an object").insert("odd".into(), json!([1]));
        }
        assert!(validator.is_valid(&more));
    }

    /// Every property of a schema and of those that it refers to, with its type and whether it has
    /// to be there.
    fn keys(schema: &Value) -> Vec<String> {
        let mut lines = properties("record", schema);
        for (name, definition) in schema["$defs"].as_object().expect("definitions") {
            lines.extend(properties(name, definition));
        }
        lines
    }

    fn properties(name: &str, schema: &Value) -> Vec<String> {
        let Some(properties) = schema["properties"].as_object() else {
            return Vec::new();
        };
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        let line = |(key, value): (&String, &Value)| {
            assert!(value.is_object(), "{name}.{key}");
            let mark = if required.contains(&json!(key)) {
                ""
            } else {
                "?"
            };
            format!("{name}.{key}{mark}")
        };
        properties.iter().map(line).collect()
    }

    #[test]
    fn its_keys() {
        insta::assert_snapshot!(keys(&document()).join("\n"));
    }

    #[test]
    fn every_key_says_what_it_means() {
        fn check(schema: &Value) {
            let properties = schema["properties"].as_object();
            for (key, value) in properties.into_iter().flatten() {
                let words = value["description"].as_str().unwrap_or_default();
                assert!(words.len() > 3, "{key} has no description");
                assert!(
                    !words.contains("[`"),
                    "{key}: a link of the source: {words}"
                );
            }
        }
        let schema = document();
        check(&schema);
        let definitions = schema["$defs"].as_object().expect("definitions");
        definitions.values().for_each(check);
    }
}
