//! Objects to an archive.

use std::fs;
use std::path::Path;
use std::process::Command;

use catalogue::Toolchain;

use super::BuildError;
use super::compile::Compiled;
use super::error::file;
use super::rename::run;

/// The library's name: the linker scripts tell the submission's sections from ours by it.
pub const LIBRARY: &str = "submission";

/// Puts all objects into the library, without times or owners: equal objects, equal archive.
pub fn create(out: &Path, compiled: &[Compiled], toolchain: &Toolchain) -> Result<(), BuildError> {
    let archive = out.join(format!("lib{LIBRARY}.a"));
    // ar would add to what another instance left.
    if archive.exists() {
        fs::remove_file(&archive).map_err(file("remove", &archive))?;
    }
    run(Command::new(&toolchain.archiver)
        .arg("crsD")
        .arg(&archive)
        .args(compiled.iter().map(|unit| &unit.object)))
}

/// An archive's file name with the folder it is in: `release/libc.a`.
pub fn short_name(archive: &Path) -> String {
    let mut names: Vec<_> = archive
        .components()
        .rev()
        .take(2)
        .map(|component| component.as_os_str().to_string_lossy())
        .collect();
    names.reverse();
    names.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_tells_builds_of_one_library_apart() {
        let name = short_name(Path::new("/usr/lib/picolibc/lib/release/libc.a"));
        assert_eq!(name, "release/libc.a");
        assert_eq!(short_name(Path::new("libc.a")), "libc.a");
    }
}
