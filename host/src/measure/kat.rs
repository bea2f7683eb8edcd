//! The known-answer test: what the meter computes against what was published.

use std::fs;
use std::path::Path;

use catalogue::submission::{Expected, Mode, file_name};
use catalogue::{IccsAnswers, Instance, Kat};
use kat::canonical::{Canonical, CanonicalDigest};
use kat::text::TextSink;
use miette::Diagnostic;
use sha2::{Digest, Sha256};
use thiserror::Error;
use wire::{CanonicalReport, KatFile, KatReport};

use super::difference::Difference;
use super::verified::verified;
use crate::measurement::{Answers, FileAnswer, KatOutcome};
use crate::session::{Regenerated, Session, SessionError, hexadecimal, keep_spoiled};

/// Why there is no outcome, which is not the target's doing.
#[derive(Debug, Error, Diagnostic)]
pub enum KatError {
    /// The session's trouble.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Session(#[from] SessionError),
    /// A published text cannot be read.
    #[error("cannot read the known answers in {file}: {reason}")]
    #[diagnostic(help(
        "restore the file, or take it out of `kat` in the package's candidate.toml"
    ))]
    Text {
        /// The file.
        file: String,
        /// Why not.
        reason: String,
    },
}

/// Lets the meter compute the known answers of its instance and compares them with what is
/// published; `root` is the workspace's folder.
///
/// # Errors
///
/// Every error that is not the target's doing.
pub fn known_answer(
    session: &mut Session,
    instance: &Instance,
    root: &Path,
) -> Result<KatOutcome, KatError> {
    match &instance.kat {
        Kat::Nist(answer) => Ok(match keep_spoiled(session.kat())? {
            Ok(report) => judge_record(report, &answer.sha256, verified(root, instance).as_ref()),
            Err(spoiled) => KatOutcome::Spoiled(spoiled),
        }),
        Kat::Iccs(published) => Files::new(instance, published)?.check(session),
    }
}

/// SHA-256 of everything that is published of an instance's known answers. As long as it is the
/// same, so is what the test compares with.
///
/// # Errors
///
/// [`KatError::Text`].
pub fn published_digest(instance: &Instance) -> Result<[u8; 32], KatError> {
    let answers = match &instance.kat {
        Kat::Nist(answer) => return Ok(answer.sha256),
        Kat::Iccs(answers) => answers,
    };
    let mut hash = Sha256::new();
    for (_, name, published) in Files::new(instance, answers)?.files {
        if let Some(Published { mode, digest, .. }) = published {
            hash.update(format!("{} {mode} {name}\n", hexadecimal(&digest)));
        }
    }
    Ok(hash.finalize().into())
}

fn judge_record(
    report: KatReport,
    published: &[u8; 32],
    verified: Option<&KatReport>,
) -> KatOutcome {
    if report.digest == *published {
        return KatOutcome::Pass(Answers::Record(Box::new(report)));
    }
    let field = verified.and_then(|verified| first_field(&report, verified));
    KatOutcome::Mismatch {
        expected: hexadecimal(published),
        difference: field.map(|field| format!("field `{field}` differs first")),
        answers: Answers::Record(Box::new(report)),
    }
}

/// Name of the first field that differs.
fn first_field(report: &KatReport, verified: &KatReport) -> Option<String> {
    let theirs = &verified.fields;
    report
        .fields
        .iter()
        .enumerate()
        .find(|(index, field)| theirs.get(*index) != Some(field))
        .map(|(_, field)| field.name.to_string())
}

/// What is published of one file.
struct Published {
    mode: Mode,
    digest: [u8; 32],
    /// The text itself, where the package ships it.
    text: Option<String>,
}

/// The official files of an instance and what is published of each.
struct Files {
    files: Vec<(KatFile, String, Option<Published>)>,
}

/// What came of one file.
enum Compared {
    Same(FileAnswer),
    Differs(FileAnswer, Option<String>),
    TooLarge { needed: u64, available: u64 },
}

