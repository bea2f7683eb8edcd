//! The functions of an instance's interface: their names, and that all of them are there.

use std::collections::HashSet;

use catalogue::{Instance, Interface};
use wire::{Category, MAX_PASSES};

use super::BuildError;
use super::symbols::Symbols;

/// The functions that the meter calls.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Functions {
    /// What each is called in the firmware, and the symbol.
    pub named: Vec<(&'static str, String)>,
    /// The passes of a key exchange, the first one first.
    pub passes: Vec<String>,
    /// NIST's signature functions take a context besides the message.
    pub with_context: bool,
}

/// What the firmware calls a function, and what the interface does.
type Named = (&'static str, &'static str);

impl Functions {
    /// The operations that are measured, by their names in records, with the function that each
    /// calls. A hash function has one name for all lengths.
    pub fn operations(&self, interface: &Interface) -> Vec<(String, &str)> {
        let is_nist = matches!(interface, Interface::Nist { .. });
        let named = self.named.iter().filter_map(|(name, symbol)| {
            let operation = match *name {
                "keypair" => "keygen",
                "signature" => "sign",
                // That of NIST's interface makes a signed message, for known answers alone.
                "sign" if is_nist => return None,
                "keygen" | "enc" | "dec" | "sign" | "verify" | "hash" => name,
                "init_a" | "init_b" | "derive_a" | "derive_b" => name,
                _ => return None,
            };
            Some((operation.to_owned(), symbol.as_str()))
        });
        let passes = (1..).zip(&self.passes);
        let passes = passes.map(|(number, symbol)| (format!("pass{number}"), symbol.as_str()));
        named.chain(passes).collect()
    }
}

const GENERATOR: [Named; 2] = [
    ("drng_algorithm", "drng_algorithm"),
    ("init_random_number", "init_random_number"),
];

const KEM: [Named; 7] = [
    ("pk_len", "kem_get_pk_len_bytes"),
    ("sk_len", "kem_get_sk_len_bytes"),
    ("ss_len", "kem_get_ss_len_bytes"),
    ("ct_len", "kem_get_ct_len_bytes"),
    ("keygen", "kem_keygen"),
    ("enc", "kem_enc"),
    ("dec", "kem_dec"),
];

const SIG: [Named; 6] = [
    ("pk_len", "sig_get_pk_len_bytes"),
    ("sk_len", "sig_get_sk_len_bytes"),
    ("sn_len", "sig_get_sn_len_bytes"),
    ("keygen", "sig_keygen"),
    ("sign", "sig_sign"),
    ("verify", "sig_verify"),
];

const KEX: [Named; 11] = [
    ("passes_num", "kex_get_passes_num"),
    ("pk_len", "kex_get_pk_len_bytes"),
    ("sk_len", "kex_get_sk_len_bytes"),
    ("sta_len", "kex_get_sta_len_bytes"),
    ("stb_len", "kex_get_stb_len_bytes"),
    ("ss_len", "kex_get_ss_len_bytes"),
    ("total_msg_len", "kex_get_total_msg_len_bytes"),
    ("init_a", "kex_init_a"),
    ("init_b", "kex_init_b"),
    ("derive_a", "kex_derive_ss_a"),
    ("derive_b", "kex_derive_ss_b"),
];

/// The second one is ours: `build/shims/digest.c`.
const HASH: [Named; 2] = [("hash", "CryptHash"), ("digest_bits", "ngcc_digest_bits")];

/// The functions of the instance's interface, all of which must be there; of a key exchange's
/// passes, as many as are defined without a gap.
pub fn required(instance: &Instance, objects: &[Symbols]) -> Result<Functions, BuildError> {
    let defined: HashSet<&str> = objects
        .iter()
        .flat_map(|object| &object.defined)
        .map(String::as_str)
        .collect();
    let functions = match &instance.interface {
        Interface::Nist { prefix } => nist(instance.category, prefix, &defined),
        Interface::Iccs => iccs(instance.category, &defined),
    };
    let missing: Vec<_> = functions
        .named
        .iter()
        .map(|(_, symbol)| symbol.as_str())
        .filter(|symbol| !defined.contains(symbol))
        .collect();
    if missing.is_empty() {
        Ok(functions)
    } else {
        Err(BuildError::Missing {
            instance: instance.name(),
            missing: missing.join(", "),
        })
    }
}

fn nist(category: Category, prefix: &str, defined: &HashSet<&str>) -> Functions {
    let with_context = defined.contains(format!("{prefix}crypto_sign_signature_ctx").as_str());
    // Schemes with a context have the plain names as macros that pass an empty one.
    let suffix = if with_context { "_ctx" } else { "" };
    let symbol = |name: &str| format!("{prefix}crypto_{name}");
    let named = match category {
        Category::Kem => vec![
            ("keypair", symbol("kem_keypair")),
            ("enc", symbol("kem_enc")),
            ("dec", symbol("kem_dec")),
        ],
        _ => vec![
            ("keypair", symbol("sign_keypair")),
            ("signature", symbol(&format!("sign_signature{suffix}"))),
            ("verify", symbol(&format!("sign_verify{suffix}"))),
            ("sign", symbol(&format!("sign{suffix}"))),
            ("open", symbol(&format!("sign_open{suffix}"))),
        ],
    };
    Functions {
        named,
        passes: Vec::new(),
        with_context,
    }
}

fn iccs(category: Category, defined: &HashSet<&str>) -> Functions {
    let scheme: &[Named] = match category {
        Category::Kem => &KEM,
        Category::Sig => &SIG,
        Category::Kex => &KEX,
        Category::Hash => &HASH,
    };
    let generator: &[Named] = match category {
        Category::Hash => &[],
        _ => &GENERATOR,
    };
    let passes: Vec<_> = match category {
        Category::Kex => (1..=MAX_PASSES)
            .map(pass)
            .take_while(|symbol| defined.contains(symbol.as_str()))
            .collect(),
        _ => Vec::new(),
    };
    Functions {
        named: generator
            .iter()
            .chain(scheme)
            .map(|(name, symbol)| (*name, (*symbol).to_owned()))
            .collect(),
        passes,
        with_context: false,
    }
}

/// Odd passes are the initiator's, even ones the responder's.
fn pass(number: usize) -> String {
    let side = if number % 2 == 1 { 'a' } else { 'b' };
    format!("kex_generate_pass{number}_msg_{side}")
}
