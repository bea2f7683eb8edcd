//! The package `iccs`: the auxiliary functions of the NGCC interface as hash functions.
//!
//! SM3 is the crate's. The placeholder functions exist nowhere but in the programme's own C code;
//! the models in [`kat::iccs`], which match the vectors of that code, are the independent ones.

use kat::iccs::{Bits, pseudo_xof, pseudohash};

use crate::{Instance, Scheme, sm3};

pub(crate) fn instances() -> Vec<Instance> {
    vec![
        Instance::new(
            "SM3",
            Scheme::Hash(Box::new(|message, bits| Ok(sm3::of_bits(message, bits)))),
        ),
        Instance::new("pseudohash-512", placeholder(512)),
        Instance::new("pseudohash-768", placeholder(768)),
        Instance::new("pseudohash-1024", placeholder(1024)),
        Instance::new(
            "pseudoXOF-512",
            Scheme::Hash(Box::new(|message, bits| {
                let mut output = vec![0; 64];
                pseudo_xof(512, Bits::new(message, bits)?, &mut output)?;
                Ok(output)
            })),
        ),
    ]
}

/// `pseudohash` with a digest of so many bits.
fn placeholder(digest_bits: u32) -> Scheme {
    Scheme::Hash(Box::new(move |message, bits| {
        let mut digest = vec![0; digest_bits as usize / 8];
        pseudohash(digest_bits, Bits::new(message, bits)?, &mut digest)?;
        Ok(digest)
    }))
}
