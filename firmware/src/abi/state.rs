//! What a submission keeps from call to call, put back to what it was at boot.

use super::heap;
use crate::board;

/// An empty heap and static data as they were linked: the state before every trial.
pub fn restore() {
    heap::reset();
    board::restore_statics();
}
