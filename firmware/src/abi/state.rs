//! What a submission keeps from call to call, put back to what it was at boot.

use wire::Live;

use super::heap;
use crate::board;

/// An empty heap and static data as they were linked: the state before every trial.
pub fn restore() {
    heap::reset();
    board::restore_statics();
}

/// Hands out every buffer in which a submission may keep addresses between its calls.
pub type Buffers<'a> = &'a dyn Fn(&mut dyn FnMut(&[u8]));

/// Frees what the submission has lost: blocks that neither its static data nor its buffers lead
/// to. To be called between its calls alone.
#[cold]
pub fn tidy(buffers: Buffers) -> Live {
    let roots = |look: &mut dyn FnMut(usize, usize)| {
        board::kept(look);
        buffers(&mut |buffer| {
            let begin = buffer.as_ptr().expose_provenance();
            look(begin, begin + buffer.len());
        });
    };
    // SAFETY: static data and buffers are there to be read, and no call of the submission runs.
    unsafe { heap::sweep(&roots) }
}
