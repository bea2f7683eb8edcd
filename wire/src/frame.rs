//! Frames: a header, a payload and a CRC-32, byte-stuffed between zeros.

use crc::{CRC_32_ISO_HDLC, Crc};
use heapless::Vec;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::PROTOCOL_VERSION;

/// The CRC-32 of Ethernet and zip.
pub(crate) const CRC32: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// Bytes of a frame on the line, delimiters included, at most.
pub const MAX_FRAME: usize = 4096;

/// Bytes of version, kind, request, block and length.
const HEADER: usize = 8;

/// Bytes of the CRC-32.
const CHECKSUM: usize = 4;

/// Bytes of a frame before stuffing: COBS adds one byte and one for every 254, and a zero stands
/// on either side.
const MAX_RAW: usize = (MAX_FRAME - 3) * 254 / 255;

/// Bytes of payload at most.
pub const MAX_PAYLOAD: usize = MAX_RAW - HEADER - CHECKSUM;

/// A frame as it goes over the line.
pub type FrameBuffer = Vec<u8, MAX_FRAME>;

/// What a frame carries.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub enum Kind {
    /// A [`crate::Order`].
    Request = 1,
    /// A [`crate::Response`].
    Response = 2,
    /// A defmt log frame.
    Log = 3,
    /// A [`crate::Fault`].
    Fault = 4,
}

impl Kind {
    fn from_byte(byte: u8) -> Option<Self> {
        [Self::Request, Self::Response, Self::Log, Self::Fault]
            .into_iter()
            .find(|kind| *kind as u8 == byte)
    }
}

/// A frame that arrived whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// What it carries.
    pub kind: Kind,
    /// Number of the request that it belongs to.
    pub request: u16,
    /// Number of the block within the result.
    pub block: u16,
    payload: Vec<u8, MAX_PAYLOAD>,
}

impl Frame {
    /// The bytes of the payload.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// Reads the payload as a message.
    ///
    /// # Errors
    ///
    /// [`FrameError::Payload`] when the payload is not exactly one such message.
    pub fn message<T: DeserializeOwned>(&self) -> Result<T, FrameError> {
        match postcard::take_from_bytes(&self.payload) {
            Ok((message, [])) => Ok(message),
            _ => Err(FrameError::Payload),
        }
    }
}

/// Why a run of bytes between two zeros is not a frame.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FrameError {
    /// Longer than any frame.
    TooLong,
    /// The byte stuffing is broken.
    Stuffing,
    /// Shorter than a header, or not as long as its header says.
    Length,
    /// The CRC-32 does not match.
    Checksum,
    /// The frame is whole but speaks this version of the protocol.
    Version(u8),
    /// The frame is whole but of no known kind.
    Kind(u8),
    /// The payload is no message of the expected type.
    Payload,
}

/// Makes the frame that carries these payload bytes, such as a log frame that defmt encoded.
///
/// # Errors
///
/// [`FrameError::TooLong`] when the payload has more than [`MAX_PAYLOAD`] bytes.
pub fn encode_bytes(
    kind: Kind,
    request: u16,
    block: u16,
    payload: &[u8],
) -> Result<FrameBuffer, FrameError> {
    let length = u16::try_from(payload.len()).map_err(|_| FrameError::TooLong)?;
    let mut raw: Vec<u8, MAX_RAW> = Vec::new();
    let mut push = |bytes: &[u8]| {
        raw.extend_from_slice(bytes)
            .map_err(|_| FrameError::TooLong)
    };
    push(&[PROTOCOL_VERSION, kind as u8])?;
    push(&request.to_le_bytes())?;
    push(&block.to_le_bytes())?;
    push(&length.to_le_bytes())?;
    push(payload)?;
    let checksum = CRC32.checksum(&raw);
    raw.extend_from_slice(&checksum.to_le_bytes())
        .map_err(|_| FrameError::TooLong)?;

    let mut frame = FrameBuffer::new();
    frame
        .resize_default(MAX_FRAME)
        .map_err(|_| FrameError::TooLong)?;
    let stuffed =
        cobs::try_encode(&raw, &mut frame[1..MAX_FRAME - 1]).map_err(|_| FrameError::TooLong)?;
    frame[1 + stuffed] = 0;
    frame.truncate(stuffed + 2);
    Ok(frame)
}

/// Makes the frame that carries this message.
///
/// # Errors
///
/// [`FrameError::TooLong`] when the message does not fit a frame.
pub fn encode<T: Serialize>(
    kind: Kind,
    request: u16,
    block: u16,
    message: &T,
) -> Result<FrameBuffer, FrameError> {
    let mut payload = [0; MAX_PAYLOAD];
    let payload = postcard::to_slice(message, &mut payload).map_err(|_| FrameError::TooLong)?;
    encode_bytes(kind, request, block, payload)
}

/// Whether a request was sent before another one, by their numbers, which begin again after the last
/// (serial number arithmetic, RFC 1982).
pub const fn is_before(number: u16, other: u16) -> bool {
    (number.wrapping_sub(other) as i16) < 0
}

/// Finds frames in a stream of bytes, whatever else is in it.
#[derive(Debug, Default)]
pub struct Decoder {
    pending: FrameBuffer,
    overlong: bool,
}

impl Decoder {
    /// A decoder that has seen nothing.
    pub const fn new() -> Self {
        Self {
            pending: Vec::new(),
            overlong: false,
        }
    }

