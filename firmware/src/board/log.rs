//! defmt's logger on bare metal: each of its frames goes into a log frame of the wire.

use spin::Mutex;
use wire::Kind;

use crate::meter::link;

/// The frame that defmt is writing; one that is longer is dropped as a whole.
static FRAME: Mutex<Frame> = Mutex::new(Frame {
    bytes: heapless::Vec::new(),
    complete: true,
});

struct Frame {
    bytes: heapless::Vec<u8, 1024>,
    complete: bool,
}

#[defmt::global_logger]
struct Logger;

// SAFETY: one core, and nothing that interrupts a log line ever returns to it: acquire, write and
// release come in that order, without another acquire between them.
unsafe impl defmt::Logger for Logger {
    fn acquire() {
        let mut frame = FRAME.lock();
        frame.bytes.clear();
        frame.complete = true;
    }

    unsafe fn flush() {}

    unsafe fn release() {
        let frame = FRAME.lock();
        if frame.complete {
            link::send_bytes(Kind::Log, &frame.bytes);
        }
    }

    unsafe fn write(bytes: &[u8]) {
        let mut frame = FRAME.lock();
        let fits = frame.bytes.extend_from_slice(bytes).is_ok();
        frame.complete &= fits;
    }
}

// Log lines carry their order, not a time: reading the clock would cost the measured program.
defmt::timestamp!("");
