//! Buffers with the length that goes in and comes out beside each of them.

use core::ops::{Index, IndexMut};

use wire::{BufferName, FailureKind};

use crate::meter::buffers::{Arena, Buffer};

/// A buffer and the cell that C reads its length from and writes it to.
///
/// The cell has guards of its own: to write a length of the wrong width is a vice, too.
pub struct Slot {
    contents: Buffer,
    length: Buffer,
}

impl Slot {
    /// A slot of this name and size in bytes, zeroed, its length set to its size.
    ///
    /// # Errors
    ///
    /// [`FailureKind::Memory`] when it does not fit.
    pub fn take(arena: &mut Arena, name: BufferName, capacity: u64) -> Result<Self, FailureKind> {
        // A size that is no address is larger than any memory.
        let capacity = usize::try_from(capacity).unwrap_or(usize::MAX);
        let mut slot = Self {
            contents: arena.take(name, capacity)?,
            length: arena.take(BufferName::Length, size_of::<u64>())?,
        };
        slot.fill();
        Ok(slot)
    }

    /// Address of the buffer.
    pub fn address(&mut self) -> usize {
        self.contents.address()
    }

    /// Address of the length.
    pub fn length_address(&mut self) -> usize {
        self.length.address()
    }

    /// Addresses of buffer and length for a call that writes both; the length is set to the
    /// buffer's whole size, as a careful caller does.
    pub fn output(&mut self) -> [usize; 2] {
        self.fill();
        [self.address(), self.length_address()]
    }

    /// Address and length for a call that reads the buffer. The length is what was written last;
    /// that the buffer has it is checked after every call.
    pub fn input(&mut self) -> [usize; 2] {
        [self.address(), self.length() as usize]
    }

    /// Bytes that the buffer holds.
    pub fn capacity(&self) -> usize {
        self.whole().len()
    }

    /// Sets the length to the buffer's whole size.
    pub fn fill(&mut self) {
        self.preset(self.capacity() as u64);
    }

    /// Sets the length.
    pub fn preset(&mut self, length: u64) {
        self.length
            .contents_mut()
            .copy_from_slice(&length.to_ne_bytes());
    }

    /// The length as it is now, whoever wrote it.
    pub fn length(&self) -> u64 {
        let mut bytes = [0; size_of::<u64>()];
        bytes.copy_from_slice(self.length.contents());
        u64::from_ne_bytes(bytes)
    }

    /// The buffer up to its length.
    ///
    /// # Errors
    ///
    /// [`FailureKind::Length`] when the length is none that the buffer has.
    pub fn value(&self) -> Result<&[u8], FailureKind> {
        let length = self.contents.check_length(self.length())?;
        Ok(&self.whole()[..length])
    }

    /// The whole buffer, whatever its length.
    pub fn whole(&self) -> &[u8] {
        self.contents.contents()
    }

    /// The whole buffer, to be written.
    pub fn contents_mut(&mut self) -> &mut [u8] {
        self.contents.contents_mut()
    }

    /// Zeroes the buffer and sets its guards and its length.
    pub fn reset(&mut self) {
        self.contents.reset();
        self.length.reset();
        self.fill();
    }

    /// Looks for damaged guards and for a length that the buffer does not have.
    ///
    /// # Errors
    ///
    /// [`FailureKind::Guard`] or [`FailureKind::Length`].
    pub fn check(&self) -> Result<(), FailureKind> {
        self.check_guards()?;
        self.value().map(drop)
    }

    fn check_guards(&self) -> Result<(), FailureKind> {
        self.contents.check_guards()?;
        self.length.check_guards()
    }
}

/// All slots of an instance, by number.
pub struct Slots<const N: usize>([Slot; N]);

impl<const N: usize> Slots<N> {
    /// Slots of these names and sizes in bytes, zeroed, their lengths set to their sizes.
    ///
    /// # Errors
    ///
    /// [`FailureKind::Memory`] when they do not fit.
    pub fn take(arena: &mut Arena, plan: [(BufferName, u64); N]) -> Result<Self, FailureKind> {
        let mut slots: heapless::Vec<Slot, N> = heapless::Vec::new();
        for (name, capacity) in plan {
            // As many as the array has places.
            let _ = slots.push(Slot::take(arena, name, capacity)?);
        }
        match slots.into_array() {
            Ok(slots) => Ok(Self(slots)),
            Err(_) => unreachable!("one slot was taken for each of the plan"),
        }
    }

    /// Zeroes every buffer and sets its guards and its length.
    pub fn reset(&mut self) {
        self.0.iter_mut().for_each(Slot::reset);
    }

    /// Hands out every whole buffer.
    pub fn each(&self, see: &mut dyn FnMut(&[u8])) {
        self.0.iter().for_each(|slot| see(slot.whole()));
    }

    /// Looks for bytes written outside the buffers.
    ///
    /// # Errors
    ///
    /// [`FailureKind::Guard`] for the first that has any.
    pub fn check_guards(&self) -> Result<(), FailureKind> {
        self.0.iter().try_for_each(Slot::check_guards)
    }

    /// Looks for guards that were damaged and for lengths that the buffers do not have.
    ///
    /// # Errors
    ///
    /// [`FailureKind::Guard`] or [`FailureKind::Length`] for the first.
    pub fn check(&self) -> Result<(), FailureKind> {
        self.0.iter().try_for_each(Slot::check)
    }
}

impl<const N: usize> Index<usize> for Slots<N> {
    type Output = Slot;

    fn index(&self, number: usize) -> &Slot {
        &self.0[number]
    }
}

impl<const N: usize> IndexMut<usize> for Slots<N> {
    fn index_mut(&mut self, number: usize) -> &mut Slot {
        &mut self.0[number]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(64))]
    struct Memory([u8; 4096]);

    fn slots() -> Slots<2> {
        let memory = &mut Box::leak(Box::new(Memory([0; 4096]))).0;
        let plan = [(BufferName::Ciphertext, 10), (BufferName::SharedSecret, 32)];
        Slots::take(&mut Arena::new(memory), plan).unwrap()
    }

    #[test]
    fn lengths_go_in_and_come_out() {
        let mut slots = slots();
        assert_eq!((slots[0].length(), slots[1].length()), (10, 32));
        slots[1].preset(3);
        assert_eq!(slots[1].value(), Ok(&[0; 3][..]));
        slots[0].preset(11);
        assert!(matches!(
            slots.check(),
            Err(FailureKind::Length {
                buffer: BufferName::Ciphertext,
                reported: 11,
                capacity: 10
            })
        ));
        slots.reset();
        assert_eq!(slots.check(), Ok(()));
    }

    #[test]
    fn more_than_there_is_cannot_be_claimed() {
        let memory = &mut Box::leak(Box::new(Memory([0; 4096]))).0;
        let plan = [(BufferName::PublicKey, u64::MAX)];
        assert!(matches!(
            Slots::take(&mut Arena::new(memory), plan),
            Err(FailureKind::Memory { .. })
        ));
    }
}
