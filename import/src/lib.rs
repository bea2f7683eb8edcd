//! From a submission package, as an archive or a folder, to a folder that can be measured.
//!
//! Data flows one way: the package is unpacked into a draft beside the other packages, the draft
//! is scanned for instances, what is known of the candidate is added, `candidate.toml` and
//! `import-report.md` are written, and the draft is moved into its place. Nothing of a package is
//! ever executed, and nothing is left behind when it is refused.

mod candidate_file;
mod error;
mod known;
mod leftover;
mod place;
mod report;
mod scan;
mod unpack;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use catalogue::submission::{Candidate, Entry, FILE, Kind};

pub use error::{ImportError, Refusal};
pub use known::{Agreement, Check};
pub use unpack::Limits;

use known::Known;
use place::Draft;
use report::Report;
use scan::{Instance, Tree};

/// Name of the report in a package's folder; only imported packages have one.
pub const REPORT: &str = "import-report.md";

/// What is to be imported.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The workspace.
    pub root: &'a Path,
    /// The package: a folder, a zip archive or a gzip-compressed tar archive.
    pub package: &'a Path,
    /// The candidate's identity, where it is not to be found out.
    pub id: Option<&'a str>,
    /// Replaces what was imported before.
    pub force: bool,
    /// How much the package may be.
    pub limits: Limits,
}

/// An imported package.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Its folder.
    pub folder: PathBuf,
    /// What its candidate.toml says.
    pub candidate: Candidate,
    /// Its known-answer texts against the published digests, for a known candidate.
    pub checks: Vec<Check>,
    /// Labels of instances that lack something, each with what.
    pub incomplete: Vec<(String, String)>,
    /// What is said of the candidate as a whole.
    pub notes: Vec<String>,
}

impl Imported {
    /// Whether nobody need look at it.
    pub fn is_clean(&self) -> bool {
        let differs = |check: &Check| matches!(check.outcome, Agreement::Differs(_));
        self.incomplete.is_empty() && !self.checks.iter().any(differs)
    }
}

/// Imports a package; `stop` is asked from time to time whether to give up.
///
/// # Errors
///
/// When the package is refused, damaged or holds no instance, its place is taken, or a file cannot
/// be read or written. Nothing is left behind then.
pub fn import(request: &Request<'_>, stop: &dyn Fn() -> bool) -> Result<Imported, ImportError> {
    let Request { root, package, .. } = *request;
    // First, because it may put a package back into its place.
    let draft = Draft::new(root)?;
    if let Some(id) = request.id {
        place::check(root, id, request.force)?;
    }
    let known = known::all(root)?;
    let folder = draft.folder();
    let unpacked = unpack::unpack(package, &folder, &request.limits, stop)?;
    let own = own_description(&folder)?;
    let tree = Tree::read(&folder, stop)?;
    let mut instances = scan::scan(&tree, stop)?;
    let Some(most) = scan::most_frequent_kind(&instances) else {
        return Err(ImportError::NoInstance {
            source_path: package.to_owned(),
        });
    };
    let identity = identity(request.id, package, &known, &instances);
    let category = identity
        .known
        .map_or(most, |known| known.candidate.category);
    let mut notes = identity.notes();
    notes.extend(own);
    let checks = match identity.known {
        None => Vec::new(),
        Some(known) => {
            notes.extend(add_facts(known, &mut instances));
            known::check(&known.manifest, &instances, &folder)?
        }
    };
    notes.extend(scan::unnamed_answers(&tree, &instances));
    for instance in &mut instances {
        instance.entry.category = (instance.kind != category).then_some(instance.kind);
    }
    let candidate = candidate(&identity, category, &instances);
    let report = Report {
        id: (&identity.id, identity.how),
        package: &package.display().to_string(),
        unpacked: &unpacked,
        instances: &instances,
        checks: &checks,
        notes: &notes,
    };
    let write = |name: &str, text: String| {
        let file = folder.join(name);
        fs::write(&file, text).map_err(ImportError::file("write", &file))
    };
    write(FILE, candidate_file::text(&candidate, &instances))?;
    // What was written is what will be read.
    let candidate = Candidate::read(&folder.join(FILE))?;
    write(REPORT, report.to_string())?;
    if stop() {
        return Err(ImportError::Interrupted);
    }
    let published = draft.publish(&identity.id, request.force)?;
    // The report has them with each instance.
    notes.extend(unapplied(&instances));
    // What concerns this computer and not the package: not in the report.
    notes.extend(published.notes);
    Ok(Imported {
        folder: published.folder,
        candidate,
        checks,
        incomplete: incomplete(&instances),
        notes,
    })
}

/// What a package's own `candidate.toml` is kept as.
const OWN: &str = "candidate.toml.of-package";

