//! Names of entries: their encoding, and what of them is a path in the package's folder.

use std::fmt;

use encoding_rs::GB18030;

use crate::error::Refusal;

/// The longest path in bytes, as packed and as unpacked.
const LONGEST: usize = 1024;
/// The longest component in bytes, as file systems have it.
const LONGEST_COMPONENT: usize = 255;
/// The most folders within each other.
const DEEPEST: usize = 64;

/// How names were written.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Encoding {
    /// UTF-8, ASCII included.
    Utf8,
    /// The Chinese national standard, GBK included.
    Gb18030,
    /// The code page of the first personal computers, which zip falls back to.
    Cp437,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utf8 => "UTF-8",
            Self::Gb18030 => "GB18030",
            Self::Cp437 => "code page 437",
        })
    }
}

impl Encoding {
    /// The first encoding, in the order of its variants, that all names are well-formed in.
    ///
    /// Every byte is a character of code page 437, so that there is always one.
    pub fn of<'a>(names: impl Iterator<Item = &'a [u8]> + Clone) -> Self {
        [Self::Utf8, Self::Gb18030]
            .into_iter()
            .find(|encoding| names.clone().all(|name| encoding.decode(name).is_ok()))
            .unwrap_or(Self::Cp437)
    }

    /// A name as text.
    ///
    /// # Errors
    ///
    /// When it is not well-formed.
    pub fn decode(self, name: &[u8]) -> Result<String, Refusal> {
        let decoded = match self {
            Self::Utf8 => str::from_utf8(name).ok().map(str::to_owned),
            Self::Gb18030 => GB18030
                .decode_without_bom_handling_and_without_replacement(name)
                .map(std::borrow::Cow::into_owned),
            Self::Cp437 => Some(name.iter().map(|byte| cp437(*byte)).collect()),
        };
        decoded.ok_or(Refusal::Encoding)
    }
}

/// A name for messages, whatever it is.
pub fn shown(name: &[u8]) -> String {
    let start = name.get(..LONGEST).unwrap_or(name);
    String::from_utf8_lossy(start).into_owned()
}

fn cp437(byte: u8) -> char {
    const UPPER: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
                         └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";
    match byte.checked_sub(0x80) {
        None => char::from(byte),
        Some(upper) => UPPER.chars().nth(upper.into()).unwrap_or('\u{fffd}'),
    }
}

/// Refuses a packed name that is longer than any path.
///
/// # Errors
///
/// When it is.
pub fn bounded(name: &[u8]) -> Result<(), Refusal> {
    (name.len() <= LONGEST).then_some(()).ok_or(Refusal::Name)
}

/// The path that a name means, with `/` between its components; `None` for the package's folder
/// itself, which many archives list.
///
/// # Errors
///
/// When it is not a path below the package's folder.
pub fn path(name: &str) -> Result<Option<String>, Refusal> {
    if name.chars().any(char::is_control) {
        return Err(Refusal::Control);
    }
    if name.contains('\\') {
        return Err(Refusal::Backslash);
    }
    if name.is_empty() || name.len() > LONGEST {
        return Err(Refusal::Name);
    }
    if name.starts_with('/') {
        return Err(Refusal::Absolute);
    }
    let mut components = Vec::new();
    for component in name.split('/') {
        match component {
            "" | "." => continue,
            ".." => return Err(Refusal::Parent),
            _ => {}
        }
        let mut characters = component.chars();
        let first = characters.next();
        if first.is_some_and(|c| c.is_ascii_alphabetic()) && characters.next() == Some(':') {
            return Err(Refusal::Absolute);
        }
        if component.len() > LONGEST_COMPONENT {
            return Err(Refusal::Name);
        }
        components.push(component);
    }
    if components.len() > DEEPEST {
        return Err(Refusal::Name);
    }
    Ok((!components.is_empty()).then(|| components.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::{Component, Path};

    #[test]
    fn hostile_names_are_refused() {
        for (name, refusal) in [
            ("../a", Refusal::Parent),
            ("a/../../b", Refusal::Parent),
            ("a/..", Refusal::Parent),
            ("/etc/passwd", Refusal::Absolute),
            ("C:/a", Refusal::Absolute),
            ("a/c:b", Refusal::Absolute),
            ("..\\a", Refusal::Backslash),
            ("a\0b", Refusal::Control),
            ("a\x1b[2J", Refusal::Control),
            ("", Refusal::Name),
        ] {
            assert_eq!(path(name), Err(refusal), "{name:?}");
        }
        assert_eq!(path(&"a/".repeat(65)), Err(Refusal::Name));
        assert_eq!(path(&"a".repeat(256)), Err(Refusal::Name));
    }

    #[test]
    fn honest_names_are_paths() {
        assert_eq!(path("./"), Ok(None));
        assert_eq!(
            path("./实现//参考实现 v1/a.c"),
            Ok(Some("实现/参考实现 v1/a.c".into()))
        );
        assert_eq!(path("a..b/..."), Ok(Some("a..b/...".into())));
    }

    #[test]
    fn the_first_encoding_that_fits_all_names_is_taken() {
        let gbk: &[u8] = b"\xb2\xce\xbf\xbc\xca\xb5\xcf\xd6/a.c";
        let utf8 = "参考实现/a.c".as_bytes();
        let neither: &[u8] = b"Caf\x82 \xff";
        assert_eq!(Encoding::of([utf8].into_iter()), Encoding::Utf8);
        assert_eq!(
            Encoding::of([b"a".as_slice(), gbk].into_iter()),
            Encoding::Gb18030
        );
        assert_eq!(Encoding::Gb18030.decode(gbk).unwrap(), "参考实现/a.c");
        assert_eq!(Encoding::of([gbk, neither].into_iter()), Encoding::Cp437);
        assert_eq!(Encoding::Cp437.decode(neither).unwrap(), "Café \u{a0}");
    }

    proptest! {
        #[test]
        fn a_path_never_leaves_its_folder(name in "([a-c.:/\\\\\u{0}参 ]|\\.\\./){0,20}") {
            if let Ok(Some(path)) = path(&name) {
                prop_assert!(Path::new(&path).components().all(|c| matches!(c, Component::Normal(_))));
                prop_assert!(Path::new("x").join(&path).starts_with("x"));
            }
        }

        #[test]
        fn any_bytes_have_an_encoding(name in proptest::collection::vec(any::<u8>(), 0..50)) {
            let encoding = Encoding::of([name.as_slice()].into_iter());
            prop_assert!(encoding.decode(&name).is_ok());
        }
    }
}
