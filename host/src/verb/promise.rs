//! What run directories promise: that every operation of what was built has its record, and that
//! each record is what was once written.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::Path;

use catalogue::{Catalogue, Instance};

use crate::project::Project;
use crate::record::read::ReadError;
use crate::record::run_files::{BUILD, read_build};
use crate::record::schema::{KatStatus, Record};
use crate::record::store::stem;
use crate::record::validate::{Finding, Operations};
use crate::table::format;

/// So many labels with operations that were not measured are named.
const NAMED: usize = 3;

/// The operations of every instance of this workspace, read when they are needed first.
#[derive(Default)]
pub(super) struct Workspace(OnceCell<Operations>);

impl Workspace {
    /// The operations by the names of the instances; none where there is no workspace.
    pub(super) fn operations(&self) -> &Operations {
        // Records can be read far from any workspace.
        self.0
            .get_or_init(|| operations(Project::find().ok().as_ref()))
    }
}

/// The operations of every instance of a workspace; none where there is no workspace.
pub(super) fn operations(project: Option<&Project>) -> Operations {
    let Some(Ok(catalogue)) = project.map(|project| Catalogue::load(&project.root)) else {
        return Operations::new();
    };
    let operations = |instance: &Instance| {
        // Passes of a key exchange are promised as far as the package documents them.
        let passes = instance.sizes.map_or(0, |sizes| sizes.passes);
        let operations = instance.category.operations(passes);
        operations.iter().map(ToString::to_string).collect()
    };
    let instances = catalogue.all();
    instances
        .map(|instance| (instance.name(), operations(instance)))
        .collect()
}

/// What of a label has no record.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Missing {
    /// `<id>/<label>`.
    pub(super) name: String,
    /// Its operations; none where nobody knows which there are, and nothing was measured.
    pub(super) operations: Vec<String>,
}

/// What a system's `build.json` promises and is not among its records, by label. Published records
/// may be of a part of what was built, and are promised by nothing.
///
/// # Errors
///
/// See [`ReadError`].
pub(super) fn missing(
    folder: &Path,
    records: &[&Record],
    workspace: &Workspace,
) -> Result<Vec<Missing>, ReadError> {
    let file = folder.join(BUILD);
    let is_published = !records.is_empty() && records.iter().all(|it| it.meter.is_none());
    if is_published || !file.exists() {
        return Ok(Vec::new());
    }
    let place = |record: &&Record| format!("{}/{}", record.candidate, stem(record));
    let there: BTreeSet<String> = records.iter().map(place).collect();
    let mut missing = Vec::new();
    for (name, entry) in read_build(&file)? {
        if entry.kat == KatStatus::BuildFail {
            continue;
        }
        match workspace.operations().get(&name) {
            Some(known) => {
                let is_missing =
                    |operation: &&String| !there.contains(&format!("{name}__{operation}"));
                let operations: Vec<String> = known.iter().filter(is_missing).cloned().collect();
                if !operations.is_empty() {
                    missing.push(Missing { name, operations });
                }
            }
            None => {
                let start = format!("{name}__");
                if !there.iter().any(|record| record.starts_with(&start)) {
                    let operations = Vec::new();
                    missing.push(Missing { name, operations });
                }
            }
        }
    }
    Ok(missing)
}

/// What has no record on a system, in a sentence; `None` where everything has.
pub(super) fn missing_in_words(system: &str, missing: &[Missing]) -> Option<String> {
    let words = |it: &Missing| match it.operations.as_slice() {
        [] => format!("anything of {}", it.name),
        operations => format!("{} of {}", list(operations), it.name),
    };
    let named: Vec<String> = missing.iter().take(NAMED).map(words).collect();
    let verb = match missing {
        [] => return None,
        [one] if one.operations.len() == 1 => "has",
        [one] if one.operations.is_empty() => "has",
        _ => "have",
    };
    let more = match missing.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(
            "; and operations of {}",
            format::number_of(more, "more label")
        ),
    };
    let named = named.join("; ");
    Some(format!(
        "{system}: {named}{more} {verb} not been measured; a campaign into the same run directory \
         measures what is missing."
    ))
}

/// Words as a sentence has them: `a, b and c`.
fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Which records are not what was once written, in a sentence for each file.
pub(super) fn damage_in_words(findings: &[Finding], run: &Path) -> Vec<String> {
    let mut words = Vec::new();
    let mut before = None;
    for finding in findings {
        if before != Some(&finding.file) {
            words.push(format!(
                "{} was changed since it was written (key `{}`), and its figures prove nothing; \
                 `cargo host validate {}` says what is wrong.",
                finding.file.display(),
                finding.key,
                run.display()
            ));
        }
        before = Some(&finding.file);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(name: &str, operations: &[&str]) -> Missing {
        Missing {
            name: name.to_owned(),
            operations: operations.iter().map(|it| (*it).to_owned()).collect(),
        }
    }

    #[test]
    fn what_is_missing_is_told_in_one_sentence() {
        let words = |missing: &[Missing]| {
            let words = missing_in_words("a", missing).unwrap_or_default();
            words.split(" not been measured").next().unwrap().to_owned()
        };
        assert_eq!(missing_in_words("a", &[]), None);
        assert_eq!(words(&[missing("x/A", &["dec"])]), "a: dec of x/A has");
        let kem = missing("x/A", &["keygen", "enc", "dec"]);
        let nothing = missing("x/B", &[]);
        assert_eq!(
            words(std::slice::from_ref(&nothing)),
            "a: anything of x/B has"
        );
        assert_eq!(
            words(&[kem.clone(), nothing.clone()]),
            "a: keygen, enc and dec of x/A; anything of x/B have"
        );
        let many = vec![nothing; NAMED + 2];
        assert!(words(&many).ends_with("; and operations of 2 more labels have"));
    }
}
