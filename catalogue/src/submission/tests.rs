//! Small workspaces in which one package is wrong.

use super::*;
use miette::Diagnostic;

/// A workspace with the sound package `sound` and whatever is written into it.
struct Workspace(tempfile::TempDir);

impl Workspace {
    fn new() -> Self {
        let workspace = Self(tempfile::tempdir().unwrap());
        workspace.package("sound", &candidate("sound", ""));
        workspace
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.0.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// A package with one source file, `a.c`.
    fn package(&self, folder: &str, candidate: &str) {
        self.write(&format!("submissions/{folder}/a.c"), "");
        self.write(&format!("submissions/{folder}/{FILE}"), candidate);
    }

    fn scan(&self) -> Packages {
        scan(self.0.path(), Path::new("/pqclean"), "pqclean").unwrap()
    }

    /// The one broken package, beside the sound one that is still there.
    fn broken(&self) -> BrokenPackage {
        let Packages { instances, broken } = self.scan();
        let names: Vec<_> = instances.iter().map(|(found, _)| found.name()).collect();
        assert_eq!(names, ["sound/A-1"]);
        let [broken] = <[BrokenPackage; 1]>::try_from(broken).unwrap();
        assert!(broken.error.help().is_some());
        broken
    }

    fn problem(&self) -> String {
        let problem = self.broken().error.to_string();
        problem.replace(&format!("{}/", self.0.path().display()), "")
    }
}

/// A `candidate.toml` with one KEM; `more` ends its only instance.
fn candidate(id: &str, more: &str) -> String {
    format!(
        "id = {id:?}\nname = \"A\"\ncategory = \"kem\"\n\n[[instance]]\nname = \"A-1\"\nlabel = \
         \"A-1\"\nvariant = \"reference\"\nsources = [\"a.c\"]\n{more}"
    )
}

#[test]
fn what_a_package_lacks_is_said_until_it_is_there() {
    let workspace = Workspace::new();
    let more = "include = [\"inc\"]\nmissing = [\"a.h\", \"b.h\"]\n";
    workspace.package("x", &candidate("x", more));
    let incomplete = || {
        let found = workspace.scan().instances;
        let mut found = found.into_iter().map(|(instance, _)| instance);
        found
            .find(|found| found.candidate == "x")
            .unwrap()
            .incomplete
    };
    assert_eq!(incomplete().unwrap(), "not in the package: a.h, b.h");
    workspace.write("submissions/x/inc/a.h", "");
    assert_eq!(incomplete().unwrap(), "not in the package: b.h");
    // Beside the source.
    workspace.write("submissions/x/b.h", "");
    assert_eq!(incomplete(), None);
}

const DIGEST: &str = "0000000000000000000000000000000000000000000000000000000000000000";

#[test]
fn a_wrong_candidate_file_leaves_the_others_alone() {
    let sound = candidate("x", "");
    for (text, what) in [
        ("id = ".to_owned(), "line 1"),
        (
            candidate("x", "needs = [\"luck\"]"),
            "\"luck\" is none of c++, gmp",
        ),
        (
            sound.replace("reference", "refrence"),
            "\"refrence\" is none of reference, optimized",
        ),
        (sound.replace("a.c", "b.c"), "\"b.c\" is not there"),
        (candidate("../x", ""), "a name has"),
        (candidate("x", "unknown = 1"), "unknown field"),
        (
            candidate("x", &sound[sound.find("[[").unwrap()..]),
            "two instances are called x/A-1",
        ),
    ] {
        let workspace = Workspace::new();
        workspace.package("x", &text);
        let problem = workspace.problem();
        assert!(
            problem.starts_with("submissions/x/candidate.toml"),
            "{problem}"
        );
        assert!(problem.contains(what), "{problem}");
    }
}

#[test]
fn what_is_no_file_is_broken_and_what_has_none_is_no_package() {
    let workspace = Workspace::new();
    workspace.write("submissions/.import-1/new/candidate.toml", "");
    workspace.write("submissions/note.txt", "");
    workspace.write("submissions/folder/candidate.toml/file", "");
    assert!(workspace.problem().ends_with("candidate.toml: not a file"));
}

#[test]
fn what_is_known_of_a_broken_package_is_read_from_a_file_that_is_no_toml() {
    let workspace = Workspace::new();
    workspace.package("folder", &(candidate("x", "") + "= ="));
    let broken = workspace.broken();
    assert_eq!(broken.names(), ["x/A-1"]);
    assert!(broken.is_called("x") && broken.is_called("folder") && !broken.is_called("sound"));
    workspace.package("folder", "\u{0}");
    assert_eq!(workspace.broken().names(), ["folder/"]);
}

#[test]
fn the_later_of_two_packages_of_one_name_is_broken_and_both_files_are_named() {
    let workspace = Workspace::new();
    workspace.package("zz", &candidate("sound", ""));
    insta::assert_snapshot!(workspace.problem(), @r#"submissions/zz/candidate.toml: id = "sound" is taken by submissions/sound/candidate.toml"#);
    workspace.package("zz", &candidate("pqclean", ""));
    assert!(workspace.problem().ends_with("is taken by /pqclean"));
}

#[test]
fn a_line_of_a_manifest_belongs_to_an_instance_and_one_of_its_files() {
    for (line, what) in [
        (
            "strict A-1/KAT_KEM_A-2.txt",
            "line 2: A-1 has no known-answer file",
        ),
        (
            "strict A-1/KAT_SIG_A-1.txt",
            "line 2: A-1 has no known-answer file",
        ),
        (
            "strict A-2/KAT_KEM_A-2.txt",
            "line 2: no instance of x has the label \"A-2\"",
        ),
        ("strict:0 A-1/KAT_KEM_A-1.txt", "line 2: strict:0"),
        ("loose A-1/KAT_KEM_A-1.txt", "line 2 is not"),
    ] {
        let workspace = Workspace::new();
        workspace.package("x", &candidate("x", ""));
        workspace.write("kat/x/kat.sha256", &format!("\n{DIGEST} {line}\n"));
        let problem = workspace.problem();
        assert!(problem.starts_with("kat/x/kat.sha256"), "{problem}");
        assert!(problem.contains(what), "{problem}");
    }
}

#[test]
fn a_package_may_lack_instances_of_a_known_candidate() {
    let workspace = Workspace::new();
    workspace.write(
        "kat/sound/kat.sha256",
        &format!("{DIGEST} strict A-2/KAT_KEM_A-2.txt\n{DIGEST} strict A-1/KAT_KEM_A-1.txt\n"),
    );
    assert_eq!(workspace.scan().broken.len(), 1);
    let known = candidate("sound", "").replace("A-1", "A-2");
    workspace.write("kat/sound/candidate.toml", &known);
    // A candidate whose package is not here is not looked at.
    workspace.write("kat/absent/kat.sha256", "?");
    let Packages { instances, broken } = workspace.scan();
    assert_eq!((instances.len(), broken.len()), (1, 0));
}

#[test]
fn a_text_is_a_file_with_an_official_name_and_there_is_one_of_each() {
    let with = |kat: &str| {
        let workspace = Workspace::new();
        workspace.package("x", &candidate("x", &format!("kat = {kat}")));
        workspace.write("submissions/x/KAT_KEM_A-1.txt", "");
        workspace.write("submissions/x/other/kat_kem_a-1.txt", "");
        workspace.write("submissions/x/folder/KAT_KEM_A-1.txt/a", "");
        workspace
    };
    for sound in ["[\"KAT_KEM_A-1.txt\"]", "[\"other/kat_kem_a-1.txt\"]"] {
        assert_eq!(with(sound).scan().broken.len(), 0);
    }
    for (kat, what) in [
        ("[\"a.c\"]", "has not the name"),
        ("[\"none/KAT_KEM_A-1.txt\"]", "is not there"),
        ("[\"folder/KAT_KEM_A-1.txt\"]", "is a folder"),
        (
            "[\"KAT_KEM_A-1.txt\", \"other/kat_kem_a-1.txt\"]",
            "is a second file",
        ),
    ] {
        let problem = with(kat).problem();
        assert!(problem.contains("kat of instance A-1"), "{problem}");
        assert!(problem.contains(what), "{problem}");
    }
}
