//! The image cache: equal ingredients are built once, and a build that fails says why.

use std::fs;

use catalogue::{Catalogue, DEFAULT_INSTANCE, FlagSet, Kind};
use host::image::{BuildError, Cache, Ingredients, Recipe};
use host::interrupt::Interrupt;
use host::project::Project;

fn with_recipe<T>(test: impl FnOnce(&Project, Recipe) -> T) -> T {
    let project = Project::find().unwrap();
    let catalogue = Catalogue::load(&project.root).unwrap();
    let recipe = Recipe {
        instance: catalogue.find(DEFAULT_INSTANCE).unwrap(),
        board: catalogue::board("qemu-virt").unwrap(),
        flags: FlagSet::Guide,
        kind: Kind::Timed,
        drills: Vec::new(),
    };
    test(&project, recipe)
}

#[test]
fn every_ingredient_changes_the_key_and_nothing_else_does() {
    with_recipe(|project, recipe| {
        let key = |recipe: &Recipe| Ingredients::gather(recipe, &project.root).unwrap().key();
        let first = key(&recipe);
        assert_eq!(first.len(), 64);
        assert_eq!(key(&recipe), first);
        let catalogue = Catalogue::load(&project.root).unwrap();
        for other in [
            Recipe {
                flags: FlagSet::HarnessDefault,
                ..recipe.clone()
            },
            Recipe {
                board: catalogue::board("linux").unwrap(),
                ..recipe.clone()
            },
            Recipe {
                drills: vec!["still-counter".into()],
                ..recipe.clone()
            },
            Recipe {
                instance: catalogue.find("pqclean/ML-KEM-512").unwrap(),
                ..recipe.clone()
            },
        ] {
            assert_ne!(key(&other), first, "{other:?}");
        }
    });
}

#[test]
fn the_key_names_every_source() {
    with_recipe(|project, recipe| {
        let text = Ingredients::gather(&recipe, &project.root).unwrap().text();
        for name in [
            "$ROOT/Cargo.lock",
            "$ROOT/.cargo/config.toml",
            "$ROOT/firmware/src/main.rs",
            "$ROOT/wire/src/message.rs",
            "$ROOT/linker/image.ld",
            "crypto_kem/ml-kem-768/clean/indcpa.c",
            "crypto_kem/ml-kem-768/clean/params.h",
            "common/fips202.c",
        ] {
            assert!(text.contains(name), "no {name} in the key");
        }
    });
}

#[test]
fn an_image_is_built_once_and_complete() {
    with_recipe(|project, recipe| {
        let cache = Cache::new(project);
        let image = cache.image(&recipe, &Interrupt::new()).unwrap();
        let folder = image.elf.path.parent().unwrap();
        for name in ["firmware.elf", "firmware.map", "build.json", "key.json"] {
            assert!(folder.join(name).is_file(), "no {name}");
        }
        let report = image.report.unwrap();
        assert_eq!(
            format!("{}/{}", report.candidate, report.label),
            DEFAULT_INSTANCE
        );
        let sizes = image.elf.static_sizes().unwrap();
        assert!(sizes.text > 1000 && sizes.rodata > 100, "{sizes:?}");

        let when = || fs::metadata(&image.elf.path).unwrap().modified().unwrap();
        let before = when();
        let again = cache.image(&recipe, &Interrupt::new()).unwrap();
        assert_eq!(again.elf.path, image.elf.path);
        assert_eq!(when(), before);
    });
}

#[test]
fn a_damaged_image_is_built_anew_and_never_used() {
    with_recipe(|project, recipe| {
        // Not the image that another test looks at meanwhile.
        let recipe = Recipe {
            flags: FlagSet::HarnessDefault,
            ..recipe
        };
        let cache = Cache::new(project);
        let sound = cache.image(&recipe, &Interrupt::new()).unwrap().elf;
        let bytes = fs::read(&sound.path).unwrap();
        let mut flipped = bytes.clone();
        // In the middle of the code, where every reader of ELF files is content.
        flipped[bytes.len() / 2] ^= 1;
        for damaged in [&flipped[..], &bytes[..bytes.len() / 2], &[]] {
            fs::write(&sound.path, damaged).unwrap();
            let again = cache.image(&recipe, &Interrupt::new()).unwrap().elf;
            assert_eq!(again.sha256, sound.sha256);
            assert_eq!(fs::read(&sound.path).unwrap(), bytes);
        }
    });
}

#[test]
fn a_failed_build_says_why_and_leaves_nothing() {
    with_recipe(|project, recipe| {
        let recipe = Recipe {
            drills: vec!["no-such-flaw".into()],
            ..recipe
        };
        let result = Cache::new(project).image(&recipe, &Interrupt::new());
        let Err(BuildError::Failed {
            name, reason, log, ..
        }) = result
        else {
            panic!("{result:?}");
        };
        assert_eq!(name, DEFAULT_INSTANCE);
        assert!(reason.contains("no-such-flaw"), "{reason}");
        assert!(log.contains("help: "), "{log}");
        let key = Ingredients::gather(&recipe, &project.root).unwrap().key();
        assert!(!project.work_folder().join("images").join(key).exists());
    });
}
