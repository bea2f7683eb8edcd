//! The meter's end of the line: frames in, frames out.

use embedded_io::{Error, Write};
use serde::Serialize;
use wire::{Decoder, Frame, FrameBuffer, Kind, Order, Request, Response};

use crate::board::{self, Line};

/// A request that arrived whole, with its number.
pub struct Asked {
    /// Number of the request.
    pub number: u16,
    /// What is asked.
    pub request: Request,
    /// Time that it may take.
    pub deadline_nanoseconds: Option<u64>,
}

/// The meter's end of the line.
pub struct Link<L: Line> {
    line: L,
    decoder: Decoder,
    /// Number of the newest request.
    newest: Option<u16>,
}

impl<L: Line> Link<L> {
    /// A link over this line.
    pub fn new(line: L) -> Self {
        Self {
            line,
            decoder: Decoder::new(),
            newest: None,
        }
    }

    /// Waits for the next request; damaged frames are skipped, the host asks again. So are requests
    /// that come late, after a newer one: the host has its answer, and to do it once more would cost
    /// time and the result that is held.
    ///
    /// `None` when the line is gone for good.
    pub fn receive(&mut self) -> Option<Asked> {
        let mut bytes = [0; 64];
        loop {
            let count = match self.line.read(&mut bytes) {
                Ok(0) => return None,
                Ok(count) => count,
                Err(error) if L::is_gone(error.kind()) => return None,
                // A break or a framing error on a real line: the frame's CRC tells.
                Err(_) => continue,
            };
            // The host sends one request and waits: nothing follows within the same read but
            // repetitions of it.
            let mut asked = None;
            for byte in &bytes[..count] {
                if let Some(Ok(frame)) = self.decoder.push(*byte)
                    && let Some(request) = request(&frame)
                    && !self.is_late(&request)
                {
                    self.newest = Some(request.number);
                    asked = Some(request);
                }
            }
            if asked.is_some() {
                return asked;
            }
        }
    }

    /// Whether a newer request came before this one. A host that has just begun counts anew.
    fn is_late(&self, asked: &Asked) -> bool {
        asked.request != Request::Hello
            && self
                .newest
                .is_some_and(|newest| wire::is_before(asked.number, newest))
    }

    /// Sends one block of the answer to a request.
    pub fn send(&mut self, request: u16, block: u16, response: &Response) {
        let frame = wire::encode(Kind::Response, request, block, response)
            .expect("every response fits a frame");
        write(&mut self.line, &frame);
    }
}

/// The request in a frame, if it is one.
fn request(frame: &Frame) -> Option<Asked> {
    (frame.kind == Kind::Request).then_some(())?;
    let Order {
        deadline_nanoseconds,
        request,
    } = frame.message().ok()?;
    Some(Asked {
        number: frame.request,
        request,
        deadline_nanoseconds,
    })
}

/// Sends a message outside any link: for faults and for the log.
pub fn send_once<T: Serialize>(kind: Kind, request: u16, message: &T) {
    if let Ok(frame) = wire::encode(kind, request, 0, message) {
        write(&mut board::line(), &frame);
    }
}

/// Sends bytes that are encoded already.
pub fn send_bytes(kind: Kind, bytes: &[u8]) {
    if let Ok(frame) = wire::encode_bytes(kind, 0, 0, bytes) {
        write(&mut board::line(), &frame);
    }
}

/// Writes a frame. A line that takes no more bytes has no reader, and nobody left to tell.
fn write<W: Write>(line: &mut W, frame: &FrameBuffer) {
    let _ = line.write_all(frame);
    let _ = line.flush();
}
