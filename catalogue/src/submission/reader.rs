//! From an entry of `candidate.toml` to an instance.

use std::path::{Path, PathBuf};

use super::{Candidate, Entry, Expected, Kind, PQCLEAN, answers};
use crate::board::Isa;
use crate::instance::{IccsAnswers, Instance, Interface, Kat, Language, Library, Origin};
use crate::{Architecture, CatalogueError};

/// The folder of our helpers, relative to the workspace's.
const HELPERS: &str = "submissions/iccs/helpers";

/// The folder of what the meter adds to a submission, relative to the workspace's.
const SHIMS: &str = "firmware/build/shims";

/// The helpers by name, each with its sources.
const HELPER_SOURCES: [(&str, &[&str]); 2] = [
    ("drng", &["drng.c", "sm3.c"]),
    ("auxfunc", &["auxfunc.c", "sm3.c"]),
];

/// Reads one package.
pub(super) struct Reader<'a> {
    /// Its `candidate.toml`.
    pub(super) file: &'a Path,
    /// Its folder.
    pub(super) package: &'a Path,
    /// The workspace's folder.
    pub(super) root: &'a Path,
    /// PQClean's tree.
    pub(super) pqclean: &'a Path,
    /// What its known answers must be.
    pub(super) manifest: Vec<Expected>,
}

impl Reader<'_> {
    /// The instance that an entry describes.
    ///
    /// # Errors
    ///
    /// When the entry names something that is not there or not known.
    pub(super) fn instance(
        &self,
        candidate: &Candidate,
        entry: &Entry,
    ) -> Result<Instance, CatalogueError> {
        if !is_variant(&entry.variant) {
            let what = format!("none of {}, nor an instruction set", VARIANTS.join(", "));
            return Err(self.wrong(entry, "variant", &entry.variant, &what));
        }
        let category = entry.category.unwrap_or(candidate.category);
        let mut sources = self.helpers(entry)?;
        sources.push(self.root.join(SHIMS).join(shim(category)));
        for source in &entry.sources {
            sources.extend(self.source(entry, source)?);
        }
        let mut include_folders: Vec<_> =
            entry.include.iter().map(|path| self.path(path)).collect();
        // Behind the package's own: the helpers' headers serve only a package that has none.
        include_folders.push(self.root.join(HELPERS));
        let mut libraries = Vec::new();
        let mut required = Vec::new();
        for need in &entry.needs {
            match (Library::from_name(need), Isa::from_meta(need)) {
                (Some(library), _) => libraries.push(library),
                (None, Some(isa)) => required.push(isa),
                (None, None) => {
                    let known = [&Library::NAMES[..], &Isa::META_NAMES[..]].concat();
                    let what = format!("none of {}", known.join(", "));
                    return Err(self.wrong(entry, "needs", need, &what));
                }
            }
        }
        if sources
            .iter()
            .any(|source| Language::of(source) == Some(Language::CPlusPlus))
            && !libraries.contains(&Library::CPlusPlus)
        {
            libraries.push(Library::CPlusPlus);
        }
        let texts: Vec<_> = entry.kat.iter().map(|path| self.path(path)).collect();
        answers::check_texts(&answers::official(candidate, entry), &texts).map_err(|problem| {
            CatalogueError::Candidate {
                file: self.file.to_owned(),
                problem: format!("kat of instance {}: {problem}", entry.label),
            }
        })?;
        let label = &entry.label;
        let expected = self.manifest.iter().filter(|line| line.label == *label);
        Ok(Instance {
            candidate: candidate.id.clone(),
            label: label.clone(),
            instance: entry.name.clone(),
            variant: entry.variant.clone(),
            category: category.into(),
            interface: Interface::Iccs,
            sizes: entry.sizes.map(wire::Sizes::from),
            kat: Kat::Iccs(IccsAnswers {
                expected: expected.cloned().collect(),
                texts,
            }),
            architecture: required.iter().find_map(|isa| architecture(*isa)),
            required,
            libraries,
            defines: entry.defines.clone(),
            origin: Origin::Folder(self.package.to_owned()),
            root: self.package.to_owned(),
            outside: vec![
                (PQCLEAN.to_owned(), self.pqclean.to_owned()),
                ("helpers:".to_owned(), self.root.join(HELPERS)),
                ("meter:".to_owned(), self.root.join(SHIMS)),
            ],
            incomplete: incomplete(entry, &sources, &include_folders),
            sources,
            include_folders,
            defect: None,
        })
    }

    /// A path of the file as one of this machine.
    fn path(&self, path: &str) -> PathBuf {
        let (folder, relative) = match path.strip_prefix(PQCLEAN) {
            Some(relative) => (self.pqclean, relative),
            None => (self.package, path),
        };
        if relative == "." {
            folder.to_owned()
        } else {
            folder.join(relative)
        }
    }

    /// The files that one entry of `sources` stands for.
    fn source(&self, entry: &Entry, source: &str) -> Result<Vec<PathBuf>, CatalogueError> {
        let path = self.path(source);
        if path.is_dir() {
            return Language::files_in(&path);
        }
        match Language::of(&path) {
            None => Err(self.wrong(entry, "sources", source, "neither C, C++ nor assembly")),
            Some(_) if !path.is_file() => Err(self.wrong(entry, "sources", source, "not there")),
            Some(_) => Ok(vec![path]),
        }
    }

    fn helpers(&self, entry: &Entry) -> Result<Vec<PathBuf>, CatalogueError> {
        let mut files = Vec::new();
        for helper in &entry.helpers {
            let known = HELPER_SOURCES.iter().find(|(name, _)| name == helper);
            let (_, sources) = known
                .ok_or_else(|| self.wrong(entry, "helpers", helper, "neither drng nor auxfunc"))?;
            files.extend(
                sources
                    .iter()
                    .map(|file| self.root.join(HELPERS).join(file)),
            );
        }
        files.sort();
        files.dedup();
        Ok(files)
    }

    fn wrong(&self, entry: &Entry, key: &str, value: &str, what: &str) -> CatalogueError {
        CatalogueError::Candidate {
            file: self.file.to_owned(),
            problem: format!("{key} of instance {}: {value:?} is {what}", entry.label),
        }
    }
}

