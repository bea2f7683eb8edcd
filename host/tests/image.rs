//! The image cache: equal ingredients are built once, and a build that fails says why.

use std::fs;

use catalogue::{Catalogue, DEFAULT_INSTANCE, FlagSet};
use host::image::{BuildError, Cache, Ingredients, Recipe};
use host::interrupt::Interrupt;
use host::project::Project;
use object::{Object, ObjectSymbol};

fn with_recipe<T>(test: impl FnOnce(&Project, Recipe) -> T) -> T {
    let project = Project::find().unwrap();
    let catalogue = Catalogue::load(&project.root).unwrap();
    let recipe = Recipe::timed(
        catalogue.find(DEFAULT_INSTANCE).unwrap(),
        catalogue::board("qemu-virt").unwrap(),
        FlagSet::Guide,
    );
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
                layout: 0,
                ..recipe.clone()
            },
            Recipe {
                layout: 16,
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
            layout: 0,
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

/// Number of a symbol's address in an ELF file.
fn address(file: &object::File, name: &str) -> u64 {
    let mut symbols = file.symbols();
    let symbol = symbols.find(|symbol| symbol.name() == Ok(name));
    symbol.unwrap_or_else(|| panic!("no {name}")).address()
}

/// From the first to the last byte that an output section has of the submission's archive, or of
/// what the linker makes of its constants, by LLD's map: four numbers, and an output section, an
/// input section or a symbol, each further to the right.
fn span(map: &str, section: &str) -> u64 {
    const NUMBERS: usize = 16 + 17 + 9 + 6;
    let mut is_inside = false;
    let mut ends: Option<(u64, u64)> = None;
    for line in map.lines().skip(1) {
        let Some((numbers, rest)) = line.split_at_checked(NUMBERS) else {
            continue;
        };
        let name = rest.trim();
        let indent = rest.len() - rest.trim_start().len();
        if indent <= 1 {
            is_inside = name == section;
        }
        let is_input = indent > 1 && indent <= 9 && name.ends_with(')');
        let is_ours = name.contains("libsubmission.a(") || name.starts_with("<internal>:(");
        if is_inside && is_input && is_ours {
            let mut numbers = numbers.split_whitespace();
            let mut number = || u64::from_str_radix(numbers.next().unwrap(), 16).unwrap();
            let (begin, _load_address, size) = (number(), number(), number());
            let (first, last) = ends.unwrap_or((begin, begin));
            ends = Some((first.min(begin), last.max(begin + size)));
        }
    }
    ends.map_or(0, |(first, last)| last - first)
}

#[test]
fn static_sizes_are_what_the_linker_says() {
    let project = Project::find().unwrap();
    let catalogue = Catalogue::load(&project.root).unwrap();
    let cache = Cache::new(&project);
    // One without variables, and two that have some.
    for instance in [DEFAULT_INSTANCE, "memory/known-heap", "rogues/leaks-much"] {
        let sizes = ["qemu-virt", "linux"].map(|board| {
            let recipe = Recipe::timed(
                catalogue.find(instance).unwrap(),
                catalogue::board(board).unwrap(),
                FlagSet::Guide,
            );
            let image = cache.image(&recipe, &Interrupt::new()).unwrap();
            let (ours, whole) = (image.elf.static_sizes(), image.elf.whole_sizes());
            let (ours, whole) = (ours.unwrap(), whole.unwrap());
            let map = image.elf.path.with_file_name("firmware.map");
            let map = fs::read_to_string(map).unwrap();
            let kinds = [
                ("text", ours.text, whole.text),
                ("rodata", ours.rodata, whole.rodata),
                ("data", ours.data, whole.data),
                ("bss", ours.bss, whole.bss),
            ];
            let bytes = fs::read(&image.elf.path).unwrap();
            let file = object::File::parse(&*bytes).unwrap();
            assert!(whole.text > 100_000 && whole.rodata > 10_000, "{whole:?}");
            for (kind, ours, whole) in kinds {
                let what = format!("{kind} of {instance} on {board}");
                let section = match board {
                    "linux" => format!("meter_sub_{kind}"),
                    _ => format!(".sub_{kind}"),
                };
                assert_eq!(ours, span(&map, &section), "{what}");
                assert!(whole > ours, "{what}: {ours} of {whole}");
                if board != "linux" {
                    let end = address(&file, &format!("sub_{kind}_end"));
                    let begin = address(&file, &format!("sub_{kind}_begin"));
                    assert_eq!(ours, end - begin, "{what}");
                }
            }
            ours
        });
        let [board, process] = sizes;
        assert!(board.text > 1000 && process.text > 1000, "{sizes:?}");
        // The same variables of the same sources, which are aligned alike.
        assert!(board.bss.abs_diff(process.bss) < 64, "{sizes:?}");
        if instance != DEFAULT_INSTANCE {
            assert!(process.bss >= 165 + 8, "{sizes:?}");
        }
    }
}