impl Files {
    fn new(instance: &Instance, answers: &IccsAnswers) -> Result<Self, KatError> {
        let files = KatFile::of(instance.category).into_iter().map(|file| {
            let name = file_name(file, instance.category, &instance.instance);
            let published = published(&name, answers)?;
            Ok((file, name, published))
        });
        Ok(Self {
            files: files.collect::<Result<_, KatError>>()?,
        })
    }

    fn check(self, session: &mut Session) -> Result<KatOutcome, KatError> {
        let any = self.files.iter().any(|(.., published)| published.is_some());
        let mut answers = Vec::new();
        let mut left_out = Vec::new();
        for (file, name, published) in self.files {
            // Of what nothing is published, the cheapest file shows what the instance computes.
            if published.is_none() && (any || !answers.is_empty()) {
                continue;
            }
            let compared = match keep_spoiled(compare(session, file, &name, published.as_ref()))? {
                Ok(compared) => compared,
                Err(spoiled) => return Ok(KatOutcome::Spoiled(spoiled)),
            };
            match compared {
                Compared::Same(answer) => answers.push(answer),
                Compared::Differs(answer, difference) => {
                    let expected = published.map(|published| hexadecimal(&published.digest));
                    answers.insert(0, answer);
                    return Ok(KatOutcome::Mismatch {
                        expected: expected.unwrap_or_default(),
                        difference: difference.map(|words| format!("{name}: {words}")),
                        answers: Answers::Files(answers),
                    });
                }
                Compared::TooLarge { needed, available } => left_out.push(format!(
                    "{name} needs a message of {needed} bytes, and the system has {available}"
                )),
            }
        }
        let answers = Answers::Files(answers);
        Ok(match (any, left_out.is_empty()) {
            (false, _) => KatOutcome::NotPublished(answers),
            (true, true) => KatOutcome::Pass(answers),
            (true, false) => KatOutcome::Partial {
                answers,
                reason: left_out.join("; "),
            },
        })
    }
}

fn compare(
    session: &mut Session,
    file: KatFile,
    name: &str,
    published: Option<&Published>,
) -> Result<Compared, SessionError> {
    let first_records = match published {
        Some(Published {
            mode: Mode::FirstRecords(count),
            ..
        }) => *count,
        _ => 0,
    };
    let report = match session.digest(file, first_records)? {
        Regenerated::Whole(report) => report,
        Regenerated::TooLarge { needed, available } => {
            return Ok(Compared::TooLarge { needed, available });
        }
    };
    let Some(published) = published else {
        return Ok(Compared::Same(FileAnswer {
            name: name.to_owned(),
            report,
            compared: None,
        }));
    };
    let computed = of_mode(&report, published.mode);
    let records = report.records;
    let answer = FileAnswer {
        name: name.to_owned(),
        report,
        compared: Some((published.mode.to_string(), computed)),
    };
    if records < first_records {
        let words = format!("has {records} records where the first {first_records} are published");
        return Ok(Compared::Differs(answer, Some(words)));
    }
    if computed == published.digest {
        return Ok(Compared::Same(answer));
    }
    // The digest says that it differs; the text says where.
    let difference = match &published.text {
        None => None,
        Some(text) => {
            let mut difference = Difference::new(text, published.mode);
            session.text(file, &mut |piece| difference.take(piece))?;
            difference.finish()
        }
    };
    Ok(Compared::Differs(answer, difference))
}

/// The digest of a report that a mode means.
fn of_mode(report: &CanonicalReport, mode: Mode) -> [u8; 32] {
    match mode {
        Mode::Strict => report.strict,
        Mode::NoLengths => report.nolen,
        Mode::FirstRecords(_) => report.first_records,
    }
}

