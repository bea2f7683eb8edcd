//! The NGCC interface: `kem_*`, `sig_*`, `kex_*` and `CryptHash`.
//!
//! Lengths are bytes for the first three and bits for hash functions. Every buffer's length goes
//! in as the buffer's size and comes out as what was written; sizes are known only when the
//! instance's own functions have been asked, so buffers are made at the first request that needs
//! them.

mod drng;
mod hash;
mod kem;
mod kex;
mod sig;

use heapless::Vec;
use kat::iccs::{IccsText, Seeds, Start};
use kat::nist::TextSink;
use wire::{Failure, FailureKind, KatFile, KatReport, Live, MAX_PASSES, Operation, Sizes};

use super::slot::Slot;
use super::{failure, state};
use crate::board;
use crate::cpu::Call;
use crate::meter::buffers::Arena;
use crate::meter::instance::{Instance, Obstacle, Progress, Runner};

/// Bytes of the message that is signed while measuring, as in the published harness.
const MEASURED_MESSAGE: usize = 64;

/// What is said of a known-answer file that belongs to another category.
const NO_SUCH_FILE: Obstacle =
    Obstacle::Absent("an instance of this category has no such known-answer file");

/// The functions of an instance, and its generator's context, by address. Getters have no
/// arguments and return an `unsigned long long`.
#[derive(Clone, Copy)]
#[expect(missing_docs, reason = "the names are those of the interface")]
pub enum Functions {
    /// A KEM.
    Kem {
        drng_algorithm: usize,
        init_random_number: usize,
        pk_len: usize,
        sk_len: usize,
        ss_len: usize,
        ct_len: usize,
        keygen: usize,
        enc: usize,
        dec: usize,
    },
    /// A signature scheme.
    Sig {
        drng_algorithm: usize,
        init_random_number: usize,
        pk_len: usize,
        sk_len: usize,
        sn_len: usize,
        keygen: usize,
        sign: usize,
        verify: usize,
    },
    /// A key exchange, with as many passes as its objects define.
    Kex {
        drng_algorithm: usize,
        init_random_number: usize,
        passes_num: usize,
        pk_len: usize,
        sk_len: usize,
        sta_len: usize,
        stb_len: usize,
        ss_len: usize,
        total_msg_len: usize,
        init_a: usize,
        init_b: usize,
        derive_a: usize,
        derive_b: usize,
        passes: &'static [unsafe extern "C" fn()],
    },
    /// A hash function; the digest's length is told by a shim, for the interface has no getter.
    Hash { hash: usize, digest_bits: usize },
}

impl Functions {
    /// What is reported as failed when nothing has begun yet.
    fn first_operation(&self) -> Operation {
        match self {
            Self::Kem { .. } | Self::Sig { .. } => Operation::Keygen,
            Self::Kex { .. } => Operation::InitA,
            Self::Hash { .. } => Operation::Hash(0),
        }
    }
}

/// What is asked of each kind of scheme.
trait Scheme: Sized {
    /// Makes the buffers, after having asked for their sizes.
    fn new<R: Runner>(
        functions: &Functions,
        arena: Arena,
        runner: &mut R,
    ) -> Result<Self, FailureKind>;

    fn sizes(&self) -> Sizes;

    /// Zeroes the buffers.
    fn reset(&mut self);

    /// Hands out the buffers that the instance may have written.
    fn buffers(&self, see: &mut dyn FnMut(&[u8]));

    /// What precedes the first call of the operation, the generator being seeded.
    fn set_up<R: Runner>(&mut self, operation: Operation, runner: &mut R) -> Result<(), Failure>;

    fn perform<R: Runner>(
        &mut self,
        operation: Operation,
        runner: &mut R,
    ) -> Result<(), FailureKind>;

    fn inspect(&self, operation: Operation) -> Result<(), FailureKind>;

    /// The operation as a step of the set-up, judged like a measured one.
    fn step<R: Runner>(&mut self, operation: Operation, runner: &mut R) -> Result<(), Failure> {
        self.perform(operation, runner)
            .and_then(|()| self.inspect(operation))
            .map_err(|kind| failure(operation, kind))
    }
}

