//! The operations that can be measured, and their names.

use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

/// One operation of an instance, or one of the meter's own probes.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd, Hash, Serialize, Deserialize)]
pub enum Operation {
    /// Key generation of a KEM or a signature scheme.
    Keygen,
    /// Encapsulation.
    Enc,
    /// Decapsulation of a valid ciphertext.
    Dec,
    /// Signing a 64-byte message.
    Sign,
    /// Verification of a valid signature.
    Verify,
    /// A whole key exchange: both initialisations, all passes, both derivations.
    Exchange,
    /// The initiator's long-term key and state.
    InitA,
    /// The responder's long-term key and state.
    InitB,
    /// The message of this pass, from 1; odd ones are the initiator's.
    Pass(u8),
    /// The initiator's shared secret.
    DeriveA,
    /// The responder's shared secret.
    DeriveB,
    /// The digest of a message of this many bytes.
    Hash(u32),
    /// A function of known behaviour that belongs to the meter.
    Probe(Probe),
}

/// Passes that a key exchange has at most: as many as the public harness looks for.
pub const MAX_PASSES: usize = 16;

/// Bytes of the messages that hash functions are measured with, S1 to S8 of the guide.
pub const HASH_BYTES: [u32; 8] = [32, 128, 512, 1024, 4096, 8192, 16384, 65536];

impl Operation {
    /// Whether it is one step of a key exchange, which can only be performed within a whole run:
    /// repeating it on the same state is not what the protocol does.
    pub fn is_step(self) -> bool {
        matches!(
            self,
            Self::InitA | Self::InitB | Self::Pass(_) | Self::DeriveA | Self::DeriveB
        )
    }

    /// Bytes of input, which is part of what is measured; 0 where the operation has none.
    pub fn input_bytes(self) -> u32 {
        match self {
            Self::Hash(bytes) => bytes,
            _ => 0,
        }
    }
}

/// Functions of known length and known stack use, called exactly as a submission's are.
///
/// They prove the instrument: what it reports for them is known beforehand.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd, Hash, Serialize, Deserialize)]
pub enum Probe {
    /// Returns at once: the cost that is taken off every other call.
    Empty,
    /// Executes this many instructions more than [`Probe::Empty`] does.
    Sled(u32),
    /// Uses this many bytes of stack, writing the lowest of them.
    Stack(u32),
    /// Never returns: proves deadlines.
    Hang,
    /// Writes to address 0: proves fault reports.
    NullWrite,
    /// Recurses until the stack is gone: proves the guard region.
    Overflow,
    /// Enters a frame of this many bytes, larger than the stack: proves that no frame jumps over
    /// the guard region.
    Frame(u32),
    /// Sets the stack pointer to where nothing is mapped and uses it.
    BadStack,
    /// Executes an instruction that there is not.
    Undefined,
    /// Lets a report of a fault fault itself: proves that a report never becomes an endless loop.
    FaultInReport,
    /// Exhausts the meter's own stack.
    OwnOverflow,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keygen => f.write_str("keygen"),
            Self::Enc => f.write_str("enc"),
            Self::Dec => f.write_str("dec"),
            Self::Sign => f.write_str("sign"),
            Self::Verify => f.write_str("verify"),
            Self::Exchange => f.write_str("exchange"),
            Self::InitA => f.write_str("init_a"),
            Self::InitB => f.write_str("init_b"),
            Self::Pass(number) => write!(f, "pass{number}"),
            Self::DeriveA => f.write_str("derive_a"),
            Self::DeriveB => f.write_str("derive_b"),
            Self::Hash(bytes) => write!(f, "hash_{bytes}"),
            Self::Probe(Probe::Empty) => f.write_str("probe_empty"),
            Self::Probe(Probe::Sled(n)) => write!(f, "probe_sled_{n}"),
            Self::Probe(Probe::Stack(n)) => write!(f, "probe_stack_{n}"),
            Self::Probe(Probe::Hang) => f.write_str("probe_hang"),
            Self::Probe(Probe::NullWrite) => f.write_str("probe_null_write"),
            Self::Probe(Probe::Overflow) => f.write_str("probe_overflow"),
            Self::Probe(Probe::Frame(n)) => write!(f, "probe_frame_{n}"),
            Self::Probe(Probe::BadStack) => f.write_str("probe_bad_stack"),
            Self::Probe(Probe::Undefined) => f.write_str("probe_undefined"),
            Self::Probe(Probe::FaultInReport) => f.write_str("probe_fault_in_report"),
            Self::Probe(Probe::OwnOverflow) => f.write_str("probe_own_overflow"),
        }
    }
}

