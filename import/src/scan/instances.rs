//! Where a package's instances are, and what they are called.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use catalogue::submission::{Kind, is_name};

use super::build_files::Hint;
use super::names::{Choice, Macros};
use super::scope::Scope;
use super::sources::interface_header;
use super::tree::{Tree, file_name, is_below, lifted, parent};

/// Headers that a name is looked for in, at most.
const MOST_HEADERS: usize = 500;

/// All kinds.
pub const KINDS: [Kind; 4] = [Kind::Kem, Kind::Sig, Kind::Kex, Kind::Hash];

/// A place of a package that implements one interface.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Site {
    /// Which interface.
    pub kind: Kind,
    /// The folder that everything of its own is in.
    pub folder: String,
    /// Its `*_AlgorithmInstance.h`.
    pub header: Option<String>,
    /// Its `*_AlgorithmInstance.c`.
    pub source: Option<String>,
}

/// One parameter set of a site.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Named {
    /// What it is called.
    pub name: String,
    /// What the compiler must be told to get it.
    pub defines: Vec<String>,
    /// Bits of a hash function's digest.
    pub digest_bits: Option<u32>,
    /// How it came to its name.
    pub how: String,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// All sites of a package.
pub fn sites(tree: &Tree) -> Vec<Site> {
    let mut found: BTreeMap<(String, usize), Site> = BTreeMap::new();
    for path in tree.paths() {
        let name = file_name(path).to_lowercase();
        let stem = name
            .rsplit_once('.')
            .map_or(name.as_str(), |(stem, _)| stem);
        let kind = KINDS.into_iter().zip(0..).find(|(kind, _)| {
            let header = interface_header(*kind).to_lowercase();
            header.strip_suffix(".h") == Some(stem)
        });
        let Some((kind, order)) = kind else {
            continue;
        };
        let folder = lifted(parent(path)).to_owned();
        let site = found.entry((folder.clone(), order)).or_insert(Site {
            kind,
            folder,
            header: None,
            source: None,
        });
        let place = match name.ends_with(".h") {
            true => &mut site.header,
            false => &mut site.source,
        };
        place.get_or_insert_with(|| path.to_owned());
    }
    let sites: Vec<Site> = found.into_values().collect();
    let shared = |site: &Site| {
        // A source without a header is shared by the headers that have no source.
        site.header.is_none()
            && sites.iter().any(|other| {
                other.kind == site.kind && other.header.is_some() && other.source.is_none()
            })
    };
    sites.iter().filter(|site| !shared(site)).cloned().collect()
}

/// The parameter sets of a site: one, unless a macro chooses.
pub fn named(scope: Scope<'_>, site: &Site, hints: &[&Hint]) -> Vec<Named> {
    let macros = Macros(definitions(scope, site));
    let digests = macros.values("DIGEST_BIT_LENGTH");
    let mut choices = macros.values("ALGORITHM_INSTANCE");
    let mut how = "`ALGORITHM_INSTANCE`".to_owned();
    let mut notes = Vec::new();
    if choices.is_empty() {
        choices = told_by_build_files(hints);
        "`ALGORITHM_INSTANCE` in a build file, which is therefore among `defines`"
            .clone_into(&mut how);
    }
    // Without an option only one of the names can be meant.
    let silent = |choice: &&Choice| choice.defines.is_empty();
    if choices.iter().filter(silent).count() > 1 {
        let names: Vec<&str> = choices.iter().map(|choice| choice.value.as_str()).collect();
        notes.push(format!(
            "`ALGORITHM_INSTANCE` is defined more than once ({}): the first is taken",
            names.join(", ")
        ));
        let mut first = true;
        choices.retain(|choice| !choice.defines.is_empty() || std::mem::take(&mut first));
    }
    if choices.is_empty() {
        choices.push(Choice {
            value: file_name(&site.folder).to_owned(),
            defines: Vec::new(),
        });
        "the folder, for no value of `ALGORITHM_INSTANCE` was found".clone_into(&mut how);
    }
    if choices.len() > 1 {
        how.push_str(", which other macros choose");
    }
    let named = choices.into_iter().map(|choice| {
        let mut notes = notes.clone();
        let name = as_name(&choice.value);
        if name != choice.value {
            notes.push(format!(
                "the package's own name {:?} cannot be a file's: it is called {name}",
                choice.value
            ));
        }
        Named {
            digest_bits: digest_bits(&digests, &choice),
            name,
            defines: choice.defines,
            how: how.clone(),
            notes,
        }
    });
    named.collect()
}

fn digest_bits(digests: &[Choice], choice: &Choice) -> Option<u32> {
    let mut fitting = digests.iter().filter(|digest| {
        let mut defines = digest.defines.iter();
        defines.all(|define| choice.defines.contains(define))
    });
    fitting.next()?.value.parse().ok()
}

