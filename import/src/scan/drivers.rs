//! Programs and tests, which a package has beside what is measured.

use super::source::Main;
use super::tree::{Tree, file_name, parent};

/// Beginnings of words in the names of files and folders that are not part of an algorithm.
const WORDS: [&str; 9] = [
    "test",
    "bench",
    "speed",
    "kat",
    "pqcgenkat",
    "genkat",
    "demo",
    "example",
    "profil",
];

/// Why a file is not compiled with an instance, if it is not. `folder` is the one that the search
/// began in: what that is called says nothing of the file.
pub fn why(tree: &Tree, path: &str, folder: &str) -> Option<String> {
    let stem = file_name(path);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    if stem.eq_ignore_ascii_case("main") {
        return Some("a program by its name".into());
    }
    if let Some(word) = told_by(stem) {
        return Some(format!("a driver, test or benchmark by its name ({word})"));
    }
    let within = parent(path).strip_prefix(folder).unwrap_or_default();
    if let Some(word) = within.split('/').find_map(told_by) {
        return Some(format!(
            "in a folder of drivers, tests or benchmarks ({word})"
        ));
    }
    match tree.source(path).map(|source| source.main) {
        Some(Main::Program) => Some("it defines main".into()),
        _ => None,
    }
}

fn told_by(name: &str) -> Option<&str> {
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.find(|word| {
        let word = word.to_ascii_lowercase();
        WORDS.iter().any(|known| word.starts_with(known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_are_told_by_name_folder_or_main() {
        let tree = Tree::of(&[("A/x.c", "int main(void) { return 0; }"), ("A/y.c", "")]);
        for path in [
            "A/KAT_KEM.c",
            "A/PQCgenKAT_kem.c",
            "A/main.c",
            "A/test_poly.c",
            "A/poly-tests.c",
            "A/speed_print.c",
            "A/test/poly.c",
            "A/x.c",
        ] {
            assert!(why(&tree, path, "A").is_some(), "{path}");
        }
        for path in ["A/y.c", "A/attestation.c", "A/latest.c", "A/domain.c"] {
            assert_eq!(why(&tree, path, "A"), None, "{path}");
        }
        assert_eq!(why(&tree, "bench/A/y.c", "bench/A"), None);
    }
}
