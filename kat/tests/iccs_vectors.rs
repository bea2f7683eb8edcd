//! Every line of the vectors that the official C code (`drng.c`, `auxfunc.c`) produced.

use kat::iccs::{Bits, IccsDrng, IccsError, pseudo_xof, pseudohash, sm3hash};

const VECTORS: &str = include_str!("data/iccs-vectors.txt");

/// What the bytes after a result hold, to see that they stay untouched.
const UNTOUCHED: u8 = 0xaa;

/// The value after `key=` in a line of words.
fn value<'a>(line: &'a str, key: &str) -> &'a str {
    line.split_whitespace()
        .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
        .unwrap_or_else(|| panic!("no {key}= in {line:?}"))
}

fn number(text: &str) -> u64 {
    text.parse()
        .unwrap_or_else(|_| panic!("{text:?} is not a number"))
}

fn message(length_bits: u64) -> Vec<u8> {
    (0..length_bits.div_ceil(8))
        .map(|i| (131 * i + 7) as u8)
        .collect()
}

fn ascending(length: u64) -> Vec<u8> {
    (0..length).map(|i| i as u8).collect()
}

/// The seed behind the name of a sequence.
fn seed(line: &str) -> Vec<u8> {
    let seed = match line.split_whitespace().nth(1) {
        Some("KATseed") => b"seed".repeat(16),
        Some("KATmsg") => [&b"msg".repeat(21)[..], b"m"].concat(),
        _ => ascending(number(value(line, "seedlen"))),
    };
    assert_eq!(seed.len() as u64, number(value(line, "seedlen")), "{line}");
    seed
}

/// A result of `bits` bits and the byte after it, as the lines give them.
fn result(bits: u64, call: impl FnOnce(&mut [u8]) -> Result<(), IccsError>) -> (String, String) {
    let length = bits.div_ceil(8) as usize;
    let mut output = vec![UNTOUCHED; length + 1];
    call(&mut output).expect("the output is long enough");
    (
        hex::encode(&output[..length]),
        hex::encode(&output[length..]),
    )
}

fn check_state(line: &str, generator: &IccsDrng) {
    let (number, name) = [
        (&generator.v, "V"),
        (&generator.c, "C"),
        (&generator.reseed_counter, "ctr"),
    ]
    .into_iter()
    .find(|(_, name)| line.contains(&format!(" {name}=")))
    .unwrap_or_else(|| panic!("no state in {line:?}"));
    assert_eq!(hex::encode(number), value(line, name), "{line}");
}

fn check_request(line: &str, generator: &mut IccsDrng) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["req", bits, "bits", "rc=0", "->", expected @ .., next] = &words[..] else {
        panic!("{line:?} is no request");
    };
    let bits = number(bits);
    let (output, after) = result(bits, |output| generator.fill(output, bits));
    assert_eq!(output, expected.concat(), "{line}");
    assert_eq!(format!("next_byte={after}"), *next, "{line}");
}

fn check_auxiliary(line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    match &words[..] {
        ["sm3", "abc", "rc=0", expected] => {
            let (output, _) = result(256, |output| sm3hash(256, Bits::whole(b"abc"), output));
            assert_eq!(output, *expected, "{line}");
        }
        ["sm3", _, "rc=0", expected] => {
            let length = number(value(line, "len"));
            let bytes = message(length);
            let message = Bits::new(&bytes, length).unwrap();
            let (output, _) = result(256, |output| sm3hash(256, message, output));
            assert_eq!(output, *expected, "{line}");
        }
        ["pseudohash", digest, _, "rc=0", expected] => {
            let (digest, length) = (number(digest), number(value(line, "len")));
            let bytes = message(length);
            let message = Bits::new(&bytes, length).unwrap();
            let (output, after) =
                result(digest, |output| pseudohash(digest as u32, message, output));
            assert_eq!(output, *expected, "{line}");
            assert_eq!(after, hex::encode([UNTOUCHED]), "{line}");
        }
        ["xof", _, _, "rc=0", expected @ .., next] => {
            let (length, bits) = (number(value(line, "in")), number(value(line, "out")));
            let bytes = message(length);
            let message = Bits::new(&bytes, length).unwrap();
            let (output, after) = result(bits, |output| pseudo_xof(bits, message, output));
            assert_eq!(output, expected.concat(), "{line}");
            assert_eq!(format!("next={after}"), *next, "{line}");
        }
        other => panic!("{other:?} is no known line"),
    }
}

#[test]
fn every_line_matches() {
    let mut generator = IccsDrng::new(&ascending(48));
    let mut checked = 0;
    for line in VECTORS.lines() {
        match line.split_whitespace().next().unwrap_or_default() {
            "after" | "end" => check_state(line, &generator),
            "SEQ" => generator = IccsDrng::new(&seed(line)),
            "req" => check_request(line, &mut generator),
            "sm3" | "pseudohash" | "xof" => check_auxiliary(line),
            "AUX" => {}
            "bad:" => {
                let mut output = [0; 128];
                let message = Bits::whole(b"abc");
                assert!(sm3hash(512, message, &mut output).is_err());
                assert!(pseudohash(256, message, &mut output).is_err());
                assert!(pseudohash(511, message, &mut output).is_err());
            }
            _ if line.starts_with("sizeof(DRNG_ctx)=") => {
                assert_eq!(line, format!("sizeof(DRNG_ctx)={}", size_of::<IccsDrng>()));
            }
            _ => panic!("{line:?} is no known line"),
        }
        checked += 1;
    }
    assert_eq!(checked, 250);
}
