//! The order in which a campaign measures the instances of a system: cheapest first, so that a
//! night that is too short leaves out as few as possible.

use catalogue::Instance;
use regex::Regex;

/// Puts instances in order: what is deferred at the end; before that, and within it, first those
/// of known cost, the cheapest first, then the others as they came.
pub fn arrange(
    instances: &mut [&Instance],
    defer: Option<&Regex>,
    seconds: &dyn Fn(&Instance) -> Option<f64>,
) {
    instances.sort_by_cached_key(|instance| {
        (
            is_deferred(defer, instance),
            Cost(seconds(instance).unwrap_or(f64::INFINITY)),
        )
    });
}

/// Whether an instance is measured last.
pub fn is_deferred(defer: Option<&Regex>, instance: &Instance) -> bool {
    defer.is_some_and(|defer| defer.is_match(&instance.name()))
}

/// Seconds that can be put in order.
struct Cost(f64);

impl Ord for Cost {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Cost {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cost {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Cost {}

#[cfg(test)]
mod tests {
    use catalogue::Catalogue;

    use super::*;
    use crate::project::Project;

    #[test]
    fn cheapest_first_then_what_is_unknown_then_what_is_deferred() {
        let catalogue = Catalogue::load(&Project::find().unwrap().root).unwrap();
        let names = [
            "HQC-128",
            "ML-DSA-44",
            "ML-KEM-512",
            "ML-KEM-768",
            "Falcon-512",
        ];
        let find = |name: &str| catalogue.find(&format!("pqclean/{name}")).unwrap();
        let order = |defer: Option<&str>| {
            let mut instances = names.map(find);
            let defer = defer.map(|defer| Regex::new(defer).unwrap());
            arrange(
                &mut instances,
                defer.as_ref(),
                &|instance| match instance.label.as_str() {
                    "HQC-128" => Some(30.0),
                    "ML-KEM-768" => Some(2.0),
                    "Falcon-512" => Some(10.0),
                    _ => None,
                },
            );
            instances.map(|instance| instance.label.clone())
        };
        assert_eq!(
            order(None),
            [
                "ML-KEM-768",
                "Falcon-512",
                "HQC-128",
                "ML-DSA-44",
                "ML-KEM-512"
            ]
        );
        assert_eq!(
            order(Some("^pqclean/ML-KEM")),
            [
                "Falcon-512",
                "HQC-128",
                "ML-DSA-44",
                "ML-KEM-768",
                "ML-KEM-512"
            ]
        );
    }
}
