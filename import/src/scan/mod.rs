//! Finds a package's instances and decides what each is compiled from.

mod build_files;
mod drivers;
mod instances;
mod names;
mod needs;
mod scope;
mod source;
mod sources;
mod text;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

use catalogue::submission::{ClaimedSizes, Entry, Kind, file_name};
use wire::{Category, KatFile};

pub use build_files::Hint;
pub use instances::as_name;
pub use sources::Selection;
pub use tree::Tree;

use crate::error::ImportError;
use instances::{Named, Site};
use scope::Scope;

/// An instance with everything that was decided about it.
#[derive(Clone, Debug)]
pub struct Instance {
    /// What goes into candidate.toml.
    pub entry: Entry,
    /// What kind it is.
    pub kind: Kind,
    /// Its own folder in the package.
    pub folder: String,
    /// How it came to its name.
    pub named_by: String,
    /// The files, and why.
    pub selection: Selection,
    /// What it needs, and why.
    pub needs: BTreeMap<String, String>,
    /// What build files in its surroundings tell the compiler.
    pub hints: Vec<Hint>,
    /// What a person should know.
    pub notes: Vec<String>,
}

impl Instance {
    /// Whether nothing is known to be missing.
    pub fn is_complete(&self) -> bool {
        self.selection.missing.is_empty() && !self.entry.sources.is_empty()
    }
}

/// Finds all instances, in the order of their folders.
///
/// # Errors
///
/// When a build file cannot be read, or `stop` says so.
pub fn scan(tree: &Tree, stop: &dyn Fn() -> bool) -> Result<Vec<Instance>, ImportError> {
    let hints = build_files::hints(tree)?;
    let sites = instances::sites(tree);
    let folders: BTreeSet<String> = sites.iter().map(|site| site.folder.clone()).collect();
    let mut found = Vec::new();
    for site in &sites {
        if stop() {
            return Err(ImportError::Interrupted);
        }
        let scope = Scope {
            tree,
            folder: &site.folder,
            folders: &folders,
        };
        let selection = sources::select(scope, site.kind, site.header.as_deref());
        let near: Vec<&Hint> = hints
            .iter()
            .filter(|hint| {
                instances::concerns(hint, &site.folder, selection.shared.keys())
                    && !scope.is_foreign(&hint.file)
            })
            .collect();
        for named in instances::named(scope, site, &near) {
            found.push(instance(tree, site, named, selection.clone(), &near));
        }
    }
    label(&mut found);
    Ok(found)
}

/// The kind of most instances, the earlier one where two are as many; `None` for no instances.
pub fn most_frequent_kind(instances: &[Instance]) -> Option<Kind> {
    let count = |kind: &Kind| instances.iter().filter(|found| found.kind == *kind).count();
    let kinds = instances::KINDS.into_iter().rev();
    kinds.filter(|kind| count(kind) > 0).max_by_key(count)
}

fn instance(
    tree: &Tree,
    site: &Site,
    named: Named,
    selection: Selection,
    hints: &[&Hint],
) -> Instance {
    let (variant, said) = tree::variant(&site.folder);
    let (needs, mut notes) = needs::needs(tree, &selection, hints);
    notes.extend(named.notes);
    notes.extend(selection.notes.iter().cloned());
    if !said {
        notes.push(
            "no folder says which implementation it is: it is taken for the reference".into(),
        );
    }
    let kat = answers(tree, site, &named.name, &mut notes);
    let digest_bytes = named.digest_bits.filter(|bits| bits % 8 == 0);
    let sizes = digest_bytes.map(|bits| ClaimedSizes {
        digest_bytes: bits / 8,
        ..ClaimedSizes::default()
    });
    let folder = |folder: &String| match folder.as_str() {
        "" => ".".to_owned(),
        folder => folder.to_owned(),
    };
    Instance {
        entry: Entry {
            name: named.name,
            variant: variant.to_owned(),
            sources: selection.sources.iter().cloned().collect(),
            include: selection.include.iter().map(folder).collect(),
            defines: named.defines,
            helpers: selection.helpers.clone(),
            needs: needs.keys().cloned().collect(),
            missing: selection.missing.keys().cloned().collect(),
            kat,
            sizes: sizes.filter(|_| site.kind == Kind::Hash),
            ..Entry::default()
        },
        kind: site.kind,
        folder: site.folder.clone(),
        named_by: named.how,
        selection,
        needs,
        hints: hints.iter().map(|hint| (*hint).clone()).collect(),
        notes,
    }
}

/// The package's own known-answer files of an instance, the nearest of each name.
fn answers(tree: &Tree, site: &Site, name: &str, notes: &mut Vec<String>) -> Vec<String> {
    let category = Category::from(site.kind);
    let mut files = Vec::new();
    for file in KatFile::of(category) {
        let wanted = file_name(file, category, name);
        let mut candidates: Vec<&str> = tree
            .paths()
            .filter(|path| tree::file_name(path).eq_ignore_ascii_case(&wanted))
            .collect();
        candidates.sort_by_key(|path| std::cmp::Reverse(tree::common(path, &site.folder)));
        if let [nearest, others @ ..] = candidates.as_slice() {
            files.push((*nearest).to_owned());
            for other in others {
                notes.push(format!(
                    "`{other}` is another `{wanted}`, not taken: it is farther away"
                ));
            }
        }
    }
    if files.is_empty() {
        notes.push("the package has no known-answer file of this name".into());
    }
    files
}

