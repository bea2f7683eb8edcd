//! The package `akex`: a signed key exchange from ML-KEM, ML-DSA and SHAKE256.

use kat::iccs::IccsDrng;
use ml_dsa::{MlDsa44, MlDsa65, MlDsa87, MlDsaParams};
use ml_kem::{MlKem512, MlKem768, MlKem1024};
use shake::{ExtendableOutput, Shake256, Update, XofReader};

use crate::kem::{KeyPair, MlKem};
use crate::{AnswerError, Exchange, Instance, Party, Pass, Scheme, signature};

/// Bytes of a transcript, and of what is signed.
const HASH_BYTES: usize = 64;

/// Bytes of the shared secret, and of a confirmation.
const SECRET_BYTES: usize = 32;

/// Who signs or confirms.
#[derive(Clone, Copy)]
enum Role {
    A = 0xa,
    B = 0xb,
    Key = 0xc,
}

pub(crate) fn instances() -> Vec<Instance> {
    vec![
        Instance::new("AKEX-128", three_passes::<KeyPair<MlKem512>, MlDsa44>()),
        Instance::new("AKEX-192", three_passes::<KeyPair<MlKem768>, MlDsa65>()),
        Instance::new("AKEX-256", three_passes::<KeyPair<MlKem1024>, MlDsa87>()),
        Instance::new(
            "AKEX-192-4pass",
            Scheme::Exchange(Box::new(run::<KeyPair<MlKem768>, MlDsa65, true>)),
        ),
    ]
}

fn three_passes<K: MlKem + 'static, P: MlDsaParams + 'static>() -> Scheme {
    Scheme::Exchange(Box::new(run::<K, P, false>))
}

/// SHAKE256 of these parts, one after the other.
fn shake256<const BYTES: usize>(parts: &[&[u8]]) -> [u8; BYTES] {
    let mut hash = Shake256::default();
    for part in parts {
        hash.update(part);
    }
    let mut output = [0; BYTES];
    hash.finalize_xof().read(&mut output);
    output
}

/// What both sides have sent so far.
struct Transcript([u8; HASH_BYTES]);

impl Transcript {
    fn extend(&mut self, message: &[u8]) {
        self.0 = shake256(&[&self.0, message]);
    }

    /// What this role signs.
    fn signed_by(&self, role: Role) -> [u8; HASH_BYTES] {
        shake256(&[&[role as u8], &self.0])
    }

    /// What this role derives from the KEM's secret.
    fn derive(&self, role: Role, secret: &[u8]) -> Vec<u8> {
        shake256::<SECRET_BYTES>(&[&[role as u8], secret, &self.0]).to_vec()
    }
}

/// A party with its long-term key; its state is empty until its first pass.
fn initialise<P: MlDsaParams>(
    generator: &mut IccsDrng,
) -> Result<(signature::KeyPair<P>, Party), AnswerError> {
    let key = signature::KeyPair::keygen(generator)?;
    let party = Party {
        pk: key.pk(),
        sk: key.sk(),
        state: Vec::new(),
    };
    Ok((key, party))
}

/// Signs the transcript, and makes sure that the other side would accept it.
fn sign<P: MlDsaParams>(
    key: &signature::KeyPair<P>,
    generator: &mut IccsDrng,
    role: Role,
    transcript: &Transcript,
) -> Result<Vec<u8>, AnswerError> {
    let bound = transcript.signed_by(role);
    let signature = key.sign(generator, &bound)?;
    if !key.verify(&bound, &signature) {
        return Err(AnswerError::Refused(
            "ML-DSA refused the other side's signature",
        ));
    }
    Ok(signature)
}

fn run<K: MlKem, P: MlDsaParams, const CONFIRMED: bool>(
    generator: &mut IccsDrng,
) -> Result<Exchange, AnswerError> {
    let (key_a, a) = initialise::<P>(generator)?;
    let (key_b, b) = initialise::<P>(generator)?;
    let mut transcript = Transcript([0; HASH_BYTES]);

    let ephemeral = K::keygen(generator)?;
    let first = Pass {
        state: [ephemeral.sk(), ephemeral.pk()].concat(),
        message: ephemeral.pk(),
    };
    transcript.extend(&first.message);

    let (ct, ss_b) = ephemeral.enc(generator)?;
    transcript.extend(&ct);
    let signature_b = sign(&key_b, generator, Role::B, &transcript)?;
    transcript.extend(&signature_b);
    let second = Pass {
        state: [&ss_b, transcript.0.as_slice()].concat(),
        message: [ct.as_slice(), &signature_b].concat(),
    };

    let ss_a = ephemeral.dec(&ct)?;
    let signature_a = sign(&key_a, generator, Role::A, &transcript)?;
    transcript.extend(&signature_a);
    let third = Pass {
        state: [&ss_a, transcript.0.as_slice()].concat(),
        message: signature_a,
    };

    let mut passes = vec![first, second, third];
    if CONFIRMED {
        passes.push(Pass {
            state: [&ss_b, transcript.0.as_slice()].concat(),
            message: transcript.derive(Role::B, &ss_b),
        });
    }
    Ok(Exchange {
        a,
        b,
        passes,
        secret_a: transcript.derive(Role::Key, &ss_a),
        secret_b: transcript.derive(Role::Key, &ss_b),
    })
}
