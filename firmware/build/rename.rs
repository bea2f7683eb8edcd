//! Leads a submission's calls of the C library's heap and exits to the meter, and in a profile image
//! those of its symmetric functions through counters.
//!
//! Names are changed in the objects, not at link time: the linker's `--wrap` also redirects calls
//! inside the file that defines a function, where the compiler may rely on the registers that the
//! function leaves alone, and it would redirect Rust's own calls. Only undefined names change,
//! and no byte of code or data.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use catalogue::Toolchain;
use object::{File, Object, ObjectSection, SectionFlags, elf};

use super::BuildError;
use super::counted::Counted;
use super::error::file;
use super::symbols::Symbols;

/// What a submission calls, and the meter's function of the same signature that answers.
pub const RENAMED: &[(&str, &str)] = &[
    // The heap: counted, bounded, and reset between trials.
    ("malloc", "meter_malloc"),
    ("calloc", "meter_calloc"),
    ("realloc", "meter_realloc"),
    ("free", "meter_free"),
    ("aligned_alloc", "meter_aligned_alloc"),
    ("posix_memalign", "meter_posix_memalign"),
    ("memalign", "meter_memalign"),
    ("valloc", "meter_valloc"),
    ("pvalloc", "meter_pvalloc"),
    ("reallocarray", "meter_reallocarray"),
    ("malloc_usable_size", "meter_malloc_usable_size"),
    ("strdup", "meter_strdup"),
    ("__strdup", "meter_strdup"),
    ("strndup", "meter_strndup"),
    ("__strndup", "meter_strndup"),
    // Giving up: reported as the end of the operation.
    ("abort", "meter_abort"),
    ("exit", "meter_exit"),
    ("_exit", "meter_exit"),
    ("_Exit", "meter_exit"),
    ("quick_exit", "meter_exit"),
    // assert(): glibc's function, then picolibc's; their arguments differ.
    ("__assert_fail", "meter_assert_fail"),
    ("__assert_func", "meter_assert_func"),
    // Randomness: the generator of the known answers. PQClean puts a prefix before its name.
    ("randombytes", "meter_randombytes"),
    ("PQCLEAN_randombytes", "meter_randombytes"),
];

/// Renames in every object what no object of the submission defines, and what is counted.
pub fn rename_all(
    objects: &[Symbols],
    counted: &[Counted],
    toolchain: &Toolchain,
) -> Result<(), BuildError> {
    let counters: Vec<(&str, &str)> = counted
        .iter()
        .map(|counted| (counted.symbol.as_str(), counted.counter.as_str()))
        .collect();
    let is_counted = |name: &str| counters.iter().any(|(symbol, _)| *symbol == name);
    let defined: HashSet<&str> = objects
        .iter()
        .flat_map(|object| &object.defined)
        .map(String::as_str)
        .collect();
    for object in objects {
        let renames: Vec<String> = RENAMED
            .iter()
            .filter(|(from, _)| !defined.contains(from) && !is_counted(from))
            .chain(&counters)
            .filter(|(from, _)| object.undefined.contains(*from))
            .map(|(from, to)| format!("--redefine-sym={from}={to}"))
            .collect();
        if !renames.is_empty() {
            rename(object, &renames, toolchain)?;
        }
    }
    Ok(())
}

fn rename(object: &Symbols, renames: &[String], toolchain: &Toolchain) -> Result<(), BuildError> {
    let before = sections(&object.source_name, &object.path)?;
    run(Command::new(&toolchain.objcopy)
        .args(renames)
        .arg(&object.path))?;
    let after = sections(&object.source_name, &object.path)?;
    match first_difference(&before, &after) {
        None => Ok(()),
        Some(section) => Err(BuildError::Changed {
            source_name: object.source_name.clone(),
            section,
        }),
    }
}

/// Name and contents of a section that is loaded.
type Section = (String, Vec<u8>);

/// The sections that are loaded into memory, in order.
fn sections(source_name: &str, path: &Path) -> Result<Vec<Section>, BuildError> {
    let bytes = fs::read(path).map_err(file("read", path))?;
    let broken = |error: object::Error| BuildError::Object {
        source_name: source_name.to_owned(),
        object: path.to_owned(),
        reason: error.to_string(),
    };
    let object = File::parse(&*bytes).map_err(broken)?;
    object
        .sections()
        .filter(|section| {
            matches!(section.flags(), SectionFlags::Elf { sh_flags, .. }
                if sh_flags.contains(elf::SHF_ALLOC))
        })
        .map(|section| {
            let name = section.name().map_err(broken)?.to_owned();
            Ok((name, section.data().map_err(broken)?.to_vec()))
        })
        .collect()
}

fn first_difference(before: &[Section], after: &[Section]) -> Option<String> {
    if let Some(different) = before
        .iter()
        .zip(after)
        .find(|(before, after)| before != after)
    {
        return Some(different.0.0.clone());
    }
    let more = before.get(after.len()).or_else(|| after.get(before.len()));
    more.map(|(name, _)| name.clone())
}

/// Runs a tool that says nothing when all is well.
pub fn run(command: &mut Command) -> Result<(), BuildError> {
    let failed = |output: String, command: &Command| BuildError::Tool {
        command: format!("{command:?}"),
        output,
    };
    let output = command
        .stdin(Stdio::null())
        .env("LC_ALL", "C")
        .output()
        .map_err(|error| failed(error.to_string(), command))?;
    if output.status.success() {
        Ok(())
    } else {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(failed(said, command))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(name: &str, bytes: &[u8]) -> Section {
        (name.to_owned(), bytes.to_vec())
    }

    #[test]
    fn a_changed_byte_or_section_is_seen() {
        let before = [section(".text", &[1, 2]), section(".data", &[])];
        assert_eq!(first_difference(&before, &before), None);
        let after = [section(".text", &[1, 3]), section(".data", &[])];
        assert_eq!(first_difference(&before, &after), Some(".text".into()));
        assert_eq!(
            first_difference(&before, &before[..1]),
            Some(".data".into())
        );
        assert_eq!(
            first_difference(&before[..1], &before),
            Some(".data".into())
        );
    }

    #[test]
    fn a_tool_that_fails_or_is_missing_is_named() {
        let error = run(&mut Command::new("no-such-objcopy")).unwrap_err();
        assert!(error.to_string().contains("no-such-objcopy"), "{error}");
        let error = run(Command::new("ls").arg("/no/such/folder")).unwrap_err();
        assert!(error.to_string().contains("/no/such/folder"), "{error}");
    }
}
