//! Honest packages in all the shapes that they come in.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use catalogue::submission::{Candidate, Entry, Kind};
use import::Agreement;
use support::{Workspace, Zip, kem, repository, tar_entry, tar_gz, zip_folder};

/// The kind of each name.
fn kinds(candidate: &Candidate) -> BTreeMap<&str, Kind> {
    let entries = candidate.instances.iter();
    let kinds = entries.map(|entry| {
        let kind = entry.category.unwrap_or(candidate.category);
        (entry.name.as_str(), kind)
    });
    kinds.collect()
}

/// Imports one of our own packages from a zip archive.
fn again(id: &str) -> (Vec<Entry>, Vec<String>) {
    let workspace = Workspace::new();
    let folder = repository().join("submissions").join(id);
    let package = workspace.outside(&format!("{id}.zip"));
    zip_folder(&folder, &package);
    let imported = workspace.import_as(&package, Some("again")).unwrap();
    let candidate = Candidate::read(&folder.join("candidate.toml")).unwrap();
    assert_eq!(kinds(&candidate), kinds(&imported.candidate));
    let incomplete = imported.incomplete.into_iter();
    let incomplete = incomplete
        .map(|(label, what)| format!("{label}: {what}"))
        .collect();
    (imported.candidate.instances, incomplete)
}

#[test]
fn our_packages_with_all_their_sources_come_out_complete() {
    let (instances, incomplete) = again("x25519");
    assert_eq!(incomplete, [] as [&str; 0]);
    let folder = "Reference_Implementation/X25519";
    assert_eq!(
        instances[0].sources,
        [
            format!("{folder}/KEX_AlgorithmInstance.c"),
            format!("{folder}/x25519.c")
        ]
    );
    assert_eq!(instances[0].include, [folder]);
    assert_eq!(instances[0].helpers, ["drng"]);

    let (instances, incomplete) = again("iccs");
    assert_eq!(incomplete, [] as [&str; 0]);
    for entry in &instances {
        let sources: Vec<&str> = entry.sources.iter().map(String::as_str).collect();
        let [own, "helpers/auxfunc.c", "helpers/sm3.c"] = sources[..] else {
            panic!("{sources:?}");
        };
        assert!(own.contains(&entry.name));
        assert_eq!(entry.helpers, [] as [&str; 0]);
    }
}

#[test]
fn the_gallery_of_rogues_comes_out_complete() {
    let (instances, incomplete) = again("rogues");
    // One of them borrows from the package of helpers.
    assert_eq!(incomplete.len(), 1, "{incomplete:?}");
    assert!(
        incomplete[0].starts_with("own-helpers: not in the package"),
        "{incomplete:?}"
    );
    let root = repository().join("submissions/rogues");
    let by_hand = Candidate::read(&root.join("candidate.toml")).unwrap();
    for entry in &instances {
        let ours = by_hand
            .instances
            .iter()
            .find(|ours| ours.name == entry.name)
            .unwrap();
        let mut expected = BTreeSet::new();
        for source in &ours.sources {
            match fs::read_dir(root.join(source)) {
                Ok(files) => {
                    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
                    let names = names.filter(|name| name.ends_with(".c"));
                    expected.extend(names.map(|name| format!("{source}/{name}")));
                }
                Err(_) => drop(expected.insert(source.clone())),
            }
        }
        let found: BTreeSet<String> = entry.sources.iter().cloned().collect();
        assert_eq!(found, expected, "{}", entry.name);
        assert_eq!(entry.include[0], ours.include[0]);
    }
}

#[test]
fn our_packages_that_borrow_say_what_is_not_there() {
    for (id, missing) in [
        ("akex", "api.h"),
        ("sha3", "fips202.h"),
        ("standards", "api.h"),
    ] {
        let (instances, incomplete) = again(id);
        assert_eq!(instances.len(), incomplete.len(), "{id}: {incomplete:?}");
        assert!(
            incomplete.iter().all(|what| what.contains(missing)),
            "{incomplete:?}"
        );
        assert!(
            instances.iter().all(|entry| !entry.sources.is_empty()),
            "{id}"
        );
    }
}