/// Moves the package's own `candidate.toml`, or whatever has that name, out of the way of the one
/// that is written; returns what is to be said of it.
fn own_description(folder: &Path) -> Result<Option<String>, ImportError> {
    let own = folder.join(FILE);
    if fs::symlink_metadata(&own).is_err() {
        return Ok(None);
    }
    let mut place = folder.join(OWN);
    while fs::symlink_metadata(&place).is_ok() {
        place.as_mut_os_string().push("-");
    }
    fs::rename(&own, &place).map_err(ImportError::file("rename", &own))?;
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    Ok(Some(format!(
        "the package's own {FILE} is not used: import writes one of what it finds; it is kept as \
         {name}, and copied over {FILE} it is used"
    )))
}

/// How many things of one kind are named; the report has all.
const NAMED: usize = 5;

/// Macros that the package's build files define and that are not applied, each once.
fn unapplied(instances: &[Instance]) -> Vec<String> {
    let mut seen = BTreeMap::new();
    for instance in instances {
        let applied = &instance.entry.defines;
        for hint in &instance.hints {
            if let Some(define) = hint.define()
                && !applied.iter().any(|other| other == define)
            {
                seen.entry(define).or_insert((&hint.file, hint.line));
            }
        }
    }
    let more = seen.len().saturating_sub(NAMED);
    let mut notes: Vec<String> = seen
        .into_iter()
        .take(NAMED)
        .map(|(define, (file, line))| {
            format!(
                "`-D{define}` in {file} line {line} is not applied: it belongs into `defines` of \
                 {FILE} if the instance is meant to have it"
            )
        })
        .collect();
    if more > 0 {
        notes.push(format!(
            "{more} more options in build files are not applied either: {REPORT} lists them"
        ));
    }
    notes
}

/// Who a package is.
struct Identity<'a> {
    id: String,
    how: &'static str,
    known: Option<&'a Known>,
    /// The known candidate that its instances' names say, when that is another.
    other: Option<&'a Known>,
}

impl Identity<'_> {
    fn notes(&self) -> Vec<String> {
        let other = self.other.iter().map(|known| {
            let candidate = &known.candidate;
            format!(
                "the instances are called like those of {} {}, but --id says otherwise",
                candidate.id, candidate.name
            )
        });
        other.collect()
    }
}

fn identity<'a>(
    given: Option<&str>,
    package: &Path,
    known: &'a [Known],
    instances: &[Instance],
) -> Identity<'a> {
    let names: Vec<&str> = instances
        .iter()
        .map(|found| found.entry.name.as_str())
        .collect();
    let recognised = known::recognise(known, &names);
    if let Some(id) = given {
        let named = known.iter().find(|known| known.candidate.id == id);
        return Identity {
            id: id.to_owned(),
            how: "the one that was asked for",
            known: named,
            other: recognised.filter(|known| known.candidate.id != id),
        };
    }
    if let Some(known) = recognised {
        return Identity {
            id: known.candidate.id.clone(),
            how: "that of the known candidate whose instances have these names",
            known: Some(known),
            other: None,
        };
    }
    let name = package
        .canonicalize()
        .unwrap_or_else(|_| package.to_owned());
    let name = name
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    let ends = [".tar.gz", ".tgz", ".zip"];
    let stem = ends
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(&name);
    let (word, how) = match stem.chars().any(|c| c.is_ascii_alphanumeric()) {
        true => (stem, "taken from the package's name"),
        false => (
            names.first().copied().unwrap_or(stem),
            "taken from the first instance's name",
        ),
    };
    let word = scan::as_name(word).to_lowercase();
    Identity {
        id: word,
        how,
        known: None,
        other: None,
    }
}

/// Gives the instances the sizes that are published; says what does not fit.
fn add_facts(known: &Known, instances: &mut [Instance]) -> Vec<String> {
    let mut notes = Vec::new();
    for instance in instances.iter_mut() {
        let name = &instance.entry.name;
        let fact = known
            .candidate
            .instances
            .iter()
            .find(|fact| fact.name == *name);
        match fact {
            Some(fact) => instance.entry.sizes = fact.sizes.or(instance.entry.sizes),
            None => notes.push(format!("{name} is not among the published instances")),
        }
    }
    for name in known.names() {
        if !instances.iter().any(|found| found.entry.name == name) {
            notes.push(format!("the package has no {name}, which is published"));
        }
    }
    notes.dedup();
    notes
}

fn candidate(identity: &Identity<'_>, category: Kind, instances: &[Instance]) -> Candidate {
    let entries: Vec<Entry> = instances.iter().map(|found| found.entry.clone()).collect();
    let name = identity.known.map(|known| known.candidate.name.clone());
    Candidate {
        id: identity.id.clone(),
        name: name.unwrap_or_else(|| identity.id.clone()),
        category,
        test: false,
        instances: entries,
    }
}

fn incomplete(instances: &[Instance]) -> Vec<(String, String)> {
    let incomplete = instances.iter().filter(|instance| !instance.is_complete());
    incomplete
        .map(|instance| {
            let missing: Vec<&str> = instance
                .selection
                .missing
                .keys()
                .map(String::as_str)
                .collect();
            let what = match missing.as_slice() {
                [] => "no sources".to_owned(),
                missing => format!("not in the package: {}", missing.join(", ")),
            };
            (instance.entry.label.clone(), what)
        })
        .collect()
}
