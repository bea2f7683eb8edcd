//! The C helpers of `submissions/iccs` against the models of this crate, which match the published
//! vectors: whatever is asked, both must answer the same.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use kat::iccs::{Bits, IccsDrng, pseudo_xof, pseudohash, sm3hash};

/// The flags of the guide.
const FLAGS: [&str; 6] = [
    "-std=c99",
    "-Wpedantic",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-O2",
];

/// A request and the answer of the models.
struct Case {
    request: String,
    answer: String,
}

/// The message of the published vectors: byte i is 131 i + 7.
fn message(bits: u64) -> Vec<u8> {
    (0..bits.div_ceil(8)).map(|i| (131 * i + 7) as u8).collect()
}

fn case(function: &str, out: u64, bits: u64, message: &[u8]) -> Case {
    let mut output = vec![0; out.div_ceil(8) as usize];
    let input = Bits::new(message, bits).expect("the message is long enough");
    let answer = match function {
        "sm3hash" => sm3hash(out as u32, input, &mut output),
        "pseudohash" => pseudohash(out as u32, input, &mut output),
        "pseudoXOF" => pseudo_xof(out, input, &mut output),
        _ => {
            let mut generator = IccsDrng::new(message);
            let mut first = output.clone();
            let drawn = generator.fill(&mut first, out);
            let drawn = drawn.and_then(|()| generator.fill(&mut output, out));
            first.append(&mut output);
            output = first;
            drawn
        }
    };
    let hexadecimal = match hex::encode(message) {
        text if text.is_empty() => "-".to_owned(),
        text => text,
    };
    Case {
        request: format!("{function} {out} {bits} {hexadecimal}"),
        answer: match answer {
            Ok(()) => hex::encode(output),
            Err(_) => "-4".to_owned(),
        },
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let lengths = (0..=70).chain([
        440, 447, 448, 449, 504, 511, 512, 513, 1000, 1024, 4096, 8191,
    ]);
    for bits in lengths {
        let message = message(bits);
        cases.push(case("sm3hash", 256, bits, &message));
        for out in [512, 768, 1024] {
            cases.push(case("pseudohash", out, bits, &message));
        }
        for out in [0, 1, 7, 8, 255, 256, 257, 800] {
            cases.push(case("pseudoXOF", out, bits, &message));
        }
    }
    for out in [0, 255, 512] {
        cases.push(case("sm3hash", out, 8, &[1]));
        cases.push(case("pseudohash", out / 2, 8, &[1]));
    }
    for seed in [0, 1, 32, 48, 55, 56, 64, 200] {
        for out in [0, 1, 3, 8, 9, 255, 256, 257, 512, 15_584] {
            cases.push(case("drng", out, 0, &message(8 * seed)));
        }
    }
    cases
}

#[test]
fn c_and_models_agree() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let helpers = here.join("../submissions/iccs/helpers");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("helpers");
    let mut compiler = Command::new("cc");
    compiler.args(FLAGS).arg("-I").arg(&helpers);
    for source in ["sm3.c", "drng.c", "auxfunc.c"] {
        compiler.arg(helpers.join(source));
    }
    compiler.arg(here.join("tests/c_helpers/driver.c"));
    let compiled = compiler
        .arg("-o")
        .arg(&program)
        .output()
        .expect("a C compiler");
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");

    let cases = cases();
    let mut requests = String::new();
    for case in &cases {
        writeln!(requests, "{}", case.request).expect("a String takes everything");
    }
    let mut child = Command::new(&program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("it was piped");
    let writer = std::thread::spawn(move || input.write_all(requests.as_bytes()));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("no panic").expect("all is read");
    let answers = String::from_utf8(output.stdout).expect("hexadecimal");
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), cases.len());
    for (case, answer) in cases.iter().zip(answers) {
        assert_eq!(case.answer, answer, "{}", case.request);
    }
}
