//! Known answers: every instance of every package, on every system that can run it.
//!
//! By default one small set of each family and variant; with NGCC_TEST_ALL set, all of them.

use std::fs;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use catalogue::{Catalogue, FlagSet, Instance};
use host::image::{Cache, Recipe};
use host::interrupt::Interrupt;
use host::measure;
use host::measurement::KatOutcome;
use host::project::Project;
use host::session::{Options, Session};
use host::system;

/// One small set of each family, from PQClean and from packages; all of its variants are taken.
const REPRESENTATIVES: [&str; 11] = [
    "ML-KEM-512",
    "HQC-128",
    "mceliece348864",
    "ML-DSA-44",
    "Falcon-512",
    "SPHINCS+-sha2-128f-simple",
    "SPHINCS+-shake-128f-simple",
    "X25519",
    "AKEX-128",
    "AKEX-192-4pass",
    "SHA3-256",
];

/// Instances of packages that must pass on every system: all else may lack something there.
const EVERYWHERE: [&str; 6] = [
    "x25519/X25519",
    "akex/AKEX-128",
    "akex/AKEX-192-4pass",
    "sha3/SHA3-256",
    "standards/ML-KEM-512",
    "standards/ML-DSA-44",
];

/// A real board's image in an emulator: with NGCC_TEST_ALL all instances, otherwise these sets of
/// the portable variant, for the board differs from the first one in what is not theirs.
const BOARD: &str = "qemu-raspi3b";
const ON_THE_BOARD: [&str; 5] = [
    "pqclean/ML-KEM-512",
    "pqclean/ML-DSA-44",
    "x25519/X25519",
    "akex/AKEX-128",
    "sha3/SHA3-256",
];

/// What became of one instance on one system.
enum Found {
    Passed { seconds: f64 },
    Unavailable { reason: String },
    Wrong { what: String },
}

fn find(instance: &Instance, system: &str, project: &Project) -> Found {
    let system = system::find(system).expect("a system");
    let board = catalogue::board(system.board()).expect("its board");
    if let Err(unavailable) = instance.availability(board) {
        return Found::Unavailable {
            reason: unavailable.reason,
        };
    }
    let cache = Cache::new(project);
    let interrupt = Interrupt::new();
    let recipe = Recipe::timed(instance, board, FlagSet::Guide);
    let wrong = |what: String| Found::Wrong { what };
    let image = match cache.image(&recipe, &interrupt) {
        Ok(image) => image,
        Err(error) => return wrong(format!("{error}")),
    };
    let options = Options::for_system(&*system, &interrupt);
    let mut session = match Session::start(&*system, &image, Box::new(|_| {}), options) {
        Ok(session) => session,
        Err(error) => return wrong(format!("{error}")),
    };
    let started = Instant::now();
    let outcome = measure::known_answer(&mut session, instance, &project.root);
    session.bye();
    match outcome {
        Ok(KatOutcome::Pass(_)) => Found::Passed {
            seconds: started.elapsed().as_secs_f64(),
        },
        other => wrong(format!("{other:?}")),
    }
}

#[test]
fn every_instance_gives_its_published_answers_or_says_what_the_system_lacks() {
    let project = Project::find().expect("the workspace");
    let catalogue = Catalogue::load(&project.root).expect("the catalogue");
    let all = std::env::var_os("NGCC_TEST_ALL").is_some();
    let chosen: Vec<&Instance> = catalogue
        .instances()
        .iter()
        .filter(|instance| all || REPRESENTATIVES.contains(&instance.instance.as_str()))
        .collect();
    let work: Vec<(String, &Instance)> = system::default_names()
        .into_iter()
        .flat_map(|system| {
            chosen
                .iter()
                .map(move |instance| (system.clone(), *instance))
        })
        .collect();
    let on_the_board = chosen
        .iter()
        .filter(|instance| all || ON_THE_BOARD.contains(&instance.name().as_str()))
        .map(|instance| (BOARD.to_owned(), *instance));
    let work: Vec<_> = on_the_board.chain(work).collect();
    let next = AtomicUsize::new(0);
    let lines = Mutex::new(Vec::new());
    let failures = Mutex::new(Vec::new());
    let passed = AtomicUsize::new(0);
    let worker = || {
        while let Some((system, instance)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = format!("{system} {}", instance.name());
            let line = match find(instance, system, &project) {
                Found::Passed { seconds } => {
                    passed.fetch_add(1, Ordering::Relaxed);
                    format!("{name}: PASS in {seconds:.1} s")
                }
                Found::Unavailable { reason } => {
                    assert!(reason.starts_with("needs "), "{name}: {reason}");
                    format!("{name}: {reason}")
                }
                Found::Wrong { what } => {
                    failures.lock().unwrap().push(format!("{name}: {what}"));
                    format!("{name}: WRONG")
                }
            };
            println!("{line}");
            lines.lock().unwrap().push(line);
        }
    };
    // Answers do not depend on what else the machine does: one image runs on each core.
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(worker);
        }
    });
    let mut lines = lines.into_inner().unwrap();
    lines.sort();
    let file = project.work_folder().join("known-answers.txt");
    fs::write(&file, lines.join("\n") + "\n").expect("the target folder can be written");
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{failures:#?}");
    for name in EVERYWHERE {
        for system in system::default_names() {
            let begin = format!("{system} {name}: PASS ");
            assert!(
                lines.iter().any(|line| line.starts_with(&begin)),
                "no `{begin}` in {lines:#?}"
            );
        }
    }
    let least = if all { 100 } else { 27 };
    let passed = passed.into_inner();
    assert!(passed >= least, "only {passed} known answers were checked");
}
