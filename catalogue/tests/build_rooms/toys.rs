//! Builds of submissions with a flaw, or with one property.

use std::fs;
use std::path::PathBuf;

use catalogue::{
    Catalogue, DEFAULT_INSTANCE, Instance, Kind, Symmetric, SymmetricFunction, Toolchain, board,
};
use tempfile::TempDir;

use crate::build::functions::Functions;
use crate::build::{self, BuildError};
use crate::{members, root, settings, undefined};

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
        instance.sources = vec![];
        instance.include_folders = vec![];
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            instance.sources.push(path);
        }
        Self { folder, instance }
    }

    /// Compiles and checks for a board with the compiler of another, or of the same.
    fn build(&self, board_name: &str, compiler_of: &str) -> Result<PathBuf, BuildError> {
        self.build_kind(board_name, compiler_of, Kind::Timed)
    }

    /// Compiles and checks for a board, with counters.
    fn build_counting(&self, board_name: &str) -> Result<PathBuf, BuildError> {
        self.build_kind(board_name, board_name, Kind::Profile)
    }

    fn build_kind(
        &self,
        board_name: &str,
        compiler_of: &str,
        kind: Kind,
    ) -> Result<PathBuf, BuildError> {
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
        build::owners::check(&objects)?;
        if settings.board.bare_metal {
            build::owners::check_constructors(&objects)?;
        }
        let counted = match kind {
            Kind::Timed => vec![],
            Kind::Profile => build::counted::select(&objects),
        };
        build::rename::rename_all(&objects, &counted, &toolchain)?;
        build::archive::create(&settings.out, &compiled, &toolchain)?;
        Ok(out.join("libsubmission.a"))
    }

    /// What the objects say of the primitives that the function `f` reaches.
    fn symmetric(&self, board_name: &str) -> Symmetric {
        let settings = settings("toy", board_name, &self.folder.path().join("out"));
        let toolchain = Toolchain::find(settings.board).unwrap();
        let (set, board) = (settings.flag_set, settings.board);
        let root = &settings.root;
        let flags = catalogue::compiler_flags(set, &self.instance, board, &toolchain, root);
        let compiled =
            build::compile::compile(&self.instance, &toolchain, &flags, &settings).unwrap();
        let objects =
            build::symbols::read_all(&self.instance, &compiled, board.architecture).unwrap();
        let functions = Functions {
            named: vec![("f", "f".to_owned())],
            passes: vec![],
            with_context: false,
        };
        let counted = build::counted::select(&objects);
        let graph = build::reach::Graph::read(&objects).unwrap();
        build::symmetric::describe(&objects, &graph, &functions, &counted, board.architecture)
    }

    fn error(&self, board_name: &str) -> String {
        let error = self.build(board_name, board_name).unwrap_err();
        build::directives::error(&error).join("\n")
    }
}

