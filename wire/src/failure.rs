//! What a call of a submission did wrong.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::Operation;

/// An operation that did not do what it must.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The operation that was called: perhaps one of the set-up.
    pub operation: Operation,
    /// Number of the call, from 0, within the set-up or the loop.
    pub call: u32,
    /// What was wrong.
    pub kind: FailureKind,
    /// Blocks of the heap that the meter had freed as lost since the submission started anew: one
    /// whose address it keeps in a form that cannot be recognised would be missing now.
    pub freed_blocks: u64,
}

/// What was wrong with a call that came back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FailureKind {
    /// It returned this code.
    ReturnCode(i64),
    /// It reported a length outside what the buffer holds.
    Length {
        /// The buffer.
        buffer: BufferName,
        /// What was reported.
        reported: u64,
        /// What the buffer holds.
        capacity: u64,
    },
    /// It wrote outside the buffer.
    Guard {
        /// The buffer.
        buffer: BufferName,
        /// Where the first changed byte lies.
        side: Side,
        /// Distance of that byte from the buffer's edge, in bytes.
        distance: u32,
    },
    /// Both sides' shared secrets differ, or an opened message is not the signed one.
    Disagreement,
    /// A message with one bit changed passed as signed.
    Forgery,
    /// A key exchange did not end with the pass that it claims to end with.
    Passes {
        /// Passes that it claims.
        claimed: u32,
        /// The pass that said it was the last one, or that should have been and was not.
        ended: u32,
    },
    /// The sizes that it claims do not fit the target's memory.
    Memory {
        /// Bytes that all buffers take up.
        needed: u64,
        /// Bytes that there are.
        available: u64,
    },
}

/// Which side of a buffer.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub enum Side {
    /// At lower addresses.
    Before,
    /// At higher addresses.
    After,
}

/// The buffers that are handed to a submission.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub enum BufferName {
    /// Public key.
    PublicKey,
    /// Secret key.
    SecretKey,
    /// Ciphertext.
    Ciphertext,
    /// Shared secret of the encapsulating side.
    SharedSecret,
    /// Shared secret of the decapsulating side.
    DecapsulatedSecret,
    /// Message.
    Message,
    /// Signature.
    Signature,
    /// Message and signature in one, as `crypto_sign` makes it.
    SignedMessage,
    /// The initiator's public key.
    PublicKeyA,
    /// The initiator's secret key.
    SecretKeyA,
    /// The initiator's state.
    StateA,
    /// The responder's public key.
    PublicKeyB,
    /// The responder's secret key.
    SecretKeyB,
    /// The responder's state.
    StateB,
    /// The message of this pass, from 1.
    PassMessage(u8),
    /// The initiator's shared secret.
    SharedSecretA,
    /// The responder's shared secret.
    SharedSecretB,
    /// Digest.
    Digest,
    /// A length that the call writes.
    Length,
}

impl fmt::Display for BufferName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PassMessage(number) => return write!(f, "message of pass {number}"),
            Self::PublicKeyA => "initiator's public key",
            Self::SecretKeyA => "initiator's secret key",
            Self::StateA => "initiator's state",
            Self::PublicKeyB => "responder's public key",
            Self::SecretKeyB => "responder's secret key",
            Self::StateB => "responder's state",
            Self::SharedSecretA => "initiator's shared secret",
            Self::SharedSecretB => "responder's shared secret",
            Self::Digest => "digest",
            Self::PublicKey => "public key",
            Self::SecretKey => "secret key",
            Self::Ciphertext => "ciphertext",
            Self::SharedSecret => "shared secret",
            Self::DecapsulatedSecret => "decapsulated secret",
            Self::Message => "message",
            Self::Signature => "signature",
            Self::SignedMessage => "signed message",
            Self::Length => "length",
        })
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReturnCode(code) => write!(f, "returned {code}"),
            Self::Length {
                buffer,
                reported,
                capacity,
            } => write!(
                f,
                "reported a {buffer} of {reported} bytes in a buffer of {capacity}"
            ),
            Self::Guard {
                buffer,
                side,
                distance,
            } => {
                let side = match side {
                    Side::Before => "before",
                    Side::After => "after",
                };
                write!(f, "wrote {distance} bytes {side} the {buffer}")
            }
            Self::Disagreement => f.write_str("the two sides' results differ"),
            Self::Forgery => f.write_str("accepted a message that was changed after signing"),
            Self::Passes { claimed, ended } => {
                write!(
                    f,
                    "claims {claimed} passes, and pass {ended} ended otherwise"
                )
            }
            Self::Memory { needed, available } => write!(
                f,
                "claims sizes that need buffers of {needed} bytes where there are {available}"
            ),
        }
    }
}