/// Says of files that look like known answers that no instance has them: an official one has the
/// name of its instance.
pub fn unnamed_answers(tree: &Tree, instances: &[Instance]) -> Vec<String> {
    const NAMED: usize = 5;
    let taken: BTreeSet<&str> = instances
        .iter()
        .flat_map(|found| found.entry.kat.iter().map(String::as_str))
        .collect();
    let official: BTreeSet<String> = instances
        .iter()
        .filter(|found| found.entry.kat.is_empty())
        .flat_map(|found| {
            let category = Category::from(found.kind);
            KatFile::of(category)
                .into_iter()
                .map(move |file| file_name(file, category, &found.entry.name))
        })
        .collect();
    if official.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = official.iter().map(String::as_str).take(3).collect();
    let alike = tree
        .paths()
        .filter(|path| looks_like_answers(path) && !taken.contains(path));
    let notes = alike.take(NAMED).map(|path| {
        format!(
            "`{path}` looks like known answers and is not taken: official ones are called {}{}; \
             rename it and name it under `kat` of candidate.toml if it is one",
            names.join(", "),
            if official.len() > names.len() {
                ", ..."
            } else {
                ""
            }
        )
    });
    notes.collect()
}

fn looks_like_answers(path: &str) -> bool {
    let path = path.to_lowercase();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let of_answers = name.contains("kat") || folder.split('/').any(|part| part.contains("kat"));
    let is_text = [".txt", ".rsp", ".kat"]
        .iter()
        .any(|end| name.ends_with(end));
    of_answers && is_text && !name.contains("readme")
}

/// Gives every instance a label of its own.
fn label(instances: &mut [Instance]) {
    let mut taken = BTreeSet::new();
    for instance in instances {
        let Entry { name, variant, .. } = &instance.entry;
        let plain = match variant.as_str() {
            "reference" => name.clone(),
            variant => as_name(&format!("{name}-{variant}")),
        };
        let mut label = plain.clone();
        let mut number = 2;
        while !taken.insert(label.clone()) {
            // Names go over the wire in 64 bytes.
            label = format!("{}-{number}", plain.get(..58).unwrap_or(&plain));
            number += 1;
        }
        if label != plain {
            instance.notes.push(format!(
                "{plain} is taken by another folder's instance: this one is called {label}"
            ));
        }
        instance.entry.label = label;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_unique_and_say_the_variant() {
        let header = "#define ALGORITHM_INSTANCE \"A-1\"";
        let code = "#include \"KEM_AlgorithmInstance.h\"\nint kem_keygen() {}";
        let tree = Tree::of(&[
            ("Additional/avx2/A/KEM_AlgorithmInstance.h", header),
            ("Additional/avx2/A/a.c", code),
            ("Additional/neon/A/KEM_AlgorithmInstance.h", header),
            ("Additional/neon/A/a.c", code),
            ("Reference/A/KEM_AlgorithmInstance.h", header),
            ("Reference/A/a.c", code),
            ("Reference/output/KAT_KEM_A-1.txt", ""),
            ("Additional/KAT_KEM_A-1.txt", ""),
        ]);
        let found = scan(&tree, &|| false).unwrap();
        let labels: Vec<_> = found
            .iter()
            .map(|found| found.entry.label.as_str())
            .collect();
        assert_eq!(labels, ["A-1-additional", "A-1-additional-2", "A-1"]);
        assert_eq!(found[2].entry.kat, ["Reference/output/KAT_KEM_A-1.txt"]);
        assert_eq!(found[2].entry.sources, ["Reference/A/a.c"]);
        assert!(found.iter().all(Instance::is_complete));
    }

    #[test]
    fn answers_under_other_names_are_told() {
        let header = "#define ALGORITHM_INSTANCE \"A-1\"";
        let mut files = vec![
            ("A/KEM_AlgorithmInstance.h", header),
            ("A/a.c", "int kem_keygen() {}"),
            ("KAT/A-1.rsp", ""),
            ("KAT/README.txt", ""),
            ("notes.txt", ""),
        ];
        let notes = |files: &[(&str, &str)]| {
            let tree = Tree::of(files);
            let found = scan(&tree, &|| false).unwrap();
            unnamed_answers(&tree, &found)
        };
        let [note] = notes(&files).try_into().unwrap();
        assert!(
            note.starts_with("`KAT/A-1.rsp` looks like") && note.contains("KAT_KEM_A-1.txt"),
            "{note}"
        );
        files.push(("KAT/KAT_KEM_A-1.txt", ""));
        assert_eq!(notes(&files), Vec::<String>::new());
    }

    #[test]
    fn one_folder_may_hold_several_parameter_sets() {
        let tree = Tree::of(&[(
            "A/CryptHash_AlgorithmInstance.h",
            "#if N == 1\n#define ALGORITHM_INSTANCE \"H-1\"\n#define DIGEST_BIT_LENGTH 256\n\
             #elif N == 2\n#define ALGORITHM_INSTANCE \"H-2\"\n#define DIGEST_BIT_LENGTH 512\n#endif",
        )]);
        let found = scan(&tree, &|| false).unwrap();
        let entries: Vec<_> = found
            .iter()
            .map(|found| {
                let entry = &found.entry;
                let digest = entry.sizes.map(|sizes| sizes.digest_bytes);
                (entry.label.as_str(), entry.defines.join(" "), digest)
            })
            .collect();
        assert_eq!(
            entries,
            [
                ("H-1", "N=1".to_owned(), Some(32)),
                ("H-2", "N=2".to_owned(), Some(64))
            ]
        );
        assert!(!found[0].is_complete());
    }
}
