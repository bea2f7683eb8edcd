//! What a package may contain but the folder need not: it is left out and reported.

/// Beginnings of object files, libraries and programs, whatever they are called.
const PREBUILT: [&[u8]; 7] = [
    b"\x7fELF",
    b"!<arch>\n",
    b"!<thin>\n",
    b"MZ\x90\x00",
    b"\xcf\xfa\xed\xfe",
    b"\xce\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
];

/// As many bytes as the longest of them has.
pub const BEGINNING: usize = 8;

const EXTENSIONS: [&str; 16] = [
    "o", "a", "so", "lo", "la", "obj", "lib", "dll", "dylib", "exe", "pdb", "ko", "class", "pyc",
    "gcda", "gch",
];

/// Why a file of this path is left out, if it is.
pub fn by_path(path: &str) -> Option<&'static str> {
    if path.split('/').any(|part| part.starts_with('.')) {
        // Folders such as .git and .cargo make programs that are run in them do things.
        return Some("hidden: version control, settings of tools, or a resource fork");
    }
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    if path.starts_with("__MACOSX/") || path.contains("/__MACOSX/") || name == "thumbs.db" {
        return Some("left behind by a desktop");
    }
    if name == "import-report.md" && !path.contains('/') {
        return Some("import writes this file itself");
    }
    let extension = name.rsplit_once('.').map(|(_, extension)| extension)?;
    // libx.so.1.2
    let versioned = name.contains(".so.") && extension.bytes().all(|b| b.is_ascii_digit());
    (EXTENSIONS.contains(&extension) || versioned).then_some("prebuilt")
}

/// Why a file that begins like this is left out, if it is.
pub fn by_beginning(beginning: &[u8]) -> Option<&'static str> {
    PREBUILT
        .iter()
        .any(|magic| beginning.starts_with(magic))
        .then_some("prebuilt, whatever its name says")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_neither_source_nor_text_is_left_out() {
        for path in [
            "a/b.o",
            "lib/libx.so.1.2",
            "X.DLL",
            ".git/config",
            "a/.cargo/config.toml",
            "a/._b.c",
            "__MACOSX/a.c",
            "import-report.md",
        ] {
            assert!(by_path(path).is_some(), "{path}");
        }
        for path in [
            "a/b.c",
            "a.so.c",
            "o",
            "x/candidate.toml",
            "a/KAT_KEM_o.txt",
            "v1.0/a.h",
        ] {
            assert_eq!(by_path(path), None, "{path}");
        }
        assert!(by_beginning(b"\x7fELF\x02\x01\x01\x00").is_some());
        assert_eq!(by_beginning(b"#include"), None);
        assert_eq!(by_beginning(b""), None);
    }
}
