//! Bytes of code and data in an image, by its sections.

use object::{File, Object, ObjectSection, ObjectSymbol, SectionFlags, SectionKind, elf};

/// Bytes of code and data, as linked.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct StaticSizes {
    /// Code.
    pub text: u64,
    /// Constants.
    pub rodata: u64,
    /// Variables with an initial value.
    pub data: u64,
    /// Variables that start as zero.
    pub bss: u64,
}

/// The submission's sections on a board (`linker/image.ld`): code, constants, data, zeros.
const ON_A_BOARD: [&str; 4] = [".sub_text", ".sub_rodata", ".sub_data", ".sub_bss"];

/// The same in a process of Linux (`firmware/build/statics.rs`).
const IN_A_PROCESS: [&str; 4] = [
    "meter_sub_text",
    "meter_sub_rodata",
    "meter_sub_data",
    "meter_sub_bss",
];

/// A byte of the meter's own in each of the last two, so that they are never empty
/// (`firmware/src/board/linux.rs`): the last one, for the submission is linked before the meter.
const ANCHORS: [&str; 2] = ["meter_sub_data_anchor", "meter_sub_bss_anchor"];

/// What the submission takes; `None` where the image has no sections of its own for it.
pub(super) fn of_submission(file: &File) -> Option<StaticSizes> {
    let names = [ON_A_BOARD, IN_A_PROCESS].into_iter().find(|names| {
        names
            .iter()
            .any(|name| file.section_by_name(name).is_some())
    })?;
    let [text, rodata, data, bss] = names.map(|name| size(file, name));
    let [data_anchor, bss_anchor] = ANCHORS.map(|name| anchor(file, name));
    Some(StaticSizes {
        text,
        rodata,
        data: data.saturating_sub(data_anchor),
        bss: bss.saturating_sub(bss_anchor),
    })
}

fn size(file: &File, section: &str) -> u64 {
    // A linker leaves out what would be empty.
    file.section_by_name(section)
        .map_or(0, |section| section.size())
}

/// Bytes that an anchor takes up; none where there is none.
fn anchor(file: &File, name: &str) -> u64 {
    let mut symbols = file.symbols();
    u64::from(symbols.any(|symbol| symbol.name() == Ok(name)))
}

/// Constants of an image for a board: with the addresses that its linker script puts among them,
/// the section is said to be writable.
const CONSTANTS: &str = ".rodata";

/// What the whole image takes, thread-local data with its kind. Constants of a process in which
/// the loader fills in addresses count as variables.
pub(super) fn of_image(file: &File) -> StaticSizes {
    let mut sizes = StaticSizes::default();
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
            continue;
        };
        if !sh_flags.contains(elf::SHF_ALLOC) {
            continue;
        }
        let is_zero = matches!(
            section.kind(),
            SectionKind::UninitializedData | SectionKind::UninitializedTls
        );
        let kind = if sh_flags.contains(elf::SHF_EXECINSTR) {
            &mut sizes.text
        } else if !sh_flags.contains(elf::SHF_WRITE) || section.name() == Ok(CONSTANTS) {
            &mut sizes.rodata
        } else if is_zero {
            &mut sizes.bss
        } else {
            &mut sizes.data
        };
        *kind += section.size();
    }
    sizes
}
