//! Key encapsulation.

use kat::iccs::Start;
use kat::nist::TextSink;
use wire::{BufferName, Failure, FailureKind, Operation, Sizes};

use super::{Functions, Records, Scheme, get, size, write};
use crate::abi::slot::Slots;
use crate::abi::{drill, succeeded};
use crate::cpu::Call;
use crate::meter::buffers::Arena;
use crate::meter::instance::Runner;

/// Numbers of the slots.
const PK: usize = 0;
const SK: usize = 1;
const CT: usize = 2;
const SS: usize = 3;
const DECAPSULATED: usize = 4;

/// A KEM with its buffers.
pub struct Kem {
    keygen: usize,
    enc: usize,
    dec: usize,
    slots: Slots<5>,
}

impl Kem {
    /// The call that performs the operation; lengths that it writes are set to the buffers' sizes.
    fn call(&mut self, operation: Operation) -> Call {
        let slots = &mut self.slots;
        match operation {
            Operation::Enc => {
                let [pk, pk_len] = slots[PK].input();
                let [ss, ct] = [SS, CT].map(|slot| slots[slot].output());
                // SAFETY: `int kem_enc(pk, pk_len, ss, &ss_len, ct, &ct_len)`, found by its name.
                unsafe { Call::new(self.enc, [pk, pk_len, ss[0], ss[1], ct[0], ct[1]]) }
            }
            Operation::Dec => {
                let [sk, ct] = [SK, CT].map(|slot| slots[slot].input());
                let ss = slots[DECAPSULATED].output();
                // SAFETY: `int kem_dec(sk, sk_len, ct, ct_len, ss, &ss_len)`, found by its name.
                unsafe { Call::new(self.dec, [sk[0], sk[1], ct[0], ct[1], ss[0], ss[1]]) }
            }
            // The meter offers no operation that is not of the instance's category.
            _ => {
                let [pk, sk] = [PK, SK].map(|slot| slots[slot].output());
                // SAFETY: `int kem_keygen(pk, &pk_len, sk, &sk_len)`, found by its name.
                unsafe { Call::new(self.keygen, [pk[0], pk[1], sk[0], sk[1]]) }
            }
        }
    }
}

impl Scheme for Kem {
    fn new<R: Runner>(
        functions: &Functions,
        mut arena: Arena,
        runner: &mut R,
    ) -> Result<Self, FailureKind> {
        let Functions::Kem {
            pk_len,
            sk_len,
            ss_len,
            ct_len,
            keygen,
            enc,
            dec,
            ..
        } = *functions
        else {
            unreachable!("a KEM is made of a KEM's functions")
        };
        let plan = [
            (BufferName::PublicKey, get(pk_len, runner)),
            (BufferName::SecretKey, get(sk_len, runner)),
            (BufferName::Ciphertext, get(ct_len, runner)),
            (BufferName::SharedSecret, get(ss_len, runner)),
            (BufferName::DecapsulatedSecret, get(ss_len, runner)),
        ];
        Ok(Self {
            keygen,
            enc,
            dec,
            slots: Slots::take(&mut arena, plan)?,
        })
    }

    fn sizes(&self) -> Sizes {
        let capacity = |slot: usize| size(self.slots[slot].capacity() as u64);
        Sizes {
            public_key: capacity(PK),
            secret_key: capacity(SK),
            ciphertext: capacity(CT),
            shared_secret: capacity(SS),
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
        let steps: &[Operation] = match operation {
            Operation::Enc => &[Operation::Keygen],
            Operation::Dec => &[Operation::Keygen, Operation::Enc, Operation::Dec],
            _ => &[],
        };
        steps.iter().try_for_each(|step| self.step(*step, runner))
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
        self.slots.check()?;
        let differ = self.slots[SS].value()? != self.slots[DECAPSULATED].value()?;
        if operation == Operation::Dec && differ {
            return Err(FailureKind::Disagreement);
        }
        Ok(())
    }
}

impl Records for Kem {
    fn record<R: Runner, S: TextSink>(
        &mut self,
        _start: &Start,
        runner: &mut R,
        sink: &mut S,
    ) -> Result<(), Failure> {
        self.step(Operation::Keygen, runner)?;
        write("PK", &self.slots[PK], Operation::Keygen, sink)?;
        write("SK", &self.slots[SK], Operation::Keygen, sink)?;
        self.step(Operation::Enc, runner)?;
        drill(self.slots[CT].contents_mut());
        write("CT", &self.slots[CT], Operation::Enc, sink)?;
        drill(self.slots[CT].contents_mut());
        write("SS", &self.slots[SS], Operation::Enc, sink)?;
        self.step(Operation::Dec, runner)
    }
}
