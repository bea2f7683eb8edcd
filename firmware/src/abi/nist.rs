//! The NIST interface: `crypto_kem_*` and `crypto_sign_*`, with PQClean's prefixes.

use kat::generator::Generator;
use kat::nist::{MESSAGE_BYTES, Opening, RecordDigest, TextSink};
use wire::{
    BufferName, Failure, FailureKind, KatFile, KatReport, Live, MAX_PASSES, Operation, Sizes,
};

use super::slot::Slots;
use super::{drill, failure, random, state, succeeded};
use crate::board;
use crate::cpu::Call;
use crate::meter::buffers::Arena;
use crate::meter::instance::{Instance, Obstacle, Progress, Runner};

/// Bytes of the message that is signed while measuring, as in the published harness.
const MEASURED_MESSAGE: usize = 64;

/// The functions of an instance, by address.
#[derive(Clone, Copy)]
pub enum Functions {
    /// A KEM.
    Kem {
        /// `int keypair(uint8_t *pk, uint8_t *sk)`
        keypair: usize,
        /// `int enc(uint8_t *ct, uint8_t *ss, const uint8_t *pk)`
        enc: usize,
        /// `int dec(uint8_t *ss, const uint8_t *ct, const uint8_t *sk)`
        dec: usize,
    },
    /// A signature scheme.
    Sig {
        /// `int keypair(uint8_t *pk, uint8_t *sk)`
        keypair: usize,
        /// `int signature(uint8_t *sig, size_t *siglen, const uint8_t *m, size_t mlen, [context,] const uint8_t *sk)`
        signature: usize,
        /// `int verify(const uint8_t *sig, size_t siglen, const uint8_t *m, size_t mlen, [context,] const uint8_t *pk)`
        verify: usize,
        /// `int sign(uint8_t *sm, size_t *smlen, const uint8_t *m, size_t mlen, [context,] const uint8_t *sk)`
        sign: usize,
        /// `int open(uint8_t *m, size_t *mlen, const uint8_t *sm, size_t smlen, [context,] const uint8_t *pk)`
        open: usize,
        /// Whether the functions take a context and its length before the key (FIPS 204).
        context: bool,
    },
}

/// Numbers of the slots.
const PK: usize = 0;
const SK: usize = 1;
const CT: usize = 2;
const SS: usize = 3;
const DECAPSULATED: usize = 4;
const MESSAGE: usize = 5;
const SIGNATURE: usize = 6;
const SIGNED_MESSAGE: usize = 7;

/// An instance that speaks the NIST interface.
pub struct NistInstance {
    generator: Generator,
    functions: Functions,
    sizes: Sizes,
    slots: Slots<8>,
}

impl NistInstance {
    /// The instance of this image; there is one.
    ///
    /// # Panics
    ///
    /// When the sizes, which come from the catalogue, do not fit the board's memory.
    pub fn new(sizes: Sizes, functions: Functions, generator: Generator) -> Self {
        let signed_message = u64::from(sizes.signature) + MESSAGE_BYTES as u64;
        let plan = [
            (BufferName::PublicKey, sizes.public_key.into()),
            (BufferName::SecretKey, sizes.secret_key.into()),
            (BufferName::Ciphertext, sizes.ciphertext.into()),
            (BufferName::SharedSecret, sizes.shared_secret.into()),
            (BufferName::DecapsulatedSecret, sizes.shared_secret.into()),
            (BufferName::Message, MEASURED_MESSAGE as u64),
            (BufferName::Signature, sizes.signature.into()),
            (BufferName::SignedMessage, signed_message),
        ];
        let mut arena = Arena::new(board::take_buffers());
        Self {
            generator,
            functions,
            sizes,
            slots: Slots::take(&mut arena, plan).expect("the catalogue's sizes fit the board"),
        }
    }

    /// An empty heap, static data as linked and zeroed buffers, as a fresh process has them.
    fn reset(&mut self) {
        state::restore();
        self.slots.reset();
    }

    /// The operation as a step of the set-up, judged like a measured one.
    fn step<R: Runner>(&mut self, operation: Operation, runner: &mut R) -> Result<(), Failure> {
        self.perform(operation, runner)
            .and_then(|()| self.inspect(operation))
            .map_err(|kind| failure(operation, kind))
    }

