//! The NIST interface: `crypto_kem_*` and `crypto_sign_*`, with PQClean's prefixes.

use kat::nist::{MESSAGE_BYTES, Opening, RecordDigest, TextSink};
use spin::{Mutex, MutexGuard};
use wire::{BufferName, Failure, FailureKind, KatReport, Operation, Sizes};

use super::{Identity, heap, linked, random};
use crate::cpu::Call;
use crate::meter::buffers::{ALIGNMENT, Arena, Buffer, footprint};
use crate::meter::instance::{Instance, Runner};

/// Bytes of the message that is signed while measuring, as in the published harness.
const MEASURED_MESSAGE: usize = 64;

/// The functions of an instance, by address.
#[derive(Clone, Copy)]
#[allow(
    dead_code,
    reason = "an image holds one instance, which is of one kind"
)]
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

/// Declares the functions of an instance by their symbols and collects the addresses.
///
/// A generated file calls it: `nist::functions! { Kem { keypair: "...", ... } }`, and after the
/// functions whatever else the variant of [`Functions`] holds.
macro_rules! functions {
    ($variant:ident { $($function:ident: $symbol:literal),+ $(,)? } $($field:ident: $value:literal)?) => {
        unsafe extern "C" {
            $(#[link_name = $symbol] fn $function();)+
        }

        /// The functions of this instance.
        pub fn functions() -> crate::abi::nist::Functions {
            crate::abi::nist::Functions::$variant {
                $($function: $function as *const () as usize,)+
                $($field: $value)?
            }
        }
    };
}
pub(super) use functions;

/// Memory for all buffers of this image's instance.
#[repr(align(64))]
struct Memory([u8; total(&linked::IDENTITY.sizes)]);

const _: () = assert!(align_of::<Memory>() == ALIGNMENT);

static MEMORY: Mutex<Memory> = Mutex::new(Memory([0; total(&linked::IDENTITY.sizes)]));

/// Bytes of the message buffer: the longer of the two messages.
const MESSAGE: usize = MEASURED_MESSAGE;

/// Bytes of a signed message.
const fn signed_message(sizes: &Sizes) -> usize {
    sizes.signature as usize + MESSAGE_BYTES
}

/// Bytes of all buffers with their guards.
const fn total(sizes: &Sizes) -> usize {
    footprint(sizes.public_key as usize)
        + footprint(sizes.secret_key as usize)
        + footprint(sizes.ciphertext as usize)
        + 2 * footprint(sizes.shared_secret as usize)
        + footprint(MESSAGE)
        + footprint(sizes.signature as usize)
        + footprint(signed_message(sizes))
        + footprint(size_of::<usize>())
}

/// An instance that speaks the NIST interface.
pub struct NistInstance {
    generator: kat::generator::Generator,
    functions: Functions,
    public_key: Buffer,
    secret_key: Buffer,
    ciphertext: Buffer,
    shared_secret: Buffer,
    decapsulated_secret: Buffer,
    message: Buffer,
    signature: Buffer,
    signed_message: Buffer,
    length: Buffer,
}

impl NistInstance {
    /// The instance of this image; there is one.
    pub fn new(identity: &Identity, functions: Functions) -> Self {
        let sizes = &identity.sizes;
        let mut arena = Arena::new(&mut MutexGuard::leak(MEMORY.lock()).0);
        let mut take = |name, length: u32| arena.take(name, length as usize);
        Self {
            generator: identity.kat_generator,
            functions,
            public_key: take(BufferName::PublicKey, sizes.public_key),
            secret_key: take(BufferName::SecretKey, sizes.secret_key),
            ciphertext: take(BufferName::Ciphertext, sizes.ciphertext),
            shared_secret: take(BufferName::SharedSecret, sizes.shared_secret),
            decapsulated_secret: take(BufferName::DecapsulatedSecret, sizes.shared_secret),
            message: take(BufferName::Message, MESSAGE as u32),
            signature: take(BufferName::Signature, sizes.signature),
            signed_message: take(BufferName::SignedMessage, signed_message(sizes) as u32),
            length: take(BufferName::Length, size_of::<usize>() as u32),
        }
    }

    fn buffers(&self) -> [&Buffer; 9] {
        [
            &self.public_key,
            &self.secret_key,
            &self.ciphertext,
            &self.shared_secret,
            &self.decapsulated_secret,
            &self.message,
            &self.signature,
            &self.signed_message,
            &self.length,
        ]
    }

    /// An empty heap and zeroed buffers, as a fresh process would have them.
    fn reset(&mut self) {
        heap::reset();
        for buffer in [
            &mut self.public_key,
            &mut self.secret_key,
            &mut self.ciphertext,
            &mut self.shared_secret,
            &mut self.decapsulated_secret,
            &mut self.message,
            &mut self.signature,
            &mut self.signed_message,
            &mut self.length,
        ] {
            buffer.reset();
        }
    }

    /// The length that the last call wrote.
    fn reported_length(&self) -> u64 {
        let mut bytes = [0; size_of::<usize>()];
        bytes.copy_from_slice(self.length.contents());
        usize::from_ne_bytes(bytes) as u64
    }

    /// Length of the last signature, checked by [`Instance::inspect`] when it was made.
    fn signature_length(&self) -> usize {
        usize::try_from(self.reported_length()).unwrap_or(0)
    }

    /// The operation as a step of the set-up, judged like a measured one.
    fn step<R: Runner>(&mut self, operation: Operation, runner: &mut R) -> Result<(), Failure> {
        self.perform(operation, runner)
            .and_then(|()| self.inspect(operation))
            .map_err(|kind| failure(operation, kind))
    }

    /// The call that performs the operation once.
    fn call(&mut self, operation: Operation) -> Call {
        let [pk, sk, ct, ss, decapsulated, message, signature, length] = [
            self.public_key.address(),
            self.secret_key.address(),
            self.ciphertext.address(),
            self.shared_secret.address(),
            self.decapsulated_secret.address(),
            self.message.address(),
            self.signature.address(),
            self.length.address(),
        ];
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
                let signed = self.signature_length();
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
        record.field_hex("pk", self.public_key.contents());
        record.field_hex("sk", self.secret_key.contents());
        self.step(Operation::Enc, runner)?;
        drill(&mut self.ciphertext);
        record.field_hex("ct", self.ciphertext.contents());
        drill(&mut self.ciphertext);
        record.field_hex("ss", self.shared_secret.contents());
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
        record.field_hex("pk", self.public_key.contents());
        record.field_hex("sk", self.secret_key.contents());

        self.message.contents_mut()[..MESSAGE_BYTES].copy_from_slice(message);
        let arguments = [
            self.signed_message.address(),
            self.length.address(),
            self.message.address(),
            MESSAGE_BYTES,
            self.secret_key.address(),
        ];
        let call = self.signing_call(sign, arguments);
        let returned = runner.run(&call);
        let length = self.signed_length(Operation::Sign, returned)?;
        record.field_decimal("smlen", length as u64);
        drill(&mut self.signed_message);
        record.field_hex("sm", &self.signed_message.contents()[..length]);
        drill(&mut self.signed_message);

        let arguments = [
            self.signed_message.address(),
            self.length.address(),
            self.signed_message.address(),
            length,
            self.public_key.address(),
        ];
        let call = self.signing_call(open, arguments);
        let returned = runner.run(&call);
        let length = self.signed_length(Operation::Verify, returned)?;
        if self.signed_message.contents()[..length] != *message {
            return Err(failure(Operation::Verify, FailureKind::Disagreement));
        }
        Ok(())
    }

    /// The length that `crypto_sign` or `crypto_sign_open` wrote, all else being well.
    fn signed_length(&self, operation: Operation, returned: u64) -> Result<usize, Failure> {
        succeeded(returned)
            .and_then(|()| self.check_guards())
            .and_then(|()| self.signed_message.check_length(self.reported_length()))
            .map_err(|kind| failure(operation, kind))
    }

    fn check_guards(&self) -> Result<(), FailureKind> {
        self.buffers()
            .iter()
            .try_for_each(|buffer| buffer.check_guards())
    }
}

impl Instance for NistInstance {
    fn prepare<R: Runner>(&mut self, operation: Operation, runner: &mut R) -> Result<(), Failure> {
        self.reset();
        random::seed_for_measurement();
        for (index, byte) in self.message.contents_mut().iter_mut().enumerate() {
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
        self.check_guards()?;
        match operation {
            Operation::Dec
                if self.shared_secret.contents() != self.decapsulated_secret.contents() =>
            {
                Err(FailureKind::Disagreement)
            }
            Operation::Sign => self
                .signature
                .check_length(self.reported_length())
                .map(drop),
            _ => Ok(()),
        }
    }

    fn known_answer<R: Runner>(&mut self, runner: &mut R) -> Result<KatReport, Failure> {
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
}

/// Every function of this interface returns an `int`, 0 for success.
fn succeeded(returned: u64) -> Result<(), FailureKind> {
    match returned as i32 {
        0 => Ok(()),
        code => Err(FailureKind::ReturnCode(code.into())),
    }
}

/// A failure of the set-up or of a known answer, where every operation is called once.
fn failure(operation: Operation, kind: FailureKind) -> Failure {
    Failure {
        operation,
        call: 0,
        kind,
    }
}

/// The drill against wrong answers: flips one bit, and back again at the second call.
fn drill(buffer: &mut Buffer) {
    if cfg!(drill_wrong_kat) {
        buffer.contents_mut()[0] ^= 1;
    }
}
