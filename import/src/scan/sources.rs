//! Which files an instance is compiled from: its own, and the shared ones that they include from.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use catalogue::submission::Kind;

use super::drivers;
use super::scope::{Scope, is_standard};
use super::tree::{file_name, is_below, is_compiled, is_generic, lifted, parent};

/// Headers of libraries, which are needs and not files of the package.
const LIBRARIES: [(&str, &str); 4] = [
    ("gmp.h", "gmp"),
    ("gmpxx.h", "gmp"),
    ("openssl/", "openssl"),
    ("mpfr.h", "mpfr"),
];

/// The library that a header belongs to.
pub fn library_of(header: &str) -> Option<&'static str> {
    let known = LIBRARIES
        .iter()
        .find(|(beginning, _)| header.starts_with(beginning));
    known.map(|(_, library)| *library)
}

/// What an instance is compiled from, and what was decided on the way.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Selection {
    /// Files to compile.
    pub sources: BTreeSet<String>,
    /// Headers and other files that they include.
    pub headers: BTreeSet<String>,
    /// Folders that the compiler must be told, in order; the empty one is the package's.
    pub include: Vec<String>,
    /// Folders outside the instance's from which sources were taken, and what led there.
    pub shared: BTreeMap<String, String>,
    /// Files that are not compiled, and why.
    pub left_out: BTreeMap<String, String>,
    /// Headers that are nowhere in the package, and the first file that includes each.
    pub missing: BTreeMap<String, String>,
    /// Our helpers that stand in.
    pub helpers: Vec<String>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// Chooses the files of one instance.
pub fn select(scope: Scope<'_>, kind: Kind, header: Option<&str>) -> Selection {
    let mut search = Search {
        scope,
        kind,
        selection: Selection::default(),
        queue: VecDeque::new(),
        seen: BTreeSet::new(),
        included: BTreeMap::new(),
        wanted: Vec::new(),
    };
    search.selection.include.push(scope.folder.to_owned());
    if let Some(header) = header
        && parent(header) != scope.folder
    {
        search.selection.include.push(parent(header).to_owned());
    }
    search.follow_header(header);
    search.bring(scope.folder, true);
    search.follow();
    search.find_interface();
    search.settle_helpers();
    search.drop_included();
    search.note_hidden_headers();
    search.selection
}

/// The name of an interface's header.
pub fn interface_header(kind: Kind) -> &'static str {
    match kind {
        Kind::Kem => "KEM_AlgorithmInstance.h",
        Kind::Sig => "SIG_AlgorithmInstance.h",
        Kind::Kex => "KEX_AlgorithmInstance.h",
        Kind::Hash => "CryptHash_AlgorithmInstance.h",
    }
}

/// A function that every implementation of an interface has.
pub fn interface_function(kind: Kind) -> &'static str {
    match kind {
        Kind::Kem => "kem_keygen",
        Kind::Sig => "sig_keygen",
        Kind::Kex => "kex_init_a",
        Kind::Hash => "CryptHash",
    }
}

struct Search<'a> {
    scope: Scope<'a>,
    kind: Kind,
    selection: Selection,
    /// Files whose `#include` lines are to be followed.
    queue: VecDeque<String>,
    seen: BTreeSet<String>,
    /// Sources that others include, and which.
    included: BTreeMap<String, String>,
    /// What was included through a folder: that name, by that file, meaning that path.
    wanted: Vec<(String, String, String)>,
}

