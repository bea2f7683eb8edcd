//! Where the blocks in use are, and what stands before each.

use core::ptr::{self, NonNull};

/// Every block starts at a multiple of this.
pub const GRAIN: usize = 16;

/// Bytes of heap for which one word holds a bit for each place where a block may start.
const BYTES_PER_WORD: usize = GRAIN * u64::BITS as usize;

/// What stands in the 16 bytes before each block.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Header {
    /// Bytes that were asked for, and the alignment's exponent in the top byte.
    size_and_exponent: u64,
    /// [`Header::mark`], XORed during a sweep with the address of the next block that is still to
    /// be searched, and with [`Header::REACHED`].
    mark_and_sweep: u64,
}

impl Header {
    /// Bytes of a header.
    pub const SIZE: usize = size_of::<Self>();

    /// Something refers to the block. Addresses of blocks are even.
    pub const REACHED: u64 = 1;

    /// The header of a block of this size, which lies `offset` bytes into its allocation.
    pub fn new(block: NonNull<u8>, size: usize, offset: usize) -> Self {
        let mut header = Self {
            size_and_exponent: size as u64 | u64::from(offset.trailing_zeros()) << 56,
            mark_and_sweep: 0,
        };
        header.note(block, 0);
        header
    }

    /// What a block of this address and size is marked with: what is written over it, or over its
    /// size, is not that.
    fn mark(self, block: NonNull<u8>) -> u64 {
        // An odd factor spreads every bit of the size.
        let size = self.size_and_exponent.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        0x6d65_7465_7268_6561 ^ block.addr().get() as u64 ^ size
    }

    /// Bytes behind each block that nobody has a right to.
    pub const TAIL: usize = size_of::<u64>();

    /// What stands there.
    pub fn tail(self, block: NonNull<u8>) -> u64 {
        !self.mark(block)
    }

    /// What a sweep has noted of the block; 0 at all other times, unless somebody wrote over the
    /// header.
    pub fn swept(self, block: NonNull<u8>) -> u64 {
        self.mark_and_sweep ^ self.mark(block)
    }

    /// Notes something of the block for a sweep.
    pub fn note(&mut self, block: NonNull<u8>, swept: u64) {
        self.mark_and_sweep = self.mark(block) ^ swept;
    }

    /// The place of a block's header.
    pub fn of(block: NonNull<u8>) -> *mut Self {
        block.as_ptr().wrapping_sub(Self::SIZE).cast()
    }

    /// Bytes that were asked for.
    pub fn size(self) -> usize {
        (self.size_and_exponent & (u64::MAX >> 8)) as usize
    }

    /// Bytes from the start of the allocation to the block: its alignment, header included.
    pub fn offset(self) -> usize {
        1 << (self.size_and_exponent >> 56)
    }

    /// Bytes that the block takes up at most.
    pub fn footprint(self) -> usize {
        self.size() + Self::TAIL + self.offset() + super::OVERHEAD
    }
}

/// A bit for each place where a block may start, in memory of the heap's own.
pub struct Blocks {
    bits: *mut u64,
    /// The memory that blocks lie in.
    begin: usize,
    length: usize,
    /// Distance of the highest end of any block that there ever was.
    reached: usize,
}

// SAFETY: the pointer leads to memory that the heap alone uses.
unsafe impl Send for Blocks {}

impl Blocks {
    /// No memory, and no blocks.
    pub const NONE: Self = Self {
        bits: ptr::null_mut(),
        begin: 0,
        length: 0,
        reached: 0,
    };

    /// Divides the memory into bits and the rest, which comes back for the blocks. What `before`
    /// marked in the same memory is cleared, and what lay there is zero again.
    ///
    /// # Safety
    ///
    /// The memory must be writable and zero but for what `before` says, and nobody else's.
    pub unsafe fn over(memory: *mut [u8], before: &Self) -> (Self, *mut [u8]) {
        let bits: *mut u64 = memory.cast();
        let words = memory.len() / (BYTES_PER_WORD + size_of::<u64>()) + 1;
        let begin = (bits.wrapping_add(words).expose_provenance()).next_multiple_of(GRAIN);
        let taken = begin - bits.addr();
        let length = memory.len().saturating_sub(taken);
        let rest: *mut u8 = ptr::with_exposed_provenance_mut(begin);
        // SAFETY: the caller's promise; `before` divided the same memory in the same way.
        unsafe {
            ptr::write_bytes(bits, 0, before.words());
            let touched = before.reached + super::OVERHEAD;
            ptr::write_bytes(rest, 0, touched.min(length));
        }
        let blocks = Self {
            bits,
            begin,
            length,
            reached: 0,
        };
        (blocks, ptr::slice_from_raw_parts_mut(rest, length))
    }

