//! `import-report.md`: what was decided about a package, and why.

use std::fmt::{self, Display, Formatter};

use crate::known::{Agreement, Check};
use crate::scan::{Hint, Instance};
use crate::unpack::Unpacked;

/// Everything that the report tells.
pub struct Report<'a> {
    /// The candidate's identity, and how it came to it.
    pub id: (&'a str, &'a str),
    /// What was imported.
    pub package: &'a str,
    /// What came out of it.
    pub unpacked: &'a Unpacked,
    /// The instances.
    pub instances: &'a [Instance],
    /// Its known-answer texts against the published digests.
    pub checks: &'a [Check],
    /// What is said of the candidate as a whole.
    pub notes: &'a [String],
}

impl Display for Report<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (id, how) = self.id;
        writeln!(f, "# Import of {id}\n")?;
        writeln!(f, "From `{}`. The id is {how}.", plain(self.package))?;
        writeln!(f, "Nothing of the package was executed.\n")?;
        list(f, "Remarks", self.notes)?;
        self.summary(f)?;
        self.files(f)?;
        for instance in self.instances {
            one(f, instance)?;
        }
        Ok(())
    }
}

impl Report<'_> {
    fn summary(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "## Instances\n")?;
        writeln!(f, "| label | folder | sources | complete | known answers |")?;
        writeln!(f, "|---|---|---|---|---|")?;
        for instance in self.instances {
            let entry = &instance.entry;
            let complete = if instance.is_complete() { "yes" } else { "no" };
            let (label, sources) = (&entry.label, entry.sources.len());
            let folder = plain(&instance.folder);
            let kat = entry.kat.len();
            writeln!(
                f,
                "| {label} | `{folder}` | {sources} | {complete} | {kat} |"
            )?;
        }
        writeln!(f)?;
        if self.checks.is_empty() {
            return Ok(());
        }
        writeln!(f, "## Known answers against the published digests\n")?;
        writeln!(f, "| label | file | mode | outcome |\n|---|---|---|---|")?;
        for check in self.checks {
            let Check {
                label,
                file_name,
                mode,
                outcome,
            } = check;
            writeln!(f, "| {label} | {file_name} | {mode} | {outcome} |")?;
        }
        writeln!(f)
    }

    fn files(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Unpacked {
            files,
            bytes,
            encodings,
            inner_archives,
            left_out,
        } = self.unpacked;
        writeln!(f, "## Files\n")?;
        writeln!(f, "{files} files, {bytes} bytes unpacked.")?;
        let encodings: Vec<String> = encodings.iter().map(ToString::to_string).collect();
        writeln!(f, "Names were read as {}.\n", encodings.join(" and as "))?;
        let inner = inner_archives.iter();
        let inner = inner.map(|(archive, folder)| format!("`{archive}` into `{folder}`"));
        list(f, "Archives in it, unpacked in turn", inner)?;
        let left_out = left_out.iter();
        let left_out = left_out.map(|file| format!("`{}`: {}", plain(&file.path), file.why));
        list(f, "Not kept", left_out)
    }
}

fn one(f: &mut Formatter<'_>, instance: &Instance) -> fmt::Result {
    let Instance {
        entry,
        folder,
        named_by,
        selection,
        needs,
        hints,
        notes,
        kind: _,
    } = instance;
    writeln!(f, "## {}\n", entry.label)?;
    writeln!(
        f,
        "{} implementation of {} in `{}`; named by {named_by}.\n",
        entry.variant,
        entry.name,
        plain(folder)
    )?;
    list(f, "Remarks", notes)?;
    let missing = selection.missing.iter();
    list(
        f,
        "Not in the package",
        missing.map(|(header, by)| format!("`{}`, which `{by}` includes", plain(header))),
    )?;
    list(
        f,
        "Sources",
        entry.sources.iter().map(|path| format!("`{path}`")),
    )?;
    let shared = selection.shared.iter();
    list(
        f,
        "Shared folders",
        shared.map(|(folder, why)| format!("`{folder}`: {why}")),
    )?;
    let left_out = selection.left_out.iter();
    list(
        f,
        "Left out",
        left_out.map(|(path, why)| format!("`{path}`: {why}")),
    )?;
    list(
        f,
        "Folders for headers",
        entry.include.iter().map(|path| format!("`{path}`")),
    )?;
    list(
        f,
        "Macros",
        entry.defines.iter().map(|define| format!("`{define}`")),
    )?;
    list(
        f,
        "Helpers of ours",
        entry
            .helpers
            .iter()
            .map(|helper| format!("{helper}: the package has no {helper}.c")),
    )?;
    list(
        f,
        "Needs",
        needs.iter().map(|(need, why)| format!("{need}: {why}")),
    )?;
    list(
        f,
        "Known answers",
        entry.kat.iter().map(|path| format!("`{path}`")),
    )?;
    let hints = hints.iter();
    list(
        f,
        "Options in build files, not applied",
        hints.map(|Hint { file, line, option }| format!("`{option}` in `{file}` line {line}")),
    )
}

fn list(
    f: &mut Formatter<'_>,
    title: &str,
    items: impl IntoIterator<Item = impl AsRef<str>>,
) -> fmt::Result {
    let mut items = items.into_iter().peekable();
    if items.peek().is_none() {
        return Ok(());
    }
    writeln!(f, "{title}:\n")?;
    for item in items {
        writeln!(f, "- {}", single_line(item.as_ref()))?;
    }
    writeln!(f)
}

/// Text of a package, without what would end a piece of code or move a terminal's cursor.
fn plain(text: &str) -> String {
    single_line(text).replace('`', "'")
}

fn single_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

impl Display for Agreement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agrees => f.write_str("agrees"),
            Self::Differs(digest) => write!(f, "DIFFERS: the package's text has {digest}"),
            Self::NoText => f.write_str("the package has no such text"),
        }
    }
}
