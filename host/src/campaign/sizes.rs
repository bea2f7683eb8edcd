//! Sizes that a submission documents against those that its code reports.

use catalogue::{Instance, Interface};
use wire::{Category, Sizes};

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

/// What makes the reported sizes useless, in words: a call of the interface needs every one that
/// is listed, and the same each time. `again` is what a second request reported.
pub fn nonsense(instance: &Instance, first: &Sizes, again: &Sizes) -> Vec<String> {
    let all = [
        (
            "public key",
            first.public_key,
            again.public_key,
            [Category::Kem, Category::Sig].as_slice(),
        ),
        (
            "secret key",
            first.secret_key,
            again.secret_key,
            &[Category::Kem, Category::Sig],
        ),
        (
            "ciphertext",
            first.ciphertext,
            again.ciphertext,
            &[Category::Kem],
        ),
        (
            "shared secret",
            first.shared_secret,
            again.shared_secret,
            &[Category::Kem, Category::Kex],
        ),
        (
            "signature",
            first.signature,
            again.signature,
            &[Category::Sig],
        ),
        ("digest", first.digest, again.digest, &[Category::Hash]),
    ];
    let mut words = Vec::new();
    for (name, first, again, needed) in all {
        if first != again {
            words.push(format!(
                "its code reports a {name} of {first} bytes at first and of {again} when asked \
                 again"
            ));
        } else if first == 0 && needed.contains(&instance.category) {
            words.push(format!("its code reports a {name} of 0 bytes"));
        }
    }
    if first.passes != again.passes {
        words.push(format!(
            "its code reports {} passes at first and {} when asked again",
            first.passes, again.passes
        ));
    }
    words
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
    fn sizes_that_change_or_are_0_are_said() {
        let root = crate::project::Project::find().unwrap().root;
        let catalogue = catalogue::Catalogue::load(&root).unwrap();
        let kem = catalogue.find("pqclean/ML-KEM-768").unwrap();
        let first = Sizes {
            public_key: 32,
            secret_key: 32,
            shared_secret: 32,
            ..Sizes::default()
        };
        let again = Sizes {
            secret_key: 33,
            ..first
        };
        assert_eq!(
            nonsense(kem, &first, &again),
            [
                "its code reports a secret key of 32 bytes at first and of 33 when asked again",
                "its code reports a ciphertext of 0 bytes",
            ]
        );
        let sound = Sizes {
            ciphertext: 64,
            ..first
        };
        assert!(nonsense(kem, &sound, &sound).is_empty());
    }

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