    /// Words in which a bit can be set.
    fn words(&self) -> usize {
        self.reached.div_ceil(BYTES_PER_WORD)
    }

    /// Bytes of the memory that blocks lie in.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Word and bit of a place where a block may start.
    fn place(&self, block: NonNull<u8>) -> Option<(usize, u64)> {
        let distance = block.addr().get().wrapping_sub(self.begin);
        let is_place = distance < self.length && distance.is_multiple_of(GRAIN);
        is_place.then_some((
            distance / BYTES_PER_WORD,
            1 << (distance / GRAIN % u64::BITS as usize),
        ))
    }

    /// Marks the start of a block in use, of so many bytes.
    pub fn mark(&mut self, block: NonNull<u8>, size: usize) {
        if let Some((word, bit)) = self.place(block) {
            // SAFETY: there is a word for every place.
            unsafe { *self.bits.add(word) |= bit };
            // One more: a block of no bytes has its start.
            let end = block.addr().get() - self.begin + size + Header::TAIL + 1;
            self.reached = self.reached.max(end);
        }
    }

    /// The block is in use no more.
    pub fn unmark(&mut self, block: NonNull<u8>) {
        if let Some((word, bit)) = self.place(block) {
            // SAFETY: there is a word for every place.
            unsafe { *self.bits.add(word) &= !bit };
        }
    }

    /// Whether a block in use starts there.
    pub fn is_marked(&self, block: NonNull<u8>) -> bool {
        // SAFETY: there is a word for every place.
        self.place(block)
            .is_some_and(|(word, bit)| unsafe { *self.bits.add(word) } & bit != 0)
    }

    fn word(&self, word: usize) -> u64 {
        debug_assert!(word < self.words());
        // SAFETY: there is a word for every place, and callers stay below `words`.
        unsafe { *self.bits.add(word) }
    }

    fn block(&self, word: usize, bit: u32) -> Option<NonNull<u8>> {
        let address = self.begin + word * BYTES_PER_WORD + bit as usize * GRAIN;
        NonNull::new(ptr::with_exposed_provenance_mut(address))
    }

    fn last_in(&self, word: usize) -> Option<NonNull<u8>> {
        let bit = self.word(word).checked_ilog2()?;
        self.block(word, bit)
    }

    /// The block in use that this address lies in, or just behind the end of.
    pub fn containing(&self, address: u64) -> Option<NonNull<u8>> {
        let distance = (address as usize).wrapping_sub(self.begin);
        if distance >= self.length {
            return None;
        }
        let (word, bit) = (
            distance / BYTES_PER_WORD,
            distance / GRAIN % u64::BITS as usize,
        );
        let up_to = |bit: usize| u64::MAX >> (u64::BITS as usize - 1 - bit);
        let within = (word < self.words())
            .then(|| self.word(word) & up_to(bit))
            .and_then(u64::checked_ilog2);
        let block = match within {
            Some(bit) => self.block(word, bit)?,
            None => (0..word.min(self.words()))
                .rev()
                .find_map(|word| self.last_in(word))?,
        };
        // SAFETY: a marked block has its header.
        let size = unsafe { Header::of(block).read() }.size();
        (address as usize - block.addr().get() <= size).then_some(block)
    }

    /// The first block in use at this place or behind it: places are numbers from 0.
    pub fn next(&self, place: usize) -> Option<(usize, NonNull<u8>)> {
        let bits = u64::BITS as usize;
        (place / bits..self.words()).find_map(|word| {
            let skipped = if word == place / bits {
                place % bits
            } else {
                0
            };
            let marks = self.word(word) >> skipped << skipped;
            let bit = (marks != 0).then(|| marks.trailing_zeros())?;
            Some((word * bits + bit as usize, self.block(word, bit)?))
        })
    }
}
