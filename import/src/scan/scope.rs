//! What one instance may see of its package, and where its `#include` lines lead.

use std::collections::BTreeSet;

use super::tree::{self, Tree, common, is_below, normal, parent};

/// Headers of the C library, which a package's own file of that name does not replace.
const STANDARD: [&str; 29] = [
    "assert.h",
    "complex.h",
    "ctype.h",
    "errno.h",
    "fenv.h",
    "float.h",
    "inttypes.h",
    "iso646.h",
    "limits.h",
    "locale.h",
    "math.h",
    "setjmp.h",
    "signal.h",
    "stdalign.h",
    "stdarg.h",
    "stdatomic.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "stdnoreturn.h",
    "string.h",
    "tgmath.h",
    "threads.h",
    "time.h",
    "uchar.h",
    "wchar.h",
    "wctype.h",
];

/// Whether a header is one of the C library's.
pub fn is_standard(name: &str) -> bool {
    STANDARD.contains(&name)
}

/// A package from one instance's point of view.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The package.
    pub tree: &'a Tree,
    /// The instance's folder.
    pub folder: &'a str,
    /// The folders of all instances.
    pub folders: &'a BTreeSet<String>,
}

/// A file that an `#include` line means.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Found {
    /// Its path.
    pub path: String,
    /// The folder that the compiler must be told for that; none where it looks by itself.
    pub folder: Option<String>,
}

impl Scope<'_> {
    /// Whether a file is the instance's own.
    pub fn owns(&self, path: &str) -> bool {
        is_below(path, self.folder) && !self.is_foreign(path)
    }

    /// Whether a file belongs to another instance: that one's folder is above it, and not above this
    /// instance's folder.
    pub fn is_foreign(&self, path: &str) -> bool {
        let mut above = path;
        while let Some((folder, _)) = above.rsplit_once('/') {
            if folder != self.folder
                && self.folders.contains(folder)
                && !is_below(self.folder, folder)
            {
                return true;
            }
            above = folder;
        }
        false
    }

    /// The file that is meant by `#include` of `name` in the file `from`.
    pub fn find(&self, from: &str, name: &str, quoted: bool) -> Option<Found> {
        if quoted
            && let Some(beside) = normal(parent(from), name)
            && self.tree.has(&beside)
        {
            return Some(Found {
                path: beside,
                folder: None,
            });
        }
        // A way up leads from a folder that we do not know.
        let name = name.rsplit("../").next().unwrap_or(name);
        let name = normal("", name).filter(|name| !name.is_empty())?;
        let candidates = self.tree.named(tree::file_name(&name));
        let path = self.nearest(candidates.filter(|path| {
            path.strip_suffix(name.as_str())
                .is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
        }))?;
        let folder = path.strip_suffix(name.as_str()).unwrap_or_default();
        Some(Found {
            path: path.to_owned(),
            folder: Some(folder.trim_end_matches('/').to_owned()),
        })
    }

    /// The nearest of some files: in the instance's folder, or else with the longest way down from
    /// the top in common, and least deep.
    pub fn nearest<'f>(&self, files: impl Iterator<Item = &'f str>) -> Option<&'f str> {
        files
            .filter(|path| !self.is_foreign(path))
            .min_by_key(|path| {
                let shared = common(tree::parent(path), self.folder);
                let depth = path.split('/').count();
                (!self.owns(path), std::cmp::Reverse(shared), depth, *path)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_include_leads_to_the_instances_own_file_first() {
        let tree = Tree::of(&[
            ("ref/A/a.c", ""),
            ("ref/A/inc/params.h", ""),
            ("ref/B/params.h", ""),
            ("ref/common/params.h", ""),
            ("ref/common/poly/ring.h", ""),
            ("opt/common/poly/ring.h", ""),
        ]);
        let folders = ["ref/A".to_owned(), "ref/B".to_owned()].into();
        let scope = Scope {
            tree: &tree,
            folder: "ref/A",
            folders: &folders,
        };
        let find = |from, name| {
            let found = scope.find(from, name, true)?;
            Some((found.path, found.folder))
        };
        assert_eq!(
            find("ref/A/a.c", "params.h"),
            Some(("ref/A/inc/params.h".into(), Some("ref/A/inc".into())))
        );
        assert_eq!(
            find("ref/common/x.c", "params.h"),
            Some(("ref/common/params.h".into(), None))
        );
        assert_eq!(
            find("ref/A/a.c", "poly/ring.h"),
            Some(("ref/common/poly/ring.h".into(), Some("ref/common".into())))
        );
        assert_eq!(
            find("ref/A/a.c", "../common/poly/ring.h"),
            Some(("ref/common/poly/ring.h".into(), None))
        );
        assert_eq!(find("ref/A/a.c", "ing.h"), None);
        assert!(scope.is_foreign("ref/B/params.h"));
    }
}
