//! Machines that do not exist, for tests.

use super::check::{Apt, Machine, SystemCompiler};
use super::need::{NEEDS, RUST_PACKAGES, Scope};

/// The target that they lack.
pub const TARGET: &str = "aarch64-unknown-none";

/// All of Debian's compiler.
pub const ALL_THERE: SystemCompiler = SystemCompiler {
    compiler: true,
    source: true,
    clippy: true,
    linker: true,
};

/// A machine that lacks nothing.
pub fn complete() -> Machine {
    Machine {
        scope: Scope::Usual,
        missing: Vec::new(),
        targets: Vec::new(),
        configured: false,
        rustup: true,
        rustfmt: true,
        clippy: true,
        system: SystemCompiler::default(),
        apt: None,
    }
}

/// Debian with nothing but rustup's compiler, which lacks the target.
pub fn fresh() -> Machine {
    Machine {
        missing: NEEDS.to_vec(),
        targets: vec![(TARGET, "error: no core".into())],
        apt: Some(Apt {
            sudo: false,
            unknown: RUST_PACKAGES.to_vec(),
        }),
        ..complete()
    }
}
