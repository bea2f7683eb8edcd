//! What the product needs beside cargo, and how each need is recognised.

/// Something that must be on the machine.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Need {
    /// What it is called in messages.
    pub name: &'static str,
    /// What it is for.
    pub purpose: &'static str,
    /// How it is recognised.
    pub evidence: Evidence,
    /// Debian's packages that have it.
    pub packages: &'static [&'static str],
}

/// How a need is seen to be met.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Evidence {
    /// A program of this name is in the path.
    Program(&'static str),
    /// A build for the board of this name finds its C compiler and library.
    Toolchain(&'static str),
}

impl Need {
    /// Whether this machine has it.
    pub fn is_met(&self) -> bool {
        match self.evidence {
            Evidence::Program(name) => which::which(name).is_ok(),
            Evidence::Toolchain(board) => catalogue::board(board)
                .and_then(catalogue::Toolchain::find)
                .is_ok(),
        }
    }
}

/// Everything but the Rust compiler's parts, which have ways of their own to come here.
pub const NEEDS: [Need; 7] = [
    Need {
        name: "cross compiler and picolibc",
        purpose: "compile submissions for bare-metal AArch64",
        evidence: Evidence::Toolchain("qemu-virt"),
        packages: &["gcc-aarch64-linux-gnu", "picolibc-aarch64-linux-gnu"],
    },
    Need {
        name: "QEMU",
        purpose: "runs the firmware where there is no board",
        evidence: Evidence::Program("qemu-system-aarch64"),
        packages: &["qemu-system-arm"],
    },
    Need {
        name: "C compiler",
        purpose: "compiles submissions for this machine",
        evidence: Evidence::Toolchain("linux"),
        packages: &["gcc", "libc6-dev"],
    },
    Need {
        name: "binutils",
        purpose: "change and list object files",
        evidence: Evidence::Program("objcopy"),
        packages: &["binutils"],
    },
    Need {
        name: "setpriv",
        purpose: "ends emulators and meters with the host tool, even when it is killed",
        evidence: Evidence::Program("setpriv"),
        packages: &["util-linux"],
    },
    Need {
        name: "valgrind",
        purpose: "what tests hold figures of memory against",
        evidence: Evidence::Program("valgrind"),
        packages: &["valgrind"],
    },
    Need {
        name: "Chromium",
        purpose: "what tests open the interactive report in",
        evidence: Evidence::Program("chromium"),
        packages: &["chromium"],
    },
];

/// Debian's Rust compiler.
pub const RUSTC_PACKAGE: &str = "rustc-web";
/// The source text of its libraries.
pub const RUST_SOURCE_PACKAGE: &str = "rust-web-src";
/// Its Clippy.
pub const CLIPPY_PACKAGE: &str = "rust-web-clippy";
/// Its linker, `rust-lld`.
pub const LINKER_PACKAGE: &str = "rust-web-llvm";
/// Its formatter.
pub const RUSTFMT_PACKAGE: &str = "rustfmt-web";

/// All packages of Debian's Rust compiler that can be needed.
pub const RUST_PACKAGES: [&str; 5] = [
    RUSTC_PACKAGE,
    RUST_SOURCE_PACKAGE,
    CLIPPY_PACKAGE,
    LINKER_PACKAGE,
    RUSTFMT_PACKAGE,
];
