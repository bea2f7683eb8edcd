//! Gathers what a submission brings to a Linux process in sections of its own: its data where the
//! meter can put it back, its code and constants where their sizes can be read off.
//!
//! Bare-metal linker scripts tell the submission's sections by the archive that they come from.
//! The linker of a Linux process has a script of its own, but it keeps sections of other names
//! together, and marks the begin and the end of every one whose name could be one in C: so the
//! sections get such names. Thread-local data keeps its own, and so do constants with addresses in
//! them, which are protected after the loader has filled these in.

use std::fs;
use std::process::Command;

use catalogue::Toolchain;
use object::{File, Object, ObjectSection, SectionFlags, elf};

use super::BuildError;
use super::error::file;
use super::rename::run;
use super::symbols::Symbols;

/// Initialised data, and the name that `firmware/src/board/linux.rs` knows it by.
const DATA: &str = "meter_sub_data";

/// Data that begins as zeros.
const BSS: &str = "meter_sub_bss";

/// Code, and the name that the host knows it by.
const TEXT: &str = "meter_sub_text";

/// Constants, likewise.
const RODATA: &str = "meter_sub_rodata";

/// What the names of such sections begin with; a table of constructors, which is writable as well,
/// is the linker's.
const NAMES: [&str; 4] = [".data", ".bss", ".text", ".rodata"];

/// Data that is constant once the loader has filled in addresses.
const CONSTANT: &str = ".data.rel.ro";

/// Renames the sections of every object.
pub fn gather(objects: &[Symbols], toolchain: &Toolchain) -> Result<(), BuildError> {
    for object in objects {
        let mut names = sections(object)?;
        names.sort();
        names.dedup();
        if !names.is_empty() {
            let options = names
                .iter()
                .map(|(from, to)| format!("--rename-section={from}={to}"));
            run(Command::new(&toolchain.objcopy)
                .args(options)
                .arg(&object.path))?;
        }
    }
    Ok(())
}

/// The sections to rename, each with its new name.
fn sections(object: &Symbols) -> Result<Vec<(String, &'static str)>, BuildError> {
    let bytes = fs::read(&object.path).map_err(file("read", &object.path))?;
    let broken = |error: object::Error| BuildError::Object {
        source_name: object.source_name.clone(),
        object: object.path.clone(),
        reason: error.to_string(),
    };
    let parsed = File::parse(&*bytes).map_err(broken)?;
    let mut names = Vec::new();
    for section in parsed.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
            continue;
        };
        let is_loaded = sh_flags.contains(elf::SHF_ALLOC) && !sh_flags.contains(elf::SHF_TLS);
        let name = section.name().map_err(broken)?;
        let is_named = NAMES.iter().any(|start| name.starts_with(start));
        if is_loaded && is_named && section.size() > 0 && !name.starts_with(CONSTANT) {
            let is_zero = section.kind() == object::SectionKind::UninitializedData;
            let new = if sh_flags.contains(elf::SHF_EXECINSTR) {
                TEXT
            } else if !sh_flags.contains(elf::SHF_WRITE) {
                RODATA
            } else if is_zero {
                BSS
            } else {
                DATA
            };
            names.push((name.to_owned(), new));
        }
    }
    Ok(names)
}
