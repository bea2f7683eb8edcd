//! Bit strings in byte slices.

use super::IccsError;

/// A bit string: the first bits of some bytes, most significant bit first.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'a> {
    bytes: &'a [u8],
    bits: u64,
}

impl<'a> Bits<'a> {
    /// The first `bits` bits of `bytes`.
    ///
    /// # Errors
    ///
    /// [`IccsError::TooShort`] when there are not so many.
    pub fn new(bytes: &'a [u8], bits: u64) -> Result<Self, IccsError> {
        let length = byte_length(bytes.len(), bits)?;
        let bytes = &bytes[..length];
        Ok(Self { bytes, bits })
    }

    /// All bits of these bytes.
    pub fn whole(bytes: &'a [u8]) -> Self {
        let bits = bytes.len() as u64 * 8;
        Self { bytes, bits }
    }

    /// The whole bytes, and the masked last byte with the number of its bits, which may be 0.
    pub(super) fn parts(self) -> (&'a [u8], u8, u32) {
        let rest = (self.bits % 8) as u32;
        match self.bytes.split_last() {
            Some((last, whole)) if rest != 0 => (whole, last & mask(rest), rest),
            _ => (self.bytes, 0, 0),
        }
    }
}

/// Bytes that hold `bits` bits, if a slice of `available` bytes has so many.
pub(super) fn byte_length(available: usize, bits: u64) -> Result<usize, IccsError> {
    usize::try_from(bits.div_ceil(8))
        .ok()
        .filter(|length| *length <= available)
        .ok_or(IccsError::TooShort {
            bits,
            bytes: available,
        })
}

/// Clears the bits of the last byte that lie beyond the end of a result of `bits` bits.
pub(super) fn clear_beyond(result: &mut [u8], bits: u64) {
    let rest = (bits % 8) as u32;
    if let (Some(last), 1..) = (result.last_mut(), rest) {
        *last &= mask(rest);
    }
}

/// A byte whose `count` (1 to 8) most significant bits are set.
fn mask(count: u32) -> u8 {
    u8::MAX << (8 - count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_beyond_the_slice_is_refused() {
        assert!(Bits::new(&[0; 2], 16).is_ok());
        assert_eq!(
            Bits::new(&[0; 2], 17).map(Bits::parts),
            Err(IccsError::TooShort { bits: 17, bytes: 2 })
        );
        assert!(Bits::new(&[], u64::MAX).is_err());
    }

    #[test]
    fn the_last_byte_is_masked() {
        let bytes = [0xab, 0xff, 0xcd];
        let parts = |bits| Bits::new(&bytes, bits).expect("long enough").parts();
        assert_eq!(parts(0), (&[][..], 0, 0));
        assert_eq!(parts(8), (&bytes[..1], 0, 0));
        assert_eq!(parts(11), (&bytes[..1], 0xe0, 3));
        assert_eq!(Bits::whole(&bytes).parts(), (&bytes[..], 0, 0));
    }
}
