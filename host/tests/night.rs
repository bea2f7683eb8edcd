//! Campaigns that something happens to at night: killed at any moment, out of disk, with a board
//! that goes away. Gone on with, each ends with the records that an undisturbed one has; those of
//! the emulated board are the same number for number.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{LazyLock, PoisonError, RwLock, RwLockReadGuard};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use catalogue::{Catalogue, FlagSet};
use host::image::{Cache, Recipe};
use host::project::Project;
use rustix::process::{Pid, Signal, kill_process};
use support::processes::{children_of, with_variable};
use support::runs::{EMULATED, assert_same, assert_whole, files, said};

/// Long enough for anything that a test waits for, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(600);

/// Marks everything that a campaign starts, so that it can be found after its death.
const MARK: &str = "NGCC_TEST_NIGHT";

fn all() -> bool {
    std::env::var_os("NGCC_TEST_ALL").is_some()
}

/// The instances: two small ones, or one of each kind and size.
fn only() -> &'static str {
    match all() {
        false => "^pqclean/ML-KEM-(512|768)$",
        true => {
            "^(pqclean/(ML-KEM-(512|768)|ML-DSA-65|HQC-128|Falcon-512)|standards/|sha3/|akex/|x25519/)"
        }
    }
}

/// A local system's name, as the host gives it.
fn local() -> String {
    host::system::default_names()[1].clone()
}

fn host(run: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_host"));
    command
        .args(["campaign", "--allow-unfit", "--trial-target", "0.005"])
        .args(arguments)
        .arg("--run-dir")
        .arg(run)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

fn assert_clean(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    said(&output)
}

/// The campaign that nothing happened to.
static UNDISTURBED: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("night-undisturbed");
    // Nothing is there but what an earlier run of this test left.
    let _ = fs::remove_dir_all(&folder);
    assert_clean(&mut host(&folder, &["--only", only()]));
    folder
});

/// Numbers that are as good as random, the same for the same seed (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// A running campaign and the log of its run directory.
struct Campaign<'a> {
    host: Child,
    run: &'a Path,
    /// Lines that earlier campaigns left in the log.
    before: usize,
}

