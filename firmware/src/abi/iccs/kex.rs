//! Key exchange of 0 to 16 passes.
//!
//! A step is never repeated on the same state, which protocols need not stand: whoever wants one
//! step runs a whole exchange, of which the other steps are run aside.

use heapless::Vec;
use kat::iccs::{IccsText, Start};
use kat::nist::TextSink;
use wire::{BufferName, Failure, FailureKind, MAX_PASSES, Operation, Sizes};

use super::{Functions, Records, Scheme, code, get, size};
use crate::abi::slot::{Slot, Slots};
use crate::abi::{drill, failure};
use crate::cpu::Call;
use crate::meter::buffers::Arena;
use crate::meter::instance::Runner;

/// What one side has, as numbers of slots.
struct Side {
    pk: usize,
    sk: usize,
    state: usize,
    secret: usize,
}

/// The initiator.
const A: Side = Side {
    pk: 0,
    sk: 1,
    state: 2,
    secret: 3,
};

/// The responder.
const B: Side = Side {
    pk: 4,
    sk: 5,
    state: 6,
    secret: 7,
};

/// Whether the initiator sends the message of this pass.
fn is_initiators(pass: usize) -> bool {
    pass % 2 == 1
}

/// A key exchange with its buffers.
pub struct Kex {
    init_a: usize,
    init_b: usize,
    derive_a: usize,
    derive_b: usize,
    /// The passes that the objects define, the first one first.
    passes: &'static [unsafe extern "C" fn()],
    /// How many of them the instance claims to need.
    claimed: u64,
    total_message: u64,
    slots: Slots<8>,
    messages: Vec<Slot, MAX_PASSES>,
}

impl Kex {
    /// Bytes of each message of the last run.
    pub fn messages(&self) -> Vec<u32, MAX_PASSES> {
        let messages = self.messages.iter();
        messages.map(|message| size(message.length())).collect()
    }

    /// Lengths as they must be before every run.
    fn preset(&mut self) {
        for side in [A, B] {
            for slot in [side.pk, side.sk, side.state, side.secret] {
                self.slots[slot].fill();
            }
        }
        for message in &mut self.messages {
            message.preset(0);
        }
    }

    /// Passes that a run has: not more than are defined, whatever the instance claims.
    fn passes(&self) -> usize {
        self.messages.len()
    }

    /// The last message of a side, or no address and no length.
    fn last_message(&mut self, initiators: bool) -> [usize; 2] {
        let mut passes = (1..=self.passes()).rev();
        match passes.find(|pass| is_initiators(*pass) == initiators) {
            Some(pass) => self.messages[pass - 1].input(),
            None => [0, 0],
        }
    }

    fn init(&mut self, function: usize, side: &Side) -> Call {
        let [pk, sk, state] = [side.pk, side.sk, side.state].map(|slot| {
            let slot = &mut self.slots[slot];
            [slot.address(), slot.length_address()]
        });
        let arguments = [pk[0], pk[1], sk[0], sk[1], state[0], state[1]];
        // SAFETY: `int kex_init_x(pk, &pk_len, sk, &sk_len, st, &st_len)`, found by its name.
        unsafe { Call::new(function, arguments) }
    }

    fn pass(&mut self, number: usize) -> Call {
        let function = self.passes[number - 1] as usize;
        let (own, other) = if is_initiators(number) {
            (A, B)
        } else {
            (B, A)
        };
        let sk = self.slots[own.sk].input();
        let pk = self.slots[other.pk].input();
        let state = &mut self.slots[own.state];
        let state = [state.address(), state.length_address()];
        let message = &mut self.messages[number - 1];
        let message = [message.address(), message.length_address()];
        let [s, p, t, m] = [sk, pk, state, message];
        // SAFETY: `int kex_generate_pass1_msg_a(sk, sk_len, pk, pk_len, st, &st_len, m, &m_len)`,
        // and the later passes with the message before and its length behind the public key,
        // found by their names.
        unsafe {
            if number == 1 {
                let arguments = [s[0], s[1], p[0], p[1], t[0], t[1], m[0], m[1]];
                Call::new(function, arguments)
            } else {
                let r = self.messages[number - 2].input();
                let arguments = [s[0], s[1], p[0], p[1], r[0], r[1], t[0], t[1], m[0], m[1]];
                Call::new(function, arguments)
            }
        }
    }

