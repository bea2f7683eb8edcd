//! Sizes of keys and messages: those of an instance are the same on all systems, and told once.

use std::collections::BTreeMap;

use wire::Category;

use super::rows::{Numbers, Row, instances};
use crate::report::cell::Cell;
use crate::report::evidence::CATEGORIES;
use crate::report::model::Column;
use crate::report::page::sizes_table;

/// What an instance claims on some systems.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Candidate and label.
    pub name: String,
    /// The category.
    pub category: Category,
    /// The category in words.
    pub category_name: &'static str,
    /// The first row that it is about.
    pub first: usize,
    /// The systems.
    pub systems: Vec<String>,
    /// What is claimed, with headings.
    pub sizes: Vec<(Column, Cell)>,
    /// The rows that it is about.
    pub numbers: Numbers,
}

impl Claim {
    /// The place of its category.
    pub fn rank(&self) -> usize {
        let place = CATEGORIES.iter().position(|known| *known == self.category);
        place.unwrap_or(CATEGORIES.len())
    }

    /// The numbers of bytes, by what they are of.
    pub fn plotted(&self) -> Vec<(&str, u64)> {
        let sizes = self.sizes.iter();
        let bytes = sizes.filter_map(|(column, cell)| match cell {
            Cell::Bytes(bytes) if column.title != "passes" => {
                Some((column.title.trim_end_matches(" (bytes)"), *bytes))
            }
            _ => None,
        });
        bytes.collect()
    }
}

/// All claims, in the order of the rows.
pub fn claims(rows: &[Row]) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    let mut known: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for rows in instances(rows) {
        let Some(category) = rows[0].category else {
            continue;
        };
        let sizes = sizes_table(category, rows[0].label);
        let name = rows[0].name();
        let system = rows[0].system.name.clone();
        let alike = known.entry(name.clone()).or_default();
        let same = alike.iter().copied().find(|claim| {
            let claim = &claims[*claim];
            claim.category == category && claim.sizes == sizes
        });
        if let Some(claim) = same.and_then(|claim| claims.get_mut(claim)) {
            claim.systems.push(system);
            claim.numbers.add(Numbers::of(rows));
            continue;
        }
        alike.push(claims.len());
        claims.push(Claim {
            name,
            category,
            category_name: rows[0].category_name(),
            first: rows[0].number,
            systems: vec![system],
            sizes,
            numbers: Numbers::of(rows),
        });
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::super::rows::rows;
    use super::*;
    use crate::report::tests::examples;

    #[test]
    fn the_same_sizes_on_two_systems_are_one_claim() {
        let mut other = examples::kem();
        other.name = "board".to_owned();
        let systems = [examples::kem(), other];
        let claims = claims(&rows(&systems));
        assert_eq!(claims.len(), 2);
        assert_eq!(claims[0].systems, ["bench", "board"]);
        assert_eq!(claims[0].numbers.to_string(), "0-2 4-6");
        let sizes = [("public key", 1184), ("secret key", 2400)];
        assert_eq!(claims[0].plotted()[..2], sizes);

        let mut systems = systems;
        for record in &mut systems[1].candidates[0].labels[0].records {
            record.sizes.pk_bytes = Some(1);
        }
        let claims = super::claims(&rows(&systems));
        assert_eq!(claims.len(), 3);
        assert_eq!(claims[2].systems, ["board"]);
    }

    #[test]
    fn passes_are_no_bytes() {
        let systems = [examples::exchange()];
        let claims = claims(&rows(&systems));
        let plotted = claims[0].plotted();
        assert!(plotted.iter().all(|(name, _)| *name != "passes"));
        assert!(
            plotted.iter().any(|(name, _)| *name == "bandwidth"),
            "{plotted:?}"
        );
    }
}
