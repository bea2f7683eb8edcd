//! Digital signatures.

use kat::iccs::{MAX_MESSAGE_BYTES, Start};
use kat::nist::TextSink;
use wire::{BufferName, Failure, FailureKind, Operation, Sizes};

use super::{Functions, MEASURED_MESSAGE, Records, Scheme, code, get, size, write};
use crate::abi::slot::Slots;
use crate::abi::{drill, failure, succeeded};
use crate::cpu::Call;
use crate::meter::buffers::Arena;
use crate::meter::instance::Runner;

/// Numbers of the slots.
const PK: usize = 0;
const SK: usize = 1;
const SN: usize = 2;
const MESSAGE: usize = 3;

/// The bit of a message's first byte that is flipped to see a signature refused, as in the
/// published harness.
const FLIPPED: u8 = 0x80;

/// A signature scheme with its buffers.
pub struct Sig {
    keygen: usize,
    sign: usize,
    verify: usize,
    slots: Slots<4>,
}

impl Sig {
    /// The call that performs the operation; lengths that it writes are set to the buffers' sizes.
    fn call(&mut self, operation: Operation) -> Call {
        let slots = &mut self.slots;
        match operation {
            Operation::Sign => {
                let [sk, m] = [SK, MESSAGE].map(|slot| slots[slot].input());
                let sn = slots[SN].output();
                // SAFETY: `int sig_sign(sk, sk_len, m, m_len, sn, &sn_len)`, found by its name.
                unsafe { Call::new(self.sign, [sk[0], sk[1], m[0], m[1], sn[0], sn[1]]) }
            }
            Operation::Verify => {
                let [pk, sn, m] = [PK, SN, MESSAGE].map(|slot| slots[slot].input());
                // SAFETY: `int sig_verify(pk, pk_len, sn, sn_len, m, m_len)`, found by its name.
                unsafe { Call::new(self.verify, [pk[0], pk[1], sn[0], sn[1], m[0], m[1]]) }
            }
            // The meter offers no operation that is not of the instance's category.
            _ => {
                let [pk, sk] = [PK, SK].map(|slot| slots[slot].output());
                // SAFETY: `int sig_keygen(pk, &pk_len, sk, &sk_len)`, found by its name.
                unsafe { Call::new(self.keygen, [pk[0], pk[1], sk[0], sk[1]]) }
            }
        }
    }

    /// A signature must not hold for a message with one bit changed.
    fn refuses_a_changed_message<R: Runner>(&mut self, runner: &mut R) -> Result<(), Failure> {
        let flip = |slots: &mut Slots<4>| {
            if let Some(first) = slots[MESSAGE].contents_mut().first_mut() {
                *first ^= FLIPPED;
            }
        };
        flip(&mut self.slots);
        let call = self.call(Operation::Verify);
        let returned = runner.aside(&call);
        flip(&mut self.slots);
        if code(returned) == 0 {
            return Err(failure(Operation::Verify, FailureKind::Forgery));
        }
        Ok(())
    }

    fn set_message(&mut self, message: &[u8]) {
        let slot = &mut self.slots[MESSAGE];
        slot.contents_mut()[..message.len()].copy_from_slice(message);
        slot.preset(message.len() as u64);
    }
}

impl Scheme for Sig {
    fn new<R: Runner>(
        functions: &Functions,
        mut arena: Arena,
        runner: &mut R,
    ) -> Result<Self, FailureKind> {
        let Functions::Sig {
            pk_len,
            sk_len,
            sn_len,
            keygen,
            sign,
            verify,
            ..
        } = *functions
        else {
            unreachable!("a signature scheme is made of its own functions")
        };
        let plan = [
            (BufferName::PublicKey, get(pk_len, runner)),
            (BufferName::SecretKey, get(sk_len, runner)),
            (BufferName::Signature, get(sn_len, runner)),
            (BufferName::Message, MAX_MESSAGE_BYTES as u64),
        ];
        Ok(Self {
            keygen,
            sign,
            verify,
            slots: Slots::take(&mut arena, plan)?,
        })
    }

    fn sizes(&self) -> Sizes {
        let capacity = |slot: usize| size(self.slots[slot].capacity() as u64);
        Sizes {
            public_key: capacity(PK),
            secret_key: capacity(SK),
            signature: capacity(SN),
            ..Sizes::default()
        }
    }

    fn buffers(&self, see: &mut dyn FnMut(&[u8])) {
        self.slots.each(see);
    }

    fn reset(&mut self) {
        self.slots.reset();
    }

    fn set_up<R: Runner>(&mut self, operation: Operation, runner: &mut R) -> Result<(), Failure> {
        let message: [u8; MEASURED_MESSAGE] =
            core::array::from_fn(|index| (131 * index + MEASURED_MESSAGE) as u8);
        self.set_message(&message);
        let steps: &[Operation] = match operation {
            Operation::Sign => &[Operation::Keygen],
            Operation::Verify => &[Operation::Keygen, Operation::Sign, Operation::Verify],
            _ => &[],
        };
        steps.iter().try_for_each(|step| self.step(*step, runner))?;
        if operation == Operation::Verify {
            self.refuses_a_changed_message(runner)?;
        }
        Ok(())
    }

    fn perform<R: Runner>(
        &mut self,
        operation: Operation,
        runner: &mut R,
    ) -> Result<(), FailureKind> {
        let call = self.call(operation);
        succeeded(runner.run(&call))
    }

    fn inspect(&self, _operation: Operation) -> Result<(), FailureKind> {
        self.slots.check()
    }
}

impl Records for Sig {
    fn record<R: Runner, S: TextSink>(
        &mut self,
        start: &Start,
        runner: &mut R,
        sink: &mut S,
    ) -> Result<(), Failure> {
        self.set_message(start.message());
        self.step(Operation::Keygen, runner)?;
        write("PK", &self.slots[PK], Operation::Keygen, sink)?;
        write("SK", &self.slots[SK], Operation::Keygen, sink)?;
        write("M", &self.slots[MESSAGE], Operation::Keygen, sink)?;
        self.step(Operation::Sign, runner)?;
        drill(self.slots[SN].contents_mut());
        write("Sn", &self.slots[SN], Operation::Sign, sink)?;
        drill(self.slots[SN].contents_mut());
        self.step(Operation::Verify, runner)?;
        self.refuses_a_changed_message(runner)
    }
}