/// Two instances that share the names of their headers, below folders with Chinese names.
fn chinese_package(encode: impl Fn(&str) -> Vec<u8>, file: &Path) {
    let mut zip = Zip::create(file);
    for level in ["1", "2"] {
        let folder = format!("算法包/实现/参考实现 v1/A-{level}");
        for (name, content) in kem(&format!("A-{level}")) {
            zip.file(encode(&format!("{folder}/{name}")), content);
        }
        zip.file(
            encode(&format!("{folder}/params.h")),
            format!("#define LEVEL {level}"),
        );
        zip.file(encode(&format!("{folder}/lib/ring.h")), "");
        zip.file(
            encode(&format!("{folder}/lib/ring.c")),
            "#include \"ring.h\"\n#include \"params.h\"",
        );
        zip.file(encode(&format!("{folder}/ring.o")), "prebuilt");
        zip.file(
            encode(&format!("{folder}/Makefile")),
            format!("CFLAGS=-DLEVEL={level} -DFAST\n"),
        );
        zip.file(
            encode(&format!("算法包/测试向量/KAT_KEM_A-{level}.txt")),
            "Count = 0\n",
        );
    }
    zip.finish();
}

fn gbk(text: &str) -> Vec<u8> {
    encoding_rs::GBK.encode(text).0.into_owned()
}

#[test]
fn chinese_names_are_read_in_either_encoding() {
    let workspace = Workspace::new();
    for (id, encoding) in [("utf8", "UTF-8"), ("gbk", "GB18030")] {
        let package = workspace.outside("包.zip");
        match id {
            "gbk" => chinese_package(gbk, &package),
            _ => chinese_package(|text| text.as_bytes().to_vec(), &package),
        }
        let imported = workspace.import_as(&package, Some(id)).unwrap();
        assert!(imported.is_clean(), "{imported:?}");
        for (entry, level) in imported.candidate.instances.iter().zip(["1", "2"]) {
            let folder = format!("算法包/实现/参考实现 v1/A-{level}");
            assert_eq!(entry.label, format!("A-{level}"));
            assert_eq!(entry.variant, "reference");
            assert_eq!(
                entry.sources,
                [
                    format!("{folder}/KEM_AlgorithmInstance.c"),
                    format!("{folder}/lib/ring.c")
                ]
            );
            assert_eq!(entry.include, [folder.as_str()]);
            assert_eq!(
                entry.kat,
                [format!("算法包/测试向量/KAT_KEM_A-{level}.txt")]
            );
            assert_eq!(entry.defines, [] as [&str; 0]);
        }
        let report = fs::read_to_string(imported.folder.join(import::REPORT)).unwrap();
        assert!(
            report.contains(&format!("Names were read as {encoding}.")),
            "{report}"
        );
        assert!(report.contains("ring.o`: prebuilt"), "{report}");
        assert!(
            !imported
                .folder
                .join("算法包/实现/参考实现 v1/A-1/ring.o")
                .exists()
        );
        let file = fs::read_to_string(imported.folder.join("candidate.toml")).unwrap();
        let hint = "# hint: -DLEVEL=2 (算法包/实现/参考实现 v1/A-2/Makefile line 1)";
        assert!(file.contains(hint), "{file}");
    }
}

#[test]
fn what_a_package_says_of_itself_is_told_and_not_applied() {
    let workspace = Workspace::new();
    let package = workspace.outside("own.zip");
    let mut zip = Zip::create(&package);
    for (name, content) in kem("A-1") {
        zip.file(format!("Reference/A-1/{name}"), content);
    }
    zip.file("Reference/A-1/Makefile", "CFLAGS = -DLEVEL=2 -DALL\n");
    zip.file("KAT/A-1.rsp", "count = 0\n");
    zip.file("candidate.toml", "id = \"theirs\"\n");
    zip.finish();
    let imported = workspace.import_as(&package, Some("own")).unwrap();
    assert_eq!(imported.candidate.id, "own");
    let said = |words: &str| {
        let notes = &imported.notes;
        assert!(notes.iter().any(|note| note.contains(words)), "{notes:?}");
    };
    said("the package's own candidate.toml is not used");
    said("`-DLEVEL=2` in Reference/A-1/Makefile line 1 is not applied");
    said("`KAT/A-1.rsp` looks like known answers");
    let kept = imported.folder.join("candidate.toml.of-package");
    assert_eq!(fs::read_to_string(kept).unwrap(), "id = \"theirs\"\n");
    let report = fs::read_to_string(imported.folder.join(import::REPORT)).unwrap();
    assert!(report.contains("looks like known answers"), "{report}");
}

