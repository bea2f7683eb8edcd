//! Draws pages. Whatever draws computes nothing: it puts texts where they belong, and takes from
//! them what would be more than text.

pub mod html;
pub mod markdown;

use std::fmt::Write as _;
use std::path::{Component, Path};

use super::model::PagePath;

/// How a page is drawn.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Format {
    /// GitHub's Markdown.
    Markdown,
    /// One HTML file that needs no other.
    Html,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 2] = [Self::Markdown, Self::Html];

    /// The extension of a file's name.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
        }
    }
}

/// How to get from one page to other files.
#[derive(Clone, Copy, Debug)]
pub struct Links<'a> {
    /// The page that links.
    pub from: &'a PagePath,
    /// The way from the report's folder to the run directory; `None` where files of the run
    /// directory are not linked.
    pub run: Option<&'a str>,
}

impl Links<'_> {
    /// The way to another page.
    pub fn to_page(&self, path: &PagePath, format: Format) -> String {
        let file = format!("{}.{}", path.parts().join("/"), format.extension());
        format!("{}{}", self.up(), encoded(&file))
    }

    /// The way to a file of the run directory, if it is linked and inside.
    pub fn to_file(&self, path: &str) -> Option<String> {
        let run = self.run?;
        let mut components = Path::new(path).components();
        let is_inside = components.all(|part| matches!(part, Component::Normal(_)));
        is_inside.then(|| format!("{}{}/{}", self.up(), encoded(run), encoded(path)))
    }

    fn up(&self) -> String {
        "../".repeat(self.from.parts().len() - 1)
    }
}

/// A path as part of an address (RFC 3986, section 2.1): nothing in it is special but slashes.
fn encoded(path: &str) -> String {
    let mut address = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            address.push(byte.into());
        } else {
            // Writing to a String cannot fail.
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_relative_and_harmless() {
        let from = PagePath::new(["rpi4", "kem-36", "page"]);
        let links = Links {
            from: &from,
            run: Some(".."),
        };
        let other = PagePath::new(["a b", "javascript:x", "page"]);
        assert_eq!(
            links.to_page(&other, Format::Html),
            "../../a%20b/javascript%3Ax/page.html"
        );
        assert_eq!(
            links.to_file("rpi4/kat/kem-36/\"x.log").as_deref(),
            Some("../../../rpi4/kat/kem-36/%22x.log")
        );
        assert_eq!(links.to_file("rpi4/../../etc/passwd"), None);
        assert_eq!(links.to_file("/etc/passwd"), None);
        let unlinked = Links { run: None, ..links };
        assert_eq!(unlinked.to_file("rpi4/x.log"), None);
    }
}
