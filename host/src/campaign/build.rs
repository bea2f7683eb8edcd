//! The image of an instance, and what the run directory keeps of how it was built.

use std::collections::BTreeMap;
use std::fs;

use catalogue::{CatalogueError, FlagSet, Instance, Kind};
use serde_json::{Value, json};

use crate::image::{Cache, Image, Recipe};
use crate::interrupt::Interrupt;
use crate::record::assemble::{Subject, kat_evidence};
use crate::record::run_files::{self, BUILD};
use crate::record::schema::Sha256;
use crate::record::store::{RunDirectory, StoreError, write_whole};
use crate::session::hexadecimal;
use crate::system::System;

/// Which image of an instance.
#[derive(Clone, Copy, Debug)]
pub struct Which {
    /// Flags of the C compiler.
    pub flags: FlagSet,
    /// What it is for.
    pub kind: Kind,
    /// Bytes by which its code is shifted.
    pub layout: u32,
}

impl Which {
    /// The image that is timed, its code where the linker puts it.
    pub fn timed(flags: FlagSet) -> Self {
        Self {
            flags,
            kind: Kind::Timed,
            layout: 0,
        }
    }
}

/// What the image of an instance is made by.
///
/// # Errors
///
/// When the system's board is unknown.
pub fn recipe<'a>(
    instance: &'a Instance,
    which: Which,
    system: &dyn System,
) -> Result<Recipe<'a>, CatalogueError> {
    Ok(Recipe {
        instance,
        board: catalogue::board(system.board())?,
        flags: which.flags,
        kind: which.kind,
        drills: Vec::new(),
        layout: which.layout,
    })
}

/// Builds an image of an instance. That it does not build is no error: the inner result says why.
///
/// # Errors
///
/// What keeps every instance from being built.
pub fn image(
    instance: &Instance,
    which: Which,
    system: &dyn System,
    cache: &Cache,
    interrupt: &Interrupt,
) -> miette::Result<Result<Image, String>> {
    let recipe = recipe(instance, which, system)?;
    Ok(cache.attempt(&recipe, interrupt)?)
}

/// Keeps how a label was built, with the outcome of its known-answer test and the digest of all that
/// it was compared with.
///
/// # Errors
///
/// When the file cannot be written.
pub fn note(
    directory: &RunDirectory,
    system: &str,
    subject: &Subject,
    published: &Sha256,
) -> Result<(), StoreError> {
    let report = subject.image.report.as_ref();
    let entry = json!({
        "flags": subject.image.flag_set.name(),
        "compiler": report.map(|report| &report.compiler.version),
        "command_lines": report.map(|report| {
            report.units.iter().map(|unit| unit.command.join(" ")).collect::<Vec<_>>()
        }),
        "kat": kat(subject),
        "answers_sha256": published,
        "evidence": subject.kat.as_ref().map(kat_evidence),
        "kat_log_sha256": subject.kat_log.as_ref().map(|(_, digest)| digest),
        "image": subject.image.name,
        "image_sha256": hexadecimal(&subject.image.elf_sha256),
    });
    add(directory, system, &subject.candidate, &subject.label, entry)
}

/// Keeps why a label was not built, and whether it is for what the system lacks.
///
/// # Errors
///
/// When the file cannot be written.
pub fn note_failure(
    directory: &RunDirectory,
    system: &str,
    instance: &Instance,
    (reason, unavailable): (&str, bool),
) -> Result<(), StoreError> {
    let entry = json!({ "kat": "BUILDFAIL", "reason": reason, "unavailable": unavailable });
    add(
        directory,
        system,
        &instance.candidate,
        &instance.label,
        entry,
    )
}

/// The outcome of the known-answer test in words.
fn kat(subject: &Subject) -> &'static str {
    crate::record::assemble::kat_status(subject.kat.as_ref()).name()
}

/// Adds or replaces one label's entry.
fn add(
    directory: &RunDirectory,
    system: &str,
    candidate: &str,
    label: &str,
    mut entry: Value,
) -> Result<(), StoreError> {
    let mut entries = entries(directory, system);
    let name = format!("{candidate}/{label}");
    run_files::seal(&name, &mut entry);
    entries.insert(name, entry);
    write(directory, system, &entries)
}

/// Drops why labels were not built that are not there any more: nobody can put that right.
///
/// # Errors
///
/// When the file cannot be written.
pub fn forget(
    directory: &RunDirectory,
    system: &str,
    is_there: &dyn Fn(&str) -> bool,
) -> Result<(), StoreError> {
    let mut entries = entries(directory, system);
    let before = entries.len();
    entries.retain(|name, entry| entry["kat"] != "BUILDFAIL" || is_there(name));
    match entries.len() == before {
        true => Ok(()),
        false => write(directory, system, &entries),
    }
}

/// The labels' entries. A file that cannot be read says nothing; each entry is made anew when its
/// label is measured.
fn entries(directory: &RunDirectory, system: &str) -> BTreeMap<String, Value> {
    fs::read_to_string(directory.root().join(system).join(BUILD))
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default()
}

fn write(
    directory: &RunDirectory,
    system: &str,
    entries: &BTreeMap<String, Value>,
) -> Result<(), StoreError> {
    let file = directory.root().join(system).join(BUILD);
    write_whole(&file, format!("{:#}\n", json!(entries)).as_bytes())
}
