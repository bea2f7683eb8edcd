//! The package `x25519`: X25519 (RFC 7748) as a key exchange of no passes.

use kat::iccs::IccsDrng;
use x25519_dalek::{X25519_BASEPOINT_BYTES, x25519};

use crate::scheme::draw;
use crate::{AnswerError, Exchange, Instance, Party, Scheme};

pub(crate) fn instances() -> Vec<Instance> {
    vec![Instance::new("X25519", Scheme::Exchange(Box::new(run)))]
}

fn run(generator: &mut IccsDrng) -> Result<Exchange, AnswerError> {
    let sk_a = draw::<32>(generator)?;
    let sk_b = draw::<32>(generator)?;
    let pk_a = x25519(sk_a, X25519_BASEPOINT_BYTES);
    let pk_b = x25519(sk_b, X25519_BASEPOINT_BYTES);
    // The key is kept as it was drawn: RFC 7748 clamps it at each use.
    let party = |pk: [u8; 32], sk: [u8; 32]| Party {
        pk: pk.to_vec(),
        sk: sk.to_vec(),
        state: Vec::new(),
    };
    Ok(Exchange {
        a: party(pk_a, sk_a),
        b: party(pk_b, sk_b),
        passes: Vec::new(),
        secret_a: x25519(sk_a, pk_b).to_vec(),
        secret_b: x25519(sk_b, pk_a).to_vec(),
    })
}
