//! Names that are not the submission's: what it must not define, and what it must not call.

use std::collections::HashSet;

use super::BuildError;
use super::symbols::Symbols;

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
    ("valloc", C_LIBRARY, HEAP),
    ("pvalloc", C_LIBRARY, HEAP),
    ("reallocarray", C_LIBRARY, HEAP),
    ("malloc_usable_size", C_LIBRARY, HEAP),
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
    "realpath",
    "scandir",
    "tempnam",
    "vasprintf",
];

/// Firmware has no start-up code that would call a submission's constructors; left out, they could
/// change what it computes.
pub fn check_constructors(objects: &[Symbols]) -> Result<(), BuildError> {
    match objects.iter().find(|object| object.constructors) {
        None => Ok(()),
        Some(object) => Err(BuildError::Constructors {
            source_name: object.source_name.clone(),
        }),
    }
}

/// No object defines a name that is not its own, or takes memory from a heap that is not.
pub fn check(objects: &[Symbols]) -> Result<(), BuildError> {
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

#[cfg(test)]
mod tests {
    use super::super::rename::RENAMED;
    use super::super::symbols::tests::object;
    use super::*;

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
            let error = check(&[object("a.c", &["f", name], &[])]).unwrap_err();
            let text = error.to_string();
            assert!(text.starts_with(&format!("a.c defines {name}")), "{text}");
        }
        assert!(check(&[object("a.c", &["randombytes"], &["memcpy", "malloc"])]).is_ok());
    }

    #[test]
    fn everything_that_ends_or_allocates_in_the_c_library_is_reserved() {
        // A submission may have these of its own: they take nothing that is not theirs.
        let free = ["meter_randombytes", "meter_strdup", "meter_strndup"];
        for (name, to) in RENAMED.iter().filter(|(_, to)| !free.contains(to)) {
            assert!(
                RESERVED.iter().any(|(reserved, ..)| reserved == name),
                "{name} is renamed to {to} but may be defined"
            );
        }
    }

    #[test]
    fn memory_from_the_library_s_own_heap_is_refused() {
        let error = check(&[object("a.c", &["f"], &["getline"])]).unwrap_err();
        assert!(error.to_string().contains("getline"), "{error}");
        let own = [
            object("a.c", &["f"], &["getline"]),
            object("b.c", &["getline"], &[]),
        ];
        assert!(check(&own).is_ok());
    }
}
