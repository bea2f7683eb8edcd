//! The known-answer files of an instance, their texts, and the manifest of a package.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use kat::canonical::CanonicalDigest;
use kat::iccs::hash_files::{self, HashFile, Hasher};
use kat::iccs::{IccsDrng, IccsText, RECORDS, Seeds};

use crate::scheme::{Encapsulation, Exchange, RunHash, Scheme, Signing};
use crate::{AnswerError, Instance, package};

/// A known-answer file of an instance.
///
/// Of a hash function's four files, `KAT_2_33` is left out: its message takes a gibibyte.
#[derive(Clone, Copy)]
pub struct File<'a> {
    instance: &'a Instance,
    /// Which of a hash function's files it is; other schemes have one.
    hash_file: Option<HashFile>,
}

impl<'a> File<'a> {
    /// The files of an instance.
    pub fn all(instance: &'a Instance) -> Vec<Self> {
        let hash_files = match instance.scheme {
            Scheme::Hash(_) => [HashFile::Short, HashFile::Long, HashFile::Loop]
                .map(Some)
                .to_vec(),
            _ => vec![None],
        };
        let file = |hash_file| Self {
            instance,
            hash_file,
        };
        hash_files.into_iter().map(file).collect()
    }

    /// The path in the manifest: the label and the name of the file.
    pub fn path(&self) -> String {
        let kind = match (&self.instance.scheme, self.hash_file) {
            (Scheme::Kem(_), _) => "KEM",
            (Scheme::Signature(_), _) => "SIG",
            (Scheme::Exchange(_), _) => "KEX",
            (Scheme::Hash(_), Some(HashFile::Long)) => "2_23",
            (Scheme::Hash(_), Some(HashFile::Huge)) => "2_33",
            (Scheme::Hash(_), Some(HashFile::Loop)) => "Loop",
            (Scheme::Hash(_), Some(HashFile::Short) | None) => "2_12",
        };
        let name = self.instance.name;
        format!("{name}/KAT_{kind}_{name}.txt")
    }

    /// Writes the text.
    ///
    /// # Errors
    ///
    /// What the implementation reports, or [`AnswerError::Contradiction`] where two sides of a
    /// scheme do not agree.
    pub fn write(&self, sink: &mut impl IccsText) -> Result<(), AnswerError> {
        if let (Scheme::Hash(hash), Some(file)) = (&self.instance.scheme, self.hash_file) {
            let mut hasher = Independent {
                message: vec![0; hash_files::message_bytes(file) as usize],
                digest: Vec::new(),
                hash: &**hash,
            };
            return hash_files::write(file, &mut hasher, sink, &mut |_, _| {});
        }
        for start in Seeds::default() {
            let mut generator = IccsDrng::new(&start.seed);
            sink.start(&start);
            let agreed = match &self.instance.scheme {
                Scheme::Kem(run) => encapsulation(&run(&mut generator, start.count)?, sink),
                Scheme::Signature(run) => {
                    let message = start.message();
                    signing(&run(&mut generator, message)?, message, sink)
                }
                Scheme::Exchange(run) => exchange(&run(&mut generator)?, sink),
                Scheme::Hash(_) => Err("a hash function has no such records"),
            };
            agreed.map_err(|what| AnswerError::Contradiction {
                file: self.path(),
                record: start.count,
                what,
            })?;
            sink.end();
        }
        Ok(())
    }

    /// Its line in the manifest.
    fn line(&self) -> Result<String, AnswerError> {
        let mut digest = CanonicalDigest::new(RECORDS);
        self.write(&mut digest)?;
        let digest = hex::encode(digest.finish().strict);
        Ok(format!("{digest} strict {}\n", self.path()))
    }
}

fn encapsulation(run: &Encapsulation, sink: &mut impl IccsText) -> Result<(), &'static str> {
    sink.string("PK", &run.pk);
    sink.string("SK", &run.sk);
    sink.string("CT", &run.ct);
    sink.string("SS", &run.ss);
    agree(
        run.ss == run.decapsulated,
        "dec does not give the secret that enc gave",
    )
}

fn signing(run: &Signing, message: &[u8], sink: &mut impl IccsText) -> Result<(), &'static str> {
    sink.string("PK", &run.pk);
    sink.string("SK", &run.sk);
    sink.string("M", message);
    sink.string("Sn", &run.signature);
    agree(run.valid, "the signature is not accepted")
}

fn exchange(run: &Exchange, sink: &mut impl IccsText) -> Result<(), &'static str> {
    sink.number("Pass_Num", run.passes.len() as u64);
    for (party, side) in [(&run.a, "a"), (&run.b, "b")] {
        sink.string(&format!("PK{side}"), &party.pk);
        sink.string(&format!("SK{side}"), &party.sk);
        sink.string(&format!("Init_St{side}"), &party.state);
    }
    for ((pass, number), side) in run.passes.iter().zip(1..).zip(["a", "b"].iter().cycle()) {
        sink.string(&format!("Pass{number}_St{side}"), &pass.state);
        sink.string(&format!("M{number}"), &pass.message);
    }
    sink.string("SS", &run.secret_a);
    agree(
        run.secret_a == run.secret_b,
        "the two sides derive different secrets",
    )
}

fn agree(agreed: bool, otherwise: &'static str) -> Result<(), &'static str> {
    if agreed { Ok(()) } else { Err(otherwise) }
}

/// An independent hash function with the buffer that it reads messages from.
struct Independent<'a> {
    message: Vec<u8>,
    digest: Vec<u8>,
    hash: &'a RunHash,
}

impl Hasher for Independent<'_> {
    type Error = AnswerError;

    fn message(&mut self) -> &mut [u8] {
        &mut self.message
    }

    fn hash(&mut self, bits: u64) -> Result<&[u8], AnswerError> {
        self.digest = (self.hash)(&self.message, bits)?;
        Ok(&self.digest)
    }
}

/// The manifest of a package: one line for each file whose path is wanted, in the order of the
/// instances.
///
/// The files are computed on as many cores as there are: a hash function's loop takes seconds.
///
/// # Errors
///
/// [`AnswerError::UnknownPackage`], and the first that an implementation reports.
pub fn manifest(name: &str, wanted: impl Fn(&str) -> bool) -> Result<String, AnswerError> {
    let instances = package(name)?;
    let files = instances.iter().flat_map(File::all);
    let files: Vec<File> = files.filter(|file| wanted(&file.path())).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut lines = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(index) else {
                return lines;
            };
            lines.push((index, file.line()));
        }
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let mut lines: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (1..cores).map(|_| scope.spawn(work)).collect();
        let mut lines = work();
        for worker in workers {
            match worker.join() {
                Ok(more) => lines.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        lines
    });
    lines.sort_by_key(|(index, _)| *index);
    lines.into_iter().map(|(_, line)| line).collect()
}

/// Writes the file of this path in a package's manifest.
///
/// # Errors
///
/// [`AnswerError::UnknownPackage`], [`AnswerError::UnknownFile`], and what [`File::write`] reports.
pub fn write_file(name: &str, path: &str, sink: &mut impl IccsText) -> Result<(), AnswerError> {
    let instances = package(name)?;
    let files: Vec<File> = instances.iter().flat_map(File::all).collect();
    let Some(file) = files.iter().find(|file| file.path() == path) else {
        return Err(AnswerError::UnknownFile {
            package: name.to_owned(),
            path: path.to_owned(),
            example: files.first().map(File::path).unwrap_or_default(),
        });
    };
    file.write(sink)
}
