//! Which flag set a label is measured with.

use catalogue::FlagSet;

/// What came of one flag set.
pub enum Attempt<T> {
    /// It does not build with it, for this reason.
    Unbuilt(String),
    /// It builds, and its known-answer test fails.
    Failed(T),
    /// It builds, and nothing is known to be wrong.
    Passed(T),
}

/// Tries flag sets in order until one passes. Where it passes with none, what came of the first
/// that it builds with; the inner error has the reason why it does not build with any.
///
/// # Errors
///
/// Those of an attempt.
pub fn first_that_passes<T, E>(
    sets: &[FlagSet],
    attempt: &mut dyn FnMut(FlagSet) -> Result<Attempt<T>, E>,
) -> Result<Result<T, String>, E> {
    let mut reasons: Vec<(FlagSet, String)> = Vec::new();
    let mut best = None;
    for set in sets {
        match attempt(*set)? {
            Attempt::Unbuilt(reason) => reasons.push((*set, reason)),
            Attempt::Passed(result) => return Ok(Ok(result)),
            Attempt::Failed(result) => {
                best.get_or_insert(result);
            }
        }
    }
    Ok(best.ok_or_else(|| in_words(&reasons)))
}

/// Each reason with its flag set, one that all have once, and the last one's remedy: those of the
/// others are to try the next.
fn in_words(reasons: &[(FlagSet, String)]) -> String {
    const REMEDY: &str = "; help: ";
    let parts = |reason: &str| match reason.split_once(REMEDY) {
        Some((what, remedy)) => (what.to_owned(), format!("{REMEDY}{remedy}")),
        None => (reason.to_owned(), String::new()),
    };
    let mut each: Vec<(FlagSet, String)> = Vec::new();
    let mut remedy = String::new();
    for (set, reason) in reasons {
        let (what, help) = parts(reason);
        each.push((*set, what));
        remedy = help;
    }
    let words: Vec<String> = match each.as_slice() {
        [(_, first), others @ ..] if others.iter().all(|(_, what)| what == first) => {
            vec![first.clone()]
        }
        each => {
            let each = each.iter();
            each.map(|(set, what)| format!("with {}: {what}", set.name()))
                .collect()
        }
    };
    words.join("; ") + &remedy
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(guide: Attempt<u8>, harness: Attempt<u8>) -> Result<u8, String> {
        let mut left = vec![harness, guide];
        let result = first_that_passes(&FlagSet::ALL, &mut |_| left.pop().ok_or("tried too often"));
        result.unwrap()
    }

    fn unbuilt<T>(reason: &str) -> Attempt<T> {
        Attempt::Unbuilt(reason.to_owned())
    }

    #[test]
    fn the_first_that_passes_is_taken_and_otherwise_the_first_that_builds() {
        assert_eq!(tried(Attempt::Passed(1), Attempt::Passed(2)), Ok(1));
        assert_eq!(tried(Attempt::Failed(1), Attempt::Passed(2)), Ok(2));
        assert_eq!(tried(Attempt::Failed(1), Attempt::Failed(2)), Ok(1));
        assert_eq!(tried(unbuilt("a"), Attempt::Failed(2)), Ok(2));
    }

    #[test]
    fn a_reason_is_said_once() {
        let reason = |guide, harness| tried(unbuilt(guide), unbuilt(harness)).unwrap_err();
        assert_eq!(reason("a", "a"), "a");
        assert_eq!(reason("a", "b"), "with guide: a; with harness-default: b");
        let (first, last) = ("a; help: try the next", "a; help: correct it");
        assert_eq!(reason(first, last), "a; help: correct it");
    }
}
