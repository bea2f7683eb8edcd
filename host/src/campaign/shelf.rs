//! What a run directory holds of an instance already, and what of it is still worth something.
//!
//! A record is kept when it is complete, was made with the present image, and has the present
//! outcome of the known-answer test. Records of another image or another outcome are set aside,
//! see [`RunDirectory::set_aside`], and so are those that are to be measured once more.

use std::fs;

use catalogue::Instance;
use regex::Regex;
use wire::Operation;

use super::{Reporter, kat_log};
use crate::outcome::Outcome;
use crate::record::read::{ReadError, read};
use crate::record::run_files::{BUILD, BuildEntry, read_build};
use crate::record::schema::{FlagSet, KatStatus, Record, Sha256, Status};
use crate::record::store::{RunDirectory, StoreError, stem};

/// What is on record of one instance on one system.
pub struct Shelf<'a> {
    directory: &'a RunDirectory,
    system: &'a str,
    instance: &'a Instance,
    /// Records that can be read.
    records: Vec<Record>,
    /// How the instance was built when they were made.
    entry: Option<BuildEntry>,
}

impl<'a> Shelf<'a> {
    /// Reads what is there; what cannot be read is said and counts as missing.
    ///
    /// # Errors
    ///
    /// When a file cannot be read that ought to be readable.
    pub fn read(
        directory: &'a RunDirectory,
        system: &'a str,
        instance: &'a Instance,
        reporter: &Reporter,
    ) -> miette::Result<Self> {
        let mut records = Vec::new();
        for file in directory.records_of_label(system, &instance.candidate, &instance.label)? {
            match read(&file) {
                Err(error @ ReadError::Content { .. }) => reporter.replaced(&error),
                // A label may begin with another one and two underscores.
                Ok(record) if record.label != instance.label => {}
                record => records.push(record?),
            }
        }
        // A file that cannot be read says nothing; its entries are made anew.
        let build = read_build(&directory.root().join(system).join(BUILD)).ok();
        Ok(Self {
            directory,
            system,
            instance,
            records,
            entry: build.and_then(|mut labels| labels.remove(&instance.name())),
        })
    }

    /// The record of an operation that was measured to its end.
    pub fn complete(&self, operation: Operation) -> Option<&Record> {
        let wanted = format!("{}__{operation}", self.instance.label);
        let mut complete = self
            .records
            .iter()
            .filter(|it| it.status == Status::Complete);
        complete.find(|record| stem(record) == wanted)
    }

    /// Those of the operations that have no complete record.
    pub fn left(&self, operations: &[Operation]) -> Vec<Operation> {
        let mut left = operations.to_vec();
        left.retain(|operation| self.complete(*operation).is_none());
        left
    }

    /// Passes of a key exchange, from the record of a whole run.
    pub fn passes(&self) -> Option<u32> {
        let kex = self.complete(Operation::Exchange)?.kex.as_ref()?;
        kex.get("kex_passes")?.to_owned().try_into().ok()
    }

    /// The image that all records were made with, by its name and flags, where it is one.
    pub fn image(&self) -> Option<(&str, FlagSet)> {
        let mut images = self
            .records
            .iter()
            .map(|record| (record.library.as_deref(), record.flags));
        let first = images.next()?;
        images.all(|image| image == first).then_some(())?;
        Some((first.0?, first.1))
    }

    /// The outcome of the known-answer test that all records have, unless these published answers
    /// are not those that it compared with, or it may end otherwise with the same.
    pub fn settled_kat(&self, published: &Sha256) -> Option<KatStatus> {
        let entry = self.entry.as_ref()?;
        let same = self.records.iter().all(|record| record.kat == entry.kat);
        let settled = entry.answers_sha256.as_ref() == Some(published) && !entry.kat.may_change();
        (same && settled).then_some(entry.kat)
    }

    /// How the instance was built and tested before, if its test ended well, compared with these
    /// published answers, and its log is there.
    pub fn passed(&self, published: &Sha256) -> Option<&BuildEntry> {
        let entry = self.entry.as_ref()?;
        let ended_well = entry.kat.is_clean() && self.log(published, entry.kat).is_some();
        Some(entry).filter(|_| ended_well)
    }

    /// How a campaign ends that has nothing but these records.
    pub fn outcome(&self) -> Outcome {
        let mut kept = self
            .records
            .iter()
            .filter(|it| it.status == Status::Complete);
        match kept.all(Record::is_clean) {
            true => Outcome::Clean,
            false => Outcome::NotClean,
        }
    }

