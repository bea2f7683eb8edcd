//! A share of the instances, so that several jobs or machines divide a campaign among them.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// Part `number` of `of`.
///
/// An instance belongs to exactly one part, by the SHA-256 of its name `<id>/<label>`: its first
/// eight bytes, most significant first, modulo `of`. So a part depends neither on what else is
/// chosen nor on what else is there, and all operations of a label are in one part. Parts differ in
/// size by chance, and one of a small campaign may be empty.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Shard {
    number: u32,
    of: u32,
}

impl Shard {
    /// Whether an instance of this name is in this part.
    pub fn holds(self, name: &str) -> bool {
        let digest = Sha256::digest(name.as_bytes());
        let first = digest.iter().take(8);
        let hash = first.fold(0, |hash: u64, byte| hash << 8 | u64::from(*byte));
        hash % u64::from(self.of) == u64::from(self.number - 1)
    }

    /// The other parts of the same division.
    pub fn others(self) -> impl Iterator<Item = Self> {
        let numbers = 1..=self.of;
        numbers
            .filter(move |number| *number != self.number)
            .map(move |number| Self { number, ..self })
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if 1 <= number && number <= of => Ok(Self { number, of }),
            _ => Err(
                "K/N is needed: part K of N, from 1/N to N/N, such as 2/4 for the second quarter"
                    .to_owned(),
            ),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_instance_is_in_exactly_one_part(
            names in prop::collection::vec(any::<String>(), 1..50), of in 1u32..40,
        ) {
            let parts: Vec<Shard> = (1..=of).map(|number| Shard { number, of }).collect();
            for name in &names {
                let holders = parts.iter().filter(|part| part.holds(name));
                prop_assert_eq!(holders.count(), 1);
            }
            for part in parts {
                prop_assert_eq!(part.others().count(), of as usize - 1);
                prop_assert!(part.others().all(|other| other != part));
                prop_assert_eq!(part.to_string().parse(), Ok(part));
            }
        }
    }

    #[test]
    fn parts_are_those_of_earlier_versions() {
        let part = |name: &str| {
            (1..=4).find(|number| {
                Shard {
                    number: *number,
                    of: 4,
                }
                .holds(name)
            })
        };
        // printf pqclean/ML-KEM-768 | sha256sum: the sixteenth digit, modulo 4, plus 1.
        let names = ["pqclean/ML-KEM-512", "pqclean/ML-KEM-768", "sha3/SHA3-256"];
        assert_eq!(names.map(part), [Some(3), Some(4), Some(1)]);
    }

    #[test]
    fn what_is_no_part_is_refused_with_the_form() {
        for wrong in [
            "", "1", "0/4", "5/4", "1/0", "-1/4", "1/4/2", "a/b", "1/", "/4", " 1/4",
        ] {
            let error = wrong.parse::<Shard>().unwrap_err();
            assert!(error.starts_with("K/N is needed"), "{wrong}: {error}");
        }
    }
}
