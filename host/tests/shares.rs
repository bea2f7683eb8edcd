//! What part of an operation lies in symmetric functions: against the counts of a timed image, on
//! both systems, with both linkers, and in the files of a campaign.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use catalogue::environment::GNU_LD;
use catalogue::{Catalogue, FlagSet, Kind, Symmetric};
use host::image::{Cache, Image, Recipe};
use host::interrupt::Interrupt;
use host::measure;
use host::measurement::KatOutcome;
use host::project::Project;
use host::record::profile::shares::CostPerCall;
use host::record::profile::verdict::{Kind as Answer, Verdict, not_observable};
use host::session::{Options, Session, SessionError};
use host::system::{self, System};
use support::packages::{host, said};
use wire::{CallTally, Category, HELPERS, Operation, Profile};

/// How far a share may be from the truth.
const TOLERANCE: f64 = 0.01;

/// Warm-ups and calls of every profile here.
const WARMUPS: u32 = 1;
const CALLS: u32 = 3;

/// An instance, and where its images run.
struct Bench {
    project: Project,
    catalogue: Catalogue,
    system: Box<dyn System>,
    name: &'static str,
}

impl Bench {
    fn emulated(name: &'static str) -> Self {
        Self::new(name, "qemu-virt")
    }

    fn local(name: &'static str) -> Self {
        Self::new(name, &system::default_names()[1])
    }

    fn new(name: &'static str, system: &str) -> Self {
        let project = Project::find().unwrap();
        Self {
            catalogue: Catalogue::load(&project.root).unwrap(),
            system: system::find(system).unwrap(),
            project,
            name,
        }
    }

    fn image(&self, kind: Kind, drills: &[&str]) -> Image {
        let instance = self.catalogue.find(self.name).unwrap();
        let board = catalogue::board(self.system.board()).unwrap();
        let recipe = Recipe {
            kind,
            drills: drills.iter().map(ToString::to_string).collect(),
            ..Recipe::timed(instance, board, FlagSet::Guide)
        };
        let cache = Cache::new(&self.project);
        cache.image(&recipe, &Interrupt::new()).unwrap()
    }

    fn start(&self, image: &Image) -> Session {
        let options = Options::for_system(&*self.system, &Interrupt::new());
        let mut session = Session::start(&*self.system, image, Box::new(|_| {}), options).unwrap();
        session.sizes().unwrap();
        session
    }

    /// The profiles of these operations, from a meter of their own.
    fn profiles(&self, image: &Image, operations: &[Operation]) -> Vec<Profile> {
        let mut session = self.start(image);
        let profiles = operations
            .iter()
            .map(|operation| {
                let passes = measure::profile(&mut session, *operation, WARMUPS, 1, CALLS);
                passes.unwrap().remove(0)
            })
            .collect();
        session.bye();
        profiles
    }

    fn category(&self) -> Category {
        self.catalogue.find(self.name).unwrap().category
    }

    /// The operations that a campaign profiles.
    fn operations(&self) -> Vec<Operation> {
        let operations = self.category().operations(0);
        let whole = operations.iter().filter(|operation| !operation.is_step());
        whole.copied().collect()
    }
}

const KEM: [Operation; 3] = [Operation::Keygen, Operation::Enc, Operation::Dec];

/// Ticks of all symmetric functions in one operation, and of the operation.
fn net(profile: &Profile) -> (f64, f64) {
    let cost = CostPerCall::of(&profile.cost);
    let calls = profile.shapes.iter().map(|shape| cost.net(&shape.tally));
    let per_operation = |ticks: u64| ticks as f64 / f64::from(profile.operations);
    (
        per_operation(calls.sum()),
        per_operation(cost.net_total(profile)),
    )
}

/// Calls of one operation by function and bits in and out.
fn calls(profile: &Profile) -> BTreeMap<(&'static str, u64, u64), u32> {
    assert!(profile.rest.is_empty());
    let shapes = profile.shapes.iter();
    shapes
        .map(|shape| {
            let name = HELPERS[usize::from(shape.helper)].symbol;
            let key = (name, shape.input_bits, shape.output_bits);
            (key, shape.tally.calls)
        })
        .collect()
}

fn symmetric(image: &Image) -> &Symmetric {
    let report = image.report.as_ref().unwrap();
    report.symmetric.as_ref().unwrap()
}

