//! ML-KEM (FIPS 203) by the crate `ml-kem`.

use kat::iccs::IccsDrng;
#[expect(deprecated, reason = "PQClean's secret keys are expanded")]
use ml_kem::ExpandedKeyEncoding;
use ml_kem::{Decapsulate, FromSeed, KeyExport, MlKem512, MlKem768, MlKem1024};

use crate::AnswerError;
use crate::scheme::{Encapsulation, draw};

/// A key pair of ML-KEM.
///
/// PQClean draws the seeds d and z of a key pair in one request, and the m of an encapsulation in
/// another.
pub(crate) trait MlKem: Sized {
    /// KeyGen: draws 64 bytes, d before z.
    fn keygen(generator: &mut IccsDrng) -> Result<Self, AnswerError>;
    /// The encapsulation key.
    fn pk(&self) -> Vec<u8>;
    /// The decapsulation key, expanded.
    fn sk(&self) -> Vec<u8>;
    /// Encaps for this key pair: draws 32 bytes; the ciphertext and the shared secret.
    fn enc(&self, generator: &mut IccsDrng) -> Result<(Vec<u8>, Vec<u8>), AnswerError>;
    /// Decaps.
    fn dec(&self, ct: &[u8]) -> Result<Vec<u8>, AnswerError>;
}

/// A key pair of one parameter set.
pub(crate) struct KeyPair<P: ml_kem::Kem>(P::DecapsulationKey);

/// The crate keeps the trait that would make one generic definition possible to itself.
macro_rules! key_pair {
    ($set:ty) => {
        impl MlKem for KeyPair<$set> {
            fn keygen(generator: &mut IccsDrng) -> Result<Self, AnswerError> {
                let seed = draw::<64>(generator)?;
                let (key, _) = <$set as FromSeed>::from_seed(&seed.into());
                Ok(Self(key))
            }

            fn pk(&self) -> Vec<u8> {
                self.0.encapsulation_key().to_bytes().to_vec()
            }

            #[expect(deprecated, reason = "PQClean's secret keys are expanded")]
            fn sk(&self) -> Vec<u8> {
                self.0.to_expanded_bytes().to_vec()
            }

            fn enc(&self, generator: &mut IccsDrng) -> Result<(Vec<u8>, Vec<u8>), AnswerError> {
                let m = draw::<32>(generator)?;
                let (ct, ss) = self
                    .0
                    .encapsulation_key()
                    .encapsulate_deterministic(&m.into());
                Ok((ct.to_vec(), ss.to_vec()))
            }

            fn dec(&self, ct: &[u8]) -> Result<Vec<u8>, AnswerError> {
                let ss = self.0.decapsulate_slice(ct);
                let ss = ss.map_err(|_| AnswerError::Refused("ML-KEM refused a ciphertext"))?;
                Ok(ss.to_vec())
            }
        }
    };
}

key_pair!(MlKem512);
key_pair!(MlKem768);
key_pair!(MlKem1024);

/// One run of the KEM.
pub(crate) fn run<K: MlKem>(generator: &mut IccsDrng) -> Result<Encapsulation, AnswerError> {
    let key = K::keygen(generator)?;
    let (ct, ss) = key.enc(generator)?;
    let decapsulated = key.dec(&ct)?;
    Ok(Encapsulation {
        pk: key.pk(),
        sk: key.sk(),
        ct,
        ss,
        decapsulated,
    })
}