/// The text names no operation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct UnknownOperation;

impl FromStr for Operation {
    type Err = UnknownOperation;

    fn from_str(text: &str) -> Result<Self, UnknownOperation> {
        let number = |digits: &str| digits.parse().map_err(|_| UnknownOperation);
        Ok(match text {
            "keygen" => Self::Keygen,
            "enc" => Self::Enc,
            "dec" => Self::Dec,
            "sign" => Self::Sign,
            "verify" => Self::Verify,
            "exchange" => Self::Exchange,
            "init_a" => Self::InitA,
            "init_b" => Self::InitB,
            "derive_a" => Self::DeriveA,
            "derive_b" => Self::DeriveB,
            "probe_empty" => Self::Probe(Probe::Empty),
            "probe_hang" => Self::Probe(Probe::Hang),
            "probe_null_write" => Self::Probe(Probe::NullWrite),
            "probe_overflow" => Self::Probe(Probe::Overflow),
            "probe_bad_stack" => Self::Probe(Probe::BadStack),
            "probe_undefined" => Self::Probe(Probe::Undefined),
            "probe_fault_in_report" => Self::Probe(Probe::FaultInReport),
            "probe_own_overflow" => Self::Probe(Probe::OwnOverflow),
            other => match other.rsplit_once('_') {
                Some(("hash", digits)) => Self::Hash(number(digits)?),
                None => Self::Pass(pass(other).ok_or(UnknownOperation)?),
                Some(("probe_sled", digits)) => Self::Probe(Probe::Sled(number(digits)?)),
                Some(("probe_stack", digits)) => Self::Probe(Probe::Stack(number(digits)?)),
                Some(("probe_frame", digits)) => Self::Probe(Probe::Frame(number(digits)?)),
                _ => return Err(UnknownOperation),
            },
        })
    }
}

/// The number in `pass1`, `pass2`, ...
fn pass(text: &str) -> Option<u8> {
    let number = text.strip_prefix("pass")?.parse().ok()?;
    (1..=MAX_PASSES)
        .contains(&usize::from(number))
        .then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for operation in [
            Operation::Keygen,
            Operation::Enc,
            Operation::Dec,
            Operation::Sign,
            Operation::Verify,
            Operation::Exchange,
            Operation::InitA,
            Operation::InitB,
            Operation::Pass(1),
            Operation::Pass(16),
            Operation::DeriveA,
            Operation::DeriveB,
            Operation::Hash(65536),
            Operation::Probe(Probe::Empty),
            Operation::Probe(Probe::Sled(1_000_000)),
            Operation::Probe(Probe::Stack(400)),
            Operation::Probe(Probe::Hang),
            Operation::Probe(Probe::NullWrite),
            Operation::Probe(Probe::Overflow),
            Operation::Probe(Probe::Frame(1 << 24)),
            Operation::Probe(Probe::BadStack),
            Operation::Probe(Probe::Undefined),
            Operation::Probe(Probe::FaultInReport),
            Operation::Probe(Probe::OwnOverflow),
        ] {
            assert_eq!(operation.to_string().parse(), Ok(operation));
        }
        assert_eq!("keygem".parse::<Operation>(), Err(UnknownOperation));
        assert_eq!("probe_sled_x".parse::<Operation>(), Err(UnknownOperation));
        for no_pass in ["pass0", "pass17", "pass", "pass+1x", "hash_"] {
            assert_eq!(no_pass.parse::<Operation>(), Err(UnknownOperation));
        }
    }
}