    /// The call that performs the operation once.
    fn call(&mut self, operation: Operation) -> Call {
        let slots = &mut self.slots;
        let [pk, sk, ct, ss, decapsulated, message, signature] =
            [PK, SK, CT, SS, DECAPSULATED, MESSAGE, SIGNATURE].map(|slot| slots[slot].address());
        let length = slots[SIGNATURE].length_address();
        match (self.functions, operation) {
            (Functions::Kem { enc, .. }, Operation::Enc) => {
                // SAFETY: the functions come from the instance's own objects; the catalogue says
                // that they are of this interface, and every pointer leads to a buffer of the
                // size that it claims.
                unsafe { Call::new(enc, [ct, ss, pk]) }
            }
            (Functions::Kem { dec, .. }, Operation::Dec) => {
                // SAFETY: as above.
                unsafe { Call::new(dec, [decapsulated, ct, sk]) }
            }
            (
                Functions::Sig {
                    signature: function,
                    ..
                },
                Operation::Sign,
            ) => self.signing_call(function, [signature, length, message, MEASURED_MESSAGE, sk]),
            (Functions::Sig { verify, .. }, Operation::Verify) => {
                // Checked by `inspect` when it was made.
                let signed = self.slots[SIGNATURE].length() as usize;
                self.signing_call(verify, [signature, signed, message, MEASURED_MESSAGE, pk])
            }
            // The meter offers no operation that is not of the instance's category.
            (Functions::Kem { keypair, .. } | Functions::Sig { keypair, .. }, _) => {
                // SAFETY: as above.
                unsafe { Call::new(keypair, [pk, sk]) }
            }
        }
    }

    /// A call of the four arguments and the key; the empty context, where there is one, goes
    /// between them.
    fn signing_call(&self, function: usize, arguments: [usize; 5]) -> Call {
        let [a, b, c, d, key] = arguments;
        let context = matches!(self.functions, Functions::Sig { context: true, .. });
        // SAFETY: the functions come from the instance's own objects; the catalogue says that they
        // are of this interface, and every pointer leads to a buffer of the size that it claims.
        unsafe {
            if context {
                Call::new(function, [a, b, c, d, 0, 0, key])
            } else {
                Call::new(function, [a, b, c, d, key])
            }
        }
    }

    /// The known answer of a KEM after the opening: keygen, enc, dec.
    fn kem_record<R: Runner>(
        &mut self,
        record: &mut RecordDigest,
        runner: &mut R,
    ) -> Result<(), Failure> {
        self.step(Operation::Keygen, runner)?;
        record.field_hex("pk", self.slots[PK].whole());
        record.field_hex("sk", self.slots[SK].whole());
        self.step(Operation::Enc, runner)?;
        drill(self.slots[CT].contents_mut());
        record.field_hex("ct", self.slots[CT].whole());
        drill(self.slots[CT].contents_mut());
        record.field_hex("ss", self.slots[SS].whole());
        self.step(Operation::Dec, runner)
    }

    /// The known answer of a signature scheme after the opening: keygen, sign, open.
    fn sig_record<R: Runner>(
        &mut self,
        record: &mut RecordDigest,
        message: &[u8; MESSAGE_BYTES],
        (sign, open): (usize, usize),
        runner: &mut R,
    ) -> Result<(), Failure> {
        self.step(Operation::Keygen, runner)?;
        record.field_hex("pk", self.slots[PK].whole());
        record.field_hex("sk", self.slots[SK].whole());

        self.slots[MESSAGE].contents_mut()[..MESSAGE_BYTES].copy_from_slice(message);
        let arguments = [
            self.slots[SIGNED_MESSAGE].address(),
            self.slots[SIGNED_MESSAGE].length_address(),
            self.slots[MESSAGE].address(),
            MESSAGE_BYTES,
            self.slots[SK].address(),
        ];
        let call = self.signing_call(sign, arguments);
        let returned = runner.run(&call);
        let length = self.signed_length(Operation::Sign, returned)?;
        record.field_decimal("smlen", length as u64);
        drill(self.slots[SIGNED_MESSAGE].contents_mut());
        record.field_hex("sm", &self.slots[SIGNED_MESSAGE].whole()[..length]);
        drill(self.slots[SIGNED_MESSAGE].contents_mut());

        let arguments = [
            self.slots[SIGNED_MESSAGE].address(),
            self.slots[SIGNED_MESSAGE].length_address(),
            self.slots[SIGNED_MESSAGE].address(),
            length,
            self.slots[PK].address(),
        ];
        let call = self.signing_call(open, arguments);
        let returned = runner.run(&call);
        let length = self.signed_length(Operation::Verify, returned)?;
        if self.slots[SIGNED_MESSAGE].whole()[..length] != *message {
            return Err(failure(Operation::Verify, FailureKind::Disagreement));
        }
        Ok(())
    }

