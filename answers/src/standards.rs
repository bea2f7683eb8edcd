//! The package `standards`: ML-KEM and ML-DSA as PQClean has them.

use ml_dsa::{MlDsa44, MlDsa65, MlDsa87};
use ml_kem::{MlKem512, MlKem768, MlKem1024};

use crate::kem::KeyPair;
use crate::{Instance, Scheme};

pub(crate) fn instances() -> Vec<Instance> {
    vec![
        Instance::new(
            "ML-KEM-512",
            Scheme::kem(crate::kem::run::<KeyPair<MlKem512>>),
        ),
        Instance::new(
            "ML-KEM-768",
            Scheme::kem(crate::kem::run::<KeyPair<MlKem768>>),
        ),
        Instance::new(
            "ML-KEM-1024",
            Scheme::kem(crate::kem::run::<KeyPair<MlKem1024>>),
        ),
        Instance::new(
            "ML-DSA-44",
            Scheme::Signature(Box::new(crate::signature::run::<MlDsa44>)),
        ),
        Instance::new(
            "ML-DSA-65",
            Scheme::Signature(Box::new(crate::signature::run::<MlDsa65>)),
        ),
        Instance::new(
            "ML-DSA-87",
            Scheme::Signature(Box::new(crate::signature::run::<MlDsa87>)),
        ),
    ]
}