/// What is published of this file: the manifest's digest, or that of the package's own text, which
/// in any case tells where answers differ.
fn published(name: &str, answers: &IccsAnswers) -> Result<Option<Published>, KatError> {
    let path = answers
        .texts
        .iter()
        .find(|path| path.file_name().is_some_and(|file| file == name));
    let text = path
        .map(|path| {
            let bytes = fs::read(path).map_err(|error| KatError::Text {
                file: path.display().to_string(),
                reason: error.to_string(),
            })?;
            Ok::<_, KatError>(String::from_utf8_lossy(&bytes).into_owned())
        })
        .transpose()?;
    let manifest = answers.expected.iter().find(|line| line.file_name == name);
    Ok(match (manifest, text) {
        (Some(Expected { sha256, mode, .. }), text) => Some(Published {
            mode: *mode,
            digest: *sha256,
            text,
        }),
        (None, Some(text)) => {
            let canonical = canonical(&text);
            // A text of the template has blanks where its lengths would be.
            let (mode, digest) = if has_blank_lengths(&text) {
                (Mode::NoLengths, canonical.nolen)
            } else {
                (Mode::Strict, canonical.strict)
            };
            Some(Published {
                mode,
                digest,
                text: Some(text),
            })
        }
        (None, None) => None,
    })
}

fn canonical(text: &str) -> Canonical {
    let mut digest = CanonicalDigest::new(0);
    digest.text(text.as_bytes());
    digest.finish()
}

/// Whether a text was made in template mode: the lengths that this mode leaves out are missing,
/// all of them. One that is there would otherwise not be compared.
fn has_blank_lengths(text: &str) -> bool {
    const ALWAYS: [&str; 4] = ["Seed_Len", "M_Len", "Msg_Len", "Dst_Len"];
    let lengths = text.lines().filter_map(|line| line.split_once('='));
    let mut lengths = lengths
        .map(|(name, value)| (name.trim_end(), value.trim()))
        .filter(|(name, _)| name.ends_with("_Len") && !ALWAYS.contains(name))
        .peekable();
    lengths.peek().is_some() && lengths.all(|(_, value)| value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::FieldDigest;

    fn report(digest: u8, fields: &[(&str, u8)]) -> KatReport {
        KatReport {
            digest: [digest; 32],
            fields: fields
                .iter()
                .map(|(name, digest)| FieldDigest {
                    name: (*name).try_into().unwrap(),
                    characters: 4,
                    digest: [*digest; 32],
                })
                .collect(),
        }
    }

    #[test]
    fn the_published_digest_passes_whatever_the_fields() {
        let answer = report(7, &[("count", 1)]);
        let passed = KatOutcome::Pass(Answers::Record(Box::new(answer.clone())));
        assert_eq!(judge_record(answer, &[7; 32], None), passed);
    }

    #[test]
    fn a_mismatch_names_the_first_field_that_differs() {
        let verified = report(7, &[("pk", 1), ("sk", 2), ("ct", 3)]);
        let words = |computed: KatReport, verified: Option<&KatReport>| {
            judge_record(computed, &[7; 32], verified).detail().unwrap()
        };
        let wrong = || report(8, &[("pk", 1), ("sk", 9), ("ct", 9)]);
        assert_eq!(words(wrong(), Some(&verified)), "field `sk` differs first");
        assert!(words(wrong(), None).contains("only a digest is published"));
        let more = report(8, &[("pk", 1), ("sk", 2), ("ct", 3), ("ss", 4)]);
        assert_eq!(words(more, Some(&verified)), "field `ss` differs first");
    }

    #[test]
    fn a_template_s_text_is_compared_without_lengths() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("KAT_KEM_X.txt");
        let answers = IccsAnswers {
            expected: Vec::new(),
            texts: vec![path.clone()],
        };
        for (text, mode) in [
            ("Seed_Len = 64\nPK_Len = \nPK = 00\n", Mode::NoLengths),
            ("PK_Len = \nPK = 00\nSK_Len = 7\n", Mode::Strict),
            ("PK_Len = 1\nPK = 00\n", Mode::Strict),
        ] {
            fs::write(&path, text).unwrap();
            let found = published("KAT_KEM_X.txt", &answers).unwrap().unwrap();
            assert_eq!(found.mode, mode);
        }
        assert!(published("KAT_KEM_Y.txt", &answers).unwrap().is_none());
    }
}
