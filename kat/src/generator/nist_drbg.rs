//! AES-256-CTR-DRBG as NIST's known-answer programs use it.

use aes::cipher::{Block, BlockCipherEncrypt, KeyInit};
use aes::{Aes256, cipher::Key};

use super::{SEED_BYTES, Seed};

const BLOCK_BYTES: usize = 16;
const KEY_BYTES: usize = SEED_BYTES - BLOCK_BYTES;

/// Blocks encrypted at once: the software cipher works on four.
const STRIDE: usize = 4;

/// CTR_DRBG of NIST SP 800-90A with AES-256, without derivation function, personalisation and
/// reseeding.
///
/// Every request ends with an update of key and counter, so two requests of 16 bytes are not one
/// of 32.
#[derive(Clone)]
pub struct NistDrbg {
    cipher: Aes256,
    counter: u128,
}

impl NistDrbg {
    /// Instantiates the generator with 48 bytes of entropy.
    pub fn new(seed: &Seed) -> Self {
        let mut generator = Self {
            cipher: Aes256::new(&Key::<Aes256>::default()),
            counter: 0,
        };
        generator.update(seed);
        generator
    }

    /// Answers one request for `output.len()` bytes; a request for none still updates the state.
    pub fn fill(&mut self, output: &mut [u8]) {
        self.keystream(output);
        self.update(&[0; SEED_BYTES]);
    }

    fn keystream(&mut self, output: &mut [u8]) {
        for stretch in output.chunks_mut(STRIDE * BLOCK_BYTES) {
            let mut blocks = [Block::<Aes256>::default(); STRIDE];
            let blocks = &mut blocks[..stretch.len().div_ceil(BLOCK_BYTES)];
            for block in blocks.iter_mut() {
                self.counter = self.counter.wrapping_add(1);
                *block = self.counter.to_be_bytes().into();
            }
            self.cipher.encrypt_blocks(blocks);
            for (bytes, block) in stretch.chunks_mut(BLOCK_BYTES).zip(blocks) {
                bytes.copy_from_slice(&block[..bytes.len()]);
            }
        }
    }

    /// `CTR_DRBG_Update` of SP 800-90A, 10.2.1.2.
    fn update(&mut self, provided: &Seed) {
        let mut state = [0; SEED_BYTES];
        self.keystream(&mut state);
        for (byte, mask) in state.iter_mut().zip(provided) {
            *byte ^= mask;
        }
        let mut key = [0; KEY_BYTES];
        let mut counter = [0; BLOCK_BYTES];
        key.copy_from_slice(&state[..KEY_BYTES]);
        counter.copy_from_slice(&state[KEY_BYTES..]);
        self.cipher = Aes256::new(&key.into());
        self.counter = u128::from_be_bytes(counter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started() -> NistDrbg {
        NistDrbg::new(&core::array::from_fn(|i| i as u8))
    }

    fn draw(generator: &mut NistDrbg, length: usize) -> String {
        let mut bytes = vec![0; length];
        generator.fill(&mut bytes);
        hex::encode_upper(bytes)
    }

    /// The seeds of counts 0, 1 and 2 of every KAT file (PQCkemKAT_*.rsp) of NIST's process.
    #[test]
    fn the_published_record_seeds() {
        let mut generator = started();
        assert_eq!(
            draw(&mut generator, 48),
            "061550234D158C5EC95595FE04EF7A25767F2E24CC2BC479D09D86DC9ABCFDE7\
             056A8C266F9EF97ED08541DBD2E1FFA1"
        );
        assert_eq!(
            draw(&mut generator, 48),
            "D81C4D8D734FCBFBEADE3D3F8A039FAA2A2C9957E835AD55B22E75BF57BB556A\
             C81ADDE6AEEB4A5A875C3BFCADFA958F"
        );
        assert_eq!(
            draw(&mut generator, 48),
            "64335BF29E5DE62842C941766BA129B0643B5E7121CA26CFC190EC7DC3543830\
             557FDD5C03CF123A456D48EFEA43C868"
        );
    }

    #[test]
    fn a_request_of_part_of_a_block_is_its_beginning() {
        let whole = draw(&mut started(), 160);
        for length in [0, 1, 15, 16, 17, 63, 64, 65, 128, 159] {
            assert_eq!(draw(&mut started(), length), whole[..2 * length]);
        }
    }

    #[test]
    fn every_request_updates_the_state() {
        let mut generator = started();
        draw(&mut generator, 0);
        assert_ne!(draw(&mut generator, 16), draw(&mut started(), 16));
    }
}
