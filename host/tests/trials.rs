//! Every trial starts from the same state: what a call costs on an emulated core depends on its
//! number alone, and a trial repeats the one before it call by call.
//!
//! By default one small set of each family; with NGCC_TEST_ALL set, every instance that the board
//! can run.

mod support;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use catalogue::{Catalogue, Instance, board};
use host::project::Project;
use host::session::SessionError;
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

/// Seconds on the wall for an answer: far longer than any takes.
const PATIENCE: Duration = Duration::from_secs(600);

/// What differs between two trials of an operation; nothing should.
fn difference(
    session: &mut host::session::Session,
    operation: Operation,
) -> Result<Option<String>, SessionError> {
    let one = session.calibrate(operation)?;
    let calls = if one.count < QUICK { CALLS } else { 2 };
    let mut samples = || session.samples(operation, 1, calls, PATIENCE);
    let (first, second) = (samples()?, samples()?);
    let call = first.iter().zip(&second).position(|(one, two)| one != two);
    if let Some(call) = call {
        let (one, two) = (first[call], second[call]);
        return Ok(Some(format!("{operation}, call {call}: {one} and {two}")));
    }
    let mut trial = || session.trial(operation, 1, calls, PATIENCE);
    let (first, second) = (trial()?, trial()?);
    let same = first.count == second.count && first.sweeps == second.sweeps;
    Ok((!same).then(|| format!("{operation}: {first:?} and {second:?}")))
}

fn differences(instance: &Instance) -> Vec<String> {
    let bench = Bench::emulated_of(&instance.name());
    let mut session = bench.open().unwrap();
    let passes = session.sizes().unwrap().passes;
    let operations = instance.category.operations(passes);
    let found = operations
        .iter()
        .filter_map(|operation| match difference(&mut session, *operation) {
            Ok(difference) => difference,
            Err(error) => Some(format!("{operation}: {error}")),
        })
        .map(|what| format!("{} {what}", instance.name()))
        .collect();
    session.bye();
    found
}

#[test]
fn a_trial_repeats_the_one_before_it_call_by_call() {
    let project = Project::find().unwrap();
    let catalogue = Catalogue::load(&project.root).unwrap();
    let virt = board("qemu-virt").unwrap();
    let all = std::env::var_os("NGCC_TEST_ALL").is_some();
    let chosen: Vec<&Instance> = if all {
        let instances = catalogue.instances().iter();
        instances
            .filter(|instance| instance.availability(virt).is_ok())
            .collect()
    } else {
        let names = REPRESENTATIVES.iter();
        names.map(|name| catalogue.find(name).unwrap()).collect()
    };
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let worker = || {
        while let Some(instance) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
            found.lock().unwrap().extend(differences(instance));
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
