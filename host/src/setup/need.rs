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

/// What is needed besides to build for Linux on another Arm machine, and to try that here.
pub const ARM_LINUX_NEEDS: [Need; 2] = [
    Need {
        name: "cross compiler for Linux on AArch64",
        purpose: "compiles submissions for an Arm machine that is reached over ssh",
        evidence: Evidence::Toolchain("linux-aarch64"),
        packages: &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
    },
    Need {
        name: "QEMU for user mode",
        purpose: "runs processes of Arm machines where there is none",
        evidence: Evidence::Program("qemu-aarch64"),
        packages: &["qemu-user"],
    },
];

/// What a machine is set up for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scope {
    /// The emulated board and this machine.
    Usual,
    /// Linux on another Arm machine, too.
    ArmLinux,
}

impl Scope {
    /// What is needed for it beside the Rust compiler's parts.
    pub fn needs(self) -> impl Iterator<Item = Need> {
        let more = match self {
            Self::Usual => &[][..],
            Self::ArmLinux => &ARM_LINUX_NEEDS,
        };
        NEEDS.iter().chain(more).copied()
    }

    /// The targets that images are built for, but for this machine's own.
    pub fn targets(self) -> Vec<&'static str> {
        let boards = catalogue::boards().iter();
        let mut targets: Vec<_> = boards
            .filter(|board| board.bare_metal || self == Self::ArmLinux)
            .filter(|board| !board.is_this_machine())
            .map(|board| board.cargo_target)
            .collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_arm_machine_is_set_up_for_only_when_asked() {
        let linux = "aarch64-unknown-linux-gnu";
        assert!(Scope::Usual.targets().contains(&"aarch64-unknown-none"));
        assert!(!Scope::Usual.targets().contains(&linux));
        assert!(Scope::ArmLinux.targets().contains(&linux));
        assert_eq!(Scope::Usual.needs().count(), NEEDS.len());
        assert_eq!(
            Scope::ArmLinux.needs().count(),
            NEEDS.len() + ARM_LINUX_NEEDS.len()
        );
    }
}