#[test]
fn shares_are_what_the_timed_image_says() {
    for (name, rounds, nested) in [
        ("shares/plain", 25, 0),
        ("shares/small", 2000, 0),
        ("shares/nested", 300, 5),
    ] {
        let bench = Bench::emulated(name);
        let timed = bench.image(Kind::Timed, &[]);
        let mut session = bench.start(&timed);
        let [keygen, enc, dec] = KEM.map(|operation| {
            let expected = Duration::from_millis(10);
            let samples = session.samples(operation, WARMUPS, CALLS, expected);
            samples.unwrap()[0] as f64
        });
        session.bye();
        // Both do the same but for what the function does.
        let function = keygen - enc;
        let counting = bench.image(Kind::Profile, &[]);
        let profiles = bench.profiles(&counting, &KEM);
        for (profile, all, part) in [
            (&profiles[0], keygen, function),
            (&profiles[1], enc, 0.0),
            (&profiles[2], dec, function),
        ] {
            let (symmetric, total) = net(profile);
            let (share, truth) = (symmetric / total, part / all);
            assert!(
                (share - truth).abs() <= TOLERANCE * truth,
                "{name}: {share} instead of {truth}"
            );
            assert!(
                (total / all - 1.0).abs() <= TOLERANCE,
                "{name}: {total} of {all}"
            );
        }
        let tally = |profile: &Profile| profile.shapes.first().map(|shape| shape.tally);
        let expected = |tally: &CallTally| {
            assert_eq!(tally.calls, rounds * CALLS);
            assert_eq!(tally.nested, nested * rounds * CALLS);
        };
        expected(&tally(&profiles[0]).unwrap());
        expected(&tally(&profiles[2]).unwrap());
        assert_eq!(tally(&profiles[1]), None);
        // From boot to boot every count is the same, those of the meter's own cost included.
        for (one, other) in profiles.iter().zip(bench.profiles(&counting, &KEM)) {
            let nanoseconds = one.nanoseconds;
            assert_eq!(
                one,
                &Profile {
                    nanoseconds,
                    ..other
                }
            );
        }
    }
}

#[test]
fn both_systems_see_the_same_calls() {
    for (name, answer, symbol) in [
        ("pqclean/ML-KEM-768", Answer::Bypass, "sha3_256"),
        ("standards/ML-DSA-44", Answer::Bypass, "get_random_number"),
        ("akex/AKEX-128", Answer::Bypass, "shake256_inc_absorb"),
        ("x25519/X25519", Answer::Bypass, "get_random_number"),
    ] {
        let seen = [Bench::emulated(name), Bench::local(name)].map(|bench| {
            let image = bench.image(Kind::Profile, &[]);
            let verdict = Verdict::of(symmetric(&image), bench.category()).unwrap();
            assert_eq!(verdict.verdict, answer, "{name}: {}", verdict.reason);
            // The counters do not change what is computed.
            let mut session = bench.start(&image);
            let instance = bench.catalogue.find(name).unwrap();
            let outcome = measure::known_answer(&mut session, instance, &bench.project.root);
            assert!(matches!(outcome, Ok(KatOutcome::Pass(_))), "{outcome:?}");
            session.bye();
            let profiles = bench.profiles(&image, &bench.operations());
            // Where other work disturbs the machine, what counting costs can come out as more than
            // there is: only an emulator's counts add up.
            for profile in profiles.iter().filter(|_| !bench.system.needs_quiet()) {
                let (symmetric, total) = net(profile);
                assert!(symmetric <= total, "{name}: {symmetric} of {total}");
            }
            profiles.iter().map(calls).collect::<Vec<_>>()
        });
        assert_eq!(seen[0], seen[1], "{name}");
        let mut names = seen[0].iter().flat_map(BTreeMap::keys);
        assert!(names.any(|(name, ..)| *name == symbol), "{name}: {seen:?}");
    }
}

#[test]
fn both_linkers_give_the_same_calls() {
    for name in ["shares/nested", "pqclean/ML-KEM-768"] {
        let bench = Bench::local(name);
        let seen = [&[][..], &[GNU_LD]].map(|drills| {
            let image = bench.image(Kind::Profile, drills);
            let profiles = bench.profiles(&image, &KEM);
            // Of these two, LLD alone signs what it links.
            let is_lld = image.elf.linker().is_some_and(|it| it.starts_with("LLD"));
            (is_lld, profiles.iter().map(calls).collect::<Vec<_>>())
        });
        assert_eq!(seen.each_ref().map(|(is_lld, _)| *is_lld), [true, false]);
        assert_eq!(seen[0].1, seen[1].1, "{name}");
        assert!(!seen[0].1[0].is_empty());
    }
}

