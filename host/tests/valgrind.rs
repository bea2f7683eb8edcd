//! Figures of memory against valgrind's of a plain program that makes the same calls, of which
//! `drivers/memory.c` is the source: for x86-64, whose assembler it has a function in.
#![cfg(target_arch = "x86_64")]

mod support;

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use catalogue::{Catalogue, FlagSet, Instance, Interface, Toolchain, compiler_flags};
use host::project::Project;
use support::real_meter::{Bench, memory};
use tempfile::TempDir;
use wire::{Category, Live, MemoryUse, Operation};

/// Bytes of stack that the plain program's own function uses.
const RESERVED: u64 = 1 << 18;

/// Bytes of a return address, which lies below the stack pointer at the call as well.
const RETURN_ADDRESS: u64 = 8;

/// The stack of the meter and of massif may differ by one part in this many.
const STACK_TOLERANCE: u64 = 50;

const KEM: [Operation; 3] = [Operation::Keygen, Operation::Enc, Operation::Dec];
const SIG: [Operation; 3] = [Operation::Keygen, Operation::Sign, Operation::Verify];

fn live(bytes: u64, blocks: u64) -> Live {
    Live { bytes, blocks }
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
        let above = OnceCell::new();
        both(name, &operations, |plain, operation, used| {
            // From the same frame as every operation, so that all above it is left out.
            let above =
                above.get_or_init(|| plain.stack("reserve", operation) - RESERVED - RETURN_ADDRESS);
            let plain = plain.stack("perform", operation) - above;
            let found = used.stack.bytes();
            assert!(
                found.abs_diff(plain) * STACK_TOLERANCE <= plain,
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
        if name.starts_with("rogues/") {
            // Bytes that are asked for are the same on every system.
            let [board, process] = Bench::both(name).map(|bench| memory(&bench, &operations));
            let heaps =
                |used: Vec<MemoryUse>| used.iter().map(|used| used.heap).collect::<Vec<_>>();
            assert_eq!(heaps(board), heaps(process), "{name}");
        }
        let own = OnceCell::new();
        both(name, &operations, |plain, operation, used| {
            let heap = used.heap;
            let what = format!("{name} {operation}");
            // The plain program itself has none.
            let nothing = own.get_or_init(|| plain.left("nothing", operation));
            assert_eq!(*nothing, (live(0, 0), 0), "{what}");
            let (left, allocations) = plain.left("perform", operation);
            let before = heap.live_before;
            let after = heap.live_after;
            let leaked = live(after.bytes - before.bytes, after.blocks - before.blocks);
            assert_eq!(leaked, left, "{what}");
            assert_eq!(heap.allocations, allocations, "{what}");
            let peak = plain.heap_peak("perform", operation);
            assert_eq!(heap.peak_bytes - before.bytes, peak, "{what}");
        });
    }
}
