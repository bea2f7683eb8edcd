//! Digests of verified answers, field by field.
//!
//! Packages publish one digest for a whole record, which says that an answer is wrong but not
//! where. `kat/<candidate>/fields.sha256` holds the digests of the fields from runs whose whole
//! record had the published digest: lines of `<sha256> <characters> <instance> <field>`.

use std::fs;
use std::path::Path;

use catalogue::{Instance, Kat, sha256_from_hexadecimal};
use wire::{FieldDigest, KatReport};

/// The verified answers of an instance, if there are any.
pub fn verified(root: &Path, instance: &Instance) -> Option<KatReport> {
    let file = root
        .join("kat")
        .join(&instance.candidate)
        .join("fields.sha256");
    let text = fs::read_to_string(file).ok()?;
    parse(&text, instance)
}

fn parse(text: &str, instance: &Instance) -> Option<KatReport> {
    let fields = text.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [digest, characters, of, field] = words[..] else {
            return None;
        };
        (of == instance.instance).then_some(())?;
        Some(FieldDigest {
            name: field.try_into().ok()?,
            characters: characters.parse().ok()?,
            digest: sha256_from_hexadecimal(digest)?,
        })
    });
    let Kat::Nist(answer) = &instance.kat else {
        return None;
    };
    let mut report = KatReport {
        digest: answer.sha256,
        fields: Default::default(),
    };
    let capacity = report.fields.capacity();
    report.fields.extend(fields.take(capacity));
    (!report.fields.is_empty()).then_some(report)
}

/// A report's lines in the form of that file.
pub fn lines(instance: &str, report: &KatReport) -> String {
    report
        .fields
        .iter()
        .map(|field| {
            format!(
                "{} {} {instance} {}\n",
                crate::session::hexadecimal(&field.digest),
                field.characters,
                field.name
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use catalogue::Catalogue;

    use super::*;

    #[test]
    fn every_instance_has_verified_answers_and_they_read_back() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let catalogue = Catalogue::load(&root).unwrap();
        let of_nist = |instance: &&Instance| matches!(instance.kat, Kat::Nist(_));
        for instance in catalogue.instances().iter().filter(of_nist) {
            let report =
                verified(&root, instance).unwrap_or_else(|| panic!("{} has none", instance.name()));
            let names: Vec<&str> = report.fields.iter().map(|field| &*field.name).collect();
            let expected: &[&str] = match instance.category {
                wire::Category::Kem => &["count", "seed", "pk", "sk", "ct", "ss"],
                _ => &["count", "seed", "mlen", "msg", "pk", "sk", "smlen", "sm"],
            };
            assert_eq!(names, expected, "{}", instance.name());
            let text = lines(&instance.instance, &report);
            assert_eq!(parse(&text, instance), Some(report));
        }
    }

    #[test]
    fn lines_that_are_none_are_passed_over() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let catalogue = Catalogue::load(&root).unwrap();
        let instance = &catalogue.instances()[0];
        for text in ["", "# x y z\n", "00 1 HQC-128 pk\n"] {
            assert_eq!(parse(text, instance), None);
        }
    }
}