#[test]
fn a_build_in_a_used_folder_keeps_nothing_of_the_last_one() {
    let mut toy = Toy::new(&[
        ("own/a.c", "int f(void);\nint f(void) { return 1; }\n"),
        ("own/b.c", "int g(void);\nint g(void) { return 1; }\n"),
    ]);
    assert_eq!(members(&toy.build("linux", "linux").unwrap()).len(), 2);
    toy.instance.sources.pop();
    assert_eq!(members(&toy.build("linux", "linux").unwrap()).len(), 1);
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
fn constructors_are_kept_where_they_run_and_refused_where_they_do_not() {
    let toy = Toy::new(&[(
        "own/a.c",
        "static int table[4];\n\
         __attribute__((constructor)) static void fill(void) { table[0] = 1; }\n\
         int f(void);\nint f(void) { return table[0]; }\n",
    )]);
    assert!(toy.build("linux", "linux").is_ok());
    let error = toy.error("qemu-virt");
    assert!(
        error.contains("own/a.c has constructors, which firmware does not run"),
        "{error}"
    );
}

#[test]
fn a_source_in_c_plus_plus_is_compiled_as_such() {
    let text = "template <class T> T twice(T x) { return x + x; }\n\
                extern \"C\" int f() { return twice(1); }\n";
    let toy = Toy::new(&[("own/a.cpp", text)]);
    assert_eq!(members(&toy.build("linux", "linux").unwrap()).len(), 1);
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
fn a_name_that_belongs_to_others_is_refused() {
    let toy = Toy::new(&[("own/a.c", "int main(void) { return 0; }\n")]);
    let error = toy.error("linux");
    assert!(error.contains("own/a.c defines main"), "{error}");
    assert!(
        error.contains("leave out the source with the test program"),
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
    assert_eq!(members(&toy.build("linux", "linux").unwrap()).len(), 3);
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
    let error = build::functions::required(&toy.instance, &[])
        .unwrap_err()
        .to_string();
    for function in ["keypair", "enc", "dec"] {
        let name = format!("PQCLEAN_MLKEM768_CLEAN_crypto_kem_{function}");
        assert!(error.contains(&name), "{error}");
    }
}

#[test]
fn the_largest_frame_is_that_of_what_a_function_can_reach() {
    let toy = Toy::new(&[
        (
            "own/a.c",
            "int f(int n);\nint g(int n);\nint h(int n);\nint other(int n);\n\
             static int large(int n) { volatile char a[5000]; a[n] = 1; return a[0]; }\n\
             static int small(int n) { volatile char a[500]; a[n] = 1; return a[0]; }\n\
             static int (*const table[])(int) = {small, large};\n\
             int f(int n) { return table[n & 1](n); }\n\
             int g(int n) { volatile char a[100]; a[n] = 1; return other(n) + a[0]; }\n\
             __attribute__((noinline)) static int asked(int n)\n\
             { volatile char a[n]; a[n - 1] = 1; return a[n - 1]; }\n\
             int h(int n) { return asked(n) + f(n); }\n",
        ),
        (
            "own/b.c",
            "int other(int n);\n\
             __attribute__((noinline)) int other(int n) { volatile char a[300]; a[n] = 1; return a[0]; }\n",
        ),
    ]);
    for name in ["linux", "qemu-virt"] {
        let out = toy.folder.path().join(name);
        let settings = settings("toy", name, &out);
        let toolchain = Toolchain::find(board(name).unwrap()).unwrap();
        let (instance, board) = (&toy.instance, settings.board);
        let set = settings.flag_set;
        let flags = catalogue::compiler_flags(set, instance, board, &toolchain, &settings.root);
        let compiled = build::compile::compile(instance, &toolchain, &flags, &settings).unwrap();
        let objects = build::symbols::read_all(instance, &compiled, board.architecture).unwrap();
        let frames: Vec<_> = compiled
            .iter()
            .map(|unit| build::frames::read(&unit.object, instance).unwrap())
            .collect();
        let graph = build::reach::Graph::read(&objects).unwrap();
        let largest = |function| {
            let frame = build::frames::largest(&graph, function, &frames).unwrap();
            // x86-64 lists no more than what lies beyond its red zone of 128 bytes.
            (frame.function, frame.place, (frame.bytes + 150) / 1000)
        };
        // Through a table of addresses, and through a call of another source.
        assert_eq!(
            largest("f"),
            ("large".into(), "own/a.c:5".into(), 5),
            "{name}"
        );
        assert_eq!(
            largest("g"),
            ("other".into(), "own/b.c:2".into(), 0),
            "{name}"
        );
        // However large the other is that it reaches.
        assert_eq!(largest("h").0, "asked", "{name}");
        assert_eq!(build::frames::largest(&graph, "none", &frames), None);
    }
}

#[test]
fn what_the_interface_reaches_is_told_from_what_is_only_there() {
    let toy = Toy::new(&[
        (
            "own/a.c",
            "int sm3hash(int); int pseudohash(int); int sbox(int); int f(int x);\n\
             int f(int x) { return sm3hash(x) + sbox(x); }\n\
             int unused(int x);\n\
             int unused(int x) { return pseudohash(x); }\n",
        ),
        (
            "own/aux.c",
            "int sm3hash(int); int pseudohash(int); int sha512(int);\n\
             int sm3hash(int x) { return x; }\n\
             int pseudohash(int x) { return x; }\n\
             int sha512(int x) { return x; }\n",
        ),
        (
            // AES by its S-box, and SHA-2 by constants of its code.
            "own/own.c",
            "#include <stdint.h>\n\
             int sbox(int); int sha256(int);\n\
             static const unsigned char box[256] = {0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f,\n\
             0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76};\n\
             __attribute__((noinline)) int sha256(int x) {\n\
             uint32_t y = (uint32_t)x;\n\
             #define STEP(k) y = (y ^ k) * 5;\n\
             STEP(0x428a2f98u) STEP(0x71374491u) STEP(0xb5c0fbcfu) STEP(0xe9b5dba5u)\n\
             STEP(0x3956c25bu) STEP(0x59f111f1u) STEP(0x923f82a4u) STEP(0xab1c5ed5u)\n\
             STEP(0xd807aa98u) STEP(0x12835b01u) STEP(0x243185beu) STEP(0x550c7dc3u)\n\
             return (int)y; }\n\
             int sbox(int x) { return box[x & 15] + sha256(x); }\n",
        ),
    ]);
    let function = |symbol: &str, source: &str, counted| SymmetricFunction {
        symbol: symbol.to_owned(),
        source: Some(source.to_owned()),
        counted,
        called_inside: !counted,
    };
    for board in ["qemu-virt", "linux"] {
        let symmetric = toy.symmetric(board);
        assert_eq!(
            symmetric.functions,
            [
                function("sha256", "own/own.c", false),
                function("sm3hash", "own/aux.c", true),
            ],
            "{board}"
        );
        let primitives: Vec<_> = symmetric
            .primitives
            .iter()
            .map(|it| (it.name.as_str(), it.source.as_str(), it.observable))
            .collect();
        let expected = [("AES", "own/own.c", false), ("SHA-2", "own/own.c", false)];
        assert_eq!(primitives, expected, "{board}");
    }
}

#[test]
fn counted_calls_take_the_way_through_counters() {
    let toy = Toy::new(&[
        (
            "own/a.c",
            "int sm3hash(int); int randombytes(void *, unsigned long); int f(int x);\n\
             int f(int x) { return sm3hash(x) + randombytes(0, 0); }\n",
        ),
        (
            "own/b.c",
            "int sm3hash(int);\nint sm3hash(int x) { return x; }\n",
        ),
    ]);
    let out = toy.folder.path().join("out");
    toy.build("linux", "linux").unwrap();
    let names = undefined(&out.join("libsubmission.a"));
    assert!(names.contains("meter_randombytes") && names.contains("sm3hash"));
    let names = undefined(&toy.build_counting("linux").unwrap());
    for name in ["meter_counted_sm3hash", "meter_counted_randombytes"] {
        assert!(names.contains(name), "{name} is not in {names:?}");
    }
    assert!(!names.contains("sm3hash") && !names.contains("randombytes"));
}
