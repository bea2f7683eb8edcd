//! The four known-answer files of a hash function.

pub use wire::HashFile;

use super::{IccsDrng, IccsText, SEED_BYTES};

/// Longest message of the file `KAT_2_12`, in bits.
const SHORT_BITS: u64 = 1 << 12;

/// Bytes of the message of the file `KAT_Loop`.
const LOOP_BYTES: usize = 1024;

/// Iterations of the file `KAT_Loop`.
const ITERATIONS: u32 = 1_000_000;

/// Bytes of a long message that are printed from either end.
const EXCERPT: usize = 8;

/// A hash function with the buffer that it reads messages from.
pub trait Hasher {
    /// Why a message could not be hashed.
    type Error;

    /// The message buffer.
    fn message(&mut self) -> &mut [u8];

    /// Hashes the first `bits` bits of the message buffer.
    ///
    /// # Errors
    ///
    /// Whatever the hash function reports.
    fn hash(&mut self, bits: u64) -> Result<&[u8], Self::Error>;
}

/// Bytes of message that a file needs.
pub fn message_bytes(file: HashFile) -> u64 {
    match file {
        HashFile::Short => SHORT_BITS / 8,
        HashFile::Long => 1 << 20,
        HashFile::Huge => 1 << 30,
        HashFile::Loop => LOOP_BYTES as u64,
    }
}

/// Writes a file. The message buffer must hold [`message_bytes`].
///
/// # Errors
///
/// The first that the hash function reports.
pub fn write<H: Hasher, S: IccsText + ?Sized>(
    file: HashFile,
    hasher: &mut H,
    sink: &mut S,
    progress: &mut dyn FnMut(u32, u32),
) -> Result<(), H::Error> {
    let word = file.stem().as_bytes();
    let seed: [u8; SEED_BYTES] = core::array::from_fn(|index| word[index % word.len()]);
    let mut generator = IccsDrng::new(&seed);
    match file {
        HashFile::Short => short(&mut generator, hasher, sink, progress),
        HashFile::Long | HashFile::Huge => {
            let bytes = message_bytes(file) as usize;
            long(bytes, &seed, &mut generator, hasher, sink, progress)
        }
        HashFile::Loop => iterated(&mut generator, hasher, sink, progress),
    }
}

/// Draws the first `bits` bits of the message; the buffer holds them.
fn draw(generator: &mut IccsDrng, message: &mut [u8], bits: u64) {
    // It refuses only what does not fit the slice, and the caller's buffer is large enough.
    let _ = generator.fill(message, bits);
}

fn digest<S: IccsText + ?Sized>(digest: &[u8], sink: &mut S) {
    sink.number("Dst_Len", digest.len() as u64 * 8);
    sink.value("Dst", digest);
    sink.end();
}

fn short<H: Hasher, S: IccsText + ?Sized>(
    generator: &mut IccsDrng,
    hasher: &mut H,
    sink: &mut S,
    progress: &mut dyn FnMut(u32, u32),
) -> Result<(), H::Error> {
    let longest = SHORT_BITS as usize / 8;
    for bits in 0..=SHORT_BITS {
        let message = &mut hasher.message()[..longest];
        message.fill(0);
        draw(generator, message, bits);
        sink.number("Msg_Len", bits);
        sink.value("Msg", &message[..bits.div_ceil(8) as usize]);
        digest(hasher.hash(bits)?, sink);
        progress(bits as u32 + 1, SHORT_BITS as u32 + 1);
    }
    Ok(())
}

fn long<H: Hasher, S: IccsText + ?Sized>(
    bytes: usize,
    seed: &[u8],
    generator: &mut IccsDrng,
    hasher: &mut H,
    sink: &mut S,
    progress: &mut dyn FnMut(u32, u32),
) -> Result<(), H::Error> {
    let bits = bytes as u64 * 8;
    for record in 0..3 {
        let message = &mut hasher.message()[..bytes];
        match record {
            0 => message.fill(0x00),
            1 => message.fill(0xff),
            _ => draw(generator, message, bits),
        }
        sink.number("Msg_Len", bits);
        sink.value("Msg_Seed", if record == 2 { seed } else { &[] });
        sink.text(b"Msg_Exp = ");
        sink.hex(&message[..EXCERPT]);
        sink.text(b" .... ");
        sink.hex(&message[bytes - EXCERPT..]);
        sink.text(b"\n");
        digest(hasher.hash(bits)?, sink);
        progress(record + 1, 3);
    }
    Ok(())
}

