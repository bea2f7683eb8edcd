//! Figures of memory: of functions whose use is known, and against valgrind's of a plain program
//! that makes the same calls.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use catalogue::{Catalogue, FlagSet, Instance, Interface, Toolchain, compiler_flags};
use host::measurement::Spoiled;
use host::project::Project;
use host::session::SessionError;
use support::real_meter::Bench;
use tempfile::TempDir;
use wire::{Category, FaultKind, HeapUse, Live, MemoryUse, Operation};

/// A word to fill the stack with.
const PATTERN: u64 = 0xa5c3_96e1_5a3c_691e;

/// Bytes of stack that the plain program's own function uses.
const RESERVED: u64 = 1 << 18;

/// Bytes of a return address, which lies below the stack pointer at the call as well.
const RETURN_ADDRESS: u64 = 8;

fn live(bytes: u64, blocks: u64) -> Live {
    Live { bytes, blocks }
}

fn memory(bench: &Bench, operations: &[Operation]) -> Vec<MemoryUse> {
    let mut session = bench.open().unwrap();
    session.sizes().unwrap();
    let used = operations
        .iter()
        .map(|operation| session.memory(*operation, PATTERN).unwrap())
        .collect();
    session.bye();
    used
}

const KEM: [Operation; 3] = [Operation::Keygen, Operation::Enc, Operation::Dec];
const SIG: [Operation; 3] = [Operation::Keygen, Operation::Sign, Operation::Verify];

#[test]
fn known_sequences_on_the_heap_are_counted_exactly() {
    for bench in Bench::both("memory/known-heap") {
        let [keygen, enc, dec] = memory(&bench, &KEM).try_into().unwrap();
        let available_bytes = keygen.heap.available_bytes;
        assert!(available_bytes > 250 << 20, "{available_bytes}");
        let expected = |heap: HeapUse| HeapUse {
            available_bytes,
            ..heap
        };
        let none = HeapUse::default();
        assert_eq!(
            keygen.heap,
            expected(HeapUse {
                peak_bytes: 12_400,
                largest_bytes: 10_000,
                allocations: 3,
                frees: 3,
                ..none
            })
        );
        assert_eq!(
            enc.heap,
            expected(HeapUse {
                live_after: live(8, 1),
                peak_bytes: 408,
                largest_bytes: 100,
                allocations: 5,
                frees: 4,
                failures: 2,
                ..none
            })
        );
        // One enc and one dec set it up: a text of 8 bytes and a byte are in use.
        assert_eq!(
            dec.heap,
            expected(HeapUse {
                live_before: live(9, 2),
                live_after: live(10, 3),
                peak_bytes: 5010,
                largest_bytes: 5000,
                allocations: 2,
                frees: 1,
                ..none
            })
        );
    }
}

#[test]
fn sparse_frames_are_seen_by_the_stack_pointer_or_listed_by_the_compiler() {
    const FRAME: u64 = 32 * 1024;
    for bench in Bench::both("memory/sparse-frames") {
        let [silent, calling, dec] = memory(&bench, &KEM).map_stack();
        // The paint alone shows the 512 bytes at the upper end of the frame, or what malloc wrote.
        assert!(silent.bytes() < FRAME, "{silent:?}");
        let report = bench.image.report.as_ref().unwrap();
        let largest = |operation| report.largest_frame(operation).unwrap();
        for (operation, function) in [
            (Operation::Keygen, "sparse_and_silent"),
            (Operation::Enc, "sparse_with_a_call"),
        ] {
            let frame = largest(operation);
            assert_eq!(frame.function, function);
            // A frame's part in the red zone of x86-64, of 128 bytes, is not listed.
            assert!(
                (FRAME - 128..FRAME + 256).contains(&frame.bytes),
                "{frame:?}"
            );
            assert!(frame.place.contains("/sparse.c:"), "{frame:?}");
        }
        assert!(largest(Operation::Dec).bytes < 512);
        let pointer = calling.pointer_bytes.unwrap();
        assert!((FRAME..FRAME + 512).contains(&pointer), "{calling:?}");
        assert!(calling.bytes() >= FRAME, "{calling:?}");
        assert!(dec.bytes() < 512, "{dec:?}");
    }
}

