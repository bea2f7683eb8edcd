//! Which functions a profile image counts, and under what names the submission's objects call them
//! there.

use std::collections::{BTreeSet, HashSet};

use catalogue::Symmetric;
use wire::{MAX_COUNTED, helper_of_symbol};

use super::BuildError;
use super::rename::RENAMED;
use super::symbols::Symbols;

/// The beginning of a counter's name.
const PREFIX: &str = "meter_counted_";

/// A function that is counted.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Counted {
    /// What the objects call.
    pub symbol: String,
    /// What they call instead.
    pub counter: String,
    /// What the counter calls.
    pub function: String,
    /// Which function it is, by its place in [`wire::HELPERS`].
    pub helper: u8,
}

/// The functions that an object calls and another one defines, or the meter.
///
/// Calls inside the file that defines a function stay what they are: the compiler may rely there on
/// the registers that it knows the function to leave alone.
pub fn select(objects: &[Symbols]) -> Vec<Counted> {
    let defined: HashSet<&str> = objects
        .iter()
        .flat_map(|object| &object.defined)
        .map(String::as_str)
        .collect();
    let called: BTreeSet<&str> = objects
        .iter()
        .flat_map(|object| &object.undefined)
        .map(String::as_str)
        .collect();
    called
        .into_iter()
        .filter_map(|symbol| {
            let (helper, _) = helper_of_symbol(symbol)?;
            let function = match (served_by_the_meter(symbol), defined.contains(symbol)) {
                // Of a package's own, the calls are counted that it makes of the interface's.
                (Some(_), true) => None,
                (None, true) => Some(symbol),
                (served, false) => served,
            }?;
            Some(Counted {
                symbol: symbol.to_owned(),
                counter: format!("{PREFIX}{symbol}"),
                function: function.to_owned(),
                helper,
            })
        })
        .collect()
}

/// Those of the functions that the interface's can reach; what only unused code calls needs no
/// counter.
pub fn reached(called: Vec<Counted>, symmetric: &Symmetric) -> Result<Vec<Counted>, BuildError> {
    let is_reached = |counted: &Counted| {
        let mut functions = symmetric.functions.iter();
        functions.any(|function| function.counted && function.symbol == counted.symbol)
    };
    let counted: Vec<Counted> = called.into_iter().filter(is_reached).collect();
    match counted.len() {
        found if found > MAX_COUNTED => Err(BuildError::TooManyCounted {
            found,
            most: MAX_COUNTED,
        }),
        _ => Ok(counted),
    }
}

/// The meter's own function behind a symbol that no object defines.
pub fn served_by_the_meter(symbol: &str) -> Option<&'static str> {
    let (_, to) = RENAMED.iter().find(|(from, _)| *from == symbol)?;
    Some(to)
}

#[cfg(test)]
mod tests {
    use catalogue::SymmetricFunction;

    use super::super::symbols::tests::object;
    use super::*;

    #[test]
    fn calls_between_files_are_counted_and_others_are_not() {
        let objects = [
            object(
                "kem.c",
                &["kem_enc", "sha512"],
                &["sm3hash", "PQCLEAN_A_B_shake256x4", "randombytes", "memcpy"],
            ),
            object("aux.c", &["sm3hash", "pseudohash"], &[]),
            object("x4.c", &["PQCLEAN_A_B_shake256x4"], &["sha3_256"]),
        ];
        let counted = select(&objects);
        let names: Vec<_> = counted
            .iter()
            .map(|it| (it.symbol.as_str(), it.function.as_str()))
            .collect();
        assert_eq!(
            names,
            [
                ("PQCLEAN_A_B_shake256x4", "PQCLEAN_A_B_shake256x4"),
                ("randombytes", "meter_randombytes"),
                ("sm3hash", "sm3hash"),
            ]
        );
        assert_eq!(counted[2].counter, "meter_counted_sm3hash");
    }

    #[test]
    fn there_is_a_bound() {
        let symbols: Vec<&str> = wire::HELPERS.iter().map(|helper| helper.symbol).collect();
        let objects = [object("a.c", &symbols, &[]), object("b.c", &[], &symbols)];
        let called = select(&objects);
        let functions = called.iter().map(|counted| SymmetricFunction {
            symbol: counted.symbol.clone(),
            source: None,
            counted: true,
            called_inside: false,
        });
        let mut symmetric = Symmetric {
            functions: functions.collect(),
            primitives: Vec::new(),
        };
        let error = reached(called.clone(), &symmetric).unwrap_err().to_string();
        assert!(error.contains(&MAX_COUNTED.to_string()), "{error}");
        symmetric.functions.truncate(2);
        assert_eq!(reached(called.clone(), &symmetric).unwrap(), called[..2]);
    }
}