fn iterated<H: Hasher, S: IccsText + ?Sized>(
    generator: &mut IccsDrng,
    hasher: &mut H,
    sink: &mut S,
    progress: &mut dyn FnMut(u32, u32),
) -> Result<(), H::Error> {
    const BITS: u64 = LOOP_BYTES as u64 * 8;
    let message = &mut hasher.message()[..LOOP_BYTES];
    draw(generator, message, BITS);
    sink.number("Msg_Len", BITS);
    sink.value("Msg", message);
    // The longest digest that the programme asks for has 1024 bits.
    let mut last: heapless::Vec<u8, LOOP_BYTES> = heapless::Vec::new();
    for iteration in 0..=ITERATIONS {
        if iteration > 0 {
            let message = &mut hasher.message()[..LOOP_BYTES];
            message.rotate_left(last.len());
            for (byte, other) in message.iter_mut().zip(&last) {
                *byte ^= other;
            }
        }
        let digest = hasher.hash(BITS)?;
        last.clear();
        last.extend(digest.iter().take(LOOP_BYTES).copied());
        if iteration % 10_000 == 0 {
            progress(iteration, ITERATIONS);
        }
    }
    digest(&last, sink);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iccs::{Bits, sm3hash};
    use crate::text::TextSink;

    struct Sm3 {
        message: Vec<u8>,
        digest: [u8; 32],
    }

    impl Hasher for Sm3 {
        type Error = crate::iccs::IccsError;

        fn message(&mut self) -> &mut [u8] {
            &mut self.message
        }

        fn hash(&mut self, bits: u64) -> Result<&[u8], Self::Error> {
            sm3hash(256, Bits::new(&self.message, bits)?, &mut self.digest)?;
            Ok(&self.digest)
        }
    }

    #[derive(Default)]
    struct Text(String);

    impl TextSink for Text {
        fn text(&mut self, piece: &[u8]) {
            self.0.push_str(std::str::from_utf8(piece).expect("ASCII"));
        }
    }

    fn file(file: HashFile) -> String {
        let mut hasher = Sm3 {
            message: vec![0xee; message_bytes(file) as usize],
            digest: [0; 32],
        };
        let mut text = Text::default();
        write(file, &mut hasher, &mut text, &mut |_, _| {}).expect("SM3 hashes everything");
        text.0
    }

    #[test]
    fn short_messages_are_drawn_bit_by_bit() {
        let text = file(HashFile::Short);
        let records: Vec<&str> = text.split_terminator("\n\n").collect();
        assert_eq!(records.len(), 4097);
        assert!(records[0].starts_with(
            "Msg_Len = 0\nMsg = \nDst_Len = 256\nDst = 1AB21D8355CFA17F8E61194831E81A8F"
        ));
        let mut generator = IccsDrng::new(&b"KAT_2_12".repeat(8));
        for bits in 0..4097 {
            let mut message = vec![0; 512];
            generator.fill(&mut message, bits).expect("fits");
            let line = format!("Msg_Len = {bits}\nMsg = ");
            assert!(records[bits as usize].starts_with(&line));
            let hex = hex::encode_upper(&message[..(bits as usize).div_ceil(8)]);
            assert!(records[bits as usize].contains(&format!("Msg = {hex}\n")));
        }
    }

    #[test]
    fn long_messages_are_shown_by_their_ends() {
        let text = file(HashFile::Long);
        let records: Vec<&str> = text.split_terminator("\n\n").collect();
        assert_eq!(records.len(), 3);
        assert!(records[0].starts_with(
            "Msg_Len = 8388608\nMsg_Seed = \nMsg_Exp = 0000000000000000 .... 0000000000000000\nDst_Len = 256\nDst = "
        ));
        assert!(records[1].contains("Msg_Exp = FFFFFFFFFFFFFFFF .... FFFFFFFFFFFFFFFF\n"));
        assert!(records[2].contains("Msg_Seed = 4B41545F325F32334B41545F"));
    }
}