/// The stack of each of three operations.
trait MapStack {
    fn map_stack(self) -> [wire::StackUse; 3];
}

impl MapStack for Vec<MemoryUse> {
    fn map_stack(self) -> [wire::StackUse; 3] {
        let stacks: Vec<_> = self.iter().map(|used| used.stack).collect();
        stacks.try_into().unwrap()
    }
}

#[test]
fn a_heap_that_is_misused_is_told_with_what_was_asked_and_what_is_live() {
    for (label, words) in [
        (
            "frees-twice",
            "): no block in use starts there, 0 bytes in 0 blocks are live",
        ),
        (
            "wants-a-terabyte",
            ": malloc(1099511627776): no room, 0 bytes in 0 blocks are live in a heap of ",
        ),
    ] {
        for bench in Bench::both(&format!("rogues/{label}")) {
            let mut session = bench.open().unwrap();
            session.sizes().unwrap();
            let Err(SessionError::Spoiled(Spoiled::Faulted(fault))) =
                session.memory(Operation::Dec, PATTERN)
            else {
                panic!("{label} on {} goes unnoticed", bench.system.name());
            };
            assert_eq!(fault.kind, FaultKind::Heap);
            let said = Spoiled::Faulted(fault).to_string();
            assert!(
                said.starts_with("dec exhausted or misused the heap"),
                "{said}"
            );
            assert!(said.contains(words), "{said}");
            session.abandon();
        }
    }
}

#[test]
fn what_leaks_is_called_as_often_as_is_asked() {
    // 20 GB of one, in a heap of a quarter of one; 80 MB of the other.
    for (label, leaked) in [("leaks-much", 1 << 20), ("leaks-in-dec", 4096)] {
        for bench in Bench::both(&format!("rogues/{label}")) {
            let mut session = bench.open().unwrap();
            session.sizes().unwrap();
            let used = session.memory(Operation::Dec, PATTERN).unwrap().heap;
            assert_eq!(used.live_after.bytes - used.live_before.bytes, leaked);
            assert_eq!((used.allocations, used.frees), (1, 0));
            let patience = Duration::from_secs(600);
            let calls = 20_000;
            let [one, two] =
                [(); 2].map(|()| session.trial(Operation::Dec, 3, calls, patience).unwrap());
            assert_eq!(one.sweeps, two.sweeps);
            assert!(one.sweeps.count > 0, "{label}");
            let lost = live(leaked * u64::from(calls), u64::from(calls));
            let freed = one.sweeps.freed;
            // What is left is less than half of the heap.
            assert!(freed.bytes <= lost.bytes + 5 * leaked, "{label}: {freed:?}");
            assert!(lost.bytes - freed.bytes < 128 << 20, "{label}: {freed:?}");
            assert_eq!(freed.bytes, freed.blocks * leaked, "{label}: {freed:?}");
            let samples = session.samples(Operation::Dec, 3, 1000, patience).unwrap();
            assert_eq!(samples.len(), 1000);
            session.bye();
        }
    }
}

/// A plain program around an instance's operations.
struct Plain {
    folder: TempDir,
}