#[test]
fn what_the_objects_reach_decides_the_verdict() {
    let verdict = |bench: Bench| {
        let image = bench.image(Kind::Profile, &[]);
        let symmetric = symmetric(&image);
        let verdict = Verdict::of(symmetric, Category::Kem).unwrap();
        let name = verdict.verdict.name();
        (name, verdict.reason, not_observable(symmetric))
    };
    let (plain, reason, hidden) = verdict(Bench::emulated("shares/plain"));
    assert_eq!((plain, hidden), ("ICCS-only", vec![]), "{reason}");
    let (mixed, reason, hidden) = verdict(Bench::local("shares/mixed"));
    assert_eq!((mixed, hidden), ("mixed", vec![]));
    assert_eq!(reason, "sm3hash, and Keccak in pqclean:common/fips202.c");
    let (private, reason, hidden) = verdict(Bench::emulated("shares/private"));
    assert_eq!(private, "bypass", "{reason}");
    assert_eq!(hidden.len(), 1);
    assert!(hidden[0].starts_with("Keccak in ") && hidden[0].ends_with("own.c"));
}

#[test]
fn an_image_is_either_for_timing_or_for_counting() {
    let bench = Bench::emulated("shares/plain");
    let mut counting = bench.start(&bench.image(Kind::Profile, &[]));
    let mut timed = bench.start(&bench.image(Kind::Timed, &[]));
    let refused = |result: Result<(), SessionError>| match result {
        Err(SessionError::Refused { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    let trial = counting.calibrate(Operation::Enc);
    assert!(refused(trial.map(drop)).contains("not for timing"));
    let profile = timed.profile(Operation::Enc, 0, 1, None);
    assert!(refused(profile.map(drop)).contains("does not count"));
    counting.bye();
    timed.bye();
}

/// The file of a profile.
fn profile_of(run: &Path, operation: &str) -> std::path::PathBuf {
    run.join("qemu-virt/profile/x25519")
        .join(format!("X25519__{operation}.json"))
}

#[test]
fn a_campaign_keeps_profiles_and_makes_those_that_are_missing() {
    let run = tempfile::tempdir().unwrap();
    let path = run.path().to_str().unwrap();
    let campaign = |more: &[&str]| {
        let mut words = vec!["campaign", "--quiet", "--system", "qemu-virt"];
        words.extend([
            "--only",
            "^x25519/",
            "--trial-target",
            "0.001",
            "--run-dir",
            path,
        ]);
        words.extend(more);
        let output = host(&words);
        assert!(output.status.success(), "{}", said(&output));
    };
    let validate = || {
        let output = host(&["validate", path]);
        (output.status.code(), said(&output))
    };
    let file = profile_of(run.path(), "exchange");
    let read = || fs::read_to_string(&file).unwrap();

    campaign(&["--no-profile"]);
    assert!(!file.exists());
    campaign(&[]);
    let made = read();
    assert_eq!(validate().0, Some(0), "{}", validate().1);
    assert!(!profile_of(run.path(), "init_a").exists());
    // On the emulated board nothing differs between passes, which make the same calls.
    let profile: serde_json::Value = serde_json::from_str(&made).unwrap();
    let passes = profile["meter"]["passes"].as_array().unwrap();
    assert!(passes.len() >= 3, "{passes:?}");
    assert!(passes.iter().all(|pass| pass == &passes[0]), "{passes:?}");
    assert_eq!(profile["total"]["ticks"], passes[0]["ticks"]);
    assert_eq!(profile["meter"]["drng_share_spread"], 0.0);
    let modified = || fs::metadata(&file).unwrap().modified().unwrap();
    let before = modified();
    campaign(&[]);
    assert_eq!(modified(), before);

    let output = host(&["compare", "--shares", path]);
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    assert!(
        text.contains("x25519/X25519: bypass — no hash function"),
        "{text}"
    );
    assert!(text.contains("drng "), "{text}");

    // A share that is not what the calls give, and a changed digit, are found.
    let wrong = made.replacen("\"hash_share\": 0.", "\"hash_share\": 0.9", 1);
    assert_ne!(wrong, made);
    fs::write(&file, &wrong).unwrap();
    let (code, found) = validate();
    assert_eq!(code, Some(1));
    assert!(found.contains("key `hash_share`"), "{found}");
    assert!(found.contains("key `meter.digest`"), "{found}");
    fs::write(&file, &made).unwrap();

    // Where a record is made anew, its profile is.
    let record = run
        .path()
        .join("qemu-virt/records/x25519/X25519__exchange.json");
    fs::remove_file(&record).unwrap();
    assert!(validate().1.contains("no record of this operation"));
    campaign(&["--no-profile"]);
    assert!(validate().1.contains("key `meter.record`"));
    campaign(&[]);
    assert_eq!(validate().0, Some(0), "{}", validate().1);
    assert_ne!(read(), made);
}
