//! `randombytes`, as submissions of the NIST interface call it.

use core::slice;

use kat::generator::{Generator, Seed, SeededGenerator};
use kat::iccs::IccsDrng;
use spin::Mutex;

use crate::board::stack;

/// Where the bytes come from at present.
#[expect(
    clippy::large_enum_variant,
    reason = "there is one, and no allocator to box it with"
)]
enum Source {
    /// The generator of the NGCC interface, the same for all candidates: while measuring.
    Iccs(IccsDrng),
    /// The generator of the published known answers.
    KnownAnswer(SeededGenerator),
}

static SOURCE: Mutex<Option<Source>> = Mutex::new(None);

/// The seed of every measurement: the bytes 00 to 2f, as the published harness has it.
pub const MEASURING_SEED: Seed = kat::nist::ENTROPY;

/// Starts the generator that measurements draw from.
pub fn seed_for_measurement() {
    *SOURCE.lock() = Some(Source::Iccs(IccsDrng::new(&MEASURING_SEED)));
}

/// Starts the generator that known answers draw from.
pub fn seed_for_known_answer(generator: Generator, seed: &Seed) {
    *SOURCE.lock() = Some(Source::KnownAnswer(generator.seeded(seed)));
}

/// `int randombytes(uint8_t *output, size_t n)`: always 0.
///
/// # Safety
///
/// `output` must point to `length` writable bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn meter_randombytes(output: *mut u8, length: usize) -> i32 {
    stack::note_here();
    if length == 0 {
        return 0;
    }
    // SAFETY: the caller's promise; a null pointer or a wild length faults here and is reported.
    let output = unsafe { slice::from_raw_parts_mut(output, length) };
    match &mut *SOURCE.lock() {
        Some(Source::Iccs(generator)) => {
            // It refuses only a number of bits that does not fit the buffer.
            let _ = generator.fill(output, length as u64 * 8);
        }
        Some(Source::KnownAnswer(generator)) => generator.fill(output),
        // Nothing calls a submission before a seed is set.
        None => output.fill(0),
    }
    0
}