/// Schemes whose known answers are ten records with a seed each: all but hash functions.
trait Records: Scheme {
    /// The lines of a record after its seed, the generator being seeded.
    fn record<R: Runner, S: TextSink>(
        &mut self,
        start: &Start,
        runner: &mut R,
        sink: &mut S,
    ) -> Result<(), Failure>;
}

/// The buffers of an instance, by the kind of scheme that it is.
#[expect(
    clippy::large_enum_variant,
    reason = "there is one, and no allocator to box it with"
)]
enum Ready {
    Kem(kem::Kem),
    Sig(sig::Sig),
    Kex(kex::Kex),
    Hash(hash::Hash),
}

/// Does the same with whichever scheme it is.
macro_rules! each {
    ($ready:expr, $scheme:ident => $done:expr) => {
        match $ready {
            Ready::Kem($scheme) => $done,
            Ready::Sig($scheme) => $done,
            Ready::Kex($scheme) => $done,
            Ready::Hash($scheme) => $done,
        }
    };
}

impl Ready {
    fn new<R: Runner>(functions: &Functions, runner: &mut R) -> Result<Self, FailureKind> {
        let arena = Arena::new(board::take_buffers());
        Ok(match functions {
            Functions::Kem { .. } => Self::Kem(Scheme::new(functions, arena, runner)?),
            Functions::Sig { .. } => Self::Sig(Scheme::new(functions, arena, runner)?),
            Functions::Kex { .. } => Self::Kex(Scheme::new(functions, arena, runner)?),
            Functions::Hash { .. } => Self::Hash(Scheme::new(functions, arena, runner)?),
        })
    }
}

/// An instance that speaks the NGCC interface.
pub struct IccsInstance {
    functions: Functions,
    /// `None` before the first request that needs buffers; an error stays one.
    ready: Option<Result<Ready, FailureKind>>,
}

impl IccsInstance {
    /// The instance of this image; there is one.
    pub fn new(functions: Functions) -> Self {
        Self {
            functions,
            ready: None,
        }
    }

    fn ready<R: Runner>(&mut self, runner: &mut R) -> Result<&mut Ready, Failure> {
        let functions = &self.functions;
        let ready = self.ready.get_or_insert_with(|| {
            state::restore();
            Ready::new(functions, runner)
        });
        ready
            .as_mut()
            .map_err(|kind| failure(functions.first_operation(), kind.clone()))
    }

    /// Everything as a fresh process has it.
    fn reset<R: Runner>(&mut self, runner: &mut R) -> Result<&mut Ready, Failure> {
        let ready = self.ready(runner)?;
        state::restore();
        each!(ready, scheme => scheme.reset());
        Ok(ready)
    }

    fn seed<R: Runner>(&self, seed: &[u8], runner: &mut R) -> Result<(), FailureKind> {
        match self.functions {
            Functions::Kem {
                drng_algorithm,
                init_random_number,
                ..
            }
            | Functions::Sig {
                drng_algorithm,
                init_random_number,
                ..
            }
            | Functions::Kex {
                drng_algorithm,
                init_random_number,
                ..
            } => drng::seed(drng_algorithm, init_random_number, seed, runner),
            // Nothing of a hash function is random.
            Functions::Hash { .. } => Ok(()),
        }
    }
}

impl Instance for IccsInstance {
    fn sizes<R: Runner>(&mut self, runner: &mut R) -> Result<Sizes, Failure> {
        let ready = self.ready(runner)?;
        Ok(each!(ready, scheme => scheme.sizes()))
    }

    fn messages<R: Runner>(&mut self, runner: &mut R) -> Result<Vec<u32, MAX_PASSES>, Obstacle> {
        self.prepare(Operation::Exchange, runner)?;
        let Ready::Kex(exchange) = self.ready(runner)? else {
            return Err(Obstacle::Absent("the instance is no key exchange"));
        };
        let run = exchange
            .perform(Operation::Exchange, runner)
            .and_then(|()| exchange.inspect(Operation::Exchange));
        run.map_err(|kind| failure(Operation::Exchange, kind))?;
        Ok(exchange.messages())
    }

