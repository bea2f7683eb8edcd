//! Whether a submission relies on the symmetric functions of the NGCC interface, on its own, or on
//! both; derived from what its objects reach.
//!
//! A primitive is known by the names of its functions or by its constants. One that has neither is
//! not seen, and nothing here says that there is none.

use catalogue::{Primitive, Symmetric, SymmetricFunction};
use serde::{Deserialize, Serialize};
use wire::{Category, Family, helper_of_symbol};

/// The three answers of the published pages.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    /// The interface's hash functions, and no other primitive that is known.
    #[serde(rename = "ICCS-only")]
    IccsOnly,
    /// Both.
    #[serde(rename = "mixed")]
    Mixed,
    /// None of the interface's hash functions.
    #[serde(rename = "bypass")]
    Bypass,
}

impl Kind {
    /// The name in profiles and on pages.
    pub fn name(self) -> &'static str {
        match self {
            Self::IccsOnly => "ICCS-only",
            Self::Mixed => "mixed",
            Self::Bypass => "bypass",
        }
    }
}

/// An answer with its reason.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The answer.
    pub verdict: Kind,
    /// What it follows from.
    pub reason: String,
}

impl Verdict {
    /// The verdict on an instance; `None` for a hash function that calls none of the interface's:
    /// it is a primitive itself.
    pub fn of(symmetric: &Symmetric, category: Category) -> Option<Self> {
        let called = names_of(symmetric, &|family| family.is_iccs_hash());
        let others = others(symmetric);
        let (verdict, reason) = match (&called[..], &others[..]) {
            ([], _) if category == Category::Hash => return None,
            ([], []) => (Kind::Bypass, "no hash function or KDF at all".to_owned()),
            ([], _) => (
                Kind::Bypass,
                format!(
                    "no hash function of the interface is called; {}",
                    others.join(", ")
                ),
            ),
            (_, []) => (
                Kind::IccsOnly,
                format!("{}, and no other known primitive", called.join(", ")),
            ),
            _ => (
                Kind::Mixed,
                format!("{}, and {}", called.join(", "), others.join(", ")),
            ),
        };
        Some(Self { verdict, reason })
    }
}

/// Names of the functions of the families that are wanted.
fn names_of(symmetric: &Symmetric, is_wanted: &dyn Fn(Family) -> bool) -> Vec<String> {
    let helpers = symmetric
        .functions
        .iter()
        .filter_map(|function| helper_of_symbol(&function.symbol));
    let mut names: Vec<String> = helpers
        .filter(|(_, helper)| is_wanted(helper.family))
        .map(|(_, helper)| helper.name.to_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Primitives beside the interface's, each with where it was found: by their constants, and by the
/// names of functions whose constants were not found. A copy of SM3 that is reached on other ways
/// than through the interface is one of them.
fn others(symmetric: &Symmetric) -> Vec<String> {
    let is_other =
        |primitive: &&Primitive| primitive.name != Symmetric::OWN || !primitive.observable;
    let mut found: Vec<String> = symmetric
        .primitives
        .iter()
        .filter(is_other)
        .map(|primitive| format!("{} in {}", primitive.name, primitive.source))
        .collect();
    for (family, name) in [
        (Family::Fips202, "Keccak"),
        (Family::Sha2, "SHA-2"),
        (Family::Aes, "AES"),
    ] {
        let by_constants = symmetric.primitives.iter().any(|it| it.name == name);
        let names = names_of(symmetric, &|other| other == family);
        if !by_constants && !names.is_empty() {
            found.push(names.join(", "));
        }
    }
    found
}

/// What is symmetric and on a way that no counter sees, in words.
pub fn not_observable(symmetric: &Symmetric) -> Vec<String> {
    let primitives = symmetric.primitives.iter().filter(|it| !it.observable);
    let primitives: Vec<&Primitive> = primitives.collect();
    let functions = symmetric.functions.iter().filter(|it| it.called_inside);
    let functions = functions.filter_map(|it| {
        let SymmetricFunction { symbol, source, .. } = it;
        let source = source.as_ref()?;
        // The primitive says it all.
        let is_said = primitives.iter().any(|it| it.source == *source);
        (!is_said).then(|| format!("calls of {symbol} inside {source}, which defines it"))
    });
    let named = |it: &&Primitive| format!("{} in {}", it.name, it.source);
    primitives.iter().map(named).chain(functions).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(symbol: &str) -> SymmetricFunction {
        SymmetricFunction {
            symbol: symbol.to_owned(),
            source: Some("auxfunc.c".to_owned()),
            counted: true,
            called_inside: false,
        }
    }

    fn primitive(name: &str, source: &str, observable: bool) -> Primitive {
        Primitive {
            name: name.to_owned(),
            source: source.to_owned(),
            section: ".rodata".to_owned(),
            observable,
        }
    }

    fn verdict(functions: &[&str], primitives: &[Primitive]) -> (Kind, String) {
        let symmetric = Symmetric {
            functions: functions.iter().map(|symbol| function(symbol)).collect(),
            primitives: primitives.to_vec(),
        };
        let verdict = Verdict::of(&symmetric, Category::Kem).unwrap();
        (verdict.verdict, verdict.reason)
    }

    #[test]
    fn the_three_answers() {
        let sm3 = primitive("SM3", "auxfunc.c", true);
        let keccak = primitive("Keccak", "fips202.c", true);
        let drng = "get_random_number";
        let (kind, reason) = verdict(&[drng, "pseudohash"], std::slice::from_ref(&sm3));
        assert_eq!(kind, Kind::IccsOnly);
        assert_eq!(reason, "pseudohash, and no other known primitive");
        let (kind, reason) = verdict(&[drng, "pseudohash"], &[sm3.clone(), keccak.clone()]);
        assert_eq!(kind, Kind::Mixed);
        assert_eq!(reason, "pseudohash, and Keccak in fips202.c");
        let (kind, reason) = verdict(&[drng, "shake256"], &[sm3.clone(), keccak]);
        assert_eq!(kind, Kind::Bypass);
        assert!(reason.ends_with("called; Keccak in fips202.c"), "{reason}");
        let (kind, reason) = verdict(&[drng], &[sm3]);
        assert_eq!(kind, Kind::Bypass);
        assert_eq!(reason, "no hash function or KDF at all");
    }

    #[test]
    fn a_copy_of_its_own_is_another_primitive() {
        let own = primitive("SM3", "mine.c", false);
        let (kind, reason) = verdict(&["sm3hash"], std::slice::from_ref(&own));
        assert_eq!(kind, Kind::Mixed);
        assert_eq!(reason, "sm3hash, and SM3 in mine.c");
        assert_eq!(verdict(&[], &[own]).0, Kind::Bypass);
    }

    #[test]
    fn names_count_where_constants_were_not_found() {
        let (kind, reason) = verdict(&["pseudoXOF", "sha512", "sha256"], &[]);
        assert_eq!(kind, Kind::Mixed);
        assert_eq!(reason, "pseudoXOF, and sha256, sha512");
    }

    #[test]
    fn a_hash_function_is_a_primitive_itself() {
        let keccak = Symmetric {
            functions: Vec::new(),
            primitives: vec![primitive("Keccak", "sha3.c", false)],
        };
        assert_eq!(Verdict::of(&keccak, Category::Hash), None);
        assert_eq!(not_observable(&keccak), ["Keccak in sha3.c"]);
    }
}
