//! What the objects of an instance say of its symmetric primitives: found in relocations and bytes,
//! without a look at the source.

use serde::{Deserialize, Serialize};

/// Everything symmetric that the functions of the interface can reach.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
pub struct Symmetric {
    /// The known functions, by symbol.
    pub functions: Vec<SymmetricFunction>,
    /// Primitives that are known by their constants, by name and source.
    pub primitives: Vec<Primitive>,
}

/// A known function.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct SymmetricFunction {
    /// Its symbol, as the objects have it.
    pub symbol: String,
    /// The source that defines it; `None` when the meter does.
    pub source: Option<String>,
    /// Whether other files call it, so that these calls are counted.
    pub counted: bool,
    /// Whether its own file calls it on a way that no counter sees.
    pub called_inside: bool,
}

/// A primitive that is known by its constants.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct Primitive {
    /// `Keccak`, `SHA-2`, `AES`, `ChaCha` or `SM3`.
    pub name: String,
    /// The source whose object has the constants.
    pub source: String,
    /// The section that has most of them.
    pub section: String,
    /// Whether it can only be reached through counted functions.
    pub observable: bool,
}

impl Symmetric {
    /// The name of the primitive behind the NGCC interface's own functions.
    pub const OWN: &str = "SM3";
}