    /// The log of a test that ended as before, which the records name; a new one may differ in
    /// addresses and times alone.
    pub fn log(&self, published: &Sha256, kat: KatStatus) -> Option<(String, Sha256)> {
        let entry = self.entry.as_ref()?;
        let same = entry.kat == kat && entry.answers_sha256.as_ref() == Some(published);
        let (name, stated) = match self.records.first().filter(|_| same) {
            Some(record) => (record.kat_log.clone()?, record.kat_log_sha256.clone()?),
            // Nothing was measured before the end came.
            None => {
                let Instance {
                    candidate, label, ..
                } = self.instance;
                let stated = entry.kat_log_sha256.clone().filter(|_| same)?;
                (kat_log::name(candidate, label), stated)
            }
        };
        let log = fs::read(self.directory.root().join(self.system).join(&name)).ok()?;
        (Sha256::of(&log) == stated).then_some((name, stated))
    }

    /// Sets aside what is to be measured once more; returns how much that is.
    ///
    /// # Errors
    ///
    /// See [`StoreError`].
    pub fn redo(&mut self, chosen: &Regex) -> Result<usize, StoreError> {
        let candidate = &self.instance.candidate;
        self.set_aside(&|record| chosen.is_match(&format!("{candidate}/{}", stem(record))))
    }

    /// Sets aside every record that was not made with this image; returns how many.
    ///
    /// # Errors
    ///
    /// See [`StoreError`].
    pub fn of_other_images(&mut self, elf: Option<&Sha256>) -> Result<usize, StoreError> {
        self.set_aside(&|record| elf.is_none() || record.library_sha256.as_ref() != elf)
    }

    /// Sets aside every record whose known-answer test had another outcome; returns how many.
    ///
    /// # Errors
    ///
    /// See [`StoreError`].
    pub fn of_other_answers(&mut self, kat: KatStatus, log: &Sha256) -> Result<usize, StoreError> {
        self.set_aside(&|record| record.kat != kat || record.kat_log_sha256.as_ref() != Some(log))
    }

    fn set_aside(&mut self, goes: &dyn Fn(&Record) -> bool) -> Result<usize, StoreError> {
        let before = self.records.len();
        for record in self.records.extract_if(.., |record| goes(record)) {
            self.directory.set_aside(self.system, &record)?;
        }
        Ok(before - self.records.len())
    }
}

#[cfg(test)]
mod tests {
    use catalogue::Catalogue;
    use serde_json::json;

    use super::*;
    use crate::project::Project;
    use crate::record::example;

    /// What a shelf says with one record of this outcome, measured with these answers published.
    fn with_shelf(kat: KatStatus, published: &Sha256, see: &dyn Fn(&mut Shelf<'_>)) {
        let folder = tempfile::tempdir().unwrap();
        let directory = RunDirectory::new(folder.path());
        let catalogue = Catalogue::load(&Project::find().unwrap().root).unwrap();
        let instance = catalogue.find("pqclean/ML-KEM-768").unwrap();
        let mut record = example::record();
        record.kat = kat;
        directory.write("a", &record).unwrap();
        let entry = json!({ "kat": kat, "answers_sha256": published });
        let build = json!({ "pqclean/ML-KEM-768": entry }).to_string();
        fs::write(folder.path().join("a").join(BUILD), build).unwrap();
        let reporter = Reporter::new(true, false);
        see(&mut Shelf::read(&directory, "a", instance, &reporter).unwrap());
    }

    #[test]
    fn a_test_is_run_again_for_other_answers_and_for_outcomes_that_may_change() {
        let (published, other) = (Sha256::of(b"1"), Sha256::of(b"2"));
        for (kat, is_clean, is_settled) in [
            (KatStatus::Pass, true, true),
            (KatStatus::NoKat, true, true),
            (KatStatus::Partial, true, true),
            (KatStatus::Mismatch, false, true),
            (KatStatus::Timeout, false, false),
            (KatStatus::NoResult, false, false),
        ] {
            with_shelf(kat, &published, &|shelf| {
                let settled = shelf.settled_kat(&published);
                assert_eq!(settled, is_settled.then_some(kat));
                assert_eq!(shelf.settled_kat(&other), None);
                assert_eq!(shelf.outcome() == Outcome::Clean, is_clean, "{kat:?}");
                assert!(shelf.left(&[Operation::Dec]).is_empty());
            });
        }
    }

    #[test]
    fn what_is_set_aside_is_left_to_be_measured() {
        let published = Sha256::of(b"1");
        with_shelf(KatStatus::Pass, &published, &|shelf| {
            let present = shelf.records[0].library_sha256.clone();
            assert_eq!(shelf.of_other_images(present.as_ref()).unwrap(), 0);
            let none = Regex::new("^pqclean/ML-KEM-768__enc$").unwrap();
            assert_eq!(shelf.redo(&none).unwrap(), 0);
            let one = Regex::new("^pqclean/ML-KEM-768__dec$").unwrap();
            assert_eq!(shelf.redo(&one).unwrap(), 1);
            assert_eq!(shelf.left(&[Operation::Dec]), [Operation::Dec]);
        });
        with_shelf(KatStatus::Pass, &published, &|shelf| {
            assert_eq!(shelf.of_other_images(Some(&published)).unwrap(), 1);
            assert_eq!(shelf.left(&[Operation::Dec]), [Operation::Dec]);
        });
    }
}
