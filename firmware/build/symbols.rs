//! The global names of objects: for which machine they are, and that each is defined once.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;

use catalogue::{Architecture, Instance};
use object::{File, Object, ObjectSection, ObjectSymbol};

use super::BuildError;
use super::compile::Compiled;
use super::error::file;

/// Sections with the addresses of functions that start-up code calls.
const CONSTRUCTORS: [&str; 4] = [".init_array", ".fini_array", ".preinit_array", ".ctors"];

/// An object and its global names.
#[derive(Debug)]
pub struct Symbols {
    /// The source that it was made of.
    pub source_name: String,
    /// The object.
    pub path: PathBuf,
    /// Names that it defines.
    pub defined: HashSet<String>,
    /// Those of them that another object may define as well.
    pub weak: HashSet<String>,
    /// Names that it uses and leaves to others.
    pub undefined: HashSet<String>,
    /// It has functions that are to run before the program begins or after it ends.
    pub constructors: bool,
}

/// Reads all objects and checks them.
pub fn read_all(
    instance: &Instance,
    compiled: &[Compiled],
    architecture: Architecture,
) -> Result<Vec<Symbols>, BuildError> {
    let objects = compiled
        .iter()
        .map(|unit| read(instance.source_name(&unit.source), unit, architecture))
        .collect::<Result<Vec<_>, _>>()?;
    check_definitions(&objects)?;
    Ok(objects)
}

fn read(
    source_name: String,
    unit: &Compiled,
    architecture: Architecture,
) -> Result<Symbols, BuildError> {
    let bytes = fs::read(&unit.object).map_err(file("read", &unit.object))?;
    let object = File::parse(&*bytes).map_err(|error| BuildError::Object {
        source_name: source_name.clone(),
        object: unit.object.clone(),
        reason: error.to_string(),
    })?;
    let expected = match architecture {
        Architecture::Aarch64 => object::Architecture::Aarch64,
        Architecture::X86_64 => object::Architecture::X86_64,
    };
    if object.architecture() != expected {
        return Err(BuildError::WrongMachine {
            source_name,
            found: format!("{:?}", object.architecture()).to_lowercase(),
            expected: architecture.name(),
            compiler: unit.command.first().cloned().unwrap_or_default(),
        });
    }
    let mut symbols = Symbols {
        source_name,
        path: unit.object.clone(),
        defined: HashSet::new(),
        weak: HashSet::new(),
        undefined: HashSet::new(),
        constructors: object.sections().any(|section| {
            let name = section.name().unwrap_or_default();
            CONSTRUCTORS.iter().any(|start| name.starts_with(start)) && section.size() > 0
        }),
    };
    for symbol in object.symbols().filter(ObjectSymbol::is_global) {
        // A name that is not text cannot be one that anything here looks for.
        let Ok(name) = symbol.name() else { continue };
        if symbol.is_undefined() {
            symbols.undefined.insert(name.to_owned());
        } else {
            if symbol.is_weak() {
                symbols.weak.insert(name.to_owned());
            }
            symbols.defined.insert(name.to_owned());
        }
    }
    Ok(symbols)
}

/// No name is defined by two objects, unless it is weak in one of them.
fn check_definitions(objects: &[Symbols]) -> Result<(), BuildError> {
    let mut first: HashMap<&str, &Symbols> = HashMap::new();
    for object in objects {
        let mut names: Vec<_> = object.defined.difference(&object.weak).collect();
        names.sort();
        for name in names {
            if let Some(other) = first.insert(name, object) {
                return Err(BuildError::DefinedTwice {
                    symbol: name.clone(),
                    first: other.source_name.clone(),
                    second: object.source_name.clone(),
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// An object with these names.
    pub fn object(source: &str, defined: &[&str], undefined: &[&str]) -> Symbols {
        let set = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        Symbols {
            source_name: source.into(),
            path: "/none".into(),
            defined: set(defined),
            weak: HashSet::new(),
            undefined: set(undefined),
            constructors: false,
        }
    }

    #[test]
    fn a_name_that_is_defined_twice_names_both_sources() {
        let objects = [
            object("a.c", &["f", "g"], &[]),
            object("b.c", &["g"], &["f"]),
        ];
        let error = check_definitions(&objects).unwrap_err().to_string();
        assert_eq!(error, "g is defined twice, in a.c and in b.c");
        assert!(check_definitions(&objects[..1]).is_ok());
    }

    #[test]
    fn a_weak_definition_may_be_replaced() {
        let mut weak = object("b.c", &["g"], &[]);
        weak.weak.insert("g".into());
        assert!(check_definitions(&[object("a.c", &["g"], &[]), weak]).is_ok());
    }
}
