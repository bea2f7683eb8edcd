//! Who a record is about, against its path and its neighbours.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::Findings;
use crate::record::schema::{
    Environment, FlagSet, Image, KatStatus, Record, Sha256, Sizes, StaticMemory,
};
use crate::record::store::{Place, stem};

/// Checks a record against the path that it was found at.
pub(super) fn check_place(record: &Record, place: &Place, findings: &mut Findings<'_>) {
    let why = "its folder is";
    let candidate = record.candidate.as_str();
    findings.equal("candidate", candidate, &place.candidate, why);
    let expected = stem(record);
    if expected != place.stem {
        let label = place.stem.strip_prefix(&record.label);
        let key = match label.is_some_and(|rest| rest.starts_with("__")) {
            true => "operation",
            false => "label",
        };
        let problem = format!("gives the file name {expected}.json, but it is another");
        findings.add(key, problem);
    }
    if let Some(meter) = &record.meter {
        let why = "the system's folder is";
        findings.equal("meter.system", &meter.system, &place.system, why);
    }
}

/// What all operations of a label on a system have in common.
#[derive(Debug)]
pub(super) struct Sibling {
    file: PathBuf,
    pub(super) label: String,
    instance: String,
    variant: String,
    build_flags: String,
    flags: FlagSet,
    kat: KatStatus,
    sizes: Sizes,
    library_sha256: Option<Sha256>,
    configuration: Environment,
    ours: Option<Ours>,
}

/// The same of records of ours.
#[derive(Debug)]
struct Ours {
    board: String,
    image: Image,
    static_memory: [Option<StaticMemory>; 2],
}

impl Sibling {
    pub(super) fn of(file: &Path, record: &Record) -> Self {
        Self {
            file: file.to_owned(),
            label: record.label.clone(),
            instance: record.instance.clone(),
            variant: record.variant.clone(),
            build_flags: record.build_flags.clone(),
            flags: record.flags,
            kat: record.kat,
            sizes: record.sizes.clone(),
            library_sha256: record.library_sha256.clone(),
            configuration: record.environment.configuration(),
            ours: record.meter.as_ref().map(|meter| Ours {
                board: meter.board.clone(),
                image: meter.image.clone(),
                static_memory: [
                    meter.memory.static_memory.clone(),
                    meter.memory.image_static.clone(),
                ],
            }),
        }
    }

    /// Checks it against another operation of the same label on the same system.
    pub(super) fn check(&self, first: &Self, findings: &mut Findings<'_>) {
        let why = format!("{} has", first.file.display());
        for (key, ours, theirs) in [
            ("instance", self.instance.as_str(), first.instance.as_str()),
            ("variant", &self.variant, &first.variant),
            ("build_flags", &self.build_flags, &first.build_flags),
            ("flags", self.flags.name(), first.flags.name()),
            ("kat", self.kat.name(), first.kat.name()),
        ] {
            findings.equal(key, ours, theirs, &why);
        }
        // The length of the input is the operation's own.
        let sizes = self.sizes.by_key().into_iter().zip(first.sizes.by_key());
        for ((key, ours), (_, theirs)) in sizes.skip(1) {
            if let (Some(ours), Some(theirs)) = (ours, theirs) {
                findings.equal(&format!("sizes.{key}"), ours, theirs, &why);
            }
        }
        if let (Some(ours), Some(theirs)) = (&self.library_sha256, &first.library_sha256) {
            findings.equal("library_sha256", ours, theirs, &why);
        }
        if let (Some(ours), Some(theirs)) = (&self.ours, &first.ours) {
            self.check_ours(ours, (first, theirs), findings);
        }
    }

    /// One system is one machine in one configuration, and one image has the same parts everywhere.
    fn check_ours(
        &self,
        ours: &Ours,
        (first, theirs): (&Self, &Ours),
        findings: &mut Findings<'_>,
    ) {
        let why = format!("differs from that of {}", first.file.display());
        findings.equal("meter.board", &ours.board, &theirs.board, &why);
        if self.configuration != first.configuration {
            let (ours, theirs) = (json!(self.configuration), json!(first.configuration));
            let keys = ours.as_object().into_iter().flatten();
            for (key, _) in keys.filter(|(key, value)| theirs.get(*key) != Some(*value)) {
                findings.add(format!("environment.{key}"), &*why);
            }
        }
        if self.library_sha256 != first.library_sha256 {
            return;
        }
        if ours.image != theirs.image {
            findings.add("meter.image", &*why);
        }
        let names = ["static", "image_static"];
        let parts = ours.static_memory.iter().zip(&theirs.static_memory);
        for (name, _) in names
            .iter()
            .zip(parts)
            .filter(|(_, (ours, theirs))| ours != theirs)
        {
            findings.add(format!("meter.memory.{name}"), &*why);
        }
    }
}