    fn derive(&mut self, function: usize, own: &Side, other: &Side, initiators: bool) -> Call {
        let m = self.last_message(!initiators);
        let [s, t] = [own.sk, own.state].map(|slot| self.slots[slot].input());
        let p = self.slots[other.pk].input();
        let secret = &mut self.slots[own.secret];
        let z = [secret.address(), secret.length_address()];
        let arguments = [s[0], s[1], p[0], p[1], m[0], m[1], t[0], t[1], z[0], z[1]];
        // SAFETY: `int kex_derive_ss_x(sk, sk_len, pk, pk_len, m, m_len, st, st_len, ss, &ss_len)`,
        // found by its name.
        unsafe { Call::new(function, arguments) }
    }

    /// The call of a step.
    fn call(&mut self, step: Operation) -> Call {
        match step {
            Operation::InitA => self.init(self.init_a, &A),
            Operation::InitB => self.init(self.init_b, &B),
            Operation::Pass(number) => self.pass(number.into()),
            Operation::DeriveA => self.derive(self.derive_a, &A, &B, true),
            // The meter offers no operation that is not of the instance's category.
            _ => self.derive(self.derive_b, &B, &A, false),
        }
    }

    /// Judges what a step returned: passes say 1 when the exchange is complete.
    fn judge(&self, step: Operation, returned: u64) -> Result<(), FailureKind> {
        let returned = code(returned);
        let Operation::Pass(number) = step else {
            return match returned {
                0 => Ok(()),
                other => Err(FailureKind::ReturnCode(other.into())),
            };
        };
        let last = u64::from(number) == self.claimed;
        match returned {
            ..0 => Err(FailureKind::ReturnCode(returned.into())),
            _ if (returned == 1) != last => Err(FailureKind::Passes {
                claimed: size(self.claimed),
                ended: number.into(),
            }),
            _ => Ok(()),
        }
    }

    /// All steps of a run, in order.
    fn steps(&self) -> impl Iterator<Item = Operation> + use<> {
        let passes = (1..=MAX_PASSES as u8).take(self.passes());
        [Operation::InitA, Operation::InitB]
            .into_iter()
            .chain(passes.map(Operation::Pass))
            .chain([Operation::DeriveA, Operation::DeriveB])
    }

    /// One step of a run of which `measured` counts.
    fn step_of_run<R: Runner>(
        &mut self,
        step: Operation,
        measured: Operation,
        runner: &mut R,
    ) -> Result<(), FailureKind> {
        let call = self.call(step);
        let returned = if measured == step || measured == Operation::Exchange {
            runner.run(&call)
        } else {
            runner.aside(&call)
        };
        self.judge(step, returned)
    }

    /// Whether the objects define as many passes as the instance claims.
    fn passes_are_there(&self) -> Result<(), FailureKind> {
        if self.claimed > self.passes.len() as u64 {
            return Err(FailureKind::Passes {
                claimed: size(self.claimed),
                ended: self.passes.len() as u32,
            });
        }
        Ok(())
    }

    fn check(&self) -> Result<(), FailureKind> {
        self.slots.check()?;
        self.messages.iter().try_for_each(Slot::check)
    }

    /// The lines that belong to a step, from the buffers as it left them.
    fn write<S: TextSink>(&self, step: Operation, sink: &mut S) -> Result<(), FailureKind> {
        let value = |slot: usize| self.slots[slot].value();
        match step {
            Operation::InitA => {
                sink.number("Pass_Num", self.claimed);
                sink.string("PKa", value(A.pk)?);
                sink.string("SKa", value(A.sk)?);
                sink.string("Init_Sta", value(A.state)?);
            }
            Operation::InitB => {
                sink.string("PKb", value(B.pk)?);
                sink.string("SKb", value(B.sk)?);
                sink.string("Init_Stb", value(B.state)?);
            }
            Operation::Pass(number) => {
                let (letter, state) = if is_initiators(number.into()) {
                    ('a', A.state)
                } else {
                    ('b', B.state)
                };
                let state_name = name(format_args!("Pass{number}_St{letter}"));
                sink.string(&state_name, value(state)?);
                let message = self.messages[usize::from(number) - 1].value()?;
                sink.string(&name(format_args!("M{number}")), message);
            }
            Operation::DeriveB => sink.string("SS", value(A.secret)?),
            _ => {}
        }
        Ok(())
    }
}