/// The definitions of a site's files and of all that they include.
fn definitions<'a>(scope: Scope<'a>, site: &Site) -> Vec<&'a super::source::Definition> {
    let mut definitions = Vec::new();
    let mut seen = BTreeSet::new();
    let mut queue: VecDeque<String> = site.header.iter().chain(&site.source).cloned().collect();
    while let Some(path) = queue.pop_front() {
        if seen.len() >= MOST_HEADERS || !seen.insert(path.clone()) {
            continue;
        }
        let Some(source) = scope.tree.source(&path) else {
            continue;
        };
        definitions.extend(&source.definitions);
        for include in source.includes.iter().filter(|include| include.quoted) {
            queue.extend(
                scope
                    .find(&path, &include.name, true)
                    .map(|found| found.path),
            );
        }
    }
    definitions
}

fn told_by_build_files(hints: &[&Hint]) -> Vec<Choice> {
    let mut choices: Vec<Choice> = Vec::new();
    for define in hints.iter().filter_map(|hint| hint.define()) {
        let Some(value) = define.strip_prefix("ALGORITHM_INSTANCE=") else {
            continue;
        };
        let value = value.trim_matches('"');
        if !value.is_empty() && !choices.iter().any(|choice| choice.value == value) {
            choices.push(Choice {
                value: value.to_owned(),
                defines: vec![format!("ALGORITHM_INSTANCE=\"{value}\"")],
            });
        }
    }
    choices
}

/// A text made fit for a file's name.
pub fn as_name(text: &str) -> String {
    let fit = |c: char| c.is_ascii_alphanumeric() || "-_+.".contains(c);
    let dashed: String = text.chars().map(|c| if fit(c) { c } else { '-' }).collect();
    let mut name = String::new();
    for part in dashed.split('-').filter(|part| !part.is_empty()) {
        if !name.is_empty() {
            name.push('-');
        }
        name.push_str(part);
    }
    let name = name.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let name = name.get(..64).unwrap_or(name).trim_end_matches(['-', '.']);
    match is_name(name) {
        true => name.to_owned(),
        false => "unnamed".to_owned(),
    }
}

/// Whether a build file may be about a site: it is in, above or beside its files.
pub fn concerns<'a>(
    hint: &Hint,
    folder: &str,
    mut shared: impl Iterator<Item = &'a String>,
) -> bool {
    let home = parent(&hint.file);
    home == folder
        || is_below(folder, home)
        || is_below(home, folder)
        || shared.any(|shared| lifted(shared) == home)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sites_are_found_wherever_they_are() {
        let tree = Tree::of(&[
            ("包/包/参考/A/include/KEM_AlgorithmInstance.h", ""),
            ("包/包/参考/A/src/KEM_AlgorithmInstance.c", ""),
            ("B/SIG_AlgorithmInstance.h", ""),
            ("common/SIG_AlgorithmInstance.c", ""),
            ("C/CryptHash_AlgorithmInstance.c", ""),
        ]);
        let sites = sites(&tree);
        let folders: Vec<_> = sites.iter().map(|site| site.folder.as_str()).collect();
        assert_eq!(folders, ["B", "C", "包/包/参考/A"]);
        assert!(sites[2].header.is_some() && sites[2].source.is_some());
    }

    #[test]
    fn names_come_from_headers_build_files_and_folders() {
        let name = |text: &str, define: Option<&str>| {
            let tree = Tree::of(&[
                ("A x/KEM_AlgorithmInstance.h", text),
                (
                    "A x/params.h",
                    "#define DIGEST_BIT_LENGTH 512\n#define NAME \"P\"",
                ),
            ]);
            let hint = define.map(|define| Hint {
                file: "A x/Makefile".into(),
                line: 1,
                option: format!("-D{define}"),
            });
            let folders = ["A x".to_owned()].into();
            let scope = Scope {
                tree: &tree,
                folder: "A x",
                folders: &folders,
            };
            let named = named(scope, &sites(&tree)[0], &hint.iter().collect::<Vec<_>>());
            assert_eq!(named.len(), 1);
            named[0].clone()
        };
        let through = name(
            "#include \"params.h\"\n#define ALGORITHM_INSTANCE NAME",
            None,
        );
        assert_eq!(
            (through.name.as_str(), through.digest_bits),
            ("P", Some(512))
        );
        let told = name("", Some("ALGORITHM_INSTANCE=\"Q\""));
        assert_eq!(told.name, "Q");
        assert_eq!(told.defines, ["ALGORITHM_INSTANCE=\"Q\""]);
        assert_eq!(name("", None).name, "A-x");
    }

    proptest! {
        #[test]
        fn any_text_becomes_a_name(text in ".{0,100}") {
            prop_assert!(is_name(&as_name(&text)));
        }
    }
}
