//! What all records of one image on one system have in common.

use catalogue::{BuildReport, FlagSet, Instance};

use crate::image::{Image, StaticSizes};
use crate::machine::measuring_cpu;
use crate::record::assemble::{ImageFacts, Subject};
use crate::record::environment::{self, Target};
use crate::record::schema::{Environment, StaticMemory, Unknown};
use crate::system::{Emulator, System};

/// The subject of an image's records, before its meter has said anything.
pub fn subject(
    system: &dyn System,
    image: &Image,
    instance: Option<&Instance>,
    flag_set: FlagSet,
) -> Subject {
    let report = image.report.as_ref();
    let from_report = |field: fn(&BuildReport) -> &String| report.map(field).cloned();
    let (candidate, label) = image.instance.clone().unwrap_or_else(|| {
        let name = |field| from_report(field).unwrap_or_else(|| "unknown".to_owned());
        (
            name(|report| &report.candidate),
            name(|report| &report.label),
        )
    });
    Subject {
        system: system.name().to_owned(),
        transport: system.transport().to_owned(),
        emulator: system.emulator().cloned(),
        environment: environment(system),
        fitness: Vec::new(),
        instance: instance.map_or_else(|| label.clone(), |instance| instance.instance.clone()),
        variant: instance.map_or_else(|| "reference".to_owned(), |it| it.variant.clone()),
        sizes: instance
            .and_then(|instance| instance.sizes)
            .unwrap_or_default(),
        messages: None,
        candidate,
        label,
        image: ImageFacts {
            name: image.name.clone(),
            elf_sha256: image.elf.sha256,
            build_id: image.elf.build_id,
            flag_set,
            board: system.board().to_owned(),
            report: image.report.clone(),
            linker: image.elf.linker(),
            static_memory: image.elf.static_sizes().map(static_memory),
            image_static: image.elf.whole_sizes().map(static_memory),
        },
        hello: None,
        kat: None,
        kat_log: None,
    }
}

fn static_memory(sizes: StaticSizes) -> StaticMemory {
    StaticMemory {
        text_bytes: sizes.text,
        rodata_bytes: sizes.rodata,
        data_bytes: sizes.data,
        bss_bytes: sizes.bss,
        unknown: Unknown::new(),
    }
}

/// The machine behind a system, before anything is measured on it.
pub fn environment(system: &dyn System) -> Environment {
    if let Some(machine) = system.remote() {
        return environment::of_remote(machine);
    }
    match system.emulator() {
        Some(emulator) if emulator.is_of_user_mode() => Environment {
            machine: None,
            os: Some("none (Linux system calls, translated by QEMU)".to_owned()),
            ..emulated(emulator).environment()
        },
        Some(emulator) => emulated(emulator).environment(),
        None => environment::of_this_machine(measuring_cpu()),
    }
}

/// The machine that an emulator makes, from the words it was started with.
fn emulated(emulator: &Emulator) -> Target {
    let words: Vec<&str> = emulator.mode.split_whitespace().collect();
    let after = |option: &str| {
        let place = words.iter().position(|word| *word == option)?;
        words.get(place + 1).map(|word| (*word).to_owned())
    };
    let gibibytes = after("-m").and_then(|size| size.strip_suffix('G')?.parse::<u64>().ok());
    Target {
        architecture: "aarch64".to_owned(),
        cpu_model: after("-cpu").unwrap_or_default(),
        machine: after("-M").unwrap_or_default(),
        memory_total_kib: gibibytes.map(|size| size << 20),
        emulated: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_emulated_machine_is_described_by_its_command_line() {
        let target = emulated(&Emulator {
            name: "qemu-system-aarch64".into(),
            version: "7.2".into(),
            mode: "-M virt,gic-version=2 -cpu cortex-a72 -m 1G -icount shift=0".into(),
        });
        assert_eq!(target.cpu_model, "cortex-a72");
        assert_eq!(target.machine, "virt,gic-version=2");
        assert_eq!(target.memory_total_kib, Some(1 << 20));
    }
}
