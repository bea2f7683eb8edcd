//! Reading a record, with errors that name the file and the key.

use std::path::{Path, PathBuf};
use std::{fs, io};

use miette::Diagnostic;
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use thiserror::Error;

use super::migrate;
use super::schema::Record;

/// Why a file is not a record.
#[derive(Debug, Error, Diagnostic)]
pub enum ReadError {
    /// It could not be read at all.
    #[error("cannot read {}", file.display())]
    #[diagnostic(help("check the path and its permissions"))]
    File {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is not JSON, or a key is missing, or a value is not what it must be.
    #[error("{}{}, key `{key}`: {problem}", file.display(), at(*line))]
    #[diagnostic(help("{remedy}"))]
    Content {
        /// The file.
        file: PathBuf,
        /// The key, from the top, or the nearest one above what is wrong.
        key: String,
        /// The line, from 1; 0 where the file is empty, or the error is about no line of it.
        line: usize,
        /// What is wrong.
        problem: String,
        /// What to do.
        remedy: &'static str,
    },
}

impl ReadError {
    /// The key that the error is about, and what is wrong, without the file's name.
    pub fn key_and_problem(&self) -> (String, String) {
        match self {
            Self::File { source, .. } => ("(file)".to_owned(), format!("unreadable: {source}")),
            Self::Content {
                key, line, problem, ..
            } if *line == 0 => (key.clone(), problem.clone()),
            Self::Content {
                key, line, problem, ..
            } => (key.clone(), format!("line {line}: {problem}")),
        }
    }
}

fn at(line: usize) -> String {
    match line {
        0 => String::new(),
        line => format!(", line {line}"),
    }
}

/// Reads the record that a file holds.
///
/// # Errors
///
/// See [`ReadError`].
pub fn read(file: &Path) -> Result<Record, ReadError> {
    parse(file, &content(file)?)
}

/// Reads the records that files hold, on all cores; they are in the order of the files.
///
/// # Errors
///
/// That of the first file that is no record, see [`ReadError`].
pub fn read_all(files: &[PathBuf]) -> Result<Vec<Record>, ReadError> {
    let results: Vec<_> = files.par_iter().map(|file| read(file)).collect();
    results.into_iter().collect()
}

/// Reads a value of any kind that a file holds as JSON.
///
/// # Errors
///
/// See [`ReadError`].
pub fn read_as<T: DeserializeOwned>(file: &Path) -> Result<T, ReadError> {
    parse_as(file, &content(file)?)
}

/// The bytes of a file that may be a record.
///
/// # Errors
///
/// [`ReadError::File`].
pub fn content(file: &Path) -> Result<Vec<u8>, ReadError> {
    bounded(file).map_err(|source| ReadError::File {
        file: file.to_owned(),
        source,
    })
}

/// The content of a regular file of bounded size: a pipe in its place would never end, and a
/// device never stop.
fn bounded(file: &Path) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(file)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    if metadata.len() > LARGEST_BYTES {
        return Err(io::Error::other("it is larger than any record"));
    }
    fs::read(file)
}

/// Bytes of a record at most: more than 20000 samples in each of a hundred trials take.
const LARGEST_BYTES: u64 = 64 << 20;

/// Reads a record from the content of a file, whose name is for errors only. One of an earlier format
/// is made one of the present format first.
///
/// # Errors
///
/// [`ReadError::Content`].
pub fn parse(file: &Path, bytes: &[u8]) -> Result<Record, ReadError> {
    if let Ok(record) = serde_json::from_slice(bytes) {
        return Ok(record);
    }
    let content = serde_json::from_slice(bytes).unwrap_or_default();
    match migrate::content(file, &content)? {
        None => parse_as(file, bytes),
        // Its text has no line for what the error is about.
        Some(migrated) => serde_path_to_error::deserialize(&migrated)
            .map_err(|error| content_error(file, &error.path().to_string(), error.inner())),
    }
}

/// Reads a value of any kind from the content of a file, whose name is for errors only.
///
/// # Errors
///
/// [`ReadError::Content`].
pub fn parse_as<T: DeserializeOwned>(file: &Path, bytes: &[u8]) -> Result<T, ReadError> {
    // To know the way to each value takes time; only for what is wrong it is worth it.
    if let Ok(content) = serde_json::from_slice(bytes) {
        return Ok(content);
    }
    let mut input = serde_json::Deserializer::from_slice(bytes);
    let record = serde_path_to_error::deserialize(&mut input)
        .map_err(|error| content_error(file, &error.path().to_string(), error.inner()))?;
    input
        .end()
        .map_err(|error| content_error(file, ".", &error))?;
    Ok(record)
}

fn content_error(file: &Path, path: &str, error: &serde_json::Error) -> ReadError {
    let text = error.to_string();
    // The position has a place of its own in our message.
    let problem = match text.rsplit_once(" at line ") {
        Some((problem, _)) => problem.to_owned(),
        None => text,
    };
    ReadError::Content {
        file: file.to_owned(),
        key: key(path, &problem),
        line: error.line(),
        remedy: match error.classify() {
            Category::Data => "measure this operation again, or restore the file from its source",
            Category::Syntax | Category::Eof | Category::Io => {
                "the file is damaged or incomplete: delete it and measure this operation again, or \
                 restore the file from its source"
            }
        },
        problem,
    }
}

