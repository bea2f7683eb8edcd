//! The order in which people expect labels and operations.

use std::cmp::Ordering;

/// Operations in the order of the published pages.
const OPERATIONS: [&str; 10] = [
    "keygen", "enc", "dec", "sign", "verify", "exchange", "init_a", "init_b", "pass", "derive",
];

/// Compares two names so that numbers within them count: `ML-KEM-512` before `ML-KEM-1024`.
pub(crate) fn natural(left: &str, right: &str) -> Ordering {
    let (mut left_parts, mut right_parts) = (parts(left), parts(right));
    loop {
        let order = match (left_parts.next(), right_parts.next()) {
            (None, None) => return left.cmp(right),
            (left, right) if left.is_none() || right.is_none() => left.cmp(&right),
            (left, right) => compare_parts(left.unwrap_or(""), right.unwrap_or("")),
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// Compares two operations; those of no known name come last.
pub(crate) fn operations(left: &str, right: &str) -> Ordering {
    let rank = |name: &str| {
        let known = OPERATIONS.iter().position(|known| name.starts_with(known));
        known.unwrap_or(OPERATIONS.len())
    };
    rank(left)
        .cmp(&rank(right))
        .then_with(|| natural(left, right))
}

/// Runs of digits and runs of anything else.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.as_bytes()
        .chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit())
        .filter_map(|part| str::from_utf8(part).ok())
}

fn compare_parts(left: &str, right: &str) -> Ordering {
    match (left.parse::<u64>(), right.parse::<u64>()) {
        (Ok(left), Ok(right)) => left.cmp(&right),
        _ => left.cmp(right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count() {
        let mut names = [
            "ML-KEM-1024",
            "ML-KEM-512",
            "ML-DSA-65",
            "ML-KEM-512-avx2",
            "ML-KEM-",
        ];
        names.sort_by(|a, b| natural(a, b));
        let expected = [
            "ML-DSA-65",
            "ML-KEM-",
            "ML-KEM-512",
            "ML-KEM-512-avx2",
            "ML-KEM-1024",
        ];
        assert_eq!(names, expected);
        assert_eq!(natural("a01", "a1"), Ordering::Less);
        assert_eq!(natural("é2", "é10"), Ordering::Less);
    }

    #[test]
    fn operations_as_on_the_pages() {
        let expected = [
            "keygen", "enc", "dec", "sign", "verify", "exchange", "init_a", "init_b", "pass1",
            "pass2", "pass10", "derive_a", "derive_b", "hash_32", "hash_128",
        ];
        let mut names = expected;
        names.reverse();
        names.sort_by(|a, b| operations(a, b));
        assert_eq!(names, expected);
    }
}
