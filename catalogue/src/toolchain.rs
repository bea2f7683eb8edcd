//! The programs and libraries that a build of C code needs, and where they are.
//!
//! For bare-metal AArch64: Debian's `aarch64-linux-gnu-gcc`, else `aarch64-none-elf-gcc`, with
//! picolibc. For Linux: the machine's `gcc` with its own C library, and for another Arm machine
//! `aarch64-linux-gnu-gcc` with the C library that it brings. The environment variables of
//! [`crate::environment`] override the search.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::environment::{CC_AARCH64, CC_LINUX, CC_LINUX_AARCH64, PICOLIBC_AARCH64};
use crate::{Board, CatalogueError};

/// C compilers for bare-metal AArch64, best first.
const COMPILERS_AARCH64: &[&str] = &["aarch64-linux-gnu-gcc", "aarch64-none-elf-gcc"];

/// C compilers for this machine.
const COMPILERS_LINUX: &[&str] = &["gcc", "cc"];

/// C compilers for Linux on another Arm machine.
const COMPILERS_LINUX_AARCH64: &[&str] = &["aarch64-linux-gnu-gcc"];

/// Where Debian's packages put picolibc for AArch64.
const PICOLIBC_FOLDERS: &[&str] = &[
    "/usr/lib/picolibc/aarch64-linux-gnu",
    "/usr/lib/picolibc/aarch64-none-elf",
];

/// picolibc's fast build, below its folder. The one in `lib` itself is made for size: its memcpy
/// is a byte loop, more than forty times slower.
const PICOLIBC_ARCHIVE: &str = "lib/release/libc.a";

/// What turns C sources into a library for a board.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The C compiler.
    pub compiler: PathBuf,
    /// The first line of what it says of its version.
    pub compiler_version: String,
    /// The folder of the compiler's own headers.
    pub compiler_headers: PathBuf,
    /// The compiler's objcopy.
    pub objcopy: PathBuf,
    /// The compiler's ar.
    pub archiver: PathBuf,
    /// The C library.
    pub library: CLibrary,
}

/// The C library that an image is linked with.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CLibrary {
    /// `picolibc` or `glibc`.
    pub name: &'static str,
    /// Its version.
    pub version: String,
    /// The folder of its headers, where the compiler does not know it by itself.
    pub headers: Option<PathBuf>,
    /// The archive to link, where the compiler driver does not do that by itself.
    pub archive: Option<PathBuf>,
}

impl Toolchain {
    /// Finds what builds for this board.
    ///
    /// # Errors
    ///
    /// Names what is missing, and the command that brings it.
    pub fn find(board: &Board) -> Result<Self, CatalogueError> {
        let (known, variable) = if board.bare_metal {
            (COMPILERS_AARCH64, CC_AARCH64)
        } else if board.is_this_machine() {
            (COMPILERS_LINUX, CC_LINUX)
        } else {
            (COMPILERS_LINUX_AARCH64, CC_LINUX_AARCH64)
        };
        let (compiler, compiler_version) =
            find_compiler(board.name, known, variable, env::var_os(variable))?;
        let ask = |question: &str| -> Result<PathBuf, CatalogueError> {
            Ok(PathBuf::from(first_line(&run(&compiler, &[question])?)))
        };
        check_machine(board, &compiler, &ask("-dumpmachine")?, variable)?;
        Ok(Self {
            compiler_headers: ask("-print-file-name=include")?,
            objcopy: ask("-print-prog-name=objcopy")?,
            archiver: ask("-print-prog-name=ar")?,
            library: if board.bare_metal {
                find_picolibc(board.name, env::var_os(PICOLIBC_AARCH64))?
            } else {
                system_library(&compiler)?
            },
            compiler,
            compiler_version,
        })
    }
}

/// The first compiler that starts, and its version.
fn find_compiler(
    board: &'static str,
    known: &[&str],
    variable: &'static str,
    chosen: Option<OsString>,
) -> Result<(PathBuf, String), CatalogueError> {
    let candidates: Vec<PathBuf> = match chosen {
        Some(chosen) => vec![chosen.into()],
        None => known.iter().map(PathBuf::from).collect(),
    };
    for candidate in &candidates {
        match command(candidate, &["--version"]).output() {
            Ok(output) if output.status.success() => {
                let version = first_line(&String::from_utf8_lossy(&output.stdout)).to_owned();
                return Ok((candidate.clone(), version));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(candidate, &["--version"], error.to_string())),
        }
    }
    Err(CatalogueError::NoCompiler {
        board,
        tried: list(&candidates),
        variable,
    })
}

/// The compiler builds for the board's architecture: its answer begins with the name.
fn check_machine(
    board: &Board,
    compiler: &Path,
    machine: &Path,
    variable: &'static str,
) -> Result<(), CatalogueError> {
    let machine = machine.to_string_lossy();
    if machine.split('-').next() == Some(board.architecture.name()) {
        return Ok(());
    }
    Err(CatalogueError::WrongCompiler {
        compiler: compiler.to_owned(),
        machine: machine.into_owned(),
        board: board.name,
        architecture: board.architecture,
        variable,
    })
}

