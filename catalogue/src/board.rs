//! The machines that images are built for.

use std::fmt;

use crate::CatalogueError;

/// Instruction-set architecture of a board.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Hash)]
pub enum Architecture {
    /// 64-bit Arm.
    Aarch64,
    /// 64-bit x86.
    X86_64,
}

impl Architecture {
    /// The architecture that this very code was compiled for, if it is one of ours.
    pub fn of_this_machine() -> Option<Self> {
        if cfg!(target_arch = "aarch64") {
            Some(Self::Aarch64)
        } else if cfg!(target_arch = "x86_64") {
            Some(Self::X86_64)
        } else {
            None
        }
    }

    /// The name in messages, as cargo spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Aarch64 => "aarch64",
            Self::X86_64 => "x86_64",
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An extension of an instruction set that a variant needs.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Hash)]
pub enum Isa {
    /// x86 AES instructions.
    Aes,
    /// x86 256-bit integer vectors.
    Avx2,
    /// x86 bit manipulation, first set.
    Bmi1,
    /// x86 bit manipulation, second set.
    Bmi2,
    /// x86 population count.
    Popcnt,
    /// Arm vectors, which every AArch64 core of ours has.
    Asimd,
    /// Arm SHA-3 instructions, optional from Armv8.2 on.
    Sha3,
}

impl Isa {
    /// All names in META.yml.
    pub const META_NAMES: [&str; 7] = ["aes", "avx2", "bmi1", "bmi2", "popcnt", "asimd", "sha3"];

    /// The extension that META.yml calls by this name.
    pub fn from_meta(name: &str) -> Option<Self> {
        Some(match name {
            "aes" => Self::Aes,
            "avx2" => Self::Avx2,
            "bmi1" => Self::Bmi1,
            "bmi2" => Self::Bmi2,
            "popcnt" => Self::Popcnt,
            "asimd" => Self::Asimd,
            "sha3" => Self::Sha3,
            _ => return None,
        })
    }

    /// The name in messages, as the architecture's manual has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Aes => "AES-NI",
            Self::Avx2 => "AVX2",
            Self::Bmi1 => "BMI1",
            Self::Bmi2 => "BMI2",
            Self::Popcnt => "POPCNT",
            Self::Asimd => "FEAT_AdvSIMD",
            Self::Sha3 => "FEAT_SHA3",
        }
    }

    /// The compiler flag that allows it, beyond the architecture's baseline.
    pub fn flag(self) -> Option<&'static str> {
        Some(match self {
            Self::Aes => "-maes",
            Self::Avx2 => "-mavx2",
            Self::Bmi1 => "-mbmi",
            Self::Bmi2 => "-mbmi2",
            Self::Popcnt => "-mpopcnt",
            Self::Asimd => return None,
            Self::Sha3 => "-march=armv8.2-a+sha3",
        })
    }
}

/// What extensions a board's core has.
#[derive(Clone, Copy, Debug)]
enum Extensions {
    /// These.
    Fixed(&'static [Isa]),
    /// Whatever the machine has that this code runs on.
    Detected,
}

/// An image as a board's own firmware loads it: bytes from an address on, entered at the first one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FlatImage {
    /// The name that the firmware looks for.
    pub file: &'static str,
    /// The address.
    pub address: u64,
}

/// A machine that an image can be built for.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    /// The name in commands and records.
    pub name: &'static str,
    /// cargo's target triple.
    pub cargo_target: &'static str,
    /// Its instruction set.
    pub architecture: Architecture,
    /// No operating system: the image is the firmware.
    pub bare_metal: bool,
    /// The core, in words fit for "which ... lacks".
    pub core: &'static str,
    /// Its memory map, relative to the workspace's folder; bare metal only.
    pub linker_script: Option<&'static str>,
    /// What its own firmware loads, where that is no ELF file.
    pub flat_image: Option<FlatImage>,
    extensions: Extensions,
}

impl Board {
    /// Whether it is the machine that this code runs on.
    pub fn is_this_machine(&self) -> bool {
        matches!(self.extensions, Extensions::Detected)
    }