impl Search<'_> {
    /// Takes the sources of a folder, with those of the folders in it or without.
    fn bring(&mut self, folder: &str, deep: bool) {
        let tree = self.scope.tree;
        let paths: Vec<&str> = tree
            .below(folder)
            .filter(|path| deep || parent(path) == folder)
            .filter(|path| is_compiled(path) && !self.scope.is_foreign(path))
            .collect();
        for path in paths {
            match self.why_not(path, folder) {
                Some(why) => drop(self.selection.left_out.insert(path.to_owned(), why)),
                None => {
                    if self.selection.sources.insert(path.to_owned()) {
                        self.queue.push_back(path.to_owned());
                    }
                }
            }
        }
    }

    fn why_not(&self, path: &str, folder: &str) -> Option<String> {
        if let Some(why) = drivers::why(self.scope.tree, path, folder) {
            return Some(why);
        }
        let source = self.scope.tree.source(path)?;
        let own = interface_header(self.kind);
        let others = [Kind::Kem, Kind::Sig, Kind::Kex, Kind::Hash].map(interface_header);
        let other = others.into_iter().find(|header| {
            // A scheme may be built from another that has an interface of its own.
            *header != own
                && source.includes_file(header)
                && !source.includes_file(own)
                && self.scope.find(path, header, true).is_none()
        });
        other.map(|header| format!("it implements {header}, which this instance has not"))
    }

    /// Follows `#include` lines until they lead to nothing new.
    fn follow(&mut self) {
        while let Some(path) = self.queue.pop_front() {
            if self.seen.insert(path.clone()) {
                self.follow_file(&path);
            }
        }
    }

    fn follow_header(&mut self, header: Option<&str>) {
        if let Some(header) = header {
            self.selection.headers.insert(header.to_owned());
            self.queue.push_back(header.to_owned());
        }
    }

    fn follow_file(&mut self, path: &str) {
        let tree = self.scope.tree;
        let Some(source) = tree.source(path) else {
            return;
        };
        for include in &source.includes {
            let name = include.name.as_str();
            if library_of(name).is_some() || (is_standard(name) && !include.quoted) {
                continue;
            }
            let Some(found) = self.scope.find(path, name, include.quoted) else {
                let elsewhere = is_standard(name) || !include.quoted || !include.by_default;
                if !elsewhere {
                    let missing = &mut self.selection.missing;
                    missing
                        .entry(name.to_owned())
                        .or_insert_with(|| path.to_owned());
                }
                continue;
            };
            if let Some(folder) = &found.folder {
                if !self.selection.include.contains(folder) {
                    self.selection.include.push(folder.clone());
                }
                let wanted = (name.to_owned(), path.to_owned(), found.path.clone());
                self.wanted.push(wanted);
            }
            if is_compiled(&found.path) {
                let included = self.included.entry(found.path.clone());
                included.or_insert_with(|| path.to_owned());
            } else {
                self.selection.headers.insert(found.path.clone());
            }
            if self.scope.is_foreign(&found.path) {
                self.selection.notes.push(format!(
                    "`{path}` includes `{}`, which belongs to another instance: none of that one's sources are taken",
                    found.path
                ));
            } else if !self.scope.owns(&found.path) {
                self.share(parent(&found.path), &format!("`{path}` includes `{name}`"));
            }
            self.queue.push_back(found.path);
        }
    }

    /// Takes the sources that belong to headers outside the instance's folder.
    fn share(&mut self, folder: &str, why: &str) {
        if self.selection.shared.contains_key(folder) {
            return;
        }
        self.selection
            .shared
            .insert(folder.to_owned(), why.to_owned());
        let whole = lifted(folder);
        if whole != self.scope.folder && !is_below(self.scope.folder, whole) {
            self.bring(whole, true);
            return;
        }
        // Everything is below that folder, also what has nothing to do with this instance.
        self.bring(folder, false);
        if whole != folder {
            self.bring(whole, false);
            let generic: BTreeSet<String> = self
                .scope
                .tree
                .below(whole)
                .map(parent)
                .filter(|inner| parent(inner) == whole && is_generic(inner))
                .map(str::to_owned)
                .collect();
            for inner in generic {
                self.bring(&inner, true);
            }
        }
    }

    /// Where nothing yet implements the interface, a shared file does: it includes the header that
    /// each instance has of its own.
    fn find_interface(&mut self) {
        let tree = self.scope.tree;
        let function = interface_function(self.kind);
        let uses = |path: &str| {
            tree.source(path)
                .is_some_and(|source| source.uses(function))
        };
        if self.selection.sources.iter().any(|path| uses(path)) {
            return;
        }
        let found = self.scope.nearest(tree.paths().filter(|path| {
            is_compiled(path)
                && uses(path)
                && drivers::why(tree, path, parent(path)).is_none()
                && tree
                    .source(path)
                    .is_some_and(|source| source.includes_file(interface_header(self.kind)))
        }));
        match found.map(str::to_owned) {
            Some(path) => {
                let why = format!("`{path}` implements the interface");
                self.share(parent(&path), &why);
                self.follow();
            }
            None => self
                .selection
                .notes
                .push(format!("no source of this instance has `{function}`")),
        }
    }

    /// The generator and the auxiliary hashes: the package's own, else ours, else neither.
    fn settle_helpers(&mut self) {
        type Uses = fn(&super::source::Source) -> bool;
        let helpers: [(&str, Uses); 2] = [
            ("auxfunc", |source| source.uses_auxfunc()),
            ("drng", |source| source.uses_drng()),
        ];
        for (helper, uses) in helpers {
            let (file, header) = (format!("{helper}.c"), format!("{helper}.h"));
            let is_helper = |path: &str| file_name(path) == file || file_name(path) == header;
            let tree = self.scope.tree;
            let files = self.selection.sources.iter().chain(&self.selection.headers);
            // The driver itself seeds the generator of whatever draws random numbers.
            let seeded = helper == "drng" && self.kind != Kind::Hash;
            let needed = seeded
                || files
                    .filter(|path| !is_helper(path))
                    .any(|path| tree.source(path).is_some_and(uses));
            self.selection.missing.remove(&header);
            let mut own = self
                .selection
                .sources
                .iter()
                .filter(|path| file_name(path) == file);
            match (needed, own.next().cloned()) {
                (false, Some(path)) if self.kind == Kind::Hash => {
                    self.selection.sources.remove(&path);
                    self.selection
                        .left_out
                        .insert(path, "only the driver calls it".into());
                }
                (true, Some(path)) => self.tell_header_folder(&path, &header),
                (true, None) => {
                    let nearest = self.scope.nearest(tree.named(&file));
                    if let Some(path) = nearest.map(str::to_owned) {
                        self.selection
                            .notes
                            .push(format!("`{path}` is the package's own {helper}"));
                        self.selection.sources.insert(path.clone());
                        self.queue.push_back(path.clone());
                        self.follow();
                        self.tell_header_folder(&path, &header);
                    } else {
                        self.selection.helpers.push(helper.to_owned());
                    }
                }
                _ => {}
            }
        }
        self.selection.helpers.sort();
    }

    /// The driver is compiled with a helper's header too, so that the compiler must find it.
    fn tell_header_folder(&mut self, helper: &str, header: &str) {
        if let Some(found) = self.scope.find(helper, header, true) {
            let folder = parent(&found.path).to_owned();
            if !self.selection.include.contains(&folder) {
                self.selection.include.push(folder);
            }
        }
    }

    /// What another source includes is not compiled by itself too.
    fn drop_included(&mut self) {
        for (path, by) in std::mem::take(&mut self.included) {
            if self.selection.sources.remove(&path) {
                let why = format!("`{by}` includes it");
                self.selection.left_out.insert(path, why);
            }
        }
        let sources = &self.selection.sources;
        self.selection
            .left_out
            .retain(|path, _| !sources.contains(path));
    }

    /// The compiler takes a header from the first folder that has one of that name.
    fn note_hidden_headers(&mut self) {
        let mut notes = BTreeSet::new();
        for (name, by, path) in &self.wanted {
            let candidates = self
                .selection
                .include
                .iter()
                .map(|folder| match folder.as_str() {
                    "" => name.clone(),
                    folder => format!("{folder}/{name}"),
                });
            let mut candidates = candidates.filter(|candidate| self.scope.tree.has(candidate));
            let first = candidates.next();
            if let Some(first) = first
                && first != *path
            {
                notes.insert(format!(
                    "`{by}` includes `{name}`: the compiler takes `{first}`, not `{path}`"
                ));
            }
        }
        self.selection.notes.extend(notes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::tree::Tree;

    fn selected(files: &[(&str, &str)], folders: &[&str], kind: Kind) -> Selection {
        let tree = Tree::of(files);
        let first = folders[0];
        let folders = folders.iter().map(|folder| (*folder).to_owned()).collect();
        let scope = Scope {
            tree: &tree,
            folder: first,
            folders: &folders,
        };
        let header = format!("{first}/{}", interface_header(kind));
        select(scope, kind, tree.has(&header).then_some(header.as_str()))
    }

    fn paths(set: &BTreeSet<String>) -> Vec<&str> {
        set.iter().map(String::as_str).collect()
    }

    const KEM: &str =
        "#include \"KEM_AlgorithmInstance.h\"\n#include \"drng.h\"\nint kem_keygen() {}";

    #[test]
    fn an_instance_has_its_own_files_and_those_it_shares() {
        let selection = selected(
            &[
                ("R/A/KEM_AlgorithmInstance.h", "#include \"params.h\""),
                ("R/A/KEM_AlgorithmInstance.c", KEM),
                ("R/A/params.h", ""),
                (
                    "R/A/src/deep/x.c",
                    "#include \"ring.h\"\n#include \"tables.c\"",
                ),
                ("R/A/src/deep/tables.c", ""),
                ("R/A/KAT_KEM.c", "int main() {}"),
                ("R/B/params.h", ""),
                ("R/B/y.c", ""),
                ("R/common/include/ring.h", ""),
                (
                    "R/common/ring.c",
                    "#include \"ring.h\"\n#include \"params.h\"\n#include \"gone.h\"",
                ),
                ("R/unused/z.c", ""),
                ("R/drng.c", "#include \"drng.h\""),
                ("R/drng.h", "int get_random_number();"),
                ("R/main.c", ""),
            ],
            &["R/A", "R/B"],
            Kind::Kem,
        );
        assert_eq!(
            paths(&selection.sources),
            [
                "R/A/KEM_AlgorithmInstance.c",
                "R/A/src/deep/x.c",
                "R/common/ring.c",
                "R/drng.c"
            ]
        );
        assert_eq!(selection.include, ["R/A", "R", "R/common/include"]);
        assert_eq!(
            selection.left_out["R/A/src/deep/tables.c"],
            "`R/A/src/deep/x.c` includes it"
        );
        assert!(selection.left_out.contains_key("R/A/KAT_KEM.c"));
        assert_eq!(selection.missing["gone.h"], "R/common/ring.c");
        assert_eq!(selection.helpers, [] as [&str; 0]);
    }

    #[test]
    fn helpers_stand_in_where_the_package_has_none() {
        let header = ("A/KEM_AlgorithmInstance.h", "");
        let code = ("A/a.c", KEM);
        let selection = selected(&[header, code], &["A"], Kind::Kem);
        assert_eq!(selection.helpers, ["drng"]);
        assert!(selection.missing.is_empty());
    }

    #[test]
    fn a_hash_needs_the_generator_for_its_driver_only() {
        let files = [
            ("A/CryptHash_AlgorithmInstance.h", ""),
            ("A/h.c", "int CryptHash() { return sm3hash(); }"),
            ("A/drng.c", ""),
            ("A/auxfunc.c", ""),
        ];
        let selection = selected(&files, &["A"], Kind::Hash);
        assert_eq!(paths(&selection.sources), ["A/auxfunc.c", "A/h.c"]);
        assert_eq!(selection.left_out["A/drng.c"], "only the driver calls it");
    }

    #[test]
    fn a_shared_file_may_implement_the_interface() {
        let files = [
            ("R/A/KEM_AlgorithmInstance.h", ""),
            ("R/B/KEM_AlgorithmInstance.h", ""),
            ("R/common/kem.c", KEM),
            (
                "R/common/sig.c",
                "#include \"SIG_AlgorithmInstance.h\"\nint sig_keygen() {}",
            ),
        ];
        let selection = selected(&files, &["R/A", "R/B"], Kind::Kem);
        assert_eq!(paths(&selection.sources), ["R/common/kem.c"]);
        assert!(selection.left_out["R/common/sig.c"].contains("SIG_"));
        let nothing = selected(&files[..1], &["R/A"], Kind::Kem);
        assert!(
            nothing.notes[0].contains("kem_keygen"),
            "{:?}",
            nothing.notes
        );
    }
}
