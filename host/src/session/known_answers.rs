//! Known answers, as a session asks for them: digests, and texts that may be larger than any result
//! that a meter holds.

use wire::{CanonicalReport, KatFile, KatReport, Request, Response};

use super::{Session, SessionError, gather, unexpected};
use crate::measurement::Spoiled;

/// How often the same block of a text may get lost.
const LOSSES: u32 = 20;

/// What came of a known-answer file.
#[derive(Clone, Debug, PartialEq)]
pub enum Regenerated<T> {
    /// All of it.
    Whole(T),
    /// It needs a message that the target's memory does not hold.
    TooLarge {
        /// Bytes that it needs.
        needed: u64,
        /// Bytes that there are.
        available: u64,
    },
}

impl Session {
    /// Lets the meter regenerate a known-answer file and digest it; the digest of the first
    /// records takes as many as `first_records` says.
    ///
    /// # Errors
    ///
    /// What the target did instead, or an interruption.
    pub fn digest(
        &mut self,
        file: KatFile,
        first_records: u32,
    ) -> Result<Regenerated<CanonicalReport>, SessionError> {
        let request = Request::Digest {
            file,
            first_records,
        };
        match self.ask(&request, self.unpredicted())? {
            Response::Canonical(report) => Ok(Regenerated::Whole(report)),
            Response::TooLarge { needed, available } => {
                Ok(Regenerated::TooLarge { needed, available })
            }
            other => Err(unexpected(&request, Some(other))),
        }
    }

    /// Lets the meter regenerate a known-answer file, whose text `take` gets in order.
    ///
    /// # Errors
    ///
    /// What the target did instead, or an interruption; the text so far has been passed on.
    pub fn text(
        &mut self,
        file: KatFile,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<Regenerated<()>, SessionError> {
        let mut text = gather::Text::new(take);
        let mut losses = 0;
        loop {
            let from = text.blocks;
            let request = Request::Text { file, from };
            let patience = self.unpredicted();
            self.exchange.ask(&request, patience, &mut text)?;
            match (text.other.take(), text.end) {
                (Some(Response::TooLarge { needed, available }), _) => {
                    return Ok(Regenerated::TooLarge { needed, available });
                }
                (Some(other), _) => return Err(unexpected(&request, Some(other))),
                (None, Some((blocks, bytes))) if blocks == text.blocks => {
                    if bytes == text.bytes {
                        return Ok(Regenerated::Whole(()));
                    }
                    let words = format!("a text of {bytes} bytes of which {} came", text.bytes);
                    return Err(Spoiled::Nonsense(words).into());
                }
                // A meter whose blocks never arrive has no end either.
                _ if text.blocks == from => losses += 1,
                _ => losses = 0,
            }
            if losses > LOSSES {
                let words = format!("block {from} of a text got lost {losses} times");
                return Err(Spoiled::Nonsense(words).into());
            }
        }
    }

    /// Lets the meter compute its first known-answer record.
    ///
    /// # Errors
    ///
    /// What the target did instead, or an interruption.
    pub fn kat(&mut self) -> Result<KatReport, SessionError> {
        let request = Request::Kat;
        match self.ask(&request, self.unpredicted())? {
            Response::Kat(report) => Ok(report),
            other => Err(unexpected(&request, Some(other))),
        }
    }
}