/// Runs a command that must go well; what it wrote to its error output comes back.
fn run(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|e| panic!("{command:?}: {e}; run `cargo host setup`"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {said}");
    said
}

impl Plain {
    /// Compiles an instance as its image's build does, and links it with the driver.
    fn new(instance: &Instance, root: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let board = catalogue::board("linux").unwrap();
        let toolchain = Toolchain::find(board).unwrap();
        let flags = compiler_flags(FlagSet::Guide, instance, board, &toolchain, root);
        let helpers = root.join("submissions/iccs/helpers");
        let is_iccs = instance.interface == Interface::Iccs;
        let mut sources = instance.sources.clone();
        if !is_iccs {
            sources.extend(["drng.c", "auxfunc.c", "sm3.c"].map(|name| helpers.join(name)));
        }
        let object = |number: usize| folder.path().join(format!("{number}.o"));
        for (number, source) in sources.iter().enumerate() {
            let mut command = Command::new(&toolchain.compiler);
            command.args(&flags).arg("-c").arg(source).arg("-o");
            run(command.arg(object(number)).current_dir(folder.path()));
        }
        let mut command = Command::new(&toolchain.compiler);
        command
            .args(["-O2", "-g", "-D_GNU_SOURCE", "-Wl,-z,now"])
            .arg(format!("-DRESERVED=\"{RESERVED}\""))
            .args(
                instance
                    .include_folders
                    .iter()
                    .map(|folder| format!("-I{}", folder.display())),
            )
            .arg(format!("-I{}", helpers.display()))
            .args(macros(instance))
            .arg(root.join("host/tests/drivers/memory.c"))
            .args((0..sources.len()).map(object))
            .arg("-lm");
        run(command.arg("-o").arg(folder.path().join("plain")));
        Self { folder }
    }

    fn words(&self, action: &str, operation: Operation) -> [PathBuf; 4] {
        let state = self.folder.path().join(operation.to_string());
        [
            self.folder.path().join("plain"),
            action.into(),
            operation.to_string().into(),
            state,
        ]
    }

    /// Runs a tool of valgrind's over an action; what it said comes back.
    fn valgrind(&self, tool: &[&str], action: &str, operation: Operation) -> String {
        let words = self.words("prepare", operation);
        if !words[3].exists() {
            run(Command::new(&words[0]).args(&words[1..]));
        }
        run(Command::new("valgrind")
            .args(tool)
            .args(self.words(action, operation))
            .current_dir(self.folder.path()))
    }

    /// Most bytes on the stack during an action, by massif.
    fn stack(&self, action: &str, operation: Operation) -> u64 {
        let tool = [
            "--tool=massif",
            "--stacks=yes",
            "--heap=no",
            "--peak-inaccuracy=0.0",
            "--massif-out-file=massif.out",
        ];
        self.valgrind(&tool, action, operation);
        let text = fs::read_to_string(self.folder.path().join("massif.out")).unwrap();
        let snapshots = text
            .lines()
            .filter_map(|line| line.strip_prefix("mem_stacks_B="));
        snapshots.map(|bytes| bytes.parse().unwrap()).max().unwrap()
    }

    /// Most bytes on the heap during an action, by DHAT.
    fn heap_peak(&self, action: &str, operation: Operation) -> u64 {
        let tool = ["--tool=dhat", "--dhat-out-file=dhat.out"];
        let said = self.valgrind(&tool, action, operation);
        number_after(&said, "At t-gmax:")
    }

    /// Bytes and blocks that are lost at the end, and how often was allocated, by memcheck.
    fn left(&self, action: &str, operation: Operation) -> (Live, u64) {
        let said = self.valgrind(&["--tool=memcheck", "--leak-check=full"], action, operation);
        let in_use = said
            .lines()
            .find(|line| line.contains("in use at exit:"))
            .unwrap();
        let blocks = in_use.split(" in ").last().unwrap();
        (
            live(number_after(in_use, "exit:"), number_after(blocks, "")),
            number_after(&said, "total heap usage:"),
        )
    }
}

/// The first number behind these words; digits are grouped by commas.
fn number_after(text: &str, words: &str) -> u64 {
    let (_, rest) = text
        .split_once(words)
        .unwrap_or_else(|| panic!("no {words} in {text}"));
    let number: String = rest
        .trim_start()
        .chars()
        .take_while(|character| character.is_ascii_digit() || *character == ',')
        .filter(char::is_ascii_digit)
        .collect();
    number.parse().unwrap()
}

/// What the driver must know of an instance.
fn macros(instance: &Instance) -> Vec<String> {
    let sizes = instance.sizes.unwrap_or(wire::Sizes {
        public_key: 32,
        secret_key: 32,
        ciphertext: 32,
        shared_secret: 32,
        ..wire::Sizes::default()
    });
    // An array has one element at least.
    let mut macros: Vec<String> = [
        ("PK_BYTES", sizes.public_key),
        ("SK_BYTES", sizes.secret_key),
        ("CT_BYTES", sizes.ciphertext),
        ("SS_BYTES", sizes.shared_secret),
        ("SIGNATURE_BYTES", sizes.signature),
    ]
    .map(|(name, bytes)| format!("-D{name}={}", bytes.max(1)))
    .into();
    let Interface::Nist { prefix } = &instance.interface else {
        macros.push("-DICCS_KEM".to_owned());
        return macros;
    };
    let mut function = |name: &str, symbol: &str| {
        macros.push(format!("-D{name}={prefix}crypto_{symbol}"));
    };
    match instance.category {
        Category::Kem => {
            function("KEYPAIR", "kem_keypair");
            function("ENC", "kem_enc");
            function("DEC", "kem_dec");
            macros.push("-DNIST_KEM".to_owned());
        }
        _ => {
            // FIPS 204 has a context.
            let context = if prefix.contains("MLDSA") { "_ctx" } else { "" };
            function("KEYPAIR", "sign_keypair");
            function("SIGNATURE", &format!("sign_signature{context}"));
            function("VERIFY", &format!("sign_verify{context}"));
            macros.push("-DNIST_SIG".to_owned());
            macros.extend((!context.is_empty()).then(|| "-DCONTEXT".to_owned()));
        }
    }
    macros
}

/// What the meter and a plain program make of the same operations.
fn both(name: &str, operations: &[Operation], compare: impl Fn(&Plain, Operation, &MemoryUse)) {
    let bench = Bench::local_of(name);
    let project = Project::find().unwrap();
    let catalogue = Catalogue::load(&project.root).unwrap();
    let plain = Plain::new(catalogue.find(name).unwrap(), &project.root);
    for (operation, used) in operations.iter().zip(memory(&bench, operations)) {
        compare(&plain, *operation, &used);
    }
}

#[test]
fn stack_is_what_massif_says_of_a_plain_program() {
    for (name, operations) in [
        ("pqclean/ML-KEM-768", KEM),
        ("pqclean/ML-DSA-65", SIG),
        ("pqclean/HQC-128", KEM),
    ] {
        both(name, &operations, |plain, operation, used| {
            // From the same frame as the operation, so that all above it is left out.
            let above = plain.stack("reserve", operation) - RESERVED - RETURN_ADDRESS;
            let plain = plain.stack("perform", operation) - above;
            let found = used.stack.bytes();
            println!("{name} {operation}: {found}, massif {plain}");
            assert!(
                found.abs_diff(plain) * 50 <= plain,
                "{name} {operation}: {found} bytes, and massif says {plain}"
            );
        });
    }
}

#[test]
fn heap_is_what_valgrind_says_of_a_plain_program() {
    for (name, operations) in [
        ("rogues/leaks-in-dec", KEM),
        ("pqclean/HQC-128", KEM),
        ("pqclean/Falcon-512", SIG),
    ] {
        both(name, &operations, |plain, operation, used| {
            let heap = used.heap;
            let what = format!("{name} {operation}");
            // The plain program itself has none.
            let (none, allocations) = plain.left("nothing", operation);
            assert_eq!((none, allocations), (live(0, 0), 0), "{what}");
            let (left, allocations) = plain.left("perform", operation);
            let before = heap.live_before;
            let after = heap.live_after;
            let leaked = live(after.bytes - before.bytes, after.blocks - before.blocks);
            assert_eq!(leaked, left, "{what}");
            assert_eq!(heap.allocations, allocations, "{what}");
            let peak = plain.heap_peak("perform", operation);
            assert_eq!(heap.peak_bytes - before.bytes, peak, "{what}");
            println!("{what}: peak {peak}, left {left:?}, {allocations} allocations");
        });
    }
}