#[test]
fn packages_within_packages_are_found() {
    let workspace = Workspace::new();
    let inner = workspace.outside("inner");
    let mut zip = Zip::create(&inner);
    for (name, content) in kem("A-1") {
        zip.file(format!("A/A/Optimized_Implementation/A-1/{name}"), content);
    }
    zip.file("A/A/Optimized_Implementation/A-1/params.h", "");
    zip.finish();
    let package = workspace.outside("Outer 1.0.tar.gz");
    tar_gz(&package, |tar| {
        let content = fs::read(&inner).unwrap();
        tar_entry(tar, b"docs/readme.txt", tar::EntryType::Regular, b"x");
        tar_entry(tar, b"code/A.zip", tar::EntryType::Regular, &content);
        let long = format!("code/{}/x.txt", "long".repeat(40));
        let mut header = tar::Header::new_gnu();
        header.set_size(1);
        tar.append_data(&mut header, &long, &b"x"[..]).unwrap();
    });
    let imported = workspace.import(&package).unwrap();
    assert_eq!(imported.candidate.id, "outer-1.0");
    let entry = &imported.candidate.instances[0];
    assert_eq!(entry.label, "A-1-optimized");
    assert_eq!(
        entry.sources,
        ["code/A/A/A/Optimized_Implementation/A-1/KEM_AlgorithmInstance.c"]
    );
    assert!(!imported.folder.join("code/A.zip").exists());
    assert!(
        imported
            .folder
            .join(format!("code/{}/x.txt", "long".repeat(40)))
            .is_file()
    );
    let report = fs::read_to_string(imported.folder.join(import::REPORT)).unwrap();
    assert!(report.contains("`code/A.zip` into `code/A`"), "{report}");
}

#[test]
fn a_known_candidate_gets_its_id_its_sizes_and_its_answers_checked() {
    let workspace = Workspace::new();
    let package = workspace.outside("package");
    let text = "Count = 0\r\nSeed = AB  \n\nCount = 1\n";
    for name in ["TRIKE-2", "TRIKE-5"] {
        let folder = package.join("Reference_Implementation").join(name);
        fs::create_dir_all(folder.join("output")).unwrap();
        for (file, content) in kem(name) {
            fs::write(folder.join(file), content).unwrap();
        }
        fs::write(folder.join("params.h"), "").unwrap();
        fs::write(folder.join(format!("output/KAT_KEM_{name}.txt")), text).unwrap();
    }
    let manifest = workspace.path().join("kat/kem-36/kat.sha256");
    let published = fs::read_to_string(&manifest).unwrap();
    // The canonical text "Count = 0\nSeed = AB\nCount = 1\n".
    let digest = "fdeb93f180e41348a936accbe23a7bffda6945d2fa1149eff022d62b00821172";
    let lines: Vec<String> = published
        .lines()
        .map(|line| match line.contains("TRIKE-2/") {
            true => format!("{digest}{}", &line[64..]),
            false => line.to_owned(),
        })
        .collect();
    fs::write(&manifest, lines.join("\n")).unwrap();

    let imported = workspace.import(&package).unwrap();
    assert_eq!(imported.candidate.id, "kem-36");
    assert_eq!(imported.candidate.name, "TRIKE");
    let sizes = imported.candidate.instances[0].sizes.unwrap();
    assert_eq!((sizes.pk_bytes, sizes.ct_bytes), (1980, 3928));
    let outcomes: Vec<_> = imported.checks.iter().map(|check| &check.outcome).collect();
    assert_eq!(outcomes[0], &Agreement::Agrees);
    assert!(matches!(outcomes[1], Agreement::Differs(actual) if actual == digest));
    assert_eq!(outcomes[2..], [&Agreement::NoText, &Agreement::NoText]);
    assert!(!imported.is_clean());
    assert_eq!(
        imported.notes,
        [
            "the package has no TRIKE-7, which is published",
            "the package has no TRIKE-9, which is published"
        ]
    );
}

