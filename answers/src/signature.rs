//! ML-DSA (FIPS 204) by the crate `ml-dsa`.

use kat::iccs::IccsDrng;
use ml_dsa::{MlDsaParams, Signature, SigningKey};

use crate::AnswerError;
use crate::scheme::{Signing, draw};

/// What FIPS 204 puts before a message that is signed itself, with an empty context.
const PURE_WITHOUT_CONTEXT: &[u8] = &[0, 0];

/// A key pair of one parameter set.
///
/// PQClean draws the seed of a key pair in one request, and the rnd of a hedged signature in
/// another.
pub(crate) struct KeyPair<P: MlDsaParams>(SigningKey<P>);

impl<P: MlDsaParams> KeyPair<P> {
    /// KeyGen: draws 32 bytes.
    pub(crate) fn keygen(generator: &mut IccsDrng) -> Result<Self, AnswerError> {
        let seed = draw::<32>(generator)?;
        Ok(Self(SigningKey::from_seed(&seed.into())))
    }

    /// The public key.
    pub(crate) fn pk(&self) -> Vec<u8> {
        self.0.expanded_key().verifying_key().encode().to_vec()
    }

    /// The secret key, expanded.
    pub(crate) fn sk(&self) -> Vec<u8> {
        #[expect(deprecated, reason = "PQClean's secret keys are expanded")]
        let sk = self.0.expanded_key().to_expanded();
        sk.to_vec()
    }

    /// Sign: draws 32 bytes.
    pub(crate) fn sign(
        &self,
        generator: &mut IccsDrng,
        message: &[u8],
    ) -> Result<Vec<u8>, AnswerError> {
        let rnd = draw::<32>(generator)?;
        let message = [PURE_WITHOUT_CONTEXT, message];
        let signature = self.0.expanded_key().sign_internal(&message, &rnd.into());
        Ok(signature.encode().to_vec())
    }

    /// Verify.
    pub(crate) fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        let key = self.0.expanded_key().verifying_key();
        Signature::<P>::try_from(signature)
            .is_ok_and(|signature| key.verify_with_context(message, &[], &signature))
    }
}

/// One run of the signature scheme.
pub(crate) fn run<P: MlDsaParams>(
    generator: &mut IccsDrng,
    message: &[u8],
) -> Result<Signing, AnswerError> {
    let key = KeyPair::<P>::keygen(generator)?;
    let signature = key.sign(generator, message)?;
    let valid = key.verify(message, &signature);
    Ok(Signing {
        pk: key.pk(),
        sk: key.sk(),
        signature,
        valid,
    })
}
