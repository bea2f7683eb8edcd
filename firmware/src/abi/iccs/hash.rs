//! Hash functions: lengths are bits.

use kat::iccs::hash_files::{self, Hasher};
use kat::nist::TextSink;
use wire::{BufferName, Failure, FailureKind, HashFile, Operation, Sizes};

use super::{Functions, Scheme, get, size};
use crate::abi::{drill, failed_call, failure, heap, state, succeeded};
use crate::cpu::Call;
use crate::meter::buffers::{Arena, Buffer};
use crate::meter::instance::{Obstacle, Progress, Runner};

/// A hash function with its buffers.
pub struct Hash {
    hash: usize,
    digest: Buffer,
    /// Over all the memory that is left: messages are from 0 bytes to 1 GiB long.
    message: Buffer,
}

impl Hash {
    /// The call that hashes the first `bits` bits of the message.
    fn call(&mut self, bits: u64) -> Call {
        let digest_bits = self.digest.contents().len() * 8;
        let (message, digest) = (self.message.address(), self.digest.address());
        // SAFETY: `int CryptHash(int digest_len_bits, msg, msg_len_bits, digest)`, found by its
        // name.
        unsafe { Call::new(self.hash, [digest_bits, message, bits as usize, digest]) }
    }

    /// Regenerates one of the four files.
    ///
    /// # Errors
    ///
    /// [`Obstacle::TooLarge`] when the memory does not hold the file's messages.
    pub fn known_answers<R: Runner, S: TextSink>(
        &mut self,
        file: HashFile,
        runner: &mut R,
        sink: &mut S,
        progress: Progress<'_>,
    ) -> Result<(), Obstacle> {
        let needed = hash_files::message_bytes(file);
        let room = self.message.room();
        let length = usize::try_from(needed).ok().filter(|bytes| *bytes <= room);
        let Some(length) = length else {
            return Err(Obstacle::TooLarge {
                needed,
                available: room as u64,
            });
        };
        let operation = Operation::Hash(size(needed));
        self.message
            .resize(length)
            .map_err(|kind| failure(operation, kind))?;
        let mut hashing = Hashing {
            scheme: self,
            runner,
            operation,
            call: 0,
        };
        Ok(hash_files::write(file, &mut hashing, sink, progress)?)
    }
}

/// Hashes for the writer of the files.
struct Hashing<'a, R: Runner> {
    scheme: &'a mut Hash,
    runner: &'a mut R,
    operation: Operation,
    call: u32,
}

impl<R: Runner> Hasher for Hashing<'_, R> {
    type Error = Failure;

    fn message(&mut self) -> &mut [u8] {
        self.scheme.message.contents_mut()
    }

    fn hash(&mut self, bits: u64) -> Result<&[u8], Failure> {
        let call = self.scheme.call(bits);
        succeeded(self.runner.run(&call))
            .and_then(|()| self.scheme.inspect(self.operation))
            .map_err(|kind| failed_call(self.operation, self.call, kind))?;
        if self.call == 0 {
            drill(self.scheme.digest.contents_mut());
        }
        self.call = self.call.saturating_add(1);
        // A file takes a million calls, of a function that may leak as well.
        if heap::has_grown() {
            state::tidy(&|see| self.scheme.buffers(see));
        }
        Ok(self.scheme.digest.contents())
    }
}

impl Scheme for Hash {
    fn new<R: Runner>(
        functions: &Functions,
        mut arena: Arena,
        runner: &mut R,
    ) -> Result<Self, FailureKind> {
        let Functions::Hash { hash, digest_bits } = *functions else {
            unreachable!("a hash function is made of its own")
        };
        let digest_bits = get(digest_bits, runner);
        let digest_bytes = usize::try_from(digest_bits / 8).unwrap_or(usize::MAX);
        Ok(Self {
            hash,
            digest: arena.take(BufferName::Digest, digest_bytes)?,
            message: arena.take_rest(BufferName::Message)?,
        })
    }

    fn sizes(&self) -> Sizes {
        Sizes {
            digest: size(self.digest.contents().len() as u64),
            ..Sizes::default()
        }
    }

    fn buffers(&self, see: &mut dyn FnMut(&[u8])) {
        // The message is the meter's.
        see(self.digest.contents());
    }

    fn reset(&mut self) {
        self.digest.reset();
        self.message.reset();
    }

    fn set_up<R: Runner>(&mut self, operation: Operation, _runner: &mut R) -> Result<(), Failure> {
        let length = operation.input_bytes() as usize;
        self.message
            .resize(length)
            .map_err(|kind| failure(operation, kind))?;
        for (index, byte) in self.message.contents_mut().iter_mut().enumerate() {
            *byte = (131 * index + length) as u8;
        }
        Ok(())
    }

    fn perform<R: Runner>(
        &mut self,
        operation: Operation,
        runner: &mut R,
    ) -> Result<(), FailureKind> {
        let call = self.call(u64::from(operation.input_bytes()) * 8);
        succeeded(runner.run(&call))
    }

    fn inspect(&self, _operation: Operation) -> Result<(), FailureKind> {
        self.digest.check_guards()?;
        self.message.check_guards()
    }
}
