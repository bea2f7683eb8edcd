//! Sizes that a submission documents against those that its code reports.

use catalogue::{Instance, Interface};
use wire::Sizes;

use crate::record::assemble::Subject;

/// What differs, in words; nothing where nothing is documented, or where the code did not say.
pub fn differences(instance: &Instance, subject: &Subject) -> Vec<String> {
    match (&instance.interface, instance.sizes) {
        (Interface::Iccs, Some(documented)) if subject.sizes != Sizes::default() => {
            compare(&documented, &subject.sizes)
        }
        _ => Vec::new(),
    }
}

fn compare(documented: &Sizes, reported: &Sizes) -> Vec<String> {
    let pairs = [
        ("public key", documented.public_key, reported.public_key),
        ("secret key", documented.secret_key, reported.secret_key),
        ("ciphertext", documented.ciphertext, reported.ciphertext),
        (
            "shared secret",
            documented.shared_secret,
            reported.shared_secret,
        ),
        ("signature", documented.signature, reported.signature),
        ("digest", documented.digest, reported.digest),
        ("messages", documented.messages, reported.messages),
    ];
    let mut words: Vec<_> = pairs
        .into_iter()
        // 0 stands for what is not documented.
        .filter(|(_, documented, reported)| *documented != 0 && documented != reported)
        .map(|(name, documented, reported)| {
            format!(
                "its code reports a {name} of {reported} bytes, and {documented} are documented"
            )
        })
        .collect();
    if documented.passes != reported.passes {
        words.push(format!(
            "its code reports {} passes, and {} are documented",
            reported.passes, documented.passes
        ));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_documented_and_differs_is_said() {
        let documented = Sizes {
            public_key: 1980,
            shared_secret: 32,
            passes: 2,
            ..Sizes::default()
        };
        assert!(compare(&documented, &documented).is_empty());
        let reported = Sizes {
            public_key: 1981,
            secret_key: 7,
            passes: 3,
            ..documented
        };
        assert_eq!(
            compare(&documented, &reported),
            [
                "its code reports a public key of 1981 bytes, and 1980 are documented",
                "its code reports 3 passes, and 2 are documented",
            ]
        );
    }
}
