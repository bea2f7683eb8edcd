//! What a system must have for an instance, as far as its files tell.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use catalogue::{Isa, Language, Library};

use super::build_files::Hint;
use super::sources::{Selection, library_of};
use super::tree::Tree;

/// Headers of intrinsic functions, and the extension that they stand for where no option names one.
const INTRINSICS: [(&str, &str); 5] = [
    ("immintrin.h", "avx2"),
    ("x86intrin.h", "avx2"),
    ("wmmintrin.h", "aes"),
    ("nmmintrin.h", "popcnt"),
    ("arm_neon.h", "asimd"),
];

/// Extensions of x86-64 among `-m` options.
const OPTIONS: [(&str, &str); 5] = [
    ("-mavx2", "avx2"),
    ("-maes", "aes"),
    ("-mbmi", "bmi1"),
    ("-mbmi2", "bmi2"),
    ("-mpopcnt", "popcnt"),
];

/// The needs, each with its reason, and what else a person should know.
pub fn needs(
    tree: &Tree,
    selection: &Selection,
    hints: &[&Hint],
) -> (BTreeMap<String, String>, Vec<String>) {
    let mut needs = BTreeMap::new();
    let mut notes = BTreeSet::new();
    let mut need = |name: &str, why: String| {
        if Library::from_name(name).is_some() || Isa::from_meta(name).is_some() {
            needs.entry(name.to_owned()).or_insert(why);
        } else {
            notes.insert(format!("{why}: nothing here provides {name}"));
        }
    };
    for path in &selection.sources {
        if Language::of(Path::new(path)) == Some(Language::CPlusPlus) {
            need("c++", format!("`{path}` is C++"));
        }
    }
    let mut options_matter = false;
    for path in selection.sources.iter().chain(&selection.headers) {
        let Some(source) = tree.source(path) else {
            continue;
        };
        for include in &source.includes {
            let name = include.name.as_str();
            if let Some(library) = library_of(name)
                && include.by_default
            {
                need(library, format!("`{path}` includes `{name}`"));
            }
            let known = INTRINSICS.iter().find(|(header, _)| *header == name);
            let Some((_, extension)) = known else {
                continue;
            };
            let x86 = *extension != "asimd";
            let option = hints
                .iter()
                .find(|hint| x86 && OPTIONS.iter().any(|(option, _)| *option == hint.option));
            match (include.by_default, option) {
                (true, _) => need(extension, format!("`{path}` includes `{name}`")),
                (false, Some(_)) => {}
                // The code is for whoever has it, and does without.
                (false, None) => continue,
            }
            options_matter |= x86;
        }
    }
    if options_matter {
        for hint in hints {
            let known = OPTIONS.iter().find(|(option, _)| *option == hint.option);
            if let Some((option, extension)) = known {
                let why = format!("`{}` line {} has `{option}`", hint.file, hint.line);
                need(extension, why);
            }
        }
    }
    (needs, notes.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needed(text: &str, options: &[&str]) -> Vec<String> {
        let tree = Tree::of(&[("a.c", text)]);
        let selection = Selection {
            sources: ["a.c".to_owned()].into(),
            ..Selection::default()
        };
        let hints: Vec<Hint> = options
            .iter()
            .map(|option| Hint {
                file: "Makefile".into(),
                line: 1,
                option: (*option).into(),
            })
            .collect();
        let (needs, _) = needs(&tree, &selection, &hints.iter().collect::<Vec<_>>());
        needs.into_keys().collect()
    }

    #[test]
    fn headers_and_options_tell_what_is_needed() {
        assert_eq!(
            needed("#include <gmp.h>\n#include <openssl/sha.h>", &[]),
            ["gmp", "openssl"]
        );
        assert_eq!(
            needed("#include <immintrin.h>", &["-maes"]),
            ["aes", "avx2"]
        );
        assert_eq!(needed("#include <arm_neon.h>", &["-mavx2"]), ["asimd"]);
        let guarded = "#ifdef __AVX2__\n#include <immintrin.h>\n#endif";
        assert_eq!(needed(guarded, &[]), [] as [&str; 0]);
        assert_eq!(needed(guarded, &["-mavx2"]), ["avx2"]);
        assert_eq!(needed("int x;", &["-mavx2"]), [] as [&str; 0]);
    }
}
