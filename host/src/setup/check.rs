//! What this machine has and lacks.

use std::path::{Path, PathBuf};
use std::thread;

use super::apt;
use super::compiler::{self, LocalConfig, SYSTEM_RUSTC};
use super::need::{Need, Scope};

/// A machine, as far as setting it up is concerned.
#[derive(Clone, Debug)]
pub struct Machine {
    /// What it is looked at for.
    pub scope: Scope,
    /// What it lacks of that.
    pub missing: Vec<Need>,
    /// Targets that cannot be compiled for, and why.
    pub targets: Vec<(&'static str, String)>,
    /// cargo uses Debian's compiler here, because the local configuration says so.
    pub configured: bool,
    /// rustup is there and has not failed.
    pub rustup: bool,
    /// `cargo fmt` works.
    pub rustfmt: bool,
    /// The Clippy of the compiler that cargo uses works.
    pub clippy: bool,
    /// What is there of Debian's compiler.
    pub system: SystemCompiler,
    /// How packages are installed; `None` without apt.
    pub apt: Option<Apt>,
}

/// What is there of Debian's compiler, which can build a target's libraries itself.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct SystemCompiler {
    /// The compiler, new enough.
    pub compiler: bool,
    /// The source text of its libraries.
    pub source: bool,
    /// Clippy.
    pub clippy: bool,
    /// A linker for bare metal, from wherever.
    pub linker: bool,
}

/// How packages are installed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Apt {
    /// We are not root.
    pub sudo: bool,
    /// Packages, out of those that might be needed, that its lists do not have.
    pub unknown: Vec<&'static str>,
}

impl Machine {
    /// Looks at this machine for a workspace in `root`. Takes a fraction of a second.
    pub fn inspect(root: &Path, scope: Scope) -> Self {
        let config = LocalConfig::load(root);
        let config = config.as_ref();
        let targets = scope.targets();
        let system = Path::new(SYSTEM_RUSTC);
        // Each question starts a compiler or two; they are independent.
        thread::scope(|threads| {
            let obstacles: Vec<_> = targets
                .iter()
                .map(|target| {
                    (
                        *target,
                        threads.spawn(|| compiler::obstacle(config, target)),
                    )
                })
                .collect();
            let used = threads.spawn(|| compiler::installation(&compiler::rustc(config)));
            let found = threads.spawn(|| compiler::installation(&compiler::rustc(None)));
            let version = threads.spawn(|| compiler::version(system));
            let missing: Vec<Need> = scope.needs().filter(|need| !need.is_met()).collect();

            let joined = "no question panics";
            let used: Vec<PathBuf> = used.join().expect(joined).into_iter().collect();
            let mut all = used.clone();
            all.extend(found.join().expect(joined));
            let version = version.join().expect(joined);
            let targets: Vec<_> = obstacles
                .into_iter()
                .filter_map(|(target, obstacle)| Some((target, obstacle.join().expect(joined)?)))
                .collect();
            let usr = [PathBuf::from("/usr")];
            let machine = Self {
                scope,
                configured: config.is_some_and(|config| config.rustc().is_some()),
                rustup: which::which("rustup").is_ok(),
                rustfmt: compiler::subcommand(&all, "cargo-fmt").is_some(),
                clippy: compiler::subcommand(&used, "cargo-clippy").is_some(),
                system: SystemCompiler {
                    compiler: version.is_some_and(|version| compiler::is_new_enough(&version)),
                    source: Path::new("/usr/lib/rustlib/src/rust/library/core").is_dir(),
                    clippy: compiler::subcommand(&usr, "cargo-clippy").is_some(),
                    linker: compiler::linker(&all).is_some(),
                },
                apt: None,
                missing,
                targets,
            };
            let apt = (!machine.is_complete()).then(apt::inspect).flatten();
            Self { apt, ..machine }
        })
    }

    /// Nothing is missing.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.targets.is_empty() && self.rustfmt && self.clippy
    }
}
