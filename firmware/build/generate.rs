//! The Rust source that tells the meter what it has inside. It holds data only.

use catalogue::{Board, Instance, Interface, Kat};
use kat::generator::Generator;
use wire::{Category, Sizes};

use catalogue::environment::{STILL_COUNTER, WRONG_KAT};

use super::counted::Counted;
use super::functions::Functions;

/// The text of `instance.rs`, which the firmware includes.
pub fn instance_source(
    instance: &Instance,
    board: &Board,
    functions: &Functions,
    drills: &[&str],
    counted: Option<&[Counted]>,
) -> String {
    let drill = |name| drills.contains(&name);
    let image = format!(
        "meter::image! {{\n\
         {{ meter::abi::Identity {{ \
         board: {board:?}, candidate: {candidate:?}, label: {label:?}, \
         category: wire::Category::{category}, sizes: {sizes} }} }}\n\
         {{ {calls} }}\n\
         {{ meter::abi::Drills {{ still_counter: {still_counter}, wrong_kat: {wrong_kat} }} }}\n\
         {{ {counts_calls} }}\n\
         }}\n",
        counts_calls = counted.is_some(),
        still_counter = drill(STILL_COUNTER),
        wrong_kat = drill(WRONG_KAT),
        board = board.name,
        candidate = instance.candidate,
        label = instance.label,
        category = variant(instance.category),
        sizes = sizes(instance.sizes.as_ref().filter(|_| are_fixed(instance))),
        calls = calls(instance, functions),
    );
    image + &counters(counted.unwrap_or_default())
}

/// The counters, in the words of the macro `counted!`.
fn counters(counted: &[Counted]) -> String {
    let lines: String = counted
        .iter()
        .map(|counted| {
            let Counted {
                counter,
                function,
                helper,
                ..
            } = counted;
            format!("{helper} {function:?} {counter:?},\n")
        })
        .collect();
    match lines.is_empty() {
        true => lines,
        false => format!("meter::counted! {{\n{lines}}}\n"),
    }
}

/// What shifts the code of a process by so many bytes: padding in front of all of it, the meter's
/// own included. A bare-metal linker script moves the submission's alone.
pub fn padding(shift: u32) -> String {
    if shift == 0 {
        return String::new();
    }
    // Linkers put this section first. It is kept although nothing refers to it (flag R).
    format!(
        "core::arch::global_asm!(\
         \".pushsection .text.unlikely.layout, \\\"axR\\\", @progbits\", \
         \".skip {shift}\", \
         \".popsection\");\n"
    )
}

/// Sizes of the NIST interface are facts; of the NGCC interface, what the code says counts.
fn are_fixed(instance: &Instance) -> bool {
    matches!(instance.interface, Interface::Nist { .. })
}

fn variant(category: Category) -> &'static str {
    match category {
        Category::Kem => "Kem",
        Category::Sig => "Sig",
        Category::Kex => "Kex",
        Category::Hash => "Hash",
    }
}

fn sizes(sizes: Option<&Sizes>) -> String {
    let Some(sizes) = sizes else {
        return "None".to_owned();
    };
    let Sizes {
        public_key,
        secret_key,
        ciphertext,
        shared_secret,
        signature,
        digest,
        state_a,
        state_b,
        messages,
        passes,
    } = sizes;
    format!(
        "Some(wire::Sizes {{ public_key: {public_key}, secret_key: {secret_key}, \
         ciphertext: {ciphertext}, shared_secret: {shared_secret}, signature: {signature}, \
         digest: {digest}, state_a: {state_a}, state_b: {state_b}, messages: {messages}, \
         passes: {passes} }})"
    )
}

/// The functions by their symbols, in the words of the macro `image!`.
fn calls(instance: &Instance, functions: &Functions) -> String {
    let (interface, module) = match instance.interface {
        Interface::Nist { .. } => ("Nist", "nist"),
        Interface::Iccs => ("Iccs", "iccs"),
    };
    let named: Vec<_> = functions
        .named
        .iter()
        .map(|(name, symbol)| format!("{name}: {symbol:?}"))
        .collect();
    let mut text = format!(
        "{interface}::{module}::{} {{ {} }}",
        variant(instance.category),
        named.join(", ")
    );
    if instance.category == Category::Kex {
        let passes: Vec<_> = (1..)
            .zip(&functions.passes)
            .map(|(number, symbol)| format!("pass{number}: {symbol:?}"))
            .collect();
        text += &format!(" list passes: [{}]", passes.join(", "));
    }
    if let Kat::Nist(answer) = &instance.kat {
        if instance.category == Category::Sig {
            text += &format!(" with context: {}", functions.with_context);
        }
        let generator = match answer.generator {
            Generator::NistDrbg => "NistDrbg",
            Generator::HqcPrng => "HqcPrng",
        };
        text += &format!(" and kat::generator::Generator::{generator}");
    }
    text
}
