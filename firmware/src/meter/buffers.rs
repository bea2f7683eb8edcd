//! Buffers for a submission's inputs and outputs, each between guard zones.
//!
//! The zones hold the byte that the published harness uses, and as many of them.

use wire::{BufferName, FailureKind, Side};

/// Bytes of guard before and after each buffer.
pub const GUARD: usize = 64;

/// What the guard zones hold.
const GUARD_BYTE: u8 = 0xa5;

/// Alignment of every buffer: a cache line, and more than any C type asks for.
pub const ALIGNMENT: usize = 64;

/// Bytes that a buffer takes up with its guards, rounded up so that the next one is aligned.
fn checked_footprint(length: usize) -> Option<usize> {
    length
        .checked_add(2 * GUARD)?
        .checked_next_multiple_of(ALIGNMENT)
}

/// Hands out buffers from one piece of memory.
pub struct Arena {
    left: &'static mut [u8],
}

impl Arena {
    /// An arena over this memory.
    ///
    /// # Panics
    ///
    /// When the memory is not aligned to [`ALIGNMENT`].
    pub fn new(memory: &'static mut [u8]) -> Self {
        assert!(
            memory.as_ptr().addr().is_multiple_of(ALIGNMENT),
            "buffers are aligned to a cache line"
        );
        Self { left: memory }
    }

    /// The next buffer, zeroed, its guards set.
    ///
    /// # Errors
    ///
    /// [`FailureKind::Memory`] when not enough is left; what was taken before stays taken.
    pub fn take(&mut self, name: BufferName, length: usize) -> Result<Buffer, FailureKind> {
        let needed = checked_footprint(length);
        let Some(needed) = needed.filter(|needed| *needed <= self.left.len()) else {
            return Err(FailureKind::Memory {
                needed: length as u64,
                available: self.left.len() as u64,
            });
        };
        let (memory, left) = core::mem::take(&mut self.left).split_at_mut(needed);
        self.left = left;
        let mut buffer = Buffer {
            name,
            length,
            memory,
        };
        buffer.reset();
        Ok(buffer)
    }

    /// A buffer over everything that is left, empty until [`Buffer::resize`].
    ///
    /// # Errors
    ///
    /// [`FailureKind::Memory`] when not even an empty one fits.
    pub fn take_rest(self, name: BufferName) -> Result<Buffer, FailureKind> {
        let available = self.left.len();
        if available < 2 * GUARD {
            return Err(FailureKind::Memory {
                needed: 2 * GUARD as u64,
                available: available as u64,
            });
        }
        let mut buffer = Buffer {
            name,
            length: 0,
            memory: self.left,
        };
        buffer.reset();
        Ok(buffer)
    }
}

/// Bytes of guard behind a buffer with this much memory after its end: more than [`GUARD`] where
/// rounding left some.
fn zone_length(after: usize) -> usize {
    after.min(GUARD + ALIGNMENT)
}

/// A buffer between guard zones.
pub struct Buffer {
    name: BufferName,
    length: usize,
    memory: &'static mut [u8],
}

impl Buffer {
    /// Zeroes the buffer and sets its guards.
    pub fn reset(&mut self) {
        let (before, rest) = self.memory.split_at_mut(GUARD);
        let (contents, after) = rest.split_at_mut(self.length);
        before.fill(GUARD_BYTE);
        contents.fill(0);
        let zone = zone_length(after.len());
        after[..zone].fill(GUARD_BYTE);
    }

    /// Gives the buffer another length; its contents are zeroed.
    ///
    /// # Errors
    ///
    /// [`FailureKind::Memory`] when its memory does not hold as many bytes.
    pub fn resize(&mut self, length: usize) -> Result<(), FailureKind> {
        let available = self.room();
        if length > available {
            return Err(FailureKind::Memory {
                needed: length as u64,
                available: available as u64,
            });
        }
        self.length = length;
        self.reset();
        Ok(())
    }

    /// Bytes that its memory could hold between guards.
    pub fn room(&self) -> usize {
        self.memory.len().saturating_sub(2 * GUARD)
    }