    /// Takes one byte; returns a frame, or what was wrong with one, when it ends here.
    pub fn push(&mut self, byte: u8) -> Option<Result<Frame, FrameError>> {
        if byte != 0 {
            self.overlong |= self.pending.push(byte).is_err();
            return None;
        }
        let result = if self.overlong {
            Some(Err(FrameError::TooLong))
        } else if self.pending.is_empty() {
            None
        } else {
            Some(decode(&mut self.pending))
        };
        self.pending.clear();
        self.overlong = false;
        result
    }
}

/// Reads one frame from the bytes between two zeros.
fn decode(stuffed: &mut [u8]) -> Result<Frame, FrameError> {
    let length = cobs::decode_in_place(stuffed).map_err(|_| FrameError::Stuffing)?;
    let raw = &stuffed[..length];
    let Some((body, checksum)) = raw.split_last_chunk::<CHECKSUM>() else {
        return Err(FrameError::Length);
    };
    let Some((&[version, kind, r0, r1, b0, b1, l0, l1], payload)) =
        body.split_first_chunk::<HEADER>()
    else {
        return Err(FrameError::Length);
    };
    if CRC32.checksum(body) != u32::from_le_bytes(*checksum) {
        return Err(FrameError::Checksum);
    }
    if version != PROTOCOL_VERSION {
        return Err(FrameError::Version(version));
    }
    if usize::from(u16::from_le_bytes([l0, l1])) != payload.len() {
        return Err(FrameError::Length);
    }
    Ok(Frame {
        kind: Kind::from_byte(kind).ok_or(FrameError::Kind(kind))?,
        request: u16::from_le_bytes([r0, r1]),
        block: u16::from_le_bytes([b0, b1]),
        payload: Vec::from_slice(payload).map_err(|_| FrameError::TooLong)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode_all(bytes: &[u8]) -> std::vec::Vec<Result<Frame, FrameError>> {
        let mut decoder = Decoder::new();
        bytes
            .iter()
            .filter_map(|byte| decoder.push(*byte))
            .collect()
    }

    #[test]
    fn the_longest_payload_fits_and_one_more_byte_does_not() {
        let frame = encode_bytes(Kind::Log, 1, 2, &[7; MAX_PAYLOAD]).expect("fits");
        assert!(frame.len() <= MAX_FRAME);
        assert_eq!(
            encode_bytes(Kind::Log, 1, 2, &[7; MAX_PAYLOAD + 1]),
            Err(FrameError::TooLong)
        );
    }

    #[test]
    fn numbers_of_requests_have_an_order_that_has_no_end() {
        assert!(is_before(1, 2) && !is_before(2, 1) && !is_before(7, 7));
        assert!(is_before(u16::MAX, 0) && !is_before(3, u16::MAX - 3));
    }

    #[test]
    fn another_version_is_named() {
        let mut frame = encode_bytes(Kind::Request, 1, 0, b"x").expect("fits");
        let length = frame.len();
        let raw_length = cobs::decode_in_place(&mut frame[1..length - 1]).expect("whole");
        let mut raw = frame[1..1 + raw_length].to_vec();
        raw[0] = PROTOCOL_VERSION + 1;
        let body = raw.len() - CHECKSUM;
        let checksum = CRC32.checksum(&raw[..body]).to_le_bytes();
        raw[body..].copy_from_slice(&checksum);
        let mut stuffed = std::vec![0; raw.len() + 2];
        let n = cobs::try_encode(&raw, &mut stuffed).expect("fits");
        assert_eq!(
            decode(&mut stuffed[..n]),
            Err(FrameError::Version(PROTOCOL_VERSION + 1))
        );
    }

    proptest! {
        #[test]
        fn frames_survive_the_line(
            request: u16, block: u16, payload in proptest::collection::vec(any::<u8>(), 0..MAX_PAYLOAD),
        ) {
            let frame = encode_bytes(Kind::Response, request, block, &payload).expect("fits");
            let decoded = decode_all(&frame);
            prop_assert_eq!(decoded.len(), 1);
            let frame = decoded[0].clone().expect("whole");
            prop_assert_eq!(frame.payload(), payload);
            prop_assert_eq!((frame.request, frame.block, frame.kind), (request, block, Kind::Response));
        }

        #[test]
        fn a_frame_after_any_garbage_is_found(garbage in proptest::collection::vec(any::<u8>(), 0..9000)) {
            let frame = encode_bytes(Kind::Request, 7, 0, b"payload").expect("fits");
            let mut bytes = garbage;
            bytes.extend_from_slice(&frame);
            let last = decode_all(&bytes).pop().expect("something ends at the last zero");
            let last = last.expect("whole");
            prop_assert_eq!(last.payload(), b"payload");
        }

        #[test]
        fn a_flipped_bit_is_never_accepted_as_another_frame(
            payload in proptest::collection::vec(any::<u8>(), 0..200), position: prop::sample::Index, bit in 0..8u8,
        ) {
            let good = encode_bytes(Kind::Response, 3, 4, &payload).expect("fits");
            let mut bad = good.clone();
            let position = position.index(bad.len());
            bad[position] ^= 1 << bit;
            let original = decode_all(&good).pop().expect("frame").expect("whole");
            for result in decode_all(&bad).into_iter().flatten() {
                prop_assert_eq!(&result, &original);
            }
        }
    }
}
