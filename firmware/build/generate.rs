//! The Rust source that tells the meter what it has inside. It holds data only.

use catalogue::{Board, Instance};
use kat::generator::Generator;
use wire::{Category, Sizes};

use super::symbols::Functions;

/// The text of `instance.rs`, which the firmware includes.
pub fn instance_source(instance: &Instance, board: &Board, functions: &Functions) -> String {
    let category = match instance.category {
        Category::Kem => "Kem",
        Category::Sig => "Sig",
    };
    let generator = match instance.kat.generator {
        Generator::NistDrbg => "NistDrbg",
        Generator::HqcPrng => "HqcPrng",
    };
    let Sizes {
        public_key,
        secret_key,
        ciphertext,
        shared_secret,
        signature,
    } = instance.sizes;
    format!(
        "pub const IDENTITY: crate::abi::Identity = crate::abi::Identity {{ \
         board: {board:?}, candidate: {candidate:?}, label: {label:?}, \
         category: wire::Category::{category}, \
         sizes: wire::Sizes {{ public_key: {public_key}, secret_key: {secret_key}, \
         ciphertext: {ciphertext}, shared_secret: {shared_secret}, signature: {signature} }}, \
         kat_generator: kat::generator::Generator::{generator} }};\n{calls}\n",
        board = board.name,
        candidate = instance.candidate,
        label = instance.label,
        calls = calls(functions),
    )
}

/// The functions by their symbols, in the words of `firmware/src/abi/nist.rs`.
fn calls(functions: &Functions) -> String {
    match functions {
        Functions::Kem { keypair, enc, dec } => format!(
            "crate::abi::nist::functions! {{ \
             Kem {{ keypair: {keypair:?}, enc: {enc:?}, dec: {dec:?} }} }}"
        ),
        Functions::Sig {
            with_context,
            keypair,
            signature,
            verify,
            sign,
            open,
        } => format!(
            "crate::abi::nist::functions! {{ \
             Sig {{ keypair: {keypair:?}, signature: {signature:?}, verify: {verify:?}, \
             sign: {sign:?}, open: {open:?} }} context: {with_context} }}"
        ),
    }
}
