//! The rooms of the firmware's build script, which cannot hold tests of its own: cargo runs none
//! in a build script. Their unit tests run here, and here they meet real compilers.

#[path = "../../firmware/build/mod.rs"]
#[allow(dead_code, reason = "only the build script reads cargo's environment")]
mod build;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use build::{BuildError, Settings};
use catalogue::{BuildReport, Catalogue, DEFAULT_INSTANCE, FlagSet, Instance, Toolchain, board};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSymbol};
use tempfile::TempDir;

fn root() -> PathBuf {
    // Without `..`, as cargo gives it to the build script.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().unwrap().to_owned()
}

fn settings(instance: &str, board_name: &str, out: &Path) -> Settings {
    let board = board(board_name).unwrap();
    Settings {
        instance: instance.to_owned(),
        board,
        flag_set: FlagSet::Guide,
        drills: vec![],
        target: board.cargo_target.to_owned(),
        host: catalogue::board("linux").unwrap().cargo_target.to_owned(),
        root: root(),
        out: out.to_owned(),
    }
}

/// Undefined global names of all members of an archive.
fn undefined(archive: &Path) -> HashSet<String> {
    let bytes = fs::read(archive).unwrap();
    let mut names = HashSet::new();
    for member in ArchiveFile::parse(&*bytes).unwrap().members() {
        let member = member.unwrap();
        let object = object::File::parse(member.data(&*bytes).unwrap()).unwrap();
        for symbol in object.symbols().filter(|symbol| symbol.is_undefined()) {
            names.insert(symbol.name().unwrap().to_owned());
        }
    }
    names
}

#[test]
fn the_default_instance_builds_for_every_board() {
    for board in catalogue::boards() {
        let out = tempfile::tempdir().unwrap();
        let settings = settings(DEFAULT_INSTANCE, board.name, out.path());
        build::run(&settings).unwrap();
        let names = undefined(&out.path().join("libsubmission.a"));
        assert!(names.contains("meter_randombytes"), "{names:?}");
        assert!(!names.contains("PQCLEAN_randombytes"));
        let report = BuildReport::read(&out.path().join(BuildReport::FILE)).unwrap();
        assert_eq!(report.label, "ML-KEM-768");
        assert_eq!(report.board, board.name);
        assert_eq!(report.units.len(), 14);
        assert!(report.units.iter().all(|unit| unit.warnings == 0));
    }
}

