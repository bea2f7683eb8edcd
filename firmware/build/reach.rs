//! Which functions an operation can reach, and the largest of their frames.
//!
//! Every function has a section of its own (`-ffunction-sections`), and so has every table of
//! addresses: what a section's relocations refer to is what its code can call or hand on. That is
//! more than ever runs, never less, but for what the C library calls back.

use std::collections::{HashMap, HashSet};
use std::fs;

use catalogue::Frame;
use object::{File, Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionIndex};

use super::BuildError;
use super::error::file;
use super::symbols::Symbols;

/// A section of an object: numbers of both.
type Node = (usize, SectionIndex);

/// What refers to what in all objects of a submission.
pub struct Reach {
    /// What each section refers to: sections of its own object, and names of others.
    edges: HashMap<Node, (Vec<Node>, Vec<String>)>,
    /// Where each global name is defined.
    global: HashMap<String, Node>,
    /// The functions in each section.
    functions: HashMap<Node, Vec<String>>,
}

impl Reach {
    /// Reads all objects.
    pub fn of(objects: &[Symbols]) -> Result<Self, BuildError> {
        let mut reach = Self {
            edges: HashMap::new(),
            global: HashMap::new(),
            functions: HashMap::new(),
        };
        for (number, symbols) in objects.iter().enumerate() {
            let bytes = fs::read(&symbols.path).map_err(file("read", &symbols.path))?;
            reach
                .add(number, &bytes)
                .map_err(|error| BuildError::Object {
                    source_name: symbols.source_name.clone(),
                    object: symbols.path.clone(),
                    reason: error.to_string(),
                })?;
        }
        Ok(reach)
    }

    fn add(&mut self, number: usize, bytes: &[u8]) -> object::Result<()> {
        let object = File::parse(bytes)?;
        for symbol in object.symbols() {
            let Some(section) = symbol.section_index() else {
                continue;
            };
            let (node, name) = ((number, section), symbol.name()?.to_owned());
            if symbol.kind() == object::SymbolKind::Text {
                self.functions.entry(node).or_default().push(name.clone());
            }
            if symbol.is_global() && (!symbol.is_weak() || !self.global.contains_key(&name)) {
                self.global.insert(name, node);
            }
        }
        for section in object.sections() {
            let (mut own, mut others) = (Vec::new(), Vec::new());
            for (_, relocation) in section.relocations() {
                match relocation.target() {
                    RelocationTarget::Section(index) => own.push((number, index)),
                    RelocationTarget::Symbol(index) => {
                        let symbol = object.symbol_by_index(index)?;
                        match symbol.section_index() {
                            Some(section) => own.push((number, section)),
                            None => others.push(symbol.name()?.to_owned()),
                        }
                    }
                    _ => {}
                }
            }
            self.edges.insert((number, section.index()), (own, others));
        }
        Ok(())
    }

    /// The functions that can run when this one is called, by object and base name.
    fn from(&self, function: &str) -> HashSet<(usize, &str)> {
        let mut seen: HashSet<Node> = HashSet::new();
        let mut waiting: Vec<Node> = self.global.get(function).copied().into_iter().collect();
        while let Some(node) = waiting.pop() {
            if !seen.insert(node) {
                continue;
            }
            let Some((own, others)) = self.edges.get(&node) else {
                continue;
            };
            waiting.extend(own);
            waiting.extend(others.iter().filter_map(|name| self.global.get(name)));
        }
        let functions = seen
            .iter()
            .filter_map(|node| Some((node.0, self.functions.get(node)?)));
        functions
            .flat_map(|(object, names)| names.iter().map(move |name| (object, base_name(name))))
            .collect()
    }

    /// The largest frame that a function can reach. `frames` has those of each object, in the order
    /// of the objects.
    pub fn largest_frame(&self, function: &str, frames: &[Vec<Frame>]) -> Option<Frame> {
        let reached = self.from(function);
        let listed = frames
            .iter()
            .enumerate()
            .flat_map(|(object, frames)| frames.iter().map(move |frame| (object, frame)));
        listed
            .filter(|(object, frame)| reached.contains(&(*object, base_name(&frame.function))))
            .map(|(_, frame)| frame)
            .max_by_key(|frame| frame.bytes)
            .cloned()
    }
}

/// A function's name without what the compiler adds for its variants, such as `.constprop.0`:
/// its list and its symbols do not agree on that.
fn base_name(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}
