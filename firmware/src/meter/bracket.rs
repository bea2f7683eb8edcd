//! What surrounds the calls that count.

use crate::board;
use crate::cpu::counter;

/// Something that is told where the calls begin and end that count, as often as there are such
/// places.
pub trait Bracket {
    /// What follows counts.
    fn open(&mut self);

    /// What follows does not count.
    fn close(&mut self);
}

/// What the brackets of a trial showed.
#[derive(Clone, Copy, Default)]
pub struct Total {
    /// What the counter advanced by, nothing taken off.
    pub count: u64,
    /// The same on the board's clock.
    pub nanoseconds: u64,
}

/// Reads counter and clock.
#[derive(Default)]
pub struct Clockwork {
    total: Total,
    start: u64,
    begin: u64,
}

impl Clockwork {
    /// The sum over all brackets.
    pub fn total(&self) -> Total {
        self.total
    }
}

impl Bracket for Clockwork {
    #[inline(always)]
    fn open(&mut self) {
        self.begin = board::nanoseconds();
        self.start = counter::read();
    }

    #[inline(always)]
    fn close(&mut self) {
        let end = counter::read();
        self.total.nanoseconds += board::nanoseconds() - self.begin;
        self.total.count += end.wrapping_sub(self.start);
    }
}