#[test]
fn what_is_written_explains_itself() {
    let workspace = Workspace::new();
    let package = workspace.outside("demo");
    let write = |path: &str, content: &str| {
        let file = package.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    };
    write(
        "Reference/H/CryptHash_AlgorithmInstance.h",
        "#if defined(WIDE)\n#define ALGORITHM_INSTANCE \"H-512\"\n#define DIGEST_BIT_LENGTH 512\n\
         #else\n#define ALGORITHM_INSTANCE \"H-256\"\n#define DIGEST_BIT_LENGTH 256\n#endif\n",
    );
    write(
        "Reference/H/hash.c",
        "#include \"CryptHash_AlgorithmInstance.h\"\n#include \"../common/round.h\"\n\
         #include \"gone.h\"\nint CryptHash() { return 0; }\n",
    );
    write("Reference/H/main.c", "int main(void) { return 0; }\n");
    write("Reference/H/CMakeLists.txt", "add_definitions(-DWIDE)\n");
    write("Reference/common/round.h", "");
    write("Reference/common/round.c", "#include <gmp.h>\n");
    write(".git/config", "");
    let imported = workspace.import(&package).unwrap();
    let read = |name: &str| {
        let text = fs::read_to_string(imported.folder.join(name)).unwrap();
        text.replace(package.to_str().unwrap(), "[package]")
    };
    let file = read("candidate.toml");
    let (_, below_header) = file.split_once("meant to have it.\n\n").unwrap();
    insta::assert_snapshot!(below_header, @r#"
    id = "demo"
    name = "demo"
    category = "hash"

    # hint: -DWIDE (Reference/H/CMakeLists.txt line 1)
    [[instance]]
    name = "H-512"
    label = "H-512"
    variant = "reference"
    sources = [
        "Reference/H/hash.c",
        "Reference/common/round.c",
    ]
    include = ["Reference/H"]
    defines = ["WIDE"]
    helpers = []
    needs = ["gmp"]
    missing = ["gone.h"]

    [instance.sizes]
    pk_bytes = 0
    sk_bytes = 0
    ct_bytes = 0
    ss_bytes = 0
    signature_bytes = 0
    digest_bytes = 64
    messages_bytes = 0
    passes = 0

    # hint: -DWIDE (Reference/H/CMakeLists.txt line 1)
    [[instance]]
    name = "H-256"
    label = "H-256"
    variant = "reference"
    sources = [
        "Reference/H/hash.c",
        "Reference/common/round.c",
    ]
    include = ["Reference/H"]
    defines = []
    helpers = []
    needs = ["gmp"]
    missing = ["gone.h"]

    [instance.sizes]
    pk_bytes = 0
    sk_bytes = 0
    ct_bytes = 0
    ss_bytes = 0
    signature_bytes = 0
    digest_bytes = 32
    messages_bytes = 0
    passes = 0
    "#);
    insta::assert_snapshot!(read(import::REPORT), @r"
    # Import of demo

    From `[package]`. The id is taken from the package's name.
    Nothing of the package was executed.

    ## Instances

    | label | folder | sources | complete | known answers |
    |---|---|---|---|---|
    | H-512 | `Reference/H` | 2 | no | 0 |
    | H-256 | `Reference/H` | 2 | no | 0 |

    ## Files

    6 files, 349 bytes unpacked.
    Names were read as UTF-8.

    Not kept:

    - `.git`: hidden: version control, settings of tools, or a resource fork

    ## H-512

    reference implementation of H-512 in `Reference/H`; named by `ALGORITHM_INSTANCE`, which other macros choose.

    Remarks:

    - the package has no known-answer file of this name

    Not in the package:

    - `gone.h`, which `Reference/H/hash.c` includes

    Sources:

    - `Reference/H/hash.c`
    - `Reference/common/round.c`

    Shared folders:

    - `Reference/common`: `Reference/H/hash.c` includes `../common/round.h`

    Left out:

    - `Reference/H/main.c`: a program by its name

    Folders for headers:

    - `Reference/H`

    Macros:

    - `WIDE`

    Needs:

    - gmp: `Reference/common/round.c` includes `gmp.h`

    Options in build files, not applied:

    - `-DWIDE` in `Reference/H/CMakeLists.txt` line 1

    ## H-256

    reference implementation of H-256 in `Reference/H`; named by `ALGORITHM_INSTANCE`, which other macros choose.

    Remarks:

    - the package has no known-answer file of this name

    Not in the package:

    - `gone.h`, which `Reference/H/hash.c` includes

    Sources:

    - `Reference/H/hash.c`
    - `Reference/common/round.c`

    Shared folders:

    - `Reference/common`: `Reference/H/hash.c` includes `../common/round.h`

    Left out:

    - `Reference/H/main.c`: a program by its name

    Folders for headers:

    - `Reference/H`

    Needs:

    - gmp: `Reference/common/round.c` includes `gmp.h`

    Options in build files, not applied:

    - `-DWIDE` in `Reference/H/CMakeLists.txt` line 1
    ");
}
