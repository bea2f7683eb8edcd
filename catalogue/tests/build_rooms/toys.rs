//! Builds of submissions with a flaw, or with one property.

use std::fs;
use std::path::PathBuf;

use catalogue::{Catalogue, DEFAULT_INSTANCE, Instance, Toolchain, board};
use tempfile::TempDir;

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
        build::rename::rename_all(&objects, &[], &toolchain)?;
        build::archive::create(&settings.out, &compiled, &toolchain)?;
        Ok(out.join("libsubmission.a"))
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