/// The implementations that the official layout has; beside them, those for an instruction set.
const VARIANTS: [&str; 3] = ["reference", "optimized", "additional"];

/// Whether a variant is one that tables and other tools know.
fn is_variant(name: &str) -> bool {
    let architectures = [Architecture::Aarch64, Architecture::X86_64];
    VARIANTS.contains(&name)
        || Isa::from_meta(name).is_some()
        || architectures.iter().any(|it| it.to_string() == name)
}

/// What a package seems to lack of an instance: sources, or headers that nobody has put where the
/// compiler looks since.
fn incomplete(entry: &Entry, sources: &[PathBuf], include_folders: &[PathBuf]) -> Option<String> {
    if entry.sources.is_empty() {
        return Some("no sources".to_owned());
    }
    let is_there = |header: &String| {
        // The compiler looks beside the source first.
        let own = sources.iter().filter_map(|source| source.parent());
        let mut folders = own.chain(include_folders.iter().map(PathBuf::as_path));
        folders.any(|folder| folder.join(header).is_file())
    };
    let missing = entry.missing.iter().filter(|header| !is_there(header));
    let missing: Vec<&str> = missing.map(String::as_str).collect();
    (!missing.is_empty()).then(|| format!("not in the package: {}", missing.join(", ")))
}

/// What the interface leaves to the program around it, in C.
fn shim(category: Kind) -> &'static str {
    match category {
        Kind::Hash => "digest.c",
        Kind::Kem | Kind::Sig | Kind::Kex => "drng.c",
    }
}

fn architecture(isa: Isa) -> Option<Architecture> {
    match isa {
        Isa::Aes | Isa::Avx2 | Isa::Bmi1 | Isa::Bmi2 | Isa::Popcnt => Some(Architecture::X86_64),
        Isa::Asimd | Isa::Sha3 => Some(Architecture::Aarch64),
    }
}