    /// The contents.
    pub fn contents(&self) -> &[u8] {
        &self.memory[GUARD..GUARD + self.length]
    }

    /// The contents, to be written.
    pub fn contents_mut(&mut self) -> &mut [u8] {
        &mut self.memory[GUARD..GUARD + self.length]
    }

    /// The address that a submission is given.
    pub fn address(&mut self) -> usize {
        self.contents_mut().as_mut_ptr().expose_provenance()
    }

    /// Looks for bytes written outside the buffer.
    ///
    /// # Errors
    ///
    /// [`FailureKind::Guard`] for the changed byte nearest to the buffer.
    pub fn check_guards(&self) -> Result<(), FailureKind> {
        let damaged = |byte: &u8| *byte != GUARD_BYTE;
        let before = self.memory[..GUARD].iter().rev().position(damaged);
        let after = &self.memory[GUARD + self.length..];
        let after = &after[..zone_length(after.len())];
        let after = after.iter().position(damaged);
        let (side, index) = match (before, after) {
            (None, None) => return Ok(()),
            (_, Some(index)) => (Side::After, index),
            (Some(index), None) => (Side::Before, index),
        };
        Err(FailureKind::Guard {
            buffer: self.name,
            side,
            distance: index as u32 + 1,
        })
    }

    /// Checks a length that a submission reported for this buffer.
    ///
    /// # Errors
    ///
    /// [`FailureKind::Length`] when the buffer does not hold as many bytes.
    pub fn check_length(&self, reported: u64) -> Result<usize, FailureKind> {
        match usize::try_from(reported) {
            Ok(length) if length <= self.length => Ok(length),
            _ => Err(FailureKind::Length {
                buffer: self.name,
                reported,
                capacity: self.length as u64,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(64))]
    struct Memory([u8; 4096]);

    fn arena() -> Arena {
        Arena::new(&mut Box::leak(Box::new(Memory([0; 4096]))).0)
    }

    #[test]
    fn a_write_outside_is_found_on_either_side() {
        let mut arena = arena();
        let mut buffer = arena.take(BufferName::Signature, 100).unwrap();
        let next = arena.take(BufferName::Message, 64).unwrap();
        assert!(next.contents().as_ptr().addr().is_multiple_of(ALIGNMENT));
        assert_eq!(buffer.check_guards(), Ok(()));
        for (position, side, distance) in [
            (GUARD - 1, Side::Before, 1),
            (0, Side::Before, 64),
            (GUARD + 100, Side::After, 1),
            (GUARD + 163, Side::After, 64),
        ] {
            buffer.reset();
            buffer.memory[position] ^= 1;
            assert_eq!(
                buffer.check_guards(),
                Err(FailureKind::Guard {
                    buffer: BufferName::Signature,
                    side,
                    distance
                })
            );
        }
    }

    #[test]
    fn a_length_beyond_the_buffer_is_refused() {
        let buffer = arena().take(BufferName::Ciphertext, 10).unwrap();
        assert_eq!(buffer.check_length(10), Ok(10));
        for reported in [11, u64::MAX] {
            assert_eq!(
                buffer.check_length(reported),
                Err(FailureKind::Length {
                    buffer: BufferName::Ciphertext,
                    reported,
                    capacity: 10
                })
            );
        }
    }

    #[test]
    fn memory_that_is_not_there_is_not_handed_out() {
        let mut arena = arena();
        for length in [4096, usize::MAX] {
            assert!(matches!(
                arena.take(BufferName::PublicKey, length),
                Err(FailureKind::Memory { needed, available: 4096 }) if needed == length as u64
            ));
        }
        let mut rest = arena.take_rest(BufferName::Message).unwrap();
        assert_eq!(rest.room(), 4096 - 2 * GUARD);
        assert!(rest.resize(rest.room() + 1).is_err());
        for length in [0, 1000, 10, rest.room()] {
            assert_eq!(rest.resize(length), Ok(()));
            assert_eq!(rest.contents().len(), length);
            assert_eq!(rest.check_guards(), Ok(()));
            rest.memory[GUARD + length] ^= 1;
            assert!(rest.check_guards().is_err());
        }
    }
}