    /// The length that `crypto_sign` or `crypto_sign_open` wrote, all else being well.
    fn signed_length(&self, operation: Operation, returned: u64) -> Result<usize, Failure> {
        succeeded(returned)
            .and_then(|()| self.slots.check_guards())
            .and_then(|()| self.slots[SIGNED_MESSAGE].value())
            .map(<[u8]>::len)
            .map_err(|kind| failure(operation, kind))
    }
}

impl Instance for NistInstance {
    fn sizes<R: Runner>(&mut self, _runner: &mut R) -> Result<Sizes, Failure> {
        Ok(self.sizes)
    }

    fn messages<R: Runner>(
        &mut self,
        _runner: &mut R,
    ) -> Result<heapless::Vec<u32, MAX_PASSES>, Obstacle> {
        Err(Obstacle::Absent("the instance is no key exchange"))
    }

    fn prepare<R: Runner>(&mut self, operation: Operation, runner: &mut R) -> Result<(), Failure> {
        self.reset();
        random::seed_for_measurement();
        for (index, byte) in self.slots[MESSAGE].contents_mut().iter_mut().enumerate() {
            *byte = (131 * index + MEASURED_MESSAGE) as u8;
        }
        let setup: &[Operation] = match operation {
            Operation::Enc | Operation::Sign => &[Operation::Keygen],
            Operation::Dec => &[Operation::Keygen, Operation::Enc, Operation::Dec],
            Operation::Verify => &[Operation::Keygen, Operation::Sign, Operation::Verify],
            _ => &[],
        };
        setup.iter().try_for_each(|step| self.step(*step, runner))
    }

    fn perform<R: Runner>(
        &mut self,
        operation: Operation,
        runner: &mut R,
    ) -> Result<(), FailureKind> {
        let call = self.call(operation);
        succeeded(runner.run(&call))
    }

    fn inspect(&self, operation: Operation) -> Result<(), FailureKind> {
        self.slots.check_guards()?;
        match operation {
            Operation::Dec if self.slots[SS].whole() != self.slots[DECAPSULATED].whole() => {
                Err(FailureKind::Disagreement)
            }
            Operation::Sign => self.slots[SIGNATURE].value().map(drop),
            _ => Ok(()),
        }
    }

    fn tidy(&mut self) -> Live {
        state::tidy(&|see| self.slots.each(see))
    }

    fn first_record<R: Runner>(&mut self, runner: &mut R) -> Result<KatReport, Obstacle> {
        self.reset();
        let opening = Opening::draw(self.generator);
        random::seed_for_known_answer(self.generator, &opening.seed);
        let mut record = RecordDigest::new();
        record.field_decimal("count", 0);
        record.field_hex("seed", &opening.seed);
        match self.functions {
            Functions::Kem { .. } => self.kem_record(&mut record, runner)?,
            Functions::Sig { sign, open, .. } => {
                record.field_decimal("mlen", MESSAGE_BYTES as u64);
                record.field_hex("msg", &opening.message);
                self.sig_record(&mut record, &opening.message, (sign, open), runner)?;
            }
        }
        Ok(record
            .finish()
            .expect("a NIST record has at most eight fields"))
    }

    fn known_answers<R: Runner, S: TextSink>(
        &mut self,
        _file: KatFile,
        _runner: &mut R,
        _sink: &mut S,
        _progress: Progress<'_>,
    ) -> Result<(), Obstacle> {
        Err(Obstacle::Absent(
            "the instance has no known-answer files of the NGCC interface",
        ))
    }
}
