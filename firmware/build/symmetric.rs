//! Everything symmetric that an instance can reach, from its objects.

use std::collections::{BTreeMap, HashSet};

use catalogue::{Architecture, Primitive, Symmetric, SymmetricFunction};
use wire::helper_of_symbol;

use super::counted::{Counted, served_by_the_meter};
use super::functions::Functions;
use super::primitives;
use super::reach::{Graph, Place, Section};
use super::symbols::Symbols;

/// What the objects say, before any of their names is changed.
pub fn describe(
    objects: &[Symbols],
    graph: &Graph,
    functions: &Functions,
    counted: &[Counted],
    architecture: Architecture,
) -> Symmetric {
    // The meter calls the generator's own functions outside of every operation.
    let roots: Vec<&str> = functions
        .named
        .iter()
        .map(|(_, symbol)| symbol.as_str())
        .chain(functions.passes.iter().map(String::as_str))
        .filter(|symbol| helper_of_symbol(symbol).is_none())
        .collect();
    let is_counted = |name: &str| counted.iter().any(|counted| counted.symbol == name);
    let reached = graph.reach(roots.iter().copied(), &|_| false);
    let unseen = graph.reach(roots.iter().copied(), &is_counted);
    Symmetric {
        functions: known_functions(objects, graph, counted, &reached, &unseen),
        primitives: known_primitives(objects, graph, architecture, &reached, &unseen),
    }
}

fn known_functions(
    objects: &[Symbols],
    graph: &Graph,
    counted: &[Counted],
    reached: &HashSet<Place>,
    unseen: &HashSet<Place>,
) -> Vec<SymmetricFunction> {
    let used = graph.names_used(reached);
    let mut functions = BTreeMap::new();
    for (number, object) in objects.iter().enumerate() {
        for symbol in &object.defined {
            let place = graph.definition(symbol);
            let is_here = place.is_some_and(|(object, _)| object == number);
            let is_reached = place.is_some_and(|place| reached.contains(&place));
            // A package's own randombytes is a function like any other.
            let is_known = helper_of_symbol(symbol).is_some();
            let is_known = is_known && served_by_the_meter(symbol).is_none();
            if is_here && is_reached && is_known {
                let function = SymmetricFunction {
                    symbol: symbol.clone(),
                    source: Some(object.source_name.clone()),
                    counted: used.contains(symbol.as_str()),
                    called_inside: place.is_some_and(|place| unseen.contains(&place)),
                };
                functions.insert(symbol.clone(), function);
            }
        }
    }
    for counted in counted {
        let is_used = used.contains(counted.symbol.as_str());
        if is_used && graph.definition(&counted.symbol).is_none() {
            let function = SymmetricFunction {
                symbol: counted.symbol.clone(),
                source: None,
                counted: true,
                called_inside: false,
            };
            functions.insert(counted.symbol.clone(), function);
        }
    }
    functions.into_values().collect()
}

fn known_primitives(
    objects: &[Symbols],
    graph: &Graph,
    architecture: Architecture,
    reached: &HashSet<Place>,
    unseen: &HashSet<Place>,
) -> Vec<Primitive> {
    let mut found = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        let among = |places: &HashSet<Place>| {
            let of_object = places.iter().filter(|(object, _)| *object == number);
            let sections: Vec<&Section> = of_object
                .filter_map(|place| graph.section(*place))
                .collect();
            primitives::find(&sections, architecture)
        };
        let unseen = among(unseen);
        for (name, section) in among(reached) {
            found.push(Primitive {
                name: name.to_owned(),
                source: object.source_name.clone(),
                section,
                observable: !unseen.iter().any(|(other, _)| *other == name),
            });
        }
    }
    found.sort_by(|a, b| (&a.name, &a.source).cmp(&(&b.name, &b.source)));
    found
}