#[test]
fn the_generated_source_has_the_agreed_form() {
    let mut text = String::new();
    for name in [
        DEFAULT_INSTANCE,
        "pqclean/ML-DSA-44",
        "pqclean/Falcon-512",
        "pqclean/HQC-128",
    ] {
        let out = tempfile::tempdir().unwrap();
        build::run(&settings(name, "linux", out.path())).unwrap();
        text += &fs::read_to_string(out.path().join("instance.rs")).unwrap();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn a_report_says_everything_and_names_no_folder_of_this_machine() {
    let out = tempfile::tempdir().unwrap();
    build::run(&settings(DEFAULT_INSTANCE, "qemu-virt", out.path())).unwrap();
    let text = fs::read_to_string(out.path().join(BuildReport::FILE)).unwrap();
    for folder in [out.path(), &root()] {
        assert!(!text.contains(&folder.display().to_string()), "{text}");
    }
    let report: BuildReport = BuildReport::read(&out.path().join(BuildReport::FILE)).unwrap();
    let unit = &report.units[0];
    assert_eq!(unit.source, "crypto_kem/ml-kem-768/clean/cbd.c");
    assert_eq!(report.libc.archive.as_deref(), Some("release/libc.a"));
    let command = unit.command.join(" ");
    assert!(command.starts_with(&report.compiler.program), "{command}");
    for flag in FlagSet::Guide.flags() {
        assert!(command.contains(flag), "{command}");
    }
    assert!(
        command.ends_with("-c $TREE/crypto_kem/ml-kem-768/clean/cbd.c"),
        "{command}"
    );
    // Nothing but the table's flags: in particular none from cc or from the environment.
    assert!(!command.contains(" -w "), "{command}");
    assert_eq!(command.matches("-Wall").count(), 1, "{command}");
}

#[test]
fn equal_sources_give_equal_archives_wherever_they_are_built() {
    let digests: Vec<_> = (0..2)
        .map(|_| {
            let out = tempfile::tempdir().unwrap();
            build::run(&settings(DEFAULT_INSTANCE, "qemu-virt", out.path())).unwrap();
            catalogue::file_digest(&out.path().join("libsubmission.a")).unwrap()
        })
        .collect();
    assert_eq!(digests[0], digests[1]);
}

#[test]
fn directives_keep_the_order_of_libraries() {
    let out = tempfile::tempdir().unwrap();
    let built = build::run(&settings(DEFAULT_INSTANCE, "qemu-virt", out.path())).unwrap();
    let libraries: Vec<_> = built
        .directives
        .iter()
        .filter_map(|line| line.strip_prefix("cargo::rustc-link-lib="))
        .collect();
    assert_eq!(libraries, ["static:-bundle=submission", "static:-bundle=c"]);
    let scripts: Vec<_> = built
        .directives
        .iter()
        .filter(|line| line.contains("=-T"))
        .collect();
    assert!(scripts[0].ends_with("linker/qemu-virt.ld"), "{scripts:?}");
    assert!(scripts[1].ends_with("linker/image.ld"), "{scripts:?}");
}

#[test]
fn an_instance_that_a_board_cannot_run_is_not_built() {
    let out = tempfile::tempdir().unwrap();
    for (name, word) in [
        ("pqclean/ML-KEM-768-avx2", "x86_64"),
        ("pqclean/SPHINCS+-shake-128f-simple-aarch64", "FEAT_SHA3"),
    ] {
        let error = build::run(&settings(name, "qemu-virt", out.path()))
            .err()
            .unwrap();
        assert!(error.to_string().contains(word), "{error}");
    }
}

/// A submission of a few lines, compiled like any other.
struct Toy {
    folder: TempDir,
    instance: Instance,
}

impl Toy {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut instance = Catalogue::load(&root())
            .unwrap()
            .find(DEFAULT_INSTANCE)
            .unwrap()
            .clone();
        instance.root = folder.path().to_owned();
        instance.folder = folder.path().join("own");
        instance.shared_sources = vec![];
        instance.include_folders = vec![];
        fs::create_dir_all(&instance.folder).unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            if !name.starts_with("own/") {
                instance.shared_sources.push(path);
            }
        }
        Self { folder, instance }
    }

    /// Compiles and checks for a board with the compiler of another, or of the same.
    fn build(&self, board_name: &str, compiler_of: &str) -> Result<PathBuf, BuildError> {
        let out = self.folder.path().join("out");
        let settings = settings("toy", board_name, &out);
        let toolchain = Toolchain::find(board(compiler_of).unwrap()).unwrap();
        let flags = catalogue::compiler_flags(
            settings.flag_set,
            &self.instance,
            board(compiler_of).unwrap(),
            &toolchain,
            &settings.root,
        );
        let compiled = build::compile::compile(&self.instance, &toolchain, &flags, &settings)?;
        let objects =
            build::symbols::read_all(&self.instance, &compiled, settings.board.architecture)?;
        build::rename::rename_all(&objects, &toolchain)?;
        build::archive::create(&settings.out, &compiled, &toolchain)?;
        Ok(out.join("libsubmission.a"))
    }

    fn error(&self, board_name: &str) -> String {
        let error = self.build(board_name, board_name).unwrap_err();
        build::directives::error(&error).join("\n")
    }
}

#[test]
fn an_object_for_another_machine_is_refused() {
    let toy = Toy::new(&[("own/a.c", "int f(void) { return 1; }\n")]);
    let error = toy.build("linux", "qemu-virt").unwrap_err();
    assert!(matches!(error, BuildError::WrongMachine { .. }), "{error}");
    assert!(error.to_string().contains("a.c"), "{error}");
    let error = toy.build("qemu-virt", "linux").unwrap_err();
    assert!(matches!(error, BuildError::WrongMachine { .. }), "{error}");
}

#[test]
fn an_implicit_declaration_fails_with_an_explanation() {
    let toy = Toy::new(&[(
        "own/a.c",
        "#include <stdlib.h>\nint *f(void);\nint *f(void) { int unused; return grab(8); }\n",
    )]);
    for board in ["linux", "qemu-virt"] {
        let error = toy.error(board);
        assert!(error.contains("own/a.c"), "{error}");
        assert!(error.contains("grab"), "{error}");
        assert!(error.contains("cuts pointers to 32 bits"), "{error}");
        assert!(!error.contains("unused variable"), "{error}");
    }
}