    /// Whether the board's core has this extension.
    pub fn has(&self, isa: Isa) -> bool {
        match self.extensions {
            Extensions::Fixed(list) => list.contains(&isa),
            Extensions::Detected => {
                Architecture::of_this_machine() == Some(self.architecture) && detected(isa)
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn detected(isa: Isa) -> bool {
    use std::arch::is_x86_feature_detected;
    match isa {
        Isa::Aes => is_x86_feature_detected!("aes"),
        Isa::Avx2 => is_x86_feature_detected!("avx2"),
        Isa::Bmi1 => is_x86_feature_detected!("bmi1"),
        Isa::Bmi2 => is_x86_feature_detected!("bmi2"),
        Isa::Popcnt => is_x86_feature_detected!("popcnt"),
        Isa::Asimd | Isa::Sha3 => false,
    }
}

#[cfg(target_arch = "aarch64")]
fn detected(isa: Isa) -> bool {
    use std::arch::is_aarch64_feature_detected;
    match isa {
        Isa::Asimd => is_aarch64_feature_detected!("neon"),
        Isa::Sha3 => is_aarch64_feature_detected!("sha3"),
        Isa::Aes | Isa::Avx2 | Isa::Bmi1 | Isa::Bmi2 | Isa::Popcnt => false,
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn detected(_: Isa) -> bool {
    false
}

pub(crate) const QEMU_VIRT: Board = Board {
    name: "qemu-virt",
    cargo_target: "aarch64-unknown-none",
    architecture: Architecture::Aarch64,
    bare_metal: true,
    core: "cortex-a72",
    linker_script: Some("linker/qemu-virt.ld"),
    flat_image: None,
    extensions: Extensions::Fixed(&[Isa::Asimd]),
};

const RPI3: Board = Board {
    name: "rpi3",
    cargo_target: "aarch64-unknown-none",
    architecture: Architecture::Aarch64,
    bare_metal: true,
    core: "cortex-a53",
    linker_script: Some("linker/rpi3.ld"),
    flat_image: Some(FlatImage {
        file: "kernel8.img",
        address: 0x80000,
    }),
    extensions: Extensions::Fixed(&[Isa::Asimd]),
};

const RPI4: Board = Board {
    name: "rpi4",
    cargo_target: "aarch64-unknown-none",
    architecture: Architecture::Aarch64,
    bare_metal: true,
    core: "cortex-a72",
    linker_script: Some("linker/rpi4.ld"),
    flat_image: Some(FlatImage {
        file: "kernel8.img",
        address: 0x80000,
    }),
    extensions: Extensions::Fixed(&[Isa::Asimd]),
};

const RPI5: Board = Board {
    name: "rpi5",
    cargo_target: "aarch64-unknown-none",
    architecture: Architecture::Aarch64,
    bare_metal: true,
    core: "cortex-a76",
    linker_script: Some("linker/rpi5.ld"),
    flat_image: Some(FlatImage {
        file: "kernel_2712.img",
        address: 0x80000,
    }),
    extensions: Extensions::Fixed(&[Isa::Asimd]),
};

pub(crate) const LINUX_X86_64: Board = Board {
    name: "linux",
    cargo_target: "x86_64-unknown-linux-gnu",
    architecture: Architecture::X86_64,
    bare_metal: false,
    core: "this machine",
    linker_script: None,
    flat_image: None,
    extensions: Extensions::Detected,
};

pub(crate) const LINUX_AARCH64: Board = Board {
    name: "linux",
    cargo_target: "aarch64-unknown-linux-gnu",
    architecture: Architecture::Aarch64,
    bare_metal: false,
    core: "this machine",
    linker_script: None,
    flat_image: None,
    extensions: Extensions::Detected,
};

/// Linux on another Arm machine: images are compiled here and run there. What its core has beyond the
/// architecture is not known when they are.
pub(crate) const LINUX_ELSEWHERE_AARCH64: Board = Board {
    name: "linux-aarch64",
    core: "Armv8.0",
    extensions: Extensions::Fixed(&[Isa::Asimd]),
    ..LINUX_AARCH64
};

/// `linux` is always the machine that this code runs on.
const LINUX: Board = if cfg!(target_arch = "aarch64") {
    LINUX_AARCH64
} else {
    LINUX_X86_64
};

/// Of those with the same target the first is the one that the target stands for.
static BOARDS: &[Board] = &[QEMU_VIRT, RPI3, RPI4, RPI5, LINUX, LINUX_ELSEWHERE_AARCH64];

/// The boards of this machine: emulated ones, attached ones, and Linux itself.
pub fn boards() -> &'static [Board] {
    BOARDS
}

/// What all boards have, without repetition, as a list for people.
fn names(of: impl Fn(&Board) -> &'static str) -> String {
    let mut names: Vec<_> = BOARDS.iter().map(of).collect();
    names.dedup();
    names.join(", ")
}

/// The board of this name.
///
/// # Errors
///
/// [`CatalogueError::UnknownBoard`] lists the names there are.
pub fn board(name: &str) -> Result<&'static Board, CatalogueError> {
    BOARDS
        .iter()
        .find(|board| board.name == name)
        .ok_or_else(|| CatalogueError::UnknownBoard {
            name: name.to_owned(),
            known: names(|board| board.name),
        })
}

/// The board to build for: the named one, if cargo builds for its target, or the one that the
/// target stands for when none is named, which on bare metal is the default one.
///
/// # Errors
///
/// When there is no such board, or cargo builds for another target than the board's; when nothing
/// can be built for the target.
pub fn board_to_build(name: Option<&str>, target: &str) -> Result<&'static Board, CatalogueError> {
    let Some(name) = name else {
        return BOARDS
            .iter()
            .find(|board| board.cargo_target == target)
            .ok_or_else(|| CatalogueError::UnknownTarget {
                target: target.to_owned(),
                known: names(|board| board.cargo_target),
            });
    };
    let chosen = board(name)?;
    if chosen.cargo_target == target {
        Ok(chosen)
    } else {
        Err(CatalogueError::WrongTarget {
            board: chosen.name,
            needed: chosen.cargo_target,
            target: target.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_board_serves_the_default_target() {
        assert_eq!(
            board_to_build(None, "aarch64-unknown-none").unwrap().name,
            crate::DEFAULT_BOARD
        );
        assert!(board(crate::DEFAULT_BOARD).unwrap().bare_metal);
    }

    #[test]
    fn linux_is_this_machine() {
        let linux = board("linux").unwrap();
        assert_eq!(Architecture::of_this_machine(), Some(linux.architecture));
        assert!(!linux.bare_metal);
    }

    #[test]
    fn another_arm_machine_promises_no_more_than_its_architecture() {
        let other = board("linux-aarch64").unwrap();
        assert!(!other.is_this_machine() && !other.bare_metal);
        assert!(other.has(Isa::Asimd) && !other.has(Isa::Sha3));
        let of_target = board_to_build(None, "aarch64-unknown-linux-gnu").unwrap();
        assert_eq!(of_target.architecture, Architecture::Aarch64);
    }

    #[test]
    fn unknown_names_list_the_known_ones() {
        let error = board("qemu-vert").unwrap_err().to_string();
        assert!(error.contains("qemu-vert"), "{error}");
        let error = board_to_build(None, "riscv64gc-unknown-none-elf").unwrap_err();
        assert!(error.to_string().contains("riscv64gc-unknown-none-elf"));
    }

    #[test]
    fn a_board_of_another_target_is_refused_with_the_remedy() {
        let error = board_to_build(Some("qemu-virt"), "x86_64-unknown-linux-gnu").unwrap_err();
        assert!(error.to_string().contains("x86_64-unknown-linux-gnu"));
        let help = miette::Diagnostic::help(&error).unwrap().to_string();
        assert!(help.contains("--target aarch64-unknown-none"), "{help}");
        let named = board_to_build(Some("qemu-virt"), "aarch64-unknown-none").unwrap();
        assert_eq!(named.name, "qemu-virt");
    }

    #[test]
    fn a_cortex_a72_has_vectors_but_no_sha3() {
        let board = board("qemu-virt").unwrap();
        assert!(board.has(Isa::Asimd));
        assert!(!board.has(Isa::Sha3));
        assert!(!board.has(Isa::Avx2));
    }
}
