//! What one run of a scheme leaves behind, whatever computed it.

use kat::iccs::IccsDrng;

use crate::AnswerError;

/// One run of a KEM: keygen, enc, dec.
#[derive(Clone, Debug)]
pub struct Encapsulation {
    /// The public key.
    pub pk: Vec<u8>,
    /// The secret key.
    pub sk: Vec<u8>,
    /// The ciphertext.
    pub ct: Vec<u8>,
    /// The shared secret of the encapsulating side.
    pub ss: Vec<u8>,
    /// The shared secret of the decapsulating side.
    pub decapsulated: Vec<u8>,
}

/// One run of a signature scheme: keygen, sign, verify.
#[derive(Clone, Debug)]
pub struct Signing {
    /// The public key.
    pub pk: Vec<u8>,
    /// The secret key.
    pub sk: Vec<u8>,
    /// The signature.
    pub signature: Vec<u8>,
    /// Whether it was accepted.
    pub valid: bool,
}

/// One run of a key exchange.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The initiator after its initialisation.
    pub a: Party,
    /// The responder after its initialisation.
    pub b: Party,
    /// The passes, the first one sent by the initiator.
    pub passes: Vec<Pass>,
    /// The initiator's shared secret.
    pub secret_a: Vec<u8>,
    /// The responder's shared secret.
    pub secret_b: Vec<u8>,
}

/// One side of a key exchange after its initialisation.
#[derive(Clone, Debug)]
pub struct Party {
    /// The long-term public key.
    pub pk: Vec<u8>,
    /// The long-term secret key.
    pub sk: Vec<u8>,
    /// The state.
    pub state: Vec<u8>,
}

/// One pass of a key exchange.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The sender's state after it.
    pub state: Vec<u8>,
    /// The message.
    pub message: Vec<u8>,
}

/// Runs a KEM with this generator; the number is that of the record, from 0.
pub type RunKem = dyn Fn(&mut IccsDrng, u32) -> Result<Encapsulation, AnswerError> + Sync;

/// Signs this message with a fresh key and this generator.
pub type RunSignature = dyn Fn(&mut IccsDrng, &[u8]) -> Result<Signing, AnswerError> + Sync;

/// Runs a key exchange with this generator.
pub type RunExchange = dyn Fn(&mut IccsDrng) -> Result<Exchange, AnswerError> + Sync;

/// Hashes the first bits of a message.
pub type RunHash = dyn Fn(&[u8], u64) -> Result<Vec<u8>, AnswerError> + Sync;

/// A scheme as an independent implementation runs it.
pub enum Scheme {
    /// A key encapsulation mechanism.
    Kem(Box<RunKem>),
    /// A signature scheme.
    Signature(Box<RunSignature>),
    /// A key exchange.
    Exchange(Box<RunExchange>),
    /// A hash function.
    Hash(Box<RunHash>),
}

impl Scheme {
    /// A KEM that keeps nothing from record to record.
    pub(crate) fn kem(
        run: impl Fn(&mut IccsDrng) -> Result<Encapsulation, AnswerError> + Sync + 'static,
    ) -> Self {
        Self::Kem(Box::new(move |generator, _record| run(generator)))
    }
}

/// Draws this many whole bytes in one request.
pub(crate) fn draw<const BYTES: usize>(
    generator: &mut IccsDrng,
) -> Result<[u8; BYTES], AnswerError> {
    let mut bytes = [0; BYTES];
    generator.fill(&mut bytes, BYTES as u64 * 8)?;
    Ok(bytes)
}