    fn prepare<R: Runner>(&mut self, operation: Operation, runner: &mut R) -> Result<(), Failure> {
        self.reset(runner)?;
        self.seed(&super::random::MEASURING_SEED, runner)
            .map_err(|kind| failure(operation, kind))?;
        let ready = self.ready(runner)?;
        each!(ready, scheme => scheme.set_up(operation, runner))
    }

    fn perform<R: Runner>(
        &mut self,
        operation: Operation,
        runner: &mut R,
    ) -> Result<(), FailureKind> {
        match &mut self.ready {
            Some(Ok(ready)) => each!(ready, scheme => scheme.perform(operation, runner)),
            Some(Err(kind)) => Err(kind.clone()),
            None => unreachable!("an operation is prepared before it is performed"),
        }
    }

    fn inspect(&self, operation: Operation) -> Result<(), FailureKind> {
        match &self.ready {
            Some(Ok(ready)) => each!(ready, scheme => scheme.inspect(operation)),
            Some(Err(kind)) => Err(kind.clone()),
            None => Ok(()),
        }
    }

    fn tidy(&mut self) -> Live {
        let Some(Ok(ready)) = &self.ready else {
            return Live::default();
        };
        state::tidy(&|see| each!(ready, scheme => scheme.buffers(see)))
    }

    fn first_record<R: Runner>(&mut self, _runner: &mut R) -> Result<KatReport, Obstacle> {
        Err(Obstacle::Absent(
            "the instance has no known answers of NIST's form",
        ))
    }

    fn known_answers<R: Runner, S: TextSink>(
        &mut self,
        file: KatFile,
        runner: &mut R,
        sink: &mut S,
        progress: Progress<'_>,
    ) -> Result<(), Obstacle> {
        let ready = self.reset(runner)?;
        match (ready, file) {
            (Ready::Hash(hash), KatFile::Hash(file)) => {
                hash.known_answers(file, runner, sink, progress)
            }
            (_, KatFile::Hash(_)) => Err(NO_SUCH_FILE),
            (_, KatFile::Records) => self.records(runner, sink, progress),
        }
    }
}

impl IccsInstance {
    /// The ten records of a file, without anything being reset between them.
    fn records<R: Runner, S: TextSink>(
        &mut self,
        runner: &mut R,
        sink: &mut S,
        progress: Progress<'_>,
    ) -> Result<(), Obstacle> {
        let first = self.functions.first_operation();
        for start in Seeds::default() {
            let number = start.count;
            let of_this_record = |failure: Failure| Failure {
                call: number,
                ..failure
            };
            self.seed(&start.seed, runner)
                .map_err(|kind| of_this_record(failure(first, kind)))?;
            sink.start(&start);
            let ready = self.ready(runner)?;
            let record = match ready {
                Ready::Kem(kem) => kem.record(&start, runner, sink),
                Ready::Sig(sig) => sig.record(&start, runner, sink),
                Ready::Kex(kex) => kex.record(&start, runner, sink),
                Ready::Hash(_) => return Err(NO_SUCH_FILE),
            };
            record.map_err(of_this_record)?;
            sink.end();
            progress(number + 1, kat::iccs::RECORDS);
        }
        Ok(())
    }
}

/// Writes the lines of a slot's length and value, which `operation` left.
fn write<S: TextSink>(
    name: &str,
    slot: &Slot,
    operation: Operation,
    sink: &mut S,
) -> Result<(), Failure> {
    let value = slot.value().map_err(|kind| failure(operation, kind))?;
    sink.string(name, value);
    Ok(())
}

/// What a getter returns.
fn get<R: Runner>(function: usize, runner: &mut R) -> u64 {
    // SAFETY: the build found the function by the name that the interface gives it; it takes no
    // arguments.
    runner.aside(&unsafe { Call::new(function, []) })
}

/// A length as the wire has it; one that is larger is refused when buffers are made.
fn size(length: u64) -> u32 {
    length.try_into().unwrap_or(u32::MAX)
}

/// The `int` that a function returned.
fn code(returned: u64) -> i32 {
    returned as i32
}