/// picolibc's folder, from the environment or one of the usual places.
fn find_picolibc(
    board: &'static str,
    chosen: Option<OsString>,
) -> Result<CLibrary, CatalogueError> {
    let folders: Vec<PathBuf> = match chosen {
        Some(chosen) => vec![chosen.into()],
        None => PICOLIBC_FOLDERS.iter().map(PathBuf::from).collect(),
    };
    let folder = folders
        .iter()
        .find(|folder| folder.join(PICOLIBC_ARCHIVE).is_file())
        .ok_or_else(|| CatalogueError::NoCLibrary {
            board,
            file: PICOLIBC_ARCHIVE,
            searched: list(&folders),
            variable: PICOLIBC_AARCH64,
        })?;
    let header = folder.join("include/picolibc.h");
    let text = fs::read_to_string(&header).map_err(CatalogueError::file("read", &header))?;
    Ok(CLibrary {
        name: "picolibc",
        version: definition(&text, "_PICOLIBC_VERSION")
            .or_else(|| definition(&text, "__PICOLIBC_VERSION__"))
            .unwrap_or("unknown")
            .trim_matches('"')
            .to_owned(),
        headers: Some(folder.join("include")),
        archive: Some(folder.join(PICOLIBC_ARCHIVE)),
    })
}

/// The machine's own C library, which the compiler finds by itself.
fn system_library(compiler: &Path) -> Result<CLibrary, CatalogueError> {
    let macros = run(
        compiler,
        &["-E", "-dM", "-include", "features.h", "-x", "c", "-"],
    )?;
    let version = match (
        definition(&macros, "__GLIBC__"),
        definition(&macros, "__GLIBC_MINOR__"),
    ) {
        (Some(major), Some(minor)) => format!("{major}.{minor}"),
        _ => "unknown".to_owned(),
    };
    Ok(CLibrary {
        name: "glibc",
        version,
        headers: None,
        archive: None,
    })
}

/// The value of an object-like macro in a text of `#define` lines.
fn definition<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some("#define") && words.next() == Some(name))
            .then(|| words.next())
            .flatten()
    })
}

fn command(program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    command
}

fn run(program: &Path, arguments: &[&str]) -> Result<String, CatalogueError> {
    let output = command(program, arguments)
        .output()
        .map_err(|error| failed(program, arguments, error.to_string()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(failed(program, arguments, said));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn failed(program: &Path, arguments: &[&str], output: String) -> CatalogueError {
    CatalogueError::Compiler {
        program: program.to_owned(),
        arguments: arguments.join(" "),
        output,
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim()
}

fn list(paths: &[PathBuf]) -> String {
    let names: Vec<_> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use miette::Diagnostic;

    use super::*;

    #[test]
    fn a_missing_compiler_is_named_with_the_remedy() {
        let error = find_compiler("qemu-virt", &["no-such-gcc"], CC_AARCH64, None).unwrap_err();
        assert!(error.to_string().contains("no-such-gcc"), "{error}");
        let help = error.help().unwrap().to_string();
        assert!(help.contains("cargo host setup"), "{help}");
        assert!(help.contains(CC_AARCH64), "{help}");
    }

    #[test]
    fn the_environment_overrides_the_search() {
        let chosen = Some(OsString::from("/no/such/compiler"));
        let error = find_compiler("linux", &["gcc"], CC_LINUX, chosen).unwrap_err();
        assert!(error.to_string().contains("/no/such/compiler"), "{error}");
    }

    #[test]
    fn a_compiler_for_another_machine_is_refused() {
        let virt = crate::board("qemu-virt").unwrap();
        let check =
            |machine: &str| check_machine(virt, Path::new("gcc"), Path::new(machine), CC_AARCH64);
        assert!(check("aarch64-linux-gnu").is_ok());
        assert!(check("aarch64-none-elf").is_ok());
        let error = check("x86_64-linux-gnu").unwrap_err();
        assert!(error.to_string().contains("x86_64-linux-gnu"), "{error}");
        assert!(error.help().unwrap().to_string().contains(CC_AARCH64));
    }

    #[test]
    fn a_missing_library_is_named_with_its_place() {
        let error = find_picolibc("qemu-virt", Some("/no/such/picolibc".into())).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("/no/such/picolibc"), "{text}");
        assert!(text.contains("lib/release/libc.a"), "{text}");
    }

    #[test]
    fn definitions_are_found_by_their_whole_name() {
        let text = "#define __GLIBC_MINOR__ 36\n#define __GLIBC__ 2\n#define FLAG\n";
        assert_eq!(definition(text, "__GLIBC__"), Some("2"));
        assert_eq!(definition(text, "__GLIBC_MINOR__"), Some("36"));
        assert_eq!(definition(text, "FLAG"), None);
        assert_eq!(definition(text, "GLIBC"), None);
    }

    #[test]
    fn this_machine_has_a_compiler() {
        let toolchain = Toolchain::find(crate::board("linux").unwrap()).unwrap();
        assert!(!toolchain.compiler_version.is_empty());
        assert!(toolchain.compiler_headers.join("stddef.h").is_file());
        assert_ne!(toolchain.library.version, "unknown");
    }
}
