//! Where an image's memory functions come from, read from LLD's linker map.
//!
//! The first archive on the link line that defines `memcpy` serves C and Rust alike. Were it
//! another than the C library that the record names, figures would differ by factors without a
//! word, so the map is checked after every link.

use std::fs;
use std::path::Path;

use crate::CatalogueError;

/// The functions that must come from the C library.
const FUNCTIONS: [&str; 4] = ["memcpy", "memmove", "memset", "memcmp"];

/// The archive that must define them.
const ARCHIVE: &str = "libc.a";

/// The heading of LLD's map.
const HEADING: [&str; 7] = ["VMA", "LMA", "Size", "Align", "Out", "In", "Symbol"];

/// A memory function in an image.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MemoryFunction {
    /// Its name.
    pub name: &'static str,
    /// The archive and its member, without folders: `libc.a(memcpy.S.o)`.
    pub provider: String,
}

/// Checks that the memory functions of a bare-metal image come from the C library, and returns
/// those that are in the image.
///
/// # Errors
///
/// When the file is no map of LLD's, or one of them comes from elsewhere.
pub fn check_map(file: &Path) -> Result<Vec<MemoryFunction>, CatalogueError> {
    let text = fs::read_to_string(file).map_err(CatalogueError::file("read", file))?;
    let found = memory_functions(&text).ok_or_else(|| CatalogueError::Map {
        file: file.to_owned(),
    })?;
    for function in &found {
        if archive(&function.provider) != ARCHIVE {
            return Err(CatalogueError::MemoryFunction {
                function: function.name,
                provider: function.provider.clone(),
                file: file.to_owned(),
            });
        }
    }
    Ok(found)
}

/// The memory functions of a map, or `None` when the text is not one.
///
/// A line has four numbers, then either an output section, an input section as
/// `<object>:(<section>)`, or a symbol that belongs to the input section above it.
fn memory_functions(text: &str) -> Option<Vec<MemoryFunction>> {
    let mut lines = text.lines();
    if !lines.next()?.split_whitespace().eq(HEADING) {
        return None;
    }
    let mut found = Vec::new();
    let mut object = "";
    for line in lines {
        let name = without_numbers(line);
        if let Some((path, _)) = name.rsplit_once(":(").filter(|_| name.ends_with(')')) {
            object = path;
        } else if let Some(function) = FUNCTIONS.iter().find(|function| **function == name) {
            found.push(MemoryFunction {
                name: function,
                provider: file_name(object).to_owned(),
            });
        }
    }
    Some(found)
}

/// What follows the four numbers.
fn without_numbers(line: &str) -> &str {
    let mut rest = line.trim_start();
    for _ in 0..4 {
        rest = rest
            .split_once(char::is_whitespace)
            .map_or("", |(_, rest)| rest.trim_start());
    }
    rest.trim_end()
}

/// The path of an object without its folders; a member's name may hold no separator.
fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

fn archive(provider: &str) -> &str {
    provider
        .split_once('(')
        .map_or(provider, |(archive, _)| archive)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MAP: &str = "\
             VMA              LMA     Size Align Out     In      Symbol
        40203000         40203000     2bec    64 .text
        40203000         40203000      1c8     8         /tmp/firmware.o:(.text.main)
        40203000         40203000        0     1                 $x
        40203000         40203000      1c8     1                 main
        402031c8         402031c8      104    64         /usr/lib/release/libc.a(libc_machine_memcpy.S.o):(.text)
        402031c8         402031c8      104     1                 memcpy
        402032cc         402032cc      104    64         /usr/lib/release/libc.a(memset.S.o):(.text)
        402032cc         402032cc      104     1                 memset
        402033d0         402033d0       10     1 . = ALIGN ( 16 )
";

    fn check(text: &str) -> Result<Vec<MemoryFunction>, CatalogueError> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("firmware.map");
        fs::write(&file, text).unwrap();
        check_map(&file)
    }

    #[test]
    fn the_c_library_is_recognised() {
        let found = check(MAP).unwrap();
        assert_eq!(
            found,
            [
                MemoryFunction {
                    name: "memcpy",
                    provider: "libc.a(libc_machine_memcpy.S.o)".into()
                },
                MemoryFunction {
                    name: "memset",
                    provider: "libc.a(memset.S.o)".into()
                },
            ]
        );
    }

    #[test]
    fn any_other_provider_is_an_error() {
        let map = MAP.replace(
            "/usr/lib/release/libc.a(memset.S.o)",
            "/target/libcompiler_builtins-1.rlib(mem.o)",
        );
        let error = check(&map).unwrap_err().to_string();
        assert!(error.contains("memset"), "{error}");
        assert!(
            error.contains("libcompiler_builtins-1.rlib(mem.o)"),
            "{error}"
        );
        // An archive of the same name elsewhere is told apart by the build report, not here; an
        // object file that only ends like it is not the library.
        let map = MAP.replace(
            "/usr/lib/release/libc.a(memset.S.o)",
            "/target/notlibc.a(memset.o)",
        );
        assert!(check(&map).is_err());
    }

    #[test]
    fn another_text_is_not_a_map() {
        assert!(matches!(check(""), Err(CatalogueError::Map { .. })));
        assert!(matches!(
            check("Memory Configuration\n"),
            Err(CatalogueError::Map { .. })
        ));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "(?s).{0,300}") {
            let heading = MAP.lines().next().unwrap();
            let _ = memory_functions(&text);
            let _ = memory_functions(&format!("{heading}\n{text}"));
        }
    }
}
