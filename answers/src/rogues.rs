//! The package `rogues`: models of the toy schemes that its instances share.
//!
//! Only instances whose text the official driver would complete have answers. Their vices are such
//! that the text is the honest scheme's, except that of `static-state`.

use kat::iccs::IccsDrng;

use crate::scheme::{Encapsulation, Exchange, Party, Pass, Signing, draw};
use crate::sm3::of_bytes as sm3;
use crate::{AnswerError, Instance, Scheme};

/// What lies between the bytes of a public and of a secret key.
const KEY_MASK: u8 = 0x5a;

/// Bytes of a key, of a KEM's message and of a salt.
const BYTES: usize = 32;

/// The KEMs that work, whatever else they do.
const HONEST_KEMS: [&str; 8] = [
    "leaks-in-dec",
    "writes-past-length",
    "aligned-alloc-c99",
    "prints",
    "deep-stack",
    "own-helpers",
    "leaks-much",
    "hides-a-block",
];

pub(crate) fn instances() -> Vec<Instance> {
    let mut instances: Vec<Instance> = HONEST_KEMS
        .map(|name| Instance::new(name, Scheme::kem(|generator| kem(generator, 0))))
        .into();
    instances.extend([
        Instance::new(
            "static-state",
            // One encapsulation a record: the counter has the record's number.
            Scheme::Kem(Box::new(|generator, record| kem(generator, record as u8))),
        ),
        Instance::new("verifies-once", Scheme::Signature(Box::new(signature))),
        Instance::new("empty-messages", Scheme::Exchange(Box::new(exchange::<0>))),
        Instance::new(
            "pass-not-repeatable",
            Scheme::Exchange(Box::new(exchange::<32>)),
        ),
    ]);
    instances
}

/// The secret and the public key.
fn keygen(generator: &mut IccsDrng) -> Result<([u8; BYTES], [u8; BYTES]), AnswerError> {
    let sk = draw::<BYTES>(generator)?;
    Ok((sk, public(&sk)))
}

/// The public key of a secret key, and the other way round.
fn public(sk: &[u8; BYTES]) -> [u8; BYTES] {
    sk.map(|byte| byte ^ KEY_MASK)
}

fn xor(left: &[u8; BYTES], right: &[u8; BYTES]) -> [u8; BYTES] {
    std::array::from_fn(|index| left[index] ^ right[index])
}

/// The KEM; the counter goes into the first byte of the message.
fn kem(generator: &mut IccsDrng, counter: u8) -> Result<Encapsulation, AnswerError> {
    let (sk, pk) = keygen(generator)?;
    let mut message = draw::<BYTES>(generator)?;
    message[0] ^= counter;
    let ct = xor(&message, &pk);
    Ok(Encapsulation {
        pk: pk.to_vec(),
        sk: sk.to_vec(),
        ct: ct.to_vec(),
        ss: sm3(&message),
        decapsulated: sm3(&xor(&ct, &public(&sk))),
    })
}

/// The signature scheme.
fn signature(generator: &mut IccsDrng, message: &[u8]) -> Result<Signing, AnswerError> {
    let (sk, pk) = keygen(generator)?;
    let salt = draw::<BYTES>(generator)?;
    let bound = |pk: &[u8]| sm3(&[pk, &salt, &sm3(message)].concat());
    let signed = bound(&public(&sk));
    Ok(Signing {
        pk: pk.to_vec(),
        sk: sk.to_vec(),
        signature: [salt.as_slice(), &signed].concat(),
        valid: signed == bound(&pk),
    })
}

/// The key exchange, with messages of so many bytes.
fn exchange<const MESSAGE: usize>(generator: &mut IccsDrng) -> Result<Exchange, AnswerError> {
    let (sk_a, pk_a) = keygen(generator)?;
    let (sk_b, pk_b) = keygen(generator)?;
    let m1 = draw::<MESSAGE>(generator)?;
    let m2 = draw::<MESSAGE>(generator)?;
    let secret = |pk_a: &[u8], pk_b: &[u8]| sm3(&[pk_a, pk_b, &m1, &m2].concat());
    let party = |pk: [u8; BYTES], sk: [u8; BYTES]| Party {
        pk: pk.to_vec(),
        sk: sk.to_vec(),
        state: Vec::new(),
    };
    let pass = |message: [u8; MESSAGE]| Pass {
        state: message.to_vec(),
        message: message.to_vec(),
    };
    Ok(Exchange {
        a: party(pk_a, sk_a),
        b: party(pk_b, sk_b),
        passes: vec![pass(m1), pass(m2)],
        secret_a: secret(&public(&sk_a), &pk_b),
        secret_b: secret(&pk_a, &public(&sk_b)),
    })
}
