//! The global names of objects: for which machine, defined once, and none that is not theirs.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;

use catalogue::{Architecture, Instance, Interface};
use object::{File, Object, ObjectSymbol};

use super::BuildError;
use super::compile::Compiled;
use super::error::file;

/// Names that a submission must not define, whose they are, and what follows otherwise.
const RESERVED: &[(&str, &str, &str)] = &[
    ("memcpy", C_LIBRARY, SHARED),
    ("memmove", C_LIBRARY, SHARED),
    ("memset", C_LIBRARY, SHARED),
    ("memcmp", C_LIBRARY, SHARED),
    ("bcmp", C_LIBRARY, SHARED),
    ("strlen", C_LIBRARY, SHARED),
    ("malloc", C_LIBRARY, HEAP),
    ("calloc", C_LIBRARY, HEAP),
    ("realloc", C_LIBRARY, HEAP),
    ("free", C_LIBRARY, HEAP),
    ("aligned_alloc", C_LIBRARY, HEAP),
    ("posix_memalign", C_LIBRARY, HEAP),
    ("memalign", C_LIBRARY, HEAP),
    ("abort", C_LIBRARY, ENDING),
    ("exit", C_LIBRARY, ENDING),
    ("_exit", C_LIBRARY, ENDING),
    ("_Exit", C_LIBRARY, ENDING),
    ("quick_exit", C_LIBRARY, ENDING),
    ("__assert_fail", C_LIBRARY, ENDING),
    ("__assert_func", C_LIBRARY, ENDING),
    ("main", "the meter", PROGRAM),
    ("_start", "the meter", PROGRAM),
    ("rust_eh_personality", "Rust's runtime", SHARED),
    ("rust_begin_unwind", "Rust's runtime", SHARED),
];

/// The beginning of the names through which the meter serves the submission.
const METER_PREFIX: &str = "meter_";

const C_LIBRARY: &str = "the C library";
const SHARED: &str = "the meter would run the submission's copy of it";
const HEAP: &str = "the heap is the meter's, which counts it";
const ENDING: &str = "the meter must learn that the submission gives up";
const PROGRAM: &str = "leave out the source with the test program";

/// Functions that hand out memory of the C library's own heap.
const FOREIGN_HEAP: &[&str] = &[
    "asprintf",
    "getdelim",
    "getline",
    "open_memstream",
    "pvalloc",
    "realpath",
    "reallocarray",
    "strdup",
    "strndup",
    "valloc",
    "vasprintf",
];

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
}

/// The functions that the meter calls.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Functions {
    /// Of a KEM.
    Kem {
        /// Key generation.
        keypair: String,
        /// Encapsulation.
        enc: String,
        /// Decapsulation.
        dec: String,
    },
    /// Of a signature scheme.
    Sig {
        /// All but key generation take a context besides the message.
        with_context: bool,
        /// Key generation.
        keypair: String,
        /// Signature apart from the message.
        signature: String,
        /// Its verification.
        verify: String,
        /// Signature and message in one.
        sign: String,
        /// Its verification.
        open: String,
    },
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
    check_owners(&objects)?;
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

/// No object defines a name that is not its own, or takes memory from a heap that is not.
fn check_owners(objects: &[Symbols]) -> Result<(), BuildError> {
    for object in objects {
        let mut names: Vec<_> = object.defined.iter().collect();
        names.sort();
        for name in names {
            let reserved = RESERVED.iter().find(|(reserved, ..)| reserved == name);
            let owner = match reserved {
                Some((_, owner, remedy)) => Some((*owner, *remedy)),
                None if name.starts_with(METER_PREFIX) => Some((
                    "the meter",
                    "its names are what the submission's calls are led to",
                )),
                None => None,
            };
            if let Some((owner, remedy)) = owner {
                return Err(BuildError::Reserved {
                    source_name: object.source_name.clone(),
                    symbol: name.clone(),
                    owner,
                    remedy,
                });
            }
        }
    }
    let defined: HashSet<&String> = objects.iter().flat_map(|object| &object.defined).collect();
    for object in objects {
        for name in FOREIGN_HEAP {
            let name = (*name).to_owned();
            if object.undefined.contains(&name) && !defined.contains(&name) {
                return Err(BuildError::ForeignHeap {
                    source_name: object.source_name.clone(),
                    symbol: name,
                });
            }
        }
    }
    Ok(())
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

/// The functions of the instance's interface, all of which must be there.
pub fn required(instance: &Instance, objects: &[Symbols]) -> Result<Functions, BuildError> {
    let Interface::Nist { prefix } = &instance.interface;
    let defined: HashSet<&str> = objects
        .iter()
        .flat_map(|object| &object.defined)
        .map(String::as_str)
        .collect();
    let mut missing = Vec::new();
    let mut named = |name: String| {
        if !defined.contains(name.as_str()) {
            missing.push(name.clone());
        }
        name
    };
    let functions = match instance.category {
        wire::Category::Kem => Functions::Kem {
            keypair: named(format!("{prefix}crypto_kem_keypair")),
            enc: named(format!("{prefix}crypto_kem_enc")),
            dec: named(format!("{prefix}crypto_kem_dec")),
        },
        wire::Category::Sig => {
            // Schemes with a context have the plain names as macros that pass an empty one.
            let context = format!("{prefix}crypto_sign_signature_ctx");
            let with_context = defined.contains(context.as_str());
            let suffix = if with_context { "_ctx" } else { "" };
            Functions::Sig {
                with_context,
                keypair: named(format!("{prefix}crypto_sign_keypair")),
                signature: named(format!("{prefix}crypto_sign_signature{suffix}")),
                verify: named(format!("{prefix}crypto_sign_verify{suffix}")),
                sign: named(format!("{prefix}crypto_sign{suffix}")),
                open: named(format!("{prefix}crypto_sign_open{suffix}")),
            }
        }
    };
    if missing.is_empty() {
        Ok(functions)
    } else {
        Err(BuildError::Missing {
            instance: instance.name(),
            missing: missing.join(", "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::rename::RENAMED;
    use super::*;

    fn object(source: &str, defined: &[&str], undefined: &[&str]) -> Symbols {
        let set = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        Symbols {
            source_name: source.into(),
            path: "/none".into(),
            defined: set(defined),
            weak: HashSet::new(),
            undefined: set(undefined),
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

    #[test]
    fn names_of_others_are_refused() {
        for name in [
            "memcpy",
            "malloc",
            "exit",
            "main",
            "meter_malloc",
            "__assert_func",
        ] {
            let error = check_owners(&[object("a.c", &["f", name], &[])]).unwrap_err();
            let text = error.to_string();
            assert!(text.starts_with(&format!("a.c defines {name}")), "{text}");
        }
        assert!(check_owners(&[object("a.c", &["randombytes"], &["memcpy", "malloc"])]).is_ok());
    }

    #[test]
    fn everything_that_ends_or_allocates_in_the_c_library_is_reserved() {
        for (name, to) in RENAMED.iter().filter(|(_, to)| *to != "meter_randombytes") {
            assert!(
                RESERVED.iter().any(|(reserved, ..)| reserved == name),
                "{name} is renamed to {to} but may be defined"
            );
        }
    }

    #[test]
    fn memory_from_the_library_s_own_heap_is_refused() {
        let error = check_owners(&[object("a.c", &["f"], &["strdup"])]).unwrap_err();
        assert!(error.to_string().contains("strdup"), "{error}");
        let own = [
            object("a.c", &["f"], &["strdup"]),
            object("b.c", &["strdup"], &[]),
        ];
        assert!(check_owners(&own).is_ok());
    }
}
