//! What the functions of the interface can reach: sections of objects, along relocations, as a
//! linker follows them that leaves out what is not used.
//!
//! Every function has a section of its own (`-ffunction-sections`), and so has every table of
//! addresses. What is reached is more than ever runs, never less, but for what the C library calls
//! back.

use std::collections::{HashMap, HashSet};
use std::fs;

use object::{
    File, Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionFlags, SectionIndex,
    SymbolKind, elf,
};

use super::BuildError;
use super::error::file;
use super::symbols::Symbols;

/// The objects of a submission, as a graph of their sections.
pub struct Graph {
    /// Sections by object, in the order of the objects.
    objects: Vec<HashMap<SectionIndex, Section>>,
    /// Where a global name is defined.
    definitions: HashMap<String, Place>,
}

/// A section that is loaded.
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its contents; none where it begins as zeros.
    pub bytes: Vec<u8>,
    /// Whether it holds code.
    pub is_code: bool,
    /// The functions that lie in it.
    pub functions: Vec<String>,
    edges: Vec<Edge>,
}

/// A section by its object's place and its own number.
pub type Place = (usize, SectionIndex);

enum Edge {
    /// Into the same object.
    Inside(SectionIndex),
    /// To a name that another object defines, or nobody here.
    Outside(String),
}

impl Graph {
    /// Reads all objects.
    pub fn read(objects: &[Symbols]) -> Result<Self, BuildError> {
        let mut graph = Self {
            objects: Vec::new(),
            definitions: HashMap::new(),
        };
        for (place, object) in objects.iter().enumerate() {
            let bytes = fs::read(&object.path).map_err(file("read", &object.path))?;
            let broken = |error: object::Error| BuildError::Object {
                source_name: object.source_name.clone(),
                object: object.path.clone(),
                reason: error.to_string(),
            };
            let parsed = File::parse(&*bytes).map_err(broken)?;
            for symbol in parsed.symbols().filter(ObjectSymbol::is_global) {
                if let (Ok(name), Some(section)) = (symbol.name(), symbol.section_index()) {
                    let weak = symbol.is_weak() && graph.definitions.contains_key(name);
                    if !weak {
                        graph.definitions.insert(name.to_owned(), (place, section));
                    }
                }
            }
            graph.objects.push(sections(&parsed).map_err(broken)?);
        }
        Ok(graph)
    }

    /// Where a global name is defined.
    pub fn definition(&self, name: &str) -> Option<Place> {
        self.definitions.get(name).copied()
    }

    /// The section at a place that was found here.
    pub fn section(&self, place: Place) -> Option<&Section> {
        self.objects.get(place.0)?.get(&place.1)
    }

    /// Every section that can be reached from these names without a call of another object's
    /// function of which `is_closed` says so.
    pub fn reach<'a>(
        &self,
        roots: impl IntoIterator<Item = &'a str>,
        is_closed: &dyn Fn(&str) -> bool,
    ) -> HashSet<Place> {
        let mut ahead: Vec<Place> = roots
            .into_iter()
            .filter_map(|name| self.definition(name))
            .collect();
        let mut seen = HashSet::new();
        while let Some(place) = ahead.pop() {
            if !seen.insert(place) {
                continue;
            }
            let edges = self.section(place).map_or(&[][..], |it| &it.edges);
            ahead.extend(edges.iter().filter_map(|edge| match edge {
                Edge::Inside(section) => Some((place.0, *section)),
                Edge::Outside(name) if is_closed(name) => None,
                Edge::Outside(name) => self.definition(name),
            }));
        }
        seen
    }

    /// Names of other objects that the sections at these places use.
    pub fn names_used(&self, places: &HashSet<Place>) -> HashSet<&str> {
        let sections = places.iter().filter_map(|place| self.section(*place));
        sections
            .flat_map(|section| &section.edges)
            .filter_map(|edge| match edge {
                Edge::Outside(name) => Some(name.as_str()),
                Edge::Inside(_) => None,
            })
            .collect()
    }
}

fn sections(object: &File) -> object::Result<HashMap<SectionIndex, Section>> {
    let mut sections = HashMap::new();
    for section in object.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
            continue;
        };
        if !sh_flags.contains(elf::SHF_ALLOC) {
            continue;
        }
        let mut edges = Vec::new();
        for (_, relocation) in section.relocations() {
            match relocation.target() {
                RelocationTarget::Section(section) => edges.push(Edge::Inside(section)),
                RelocationTarget::Symbol(index) => {
                    let symbol = object.symbol_by_index(index)?;
                    edges.push(match symbol.section_index() {
                        Some(section) => Edge::Inside(section),
                        None => Edge::Outside(symbol.name()?.to_owned()),
                    });
                }
                _ => {}
            }
        }
        let described = Section {
            name: section.name()?.to_owned(),
            bytes: section.data()?.to_vec(),
            is_code: sh_flags.contains(elf::SHF_EXECINSTR),
            functions: Vec::new(),
            edges,
        };
        sections.insert(section.index(), described);
    }
    let functions = object
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text);
    for symbol in functions {
        let section = symbol
            .section_index()
            .and_then(|index| sections.get_mut(&index));
        if let Some(section) = section {
            section.functions.push(symbol.name()?.to_owned());
        }
    }
    Ok(sections)
}
