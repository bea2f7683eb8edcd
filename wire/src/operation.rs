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
    /// A function of known behaviour that belongs to the meter.
    Probe(Probe),
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
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keygen => f.write_str("keygen"),
            Self::Enc => f.write_str("enc"),
            Self::Dec => f.write_str("dec"),
            Self::Sign => f.write_str("sign"),
            Self::Verify => f.write_str("verify"),
            Self::Probe(Probe::Empty) => f.write_str("probe_empty"),
            Self::Probe(Probe::Sled(n)) => write!(f, "probe_sled_{n}"),
            Self::Probe(Probe::Stack(n)) => write!(f, "probe_stack_{n}"),
            Self::Probe(Probe::Hang) => f.write_str("probe_hang"),
            Self::Probe(Probe::NullWrite) => f.write_str("probe_null_write"),
            Self::Probe(Probe::Overflow) => f.write_str("probe_overflow"),
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
            "probe_empty" => Self::Probe(Probe::Empty),
            "probe_hang" => Self::Probe(Probe::Hang),
            "probe_null_write" => Self::Probe(Probe::NullWrite),
            "probe_overflow" => Self::Probe(Probe::Overflow),
            other => match other.rsplit_once('_') {
                Some(("probe_sled", digits)) => Self::Probe(Probe::Sled(number(digits)?)),
                Some(("probe_stack", digits)) => Self::Probe(Probe::Stack(number(digits)?)),
                _ => return Err(UnknownOperation),
            },
        })
    }
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
            Operation::Probe(Probe::Empty),
            Operation::Probe(Probe::Sled(1_000_000)),
            Operation::Probe(Probe::Stack(400)),
            Operation::Probe(Probe::Hang),
            Operation::Probe(Probe::NullWrite),
            Operation::Probe(Probe::Overflow),
        ] {
            assert_eq!(operation.to_string().parse(), Ok(operation));
        }
        assert_eq!("keygem".parse::<Operation>(), Err(UnknownOperation));
        assert_eq!("probe_sled_x".parse::<Operation>(), Err(UnknownOperation));
    }
}
