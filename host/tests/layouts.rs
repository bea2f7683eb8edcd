//! Images that differ in the place of the submission's code, and what a campaign makes of them.

mod support;

use std::fs;
use std::path::Path;

use catalogue::{Catalogue, FlagSet};
use host::image::{Cache, Image, Recipe};
use host::interrupt::Interrupt;
use host::project::Project;
use host::record::read::read;
use host::record::schema::{EventCount, Meter, Record};
use object::{Object, ObjectSymbol};
use support::packages::{host, said};

const INSTANCE: &str = "pqclean/ML-KEM-512";

/// Where a function lies in an image.
fn address(image: &Image, function: &str) -> u64 {
    let bytes = fs::read(&image.elf.path).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let mut symbols = file.symbols();
    let symbol = symbols.find(|symbol| symbol.name() == Ok(function));
    symbol.unwrap().address()
}

fn image(board: &str, layout: u32) -> Image {
    let project = Project::find().unwrap();
    let catalogue = Catalogue::load(&project.root).unwrap();
    let instance = catalogue.find(INSTANCE).unwrap();
    let board = catalogue::board(board).unwrap();
    let recipe = Recipe {
        layout,
        ..Recipe::timed(instance, board, FlagSet::Guide)
    };
    Cache::new(&project)
        .image(&recipe, &Interrupt::new())
        .unwrap()
}

#[test]
fn a_layout_moves_the_submission_s_code() {
    let functions = ["enc", "dec"].map(|name| format!("PQCLEAN_MLKEM512_CLEAN_crypto_kem_{name}"));
    for board in ["qemu-virt", "linux"] {
        let (ordinary, shifted) = (image(board, 0), image(board, 16));
        for function in &functions {
            let (before, after) = (address(&ordinary, function), address(&shifted, function));
            assert_eq!(after.wrapping_sub(before), 16, "{function} on {board}");
        }
        assert_eq!(ordinary.elf.static_sizes(), shifted.elf.static_sizes());
    }
    // Firmware keeps everything else in its place.
    let (ordinary, shifted) = (image("qemu-virt", 0), image("qemu-virt", 16));
    for ours in ["memcpy", "meter_image", "buffers_begin"] {
        assert_eq!(address(&ordinary, ours), address(&shifted, ours), "{ours}");
    }
}

fn campaign(run_directory: &Path, more: &[&str]) -> std::process::Output {
    let run_directory = run_directory.to_str().unwrap();
    let mut arguments = vec![
        "campaign",
        "--system",
        "qemu-virt",
        "--only",
        "^pqclean/ML-KEM-512$",
        "--run-dir",
        run_directory,
        "--trial-target",
        "0.005",
    ];
    arguments.extend(more);
    host(&arguments)
}

fn record(run_directory: &Path, operation: &str) -> (Record, Meter) {
    let folder = run_directory.join("qemu-virt/records/pqclean");
    let record = read(&folder.join(format!("ML-KEM-512__{operation}.json"))).unwrap();
    let meter = record.meter.clone().unwrap();
    (record, meter)
}

#[test]
fn a_campaign_records_layouts_cold_calls_and_events() {
    let folder = tempfile::tempdir().unwrap();
    let output = campaign(folder.path(), &["--layouts", "1", "--cold"]);
    assert!(output.status.success(), "{}", said(&output));
    for operation in ["keygen", "enc", "dec"] {
        let (record, meter) = record(folder.path(), operation);
        // Instructions do not change with their addresses.
        let layouts = meter.layouts.unwrap();
        assert_eq!(layouts.spread, Some(0.0));
        let shifts: Vec<_> = layouts.images.iter().map(|it| it.shift_bytes).collect();
        assert_eq!(shifts, [0, 16]);
        for layout in &layouts.images {
            assert_eq!(layout.mean_count, meter.mean_count);
        }
        let [own, other] = &layouts.images[..] else {
            panic!("{layouts:?}");
        };
        assert_eq!(own.elf_sha256, record.library_sha256);
        assert_ne!(other.elf_sha256, own.elf_sha256);

        let cold = meter.cold.unwrap();
        assert_eq!(cold.samples, meter.samples[0][..cold.samples.len()]);
        assert!(
            cold.method.contains("predictor thrashed"),
            "{}",
            cold.method
        );

        let events = meter.events.unwrap();
        let EventCount::Mean(mean) = events["instructions"] else {
            panic!("{events:?}");
        };
        // The two brackets differ by some instructions, which few calls share.
        let difference = mean - meter.mean_count.unwrap();
        assert!(difference.abs() < 5.0, "{operation}: {difference}");
        assert_eq!(events["cycles"], EventCount::NotAvailable);
        assert_eq!(meter.ipc, None);
        assert!(meter.trials.iter().all(|trial| trial.clock_hz.is_none()));
    }
    let validated = host(&["validate", folder.path().to_str().unwrap()]);
    assert!(validated.status.success(), "{}", said(&validated));

    let resumed = campaign(folder.path(), &["--layouts", "2", "--cold"]);
    assert_eq!(resumed.status.code(), Some(2), "{}", said(&resumed));
    assert!(said(&resumed).contains("layouts"), "{}", said(&resumed));
}

#[test]
fn a_shift_by_a_page_or_more_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = campaign(folder.path(), &["--layouts", "256"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("255"), "{}", said(&output));
}
