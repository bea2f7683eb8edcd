//! Every trial starts from the same state: what a call costs on an emulated core depends on its
//! number alone, and a trial repeats the one before it call by call.
//!
//! By default one small set of each family; with NGCC_TEST_ALL set, every instance that the board
//! can run, or of these the ones that the regular expression in NGCC_TEST_ONLY matches: the largest
//! sets of Classic McEliece take hours.

mod support;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use catalogue::{Catalogue, Instance, board};
use host::project::Project;
use host::session::SessionError;
use regex::Regex;
use support::real_meter::Bench;
use wire::Operation;

/// One of each kind: static data and heap of every sort, and a scheme that keeps both.
const REPRESENTATIVES: [&str; 8] = [
    "pqclean/ML-KEM-512",
    "pqclean/HQC-128",
    "pqclean/ML-DSA-44",
    "pqclean/Falcon-512",
    "akex/AKEX-128",
    "sha3/SHA3-256",
    "rogues/static-state",
    "rogues/leaks-much",
];

/// Calls in a trial of an operation that is quick, and instructions for which it is.
const CALLS: u32 = 12;
const QUICK: u64 = 40_000_000;

/// Instructions from which on an operation is too slow for more than two passes: every set-up of
/// the others calls it as well.
const SLOW: u64 = 2_000_000_000;

/// Seconds on the wall for an answer: longer than the slowest takes on a machine with other work.
const PATIENCE: Duration = Duration::from_secs(3600);

/// What differs between two passes over an operation; nothing should.
fn difference(
    session: &mut host::session::Session,
    operation: Operation,
    calls: u32,
) -> Result<Option<String>, SessionError> {
    let mut samples = || session.samples(operation, 0, calls, PATIENCE);
    let (first, second) = (samples()?, samples()?);
    let call = first.iter().zip(&second).position(|(one, two)| one != two);
    Ok(call.map(|call| {
        let (one, two) = (first[call], second[call]);
        format!("{operation}, call {call}: {one} and {two}")
    }))
}

/// What differs between two trials of an operation; nothing should.
fn difference_of_totals(
    session: &mut host::session::Session,
    operation: Operation,
    calls: u32,
) -> Result<Option<String>, SessionError> {
    let mut trial = || session.trial(operation, 1, calls, PATIENCE);
    let (first, second) = (trial()?, trial()?);
    let same = first.count == second.count && first.sweeps == second.sweeps;
    Ok((!same).then(|| format!("{operation}: {first:?} and {second:?}")))
}

/// What differs between any two passes over the operations, in turn.
fn differences_between_passes(
    session: &mut host::session::Session,
    operations: &[Operation],
) -> Result<Vec<String>, SessionError> {
    let mut found = Vec::new();
    let mut slow = false;
    for &operation in operations {
        let one = match slow {
            true => None,
            false => Some(session.calibrate(operation)?.count),
        };
        slow |= one.is_some_and(|count| count >= SLOW);
        let calls = match one {
            Some(count) if count < QUICK => CALLS,
            Some(count) if count < SLOW => 2,
            _ => 1,
        };
        found.extend(difference(session, operation, calls)?);
        if !slow {
            found.extend(difference_of_totals(session, operation, calls)?);
        }
    }
    Ok(found)
}

fn differences(instance: &Instance) -> Vec<String> {
    let bench = Bench::emulated_of(&instance.name());
    let mut session = bench.open().unwrap();
    let passes = session.sizes().unwrap().passes;
    let operations = instance.category.operations(passes);
    let found = match differences_between_passes(&mut session, &operations) {
        Ok(found) => found,
        Err(error) => vec![error.to_string()],
    };
    session.bye();
    let name = instance.name();
    found.iter().map(|what| format!("{name} {what}")).collect()
}

#[test]
fn a_trial_repeats_the_one_before_it_call_by_call() {
    let project = Project::find().unwrap();
    let catalogue = Catalogue::load(&project.root).unwrap();
    let virt = board("qemu-virt").unwrap();
    let all = std::env::var_os("NGCC_TEST_ALL").is_some();
    let chosen: Vec<&Instance> = if all {
        let only = std::env::var("NGCC_TEST_ONLY").unwrap_or_default();
        let only = Regex::new(&only).expect("a regular expression in NGCC_TEST_ONLY");
        let instances = catalogue.instances().iter();
        instances
            .filter(|instance| instance.availability(virt).is_ok())
            .filter(|instance| only.is_match(&instance.name()))
            .collect()
    } else {
        let names = REPRESENTATIVES.iter();
        names.map(|name| catalogue.find(name).unwrap()).collect()
    };
    assert!(!chosen.is_empty(), "nothing is compared");
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let worker = || {
        while let Some(instance) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
            let started = Instant::now();
            let differing = differences(instance);
            // For whoever waits for all of them: `--nocapture` shows it.
            let seconds = started.elapsed().as_secs();
            eprintln!("{} {seconds} s {differing:?}", instance.name());
            found.lock().unwrap().extend(differing);
        }
    };
    thread::scope(|scope| {
        // Counts do not depend on what else the machine does.
        for _ in 0..thread::available_parallelism().map_or(1, Into::into) {
            scope.spawn(worker);
        }
    });
    let found = found.into_inner().unwrap();
    assert!(found.is_empty(), "{found:#?}");
}
