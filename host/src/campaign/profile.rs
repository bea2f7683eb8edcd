//! The profiles of an instance's operations, from an image that counts calls.
//!
//! They are made after the records, and one at a time: one that is there for its record as it is
//! now stays. A profile that cannot be made costs no record.

use catalogue::{FlagSet, Instance, Kind};
use wire::Operation;

use super::build::Which;
use super::phase::Phase;
use super::work::Work;
use super::{build, label};
use crate::interrupt::Urgency;
use crate::measure;
use crate::outcome::Outcome;
use crate::record::profile::{Occasion, Profile};
use crate::record::read::ReadError;
use crate::record::schema::{Record, Status};
use crate::session::{Session, SessionError, keep_spoiled};

/// An operation that needs a profile, and its record.
type Due = (Operation, Record);

impl Work<'_> {
    /// Makes the profiles that are missing or belong to records that are no more.
    ///
    /// # Errors
    ///
    /// What is neither the target's doing nor the user's wish.
    pub fn profiles(
        &self,
        instance: &Instance,
        operations: &[Operation],
    ) -> miette::Result<Outcome> {
        if !self.settings.profiles {
            return Ok(Outcome::Clean);
        }
        let due = self.due(instance, operations)?;
        let Some((_, first)) = due.first() else {
            return Ok(Outcome::Clean);
        };
        match self.make(instance, &due, first) {
            Err(error) if label::is_interruption(&error) => Ok(Outcome::Interrupted),
            result => result,
        }
    }

    /// Operations with a complete record and no profile for it. A step of a key exchange has none:
    /// it is a part of the whole run, as in published profiles.
    fn due(&self, instance: &Instance, operations: &[Operation]) -> Result<Vec<Due>, ReadError> {
        let (system, candidate) = (self.system.name(), &instance.candidate);
        let mut due = Vec::new();
        for operation in operations.iter().filter(|operation| !operation.is_step()) {
            let stem = format!("{}__{operation}", instance.label);
            let record = match self.directory.find(system, candidate, &stem) {
                // It is reported, and measured anew, where records are.
                Err(ReadError::Content { .. }) => None,
                found => found?,
            };
            let Some(record) = record.filter(|record| record.status == Status::Complete) else {
                continue;
            };
            let profile = match self.directory.find_profile(system, candidate, &stem) {
                Err(error @ ReadError::Content { .. }) => {
                    self.reporter.replaced(&error);
                    None
                }
                found => found?,
            };
            if !profile.is_some_and(|profile| profile.belongs_to(&record)) {
                due.push((*operation, record));
            }
        }
        Ok(due)
    }

    fn make(&self, instance: &Instance, due: &[Due], first: &Record) -> miette::Result<Outcome> {
        let name = instance.name();
        let unmade = |reason: &str| {
            self.reporter.remark(&name, &format!("no shares: {reason}"));
            Outcome::NotClean
        };
        // The flags that the instance was measured with.
        let Ok(flags) = FlagSet::from_name(first.flags.name()) else {
            return Ok(unmade("its records have flags that nothing is built with"));
        };
        self.reporter
            .doing(Phase::Build, &name, "the image that counts");
        let which = Which {
            kind: Kind::Profile,
            ..Which::timed(flags)
        };
        let built = build::image(instance, which, self.system, self.cache, self.interrupt)?;
        let image = match built {
            Ok(image) => image,
            Err(reason) => return Ok(unmade(&reason)),
        };
        let bench = self.bench(instance, &image);
        let mut worst = Outcome::Clean;
        let mut session: Option<Session> = None;
        for (operation, record) in due {
            if self.interrupt.urgency() > Urgency::None {
                return Ok(Outcome::Interrupted);
            }
            self.reporter
                .doing(Phase::Profile, &name, &operation.to_string());
            let started = match session.take() {
                Some(session) => Ok(session),
                None => keep_spoiled(bench.start())?,
            };
            let result = match started {
                Ok(mut started) => {
                    let result = counted(&mut started, *operation, record);
                    if result.is_ok() {
                        session = Some(started);
                    }
                    keep_spoiled(result)?
                }
                Err(spoiled) => Err(spoiled),
            };
            match (result, &session) {
                (Ok(counted), Some(session)) => {
                    let profile = Profile::assemble(
                        &counted,
                        &Occasion {
                            system: self.system.name(),
                            counter: &session.introduction().hello.counter,
                            category: instance.category,
                            image: &image,
                            record,
                        },
                    );
                    let system = self.system.name();
                    if let Some(profile) = profile {
                        self.directory.write_profile(system, record, &profile)?;
                    }
                }
                (Err(spoiled), _) => worst = unmade(&format!("{operation}: {spoiled}")),
                (Ok(_), None) => {}
            }
        }
        session.map(Session::bye);
        Ok(worst)
    }
}

/// The part of a trial's calls that is counted, as long as that leaves [`FEWEST`]: a share is a
/// ratio within one loop, and a loop as long as a trial would be as dear as one.
const PART: u32 = 10;

/// Calls that are counted at least, where a trial has as many: those that the guide demands of a
/// measurement.
const FEWEST: u32 = 100;

/// Passes into which those calls are divided, so that noise can be told from shares; and passes of
/// fewer calls than [`FEWEST`], which are slow ones, so that what precedes each pass, a set-up and
/// warm-ups, costs less than the calls.
const PASSES: u32 = 5;
const PASSES_OF_SLOW_CALLS: u32 = 3;

/// The first calls of the record's trials, from the same state on.
fn counted(
    session: &mut Session,
    operation: Operation,
    record: &Record,
) -> Result<Vec<wire::Profile>, SessionError> {
    let few = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let (passes, calls) = divided(counted_calls(few(record.plan.iterations_per_trial)));
    // Passes of a key exchange are known to a meter that was asked for its sizes.
    session.sizes()?;
    measure::profile(session, operation, few(record.plan.warmups), passes, calls)
}

/// How many of a trial's calls are counted.
fn counted_calls(calls: u32) -> u32 {
    (calls / PART).max(FEWEST).min(calls)
}

/// Passes, and calls of each: together no more than so many.
fn divided(calls: u32) -> (u32, u32) {
    let passes = match calls {
        FEWEST.. => PASSES,
        few => PASSES_OF_SLOW_CALLS.min(few).max(1),
    };
    (passes, (calls / passes).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_many_calls_is_counted_and_few_are_counted_all() {
        let counted = [1, 20, 100, 400, 2_000, 20_000].map(counted_calls);
        assert_eq!(counted, [1, 20, 100, 100, 200, 2_000]);
    }

    #[test]
    fn passes_take_no_more_calls_than_one_would() {
        let divided = [1, 2, 20, 100, 2_000].map(divided);
        assert_eq!(divided, [(1, 1), (2, 1), (3, 6), (5, 20), (5, 400)]);
        assert!((1..500).all(|calls| {
            let (passes, each) = super::divided(calls);
            passes * each <= calls && each > 0
        }));
    }
}