#[test]
fn an_assembler_s_error_is_shown() {
    let toy = Toy::new(&[("own/a.S", "frobnicate x0, x1\n")]);
    let error = toy.error("qemu-virt");
    assert!(error.contains("frobnicate"), "{error}");
    assert!(error.contains("harness-default"), "{error}");
}

#[test]
fn a_name_that_two_sources_define_is_refused() {
    let toy = Toy::new(&[
        ("own/a.c", "int f(void);\nint f(void) { return 1; }\n"),
        ("shared/b.c", "int f(void);\nint f(void) { return 2; }\n"),
    ]);
    let error = toy.error("linux");
    assert!(
        error.contains("f is defined twice, in own/a.c and in shared/b.c"),
        "{error}"
    );
}

#[test]
fn equal_base_names_do_not_collide() {
    let toy = Toy::new(&[
        ("own/util.c", "int f(void);\nint f(void) { return 1; }\n"),
        ("own/util.S", ".globl g\ng: ret\n"),
        ("shared/util.c", "int h(void);\nint h(void) { return 1; }\n"),
    ]);
    let bytes = fs::read(toy.build("linux", "linux").unwrap()).unwrap();
    let archive = ArchiveFile::parse(&*bytes).unwrap();
    let names: HashSet<_> = archive
        .members()
        .map(|member| member.unwrap().name().to_owned())
        .collect();
    assert_eq!(names.len(), 3);
}

#[test]
fn heap_exits_and_assertions_are_led_to_the_meter() {
    let text = "
        #include <assert.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        char *f(size_t n, int x);
        char *f(size_t n, int x) {
            assert(n != 7);
            char *p = malloc(n);
            if (!p) { fprintf(stderr, \"out of memory\\n\"); exit(1); }
            memset(p, 0, n);
            char *q = aligned_alloc(64, 64 * n);
            p[0] = q[x];
            free(q);
            if (x == 3) abort();
            return realloc(p, 2 * n);
        }
    ";
    let toy = Toy::new(&[("own/a.c", text)]);
    for (board, assertion) in [
        ("linux", "meter_assert_fail"),
        ("qemu-virt", "meter_assert_func"),
    ] {
        let names = undefined(&toy.build(board, board).unwrap());
        for name in [
            assertion,
            "meter_free",
            "meter_aligned_alloc",
            "meter_realloc",
            "meter_exit",
            "meter_abort",
            "stderr",
        ] {
            assert!(names.contains(name), "{name} is not in {names:?}");
        }
        // gcc may make one call of malloc and memset.
        assert!(names.contains("meter_malloc") || names.contains("meter_calloc"));
        for name in ["malloc", "calloc", "free", "exit", "abort", "aligned_alloc"] {
            assert!(!names.contains(name), "{name} is in {names:?}");
        }
    }
}

#[test]
fn what_a_submission_defines_itself_is_not_renamed() {
    let toy = Toy::new(&[
        (
            "own/a.c",
            "int randombytes(void);\nint f(void);\nint f(void) { return randombytes(); }\n",
        ),
        (
            "own/b.c",
            "int randombytes(void);\nint randombytes(void) { return 4; }\n",
        ),
    ]);
    let names = undefined(&toy.build("linux", "linux").unwrap());
    assert!(names.contains("randombytes"), "{names:?}");
}

#[test]
fn missing_functions_are_all_named() {
    let toy = Toy::new(&[("own/a.c", "int f(void);\nint f(void) { return 1; }\n")]);
    let error = build::symbols::required(&toy.instance, &[])
        .unwrap_err()
        .to_string();
    for function in ["keypair", "enc", "dec"] {
        let name = format!("PQCLEAN_MLKEM768_CLEAN_crypto_kem_{function}");
        assert!(error.contains(&name), "{error}");
    }
}

/// Several minutes: `cargo test -p catalogue --target host-tuple -- --ignored --nocapture`.
#[test]
#[ignore = "compiles everything there is"]
fn every_available_instance_builds_for_every_board() {
    let catalogue = Catalogue::load(&root()).unwrap();
    let mut failures = vec![];
    for board in catalogue::boards() {
        for instance in catalogue.instances() {
            if instance.availability(board).is_err() {
                continue;
            }
            let out = tempfile::tempdir().unwrap();
            let start = std::time::Instant::now();
            let name = instance.name();
            if let Err(error) = build::run(&settings(&name, board.name, out.path())) {
                failures.push(format!("{name} for {}: {error}", board.name));
            }
            let seconds = start.elapsed().as_secs_f64();
            println!("{seconds:6.2} s  {name} for {}", board.name);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
