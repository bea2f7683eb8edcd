//! The compiler's flags: the one table.
//!
//! A command line is, in this order: the flag set, what every build has, what the target needs,
//! the extensions that the variant uses, its macros, the include folders.

use std::path::Path;

use crate::{Architecture, Board, CatalogueError, Instance, Toolchain};

/// A named choice of optimisation, language and warnings.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Hash)]
pub enum FlagSet {
    /// What the programme's guide asks for, and the first that is tried.
    Guide,
    /// What the public harness falls back to when a label does not build or fails its KAT.
    HarnessDefault,
}

impl FlagSet {
    /// Both, in the order in which they are tried.
    pub const ALL: [Self; 2] = [Self::Guide, Self::HarnessDefault];

    /// The name in commands and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Guide => "guide",
            Self::HarnessDefault => "harness-default",
        }
    }

    /// The set of this name.
    ///
    /// # Errors
    ///
    /// [`CatalogueError::UnknownFlagSet`] lists the names there are.
    pub fn from_name(name: &str) -> Result<Self, CatalogueError> {
        Self::ALL
            .into_iter()
            .find(|set| set.name() == name)
            .ok_or_else(|| CatalogueError::UnknownFlagSet {
                name: name.to_owned(),
                known: Self::ALL.map(Self::name).join(", "),
            })
    }

    /// Its flags.
    pub fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Guide => &[
                "-std=c99",
                "-Wpedantic",
                "-Wall",
                "-Wextra",
                "-O2",
                // Strict C99 hides functions that candidates call, such as aligned_alloc.
                "-D_GNU_SOURCE",
                // Errors from GCC 14 on, warnings before: the same code must build with either.
                "-Wno-error=incompatible-pointer-types",
                "-Wno-error=int-conversion",
                "-Wno-error=implicit-int",
            ],
            Self::HarnessDefault => &[
                "-O2",
                "-std=gnu11",
                "-Wall",
                "-fno-strict-aliasing",
                "-fwrapv",
                "-fno-omit-frame-pointer",
                "-D_GNU_SOURCE",
            ],
        }
    }
}

/// For every build.
const ALWAYS: &[&str] = &[
    // Line numbers; it does not change code.
    "-g",
    // An implicit declaration returns int, which cuts pointers to 32 bits.
    "-Werror=implicit-function-declaration",
    // Some distributions switch these on by default: the same compiler must give the same code.
    "-fno-stack-protector",
    "-U_FORTIFY_SOURCE",
    "-fno-stack-clash-protection",
    // Lists every function's frame beside the object, and changes no code.
    "-fstack-usage",
    // So that the linker can leave out what an instance does not use.
    "-ffunction-sections",
    "-fdata-sections",
];

/// For AArch64. Distributions differ in branch protection and may differ in the baseline.
const AARCH64: &[&str] = &[
    "-march=armv8-a",
    "-mtune=generic",
    "-mbranch-protection=none",
];

/// For x86-64. Distributions differ in control-flow protection and in the baseline.
const X86_64: &[&str] = &["-march=x86-64", "-mtune=generic", "-fcf-protection=none"];

/// For firmware: linked at fixed addresses, and without libgcc's choice of atomics at run time.
const BARE_METAL_AARCH64: &[&str] = &["-fno-pic", "-fno-pie", "-mno-outline-atomics"];

/// For a Linux process, as the published measurements were built.
const LINUX: &[&str] = &["-fPIC"];

/// Every argument of the compiler but the source and the object; `root` is the workspace's folder.
pub fn compiler_flags(
    set: FlagSet,
    instance: &Instance,
    board: &Board,
    toolchain: &Toolchain,
    root: &Path,
) -> Vec<String> {
    let mut flags: Vec<String> = fixed_flags(set, board)
        .chain(instance.required.iter().filter_map(|isa| isa.flag()))
        .map(str::to_owned)
        .collect();
    // Paths of this machine stay out of the objects, or equal code would have unequal digests.
    flags.push(format!("-ffile-prefix-map={}=.", root.display()));
    flags.push(format!(
        "-ffile-prefix-map={}={}",
        instance.root.display(),
        instance.candidate
    ));
    if let Some(library) = &toolchain.library.headers {
        flags.push("-nostdinc".to_owned());
        for folder in [
            &toolchain.compiler_headers,
            &root.join("firmware/build/include"),
            library,
        ] {
            flags.push("-isystem".to_owned());
            flags.push(folder.display().to_string());
        }
    }
    flags.extend(instance.defines.iter().map(|define| format!("-D{define}")));
    for folder in &instance.include_folders {
        flags.push(format!("-I{}", folder.display()));
    }
    flags
}

/// The part that does not depend on the instance or on paths.
fn fixed_flags(set: FlagSet, board: &Board) -> impl Iterator<Item = &'static str> {
    let architecture = match board.architecture {
        Architecture::Aarch64 => AARCH64,
        Architecture::X86_64 => X86_64,
    };
    let target = match (board.bare_metal, board.architecture) {
        (true, Architecture::Aarch64) => BARE_METAL_AARCH64,
        // No board of ours is a bare-metal x86.
        (true, Architecture::X86_64) => &[],
        (false, _) => LINUX,
    };
    [set.flags(), ALWAYS, architecture, target]
        .into_iter()
        .flatten()
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{LINUX_AARCH64, LINUX_X86_64, QEMU_VIRT, boards};

    #[test]
    fn the_table_changes_only_on_purpose() {
        let mut table = String::new();
        for set in FlagSet::ALL {
            for board in [QEMU_VIRT, LINUX_X86_64, LINUX_AARCH64] {
                let flags: Vec<_> = fixed_flags(set, &board).collect();
                table += &format!(
                    "{} on {} ({}):\n{}\n\n",
                    set.name(),
                    board.name,
                    board.architecture,
                    flags.join("\n")
                );
            }
        }
        insta::assert_snapshot!(table);
    }

    #[test]
    fn names_read_back() {
        for set in FlagSet::ALL {
            assert_eq!(FlagSet::from_name(set.name()).unwrap(), set);
        }
        let error = FlagSet::from_name("-O3").unwrap_err();
        let help = miette::Diagnostic::help(&error).unwrap().to_string();
        assert_eq!(help, "flag sets are: guide, harness-default");
    }

    #[test]
    fn both_sets_refuse_implicit_declarations() {
        for set in FlagSet::ALL {
            for board in boards() {
                assert!(
                    fixed_flags(set, board)
                        .any(|flag| flag == "-Werror=implicit-function-declaration")
                );
            }
        }
    }
}