fn log(run: &Path) -> Vec<String> {
    let text = fs::read_to_string(run.join("campaign.log")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

impl<'a> Campaign<'a> {
    fn start(mut command: Command, run: &'a Path) -> Self {
        let before = log(run).len();
        let host = command.spawn().unwrap();
        Self { host, run, before }
    }

    /// Waits until the log has so many new lines of a phase on a system; false when the campaign
    /// ended before.
    fn reaches(&mut self, system: &str, phase: &str, times: usize) -> bool {
        let (system, phase) = (format!(" {system}: "), format!(": {phase}"));
        self.waits(|lines| {
            let is_it = |line: &&String| line.contains(&system) && line.contains(&phase);
            lines.iter().filter(is_it).count() >= times
        })
    }

    /// Waits until something is true of the new lines of the log.
    fn waits(&mut self, mut is_true: impl FnMut(&[String]) -> bool) -> bool {
        let until = Instant::now() + PATIENCE;
        loop {
            let lines = log(self.run);
            if is_true(&lines[self.before..]) {
                return true;
            }
            if self.host.try_wait().unwrap().is_some() {
                return false;
            }
            assert!(Instant::now() < until, "it does not come: {lines:?}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn kill(mut self) {
        kill_process(Pid::from_child(&self.host), Signal::KILL).unwrap();
        self.host.wait().unwrap();
    }

    fn end(self) -> Output {
        self.host.wait_with_output().unwrap()
    }
}

/// Waits until nothing is left of what carries this mark.
fn assert_nothing_lives(mark: &str) {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let left = with_variable(MARK, mark);
        if left.is_empty() {
            return;
        }
        let names: Vec<_> = left
            .iter()
            .map(|id| fs::read_to_string(format!("/proc/{id}/cmdline")))
            .collect();
        assert!(Instant::now() < until, "still there: {left:?} {names:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// When to kill: after so many new lines of a phase on a system, and a moment more.
struct Moment {
    system: String,
    phase: &'static str,
    times: usize,
    delay: Duration,
}

fn moments(random: &mut Random) -> Vec<Moment> {
    let (each, times) = if all() { (4, 6) } else { (1, 1) };
    let places = [
        (EMULATED.to_owned(), "kat"),
        (EMULATED.to_owned(), "measure"),
        (EMULATED.to_owned(), "memory"),
        (EMULATED.to_owned(), "profile"),
        (local(), "measure"),
    ];
    let places = places.into_iter().flat_map(|place| vec![place; each]);
    let moments = places.map(|(system, phase)| Moment {
        system,
        phase,
        times: 1 + random.below(times) as usize,
        delay: Duration::from_millis(random.below(100)),
    });
    moments.collect()
}

/// Asserts that no known answers were computed again after they had been found right.
fn assert_answered_once(run: &Path) {
    let mut passed = Vec::new();
    for line in log(run) {
        let Some((_, what)) = line.split_once(' ') else {
            continue;
        };
        if let Some((name, _)) = what.split_once(": KAT PASS") {
            passed.push(name.to_owned());
        }
        let again = what.strip_suffix(": kat");
        assert!(
            !again.is_some_and(|name| passed.iter().any(|it| it == name)),
            "{line}"
        );
    }
    assert!(!passed.is_empty());
}

/// Only one test at a time may remove an image that others run.
static IMAGES: RwLock<()> = RwLock::new(());

fn images() -> RwLockReadGuard<'static, ()> {
    IMAGES.read().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn a_campaign_that_is_killed_again_and_again_ends_like_one_that_is_not() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = std::env::var("NGCC_TEST_SEED").map_or(now.as_millis() as u64, |text| {
        text.parse().expect("NGCC_TEST_SEED is a number")
    });
    println!("NGCC_TEST_SEED={seed} kills at the same moments");
    let mut random = Random(seed);
    let _images = images();
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path();
    let mark = format!("{seed}-{}", std::process::id());
    let command = || {
        let mut command = host(run, &["--only", only()]);
        command.env(MARK, &mark);
        command
    };
    let mut killed = Vec::new();
    for moment in moments(&mut random) {
        let mut campaign = Campaign::start(command(), run);
        let reached = campaign.reaches(&moment.system, moment.phase, moment.times);
        thread::sleep(moment.delay);
        // One that has ended meanwhile has nothing left to be killed in.
        if !reached {
            campaign.end();
            break;
        }
        campaign.kill();
        assert_nothing_lives(&mark);
        killed.push(moment.phase);
    }
    println!("killed in {killed:?}");
    assert!(killed.len() >= 4, "{killed:?}");
    assert_clean(&mut command());
    assert_whole(run);
    assert_same(run, &UNDISTURBED, &|_| true);
    assert_answered_once(run);
}

#[test]
fn a_build_that_is_killed_leaves_no_compiler_and_no_half_image() {
    let undisturbed = &UNDISTURBED;
    let _alone = IMAGES.write().unwrap_or_else(PoisonError::into_inner);
    let project = Project::find().unwrap();
    let catalogue = Catalogue::load(&project.root).unwrap();
    let board = catalogue::board(EMULATED).unwrap();
    let instance = catalogue.find("pqclean/ML-KEM-512").unwrap();
    let recipe = Recipe::timed(instance, board, FlagSet::Guide);
    Cache::new(&project).forget(&recipe).unwrap();

    let folder = tempfile::tempdir().unwrap();
    let run = folder.path();
    let mark = format!("build-{}", std::process::id());
    let command = || {
        let mut command = small(run);
        command.env(MARK, &mark);
        command
    };
    let mut campaign = Campaign::start(command(), run);
    let compiles = |id: &u32| {
        let line = fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        line.contains("rustc") || line.contains("gcc")
    };
    assert!(campaign.waits(|_| with_variable(MARK, &mark).iter().any(compiles)));
    campaign.kill();
    assert_nothing_lives(&mark);
    assert_clean(&mut command());
    assert_whole(run);
    let concerns =
        |name: &Path| is_of(name, "ML-KEM-512") && !name.starts_with("qemu-virt/profile");
    assert_same(run, undisturbed, &concerns);
}

/// Whether a file is about an instance on the emulated board.
fn is_of(name: &Path, label: &str) -> bool {
    let file = name.file_name().unwrap().to_string_lossy();
    let label = [format!("{label}__"), format!("{label}.")];
    name.starts_with(EMULATED) && label.iter().any(|label| file.starts_with(label))
}

/// One instance on the emulated board, without profiles.
fn small(run: &Path) -> Command {
    let only = [
        "--no-profile",
        "--system",
        EMULATED,
        "--only",
        "^pqclean/ML-KEM-512$",
    ];
    host(run, &only)
}

fn assert_same_as_small(run: &Path) {
    let concerns =
        |name: &Path| is_of(name, "ML-KEM-512") && !name.starts_with("qemu-virt/profile");
    assert_same(run, &UNDISTURBED, &concerns);
}

#[test]
fn a_full_disk_is_one_clear_error_and_the_campaign_can_be_gone_on_with() {
    LazyLock::force(&UNDISTURBED);
    let _images = images();
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    // No record fits into 16 KiB: to whoever writes it is as on a disk without room.
    let campaign = small(&run);
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "trap '' XFSZ; ulimit -f 32; exec \"$@\"", "sh"])
        .arg(campaign.get_program())
        .args(campaign.get_args());
    let output = limited.stdout(Stdio::null()).output().unwrap();
    let text = said(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(text.matches("cannot write").count(), 1, "{text}");
    assert!(
        text.contains("has room") && text.contains("goes on"),
        "{text}"
    );
    assert!(files(&run, "records").is_empty(), "{text}");
    assert_clean(&mut small(&run));
    assert_whole(&run);
    assert_same_as_small(&run);
}

#[test]
fn a_board_that_goes_away_costs_one_record_until_the_campaign_is_gone_on_with() {
    LazyLock::force(&UNDISTURBED);
    let _images = images();
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path();
    let mut campaign = Campaign::start(small(run), run);
    assert!(campaign.waits(|lines| lines.iter().any(|line| line.contains(" enc: measure"))));
    let emulators: Vec<u32> = children_of(campaign.host.id())
        .into_iter()
        .filter(|id| {
            let line = fs::read_to_string(format!("/proc/{id}/cmdline"));
            line.is_ok_and(|line| line.starts_with("qemu-system-aarch64"))
        })
        .collect();
    assert_eq!(emulators.len(), 1);
    let emulator = Pid::from_raw(emulators[0] as i32).unwrap();
    kill_process(emulator, Signal::KILL).unwrap();
    let output = campaign.end();
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert_eq!(text.matches("the meter vanished").count(), 1, "{text}");
    assert_eq!(files(run, "records").len(), 3, "{text}");
    let text = assert_clean(&mut small(run));
    assert!(text.contains("2 records kept, 1 measured"), "{text}");
    assert_whole(run);
    assert_same_as_small(run);
}

#[test]
fn parts_that_are_measured_by_hand_make_the_whole() {
    LazyLock::force(&UNDISTURBED);
    let _images = images();
    let folder = tempfile::tempdir().unwrap();
    let [first, second, whole] = ["first", "second", "whole"].map(|name| folder.path().join(name));
    for (part, run) in [("1/2", &first), ("2/2", &second)] {
        let only = ["--system", EMULATED, "--only", only(), "--shard", part];
        assert_clean(&mut host(run, &only));
        assert!(!files(run, "records").is_empty());
    }
    let mut merge = Command::new(env!("CARGO_BIN_EXE_host"));
    let merge = merge
        .arg("merge")
        .args([&first, &second])
        .arg("--to")
        .arg(&whole);
    let output = merge.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_whole(&whole);
    assert_same(&whole, &UNDISTURBED, &|name| name.starts_with(EMULATED));
}
