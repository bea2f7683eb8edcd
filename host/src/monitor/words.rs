//! Messages in words.

use std::time::Duration;

use wire::{Frame, FrameError, Order, Response};

use crate::image::{self, Elf};
use crate::measurement::Faulted;

/// A request with the time that the meter may take.
pub fn request(frame: &Frame) -> String {
    match frame.message::<Order>() {
        Ok(order) => {
            let deadline = order.deadline_nanoseconds.map(Duration::from_nanos);
            let within = deadline.map_or_else(String::new, |time| format!(" within {time:?}"));
            format!("{:?}{within}", order.request)
        }
        Err(_) => unreadable(),
    }
}

/// A response; samples only by their place, for there are many.
pub fn response(frame: &Frame) -> String {
    match frame.message::<Response>() {
        Ok(Response::Samples(block)) => {
            let end = block.first as usize + block.differences.len();
            format!("samples {}..{end} of {}", block.first, block.total)
        }
        Ok(Response::Text(block)) => {
            let text = String::from_utf8_lossy(&block.text);
            format!("text, block {}:\n{text}", block.index)
        }
        Ok(response) => format!("{response:?}"),
        Err(_) => unreadable(),
    }
}

/// A fault, with its place where the image is known.
pub fn fault(frame: &Frame, elf: Option<&Elf>) -> String {
    match frame.message::<wire::Fault>() {
        Ok(fault) => {
            let location = elf.and_then(|elf| image::locate(elf, &fault));
            let faulted = Faulted {
                fault,
                location: location.unwrap_or_default(),
            };
            faulted.to_string()
        }
        Err(_) => unreadable(),
    }
}

fn unreadable() -> String {
    "a message that this version of the tool cannot read".to_owned()
}

/// Bytes that are no frame.
pub fn damage(error: FrameError, bytes: usize) -> String {
    let why = match error {
        FrameError::TooLong => "longer than any frame".to_owned(),
        FrameError::Stuffing => "their byte stuffing is broken".to_owned(),
        FrameError::Length => "not as long as they say".to_owned(),
        FrameError::Checksum => "their checksum is wrong".to_owned(),
        FrameError::Version(version) => format!("of protocol version {version}"),
        FrameError::Kind(kind) => format!("of the unknown kind {kind}"),
        FrameError::Payload => "no message".to_owned(),
    };
    format!("{bytes} bytes, {why}")
}