/// A field's name; none is longer than `Pass16_Sta`.
fn name(words: core::fmt::Arguments) -> heapless::String<16> {
    let mut name = heapless::String::new();
    // It fits.
    let _ = core::fmt::write(&mut name, words);
    name
}

impl Scheme for Kex {
    fn new<R: Runner>(
        functions: &Functions,
        mut arena: Arena,
        runner: &mut R,
    ) -> Result<Self, FailureKind> {
        let Functions::Kex {
            passes_num,
            pk_len,
            sk_len,
            sta_len,
            stb_len,
            ss_len,
            total_msg_len,
            init_a,
            init_b,
            derive_a,
            derive_b,
            passes,
            ..
        } = *functions
        else {
            unreachable!("a key exchange is made of its own functions")
        };
        let mut ask = |getter| get(getter, runner);
        let (pk, sk, ss) = (ask(pk_len), ask(sk_len), ask(ss_len));
        let plan = [
            (BufferName::PublicKeyA, pk),
            (BufferName::SecretKeyA, sk),
            (BufferName::StateA, ask(sta_len)),
            (BufferName::SharedSecretA, ss),
            (BufferName::PublicKeyB, pk),
            (BufferName::SecretKeyB, sk),
            (BufferName::StateB, ask(stb_len)),
            (BufferName::SharedSecretB, ss),
        ];
        let (claimed, total_message) = (ask(passes_num), ask(total_msg_len));
        let slots = Slots::take(&mut arena, plan)?;
        let mut messages = Vec::new();
        for (pass, _) in (1..=MAX_PASSES as u8).zip(passes) {
            if u64::from(pass) > claimed {
                break;
            }
            // Each must hold all messages together; there are no more than the list has places.
            let slot = Slot::take(&mut arena, BufferName::PassMessage(pass), total_message)?;
            let _ = messages.push(slot);
        }
        Ok(Self {
            init_a,
            init_b,
            derive_a,
            derive_b,
            passes,
            claimed,
            total_message,
            slots,
            messages,
        })
    }

    fn sizes(&self) -> Sizes {
        let capacity = |slot: usize| size(self.slots[slot].capacity() as u64);
        Sizes {
            public_key: capacity(A.pk),
            secret_key: capacity(A.sk),
            shared_secret: capacity(A.secret),
            state_a: capacity(A.state),
            state_b: capacity(B.state),
            messages: size(self.total_message),
            passes: size(self.claimed),
            ..Sizes::default()
        }
    }

    fn buffers(&self, see: &mut dyn FnMut(&[u8])) {
        self.slots.each(see);
        self.messages
            .iter()
            .for_each(|message| see(message.whole()));
    }

    fn reset(&mut self) {
        self.slots.reset();
        self.messages.iter_mut().for_each(Slot::reset);
        self.preset();
    }

    fn set_up<R: Runner>(&mut self, operation: Operation, _runner: &mut R) -> Result<(), Failure> {
        self.passes_are_there()
            .map_err(|kind| failure(operation, kind))
    }

    fn perform<R: Runner>(
        &mut self,
        operation: Operation,
        runner: &mut R,
    ) -> Result<(), FailureKind> {
        self.preset();
        self.steps()
            .try_for_each(|step| self.step_of_run(step, operation, runner))
    }

    fn inspect(&self, _operation: Operation) -> Result<(), FailureKind> {
        self.check()?;
        if self.slots[A.secret].value()? == self.slots[B.secret].value()? {
            Ok(())
        } else {
            Err(FailureKind::Disagreement)
        }
    }
}

impl Records for Kex {
    fn record<R: Runner, S: TextSink>(
        &mut self,
        _start: &Start,
        runner: &mut R,
        sink: &mut S,
    ) -> Result<(), Failure> {
        self.passes_are_there()
            .map_err(|kind| failure(Operation::Exchange, kind))?;
        self.preset();
        // Candidates of more passes than the official driver knows bring one that wipes states.
        if self.claimed > 3 {
            for side in [A, B] {
                self.slots[side.state].contents_mut().fill(0);
            }
        }
        for step in self.steps() {
            let done = self
                .step_of_run(step, Operation::Exchange, runner)
                .and_then(|()| self.check())
                .and_then(|()| {
                    if step == Operation::DeriveB {
                        self.inspect(step)?;
                        drill(self.slots[A.secret].contents_mut());
                    }
                    self.write(step, sink)
                });
            done.map_err(|kind| failure(step, kind))?;
        }
        Ok(())
    }
}