/// The key that an error is about: a missing one is named by the message only.
fn key(path: &str, problem: &str) -> String {
    // Where the text ends in the middle of a key, the path does so with a question mark.
    let path = match path {
        "?" => ".",
        path => path.strip_suffix(".?").unwrap_or(path),
    };
    let missing = problem
        .strip_prefix("missing field `")
        .and_then(|rest| rest.strip_suffix('`'));
    match (path, missing) {
        (".", None) => "(top level)".to_owned(),
        (".", Some(name)) => name.to_owned(),
        (path, None) => path.to_owned(),
        (path, Some(name)) => format!("{path}.{name}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::record::{digest, example};

    fn complaint(content: &Value) -> String {
        let text = digest::text(content);
        match parse(Path::new("records/kem/x__dec.json"), text.as_bytes()) {
            Ok(_) => "none".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    /// Every key of an object, and of the objects within, from the top.
    fn keys(content: &Value) -> Vec<String> {
        let Value::Object(map) = content else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for (name, value) in map {
            found.push(format!("/{name}"));
            found.extend(keys(value).into_iter().map(|key| format!("/{name}{key}")));
        }
        found
    }

    #[test]
    fn what_is_no_regular_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path(), std::path::Path::new("/dev/zero")] {
            assert!(matches!(read(path), Err(ReadError::File { .. })));
        }
    }

    #[test]
    fn every_missing_key_is_named() {
        let whole = digest::content(&example::record());
        let free = ["/kex/", "/meter/events/"];
        let mut tried = 0;
        for pointer in keys(&whole) {
            // Without the number of its format a record is one of the first format.
            if ["/meter", "/meter/format"].contains(&&*pointer)
                || free.iter().any(|prefix| pointer.starts_with(prefix))
            {
                continue;
            }
            let mut content = whole.clone();
            let (above, name) = pointer.rsplit_once('/').expect("starts with one");
            let map = content.pointer_mut(above).and_then(Value::as_object_mut);
            map.expect("an object").shift_remove(name);
            let complaint = complaint(&content);
            let key = format!("key `{}`", pointer[1..].replace('/', "."));
            assert!(complaint.contains(&key), "{pointer}: {complaint}");
            assert!(complaint.contains("x__dec.json"), "{complaint}");
            tried += 1;
        }
        assert!(tried > 120, "only {tried} keys tried");
    }

    #[test]
    fn wrong_values_are_named() {
        for (pointer, wrong, key) in [
            ("/schema", json!(3), "schema"),
            ("/status", json!("done"), "status"),
            ("/kat", json!("pass"), "kat"),
            ("/flags", json!("-O3"), "flags"),
            ("/plan/trials", json!(-5), "plan.trials"),
            ("/library_sha256", json!("00"), "library_sha256"),
            ("/started_utc", json!("yesterday"), "started_utc"),
            ("/trials/1/seconds", json!("1"), "trials[1].seconds"),
            ("/trials/1/cycles", json!(0.5), "trials[1].cycles"),
            (
                "/environment/cpu_number",
                json!([]),
                "environment.cpu_number",
            ),
            ("/timing_scope", json!("call"), "timing_scope"),
            (
                "/meter/counter/unit",
                json!("seconds"),
                "meter.counter.unit",
            ),
            (
                "/meter/counter/source",
                json!("clock"),
                "meter.counter.source",
            ),
            ("/meter/samples/0/3", json!(-1), "meter.samples[0][3]"),
            ("/processes/0/meta/id", json!(1), "processes[0].meta.id"),
        ] {
            let mut content = digest::content(&example::record());
            *content.pointer_mut(pointer).expect("exists") = wrong;
            let complaint = complaint(&content);
            assert!(complaint.contains(&format!("key `{key}`")), "{complaint}");
        }
    }

    #[test]
    fn damage_is_named_with_its_line() {
        let file = Path::new("x__dec.json");
        for (bytes, words) in [
            (&b""[..], "line 1"),
            (b"{\n\"schema\": 2,\n\"status\": }", "line 3, key `status`"),
            (b"{\"schema\": \xff}", "key `schema`"),
        ] {
            let error = parse(file, bytes).expect_err("damaged").to_string();
            assert!(
                error.contains(words) && error.contains("x__dec.json"),
                "{error}"
            );
        }
        let mut twice = digest::text(&digest::content(&example::record()));
        twice.push('x');
        let error = parse(file, twice.as_bytes()).expect_err("trailing text");
        assert!(error.to_string().contains("trailing"), "{error}");
    }

    #[test]
    fn unknown_keys_are_kept() {
        let mut content = digest::content(&example::record());
        let paths = [
            "",
            "/plan",
            "/environment",
            "/processes/0",
            "/trials/0",
            "/sizes",
            "/meter",
            "/meter/counter",
            "/meter/memory/static",
            "/meter/image",
            "/meter/transport",
            "/meter/output/stdout",
        ];
        for pointer in paths {
            let map = content.pointer_mut(pointer).and_then(Value::as_object_mut);
            let odd = json!({"nested": [1, 2.5, null, "x"]});
            map.expect("an object").insert("odd".to_owned(), odd);
        }
        let text = digest::text(&content);
        let record = parse(Path::new("x.json"), text.as_bytes()).expect("readable");
        assert_eq!(digest::content(&record), content);
    }
}
