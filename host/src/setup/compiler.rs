//! The Rust compiler that cargo uses here, and what belongs to it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use cargo_metadata::semver::Version;
use serde::{Deserialize, Serialize};

use super::child;

/// The configuration that names Debian's compiler, relative to the workspace's folder.
pub const LOCAL_CONFIG: &str = ".cargo/local.toml";

/// The oldest compiler that builds the workspace.
pub const OLDEST: &str = env!("CARGO_PKG_RUST_VERSION");

/// Debian's compiler.
pub const SYSTEM_RUSTC: &str = "/usr/bin/rustc";

/// The local configuration, as far as it matters here.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct LocalConfig {
    #[serde(default)]
    build: Build,
    #[serde(default)]
    target: BTreeMap<String, Target>,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
struct Build {
    rustc: Option<PathBuf>,
    rustdoc: Option<PathBuf>,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
struct Target {
    #[serde(default)]
    rustflags: Vec<String>,
    linker: Option<PathBuf>,
}

impl LocalConfig {
    /// Has cargo use this compiler, and the documentation tool beside it.
    pub fn for_compiler(rustc: &Path) -> Self {
        Self {
            build: Build {
                rustc: Some(rustc.into()),
                rustdoc: Some(rustc.with_file_name("rustdoc")),
            },
            target: BTreeMap::new(),
        }
    }

    /// Has a target use the libraries in this folder, and this linker.
    pub fn add_target(&mut self, name: &str, sysroot: &Path, linker: &Path) {
        let target = Target {
            rustflags: vec!["--sysroot".into(), sysroot.display().to_string()],
            linker: Some(linker.into()),
        };
        self.target.insert(name.into(), target);
    }

    /// The targets that have libraries of their own.
    pub fn targets(&self) -> Vec<String> {
        self.target.keys().cloned().collect()
    }

    /// Reads the local configuration of a workspace, if there is one that can be read.
    pub fn load(root: &Path) -> Option<Self> {
        toml::from_str(&fs::read_to_string(root.join(LOCAL_CONFIG)).ok()?).ok()
    }

    /// The text of the file.
    ///
    /// # Errors
    ///
    /// When a path is not Unicode.
    pub fn to_text(&self) -> Result<String, toml::ser::Error> {
        let settings = toml::to_string(self)?;
        Ok(format!("# Written by `cargo host setup`.\n{settings}"))
    }

    /// The compiler that cargo uses instead of the one it would find.
    pub fn rustc(&self) -> Option<&Path> {
        self.build.rustc.as_deref()
    }
}

/// Whether programs for a target have the whole standard library.
pub fn has_std(target: &str) -> bool {
    target.contains("-linux-")
}

/// Why a target cannot be compiled for, or `None` when it can: compiles two lines that use
/// `core` and `alloc`, or `std`, exactly as cargo would, which notices a missing library as well as one that
/// another version of the compiler made.
pub fn obstacle(config: Option<&LocalConfig>, target: &str) -> Option<String> {
    let settings = config.and_then(|config| config.target.get(target));
    let linker = settings.and_then(|settings| settings.linker.as_deref());
    if let Some(linker) = linker.filter(|linker| !linker.is_file()) {
        return Some(format!("there is no linker {}", linker.display()));
    }
    let rustc = rustc(config);
    match compile(&rustc, target, settings) {
        Ok(obstacle) => obstacle,
        Err(error) => Some(format!("{} does not run: {error}", rustc.display())),
    }
}

fn compile(
    rustc: &Path,
    target: &str,
    settings: Option<&Target>,
) -> std::io::Result<Option<String>> {
    let folder = tempfile::tempdir()?;
    let mut child = child::command(rustc)
        .args(["--crate-name", "probe", "--crate-type", "rlib"])
        .args(["--edition", "2024", "--emit", "metadata"])
        .args(["--target", target, "--out-dir"])
        .arg(folder.path())
        .args(settings.map_or(&[][..], |settings| &settings.rustflags))
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut source) = child.stdin.take() {
        source.write_all(match has_std(target) {
            false => b"#![no_std]\nextern crate alloc;\n",
            true => b"pub use std::process::id;\n",
        })?;
    }
    let output = child.wait_with_output()?;
    if output.status.success() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let first = text.lines().find(|line| line.starts_with("error"));
    Ok(Some(first.unwrap_or("the compiler failed").to_owned()))
}

/// The compiler that cargo uses.
pub fn rustc(config: Option<&LocalConfig>) -> PathBuf {
    config
        .and_then(|config| config.rustc())
        .unwrap_or_else(|| Path::new("rustc"))
        .to_owned()
}

/// The version of a compiler, or `None` when it is not there.
pub fn version(rustc: &Path) -> Option<Version> {
    let text = ask(rustc, &["--version", "--verbose"])?;
    let release = text
        .lines()
        .find_map(|line| line.strip_prefix("release: "))?;
    Version::parse(release.trim()).ok()
}

/// Whether a compiler is new enough for the workspace.
pub fn is_new_enough(version: &Version) -> bool {
    let mut numbers = OLDEST.split('.').map(|number| number.parse().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    (version.major, version.minor, version.patch) >= (next(), next(), next())
}

/// The folder of a compiler's installation, with its `bin` and `lib`.
pub fn installation(rustc: &Path) -> Option<PathBuf> {
    Some(ask(rustc, &["--print", "sysroot"])?.trim().into())
}

/// A linker for bare metal: the one that comes with an installation, or one that is found.
pub fn linker(installations: &[PathBuf]) -> Option<PathBuf> {
    installations
        .iter()
        .flat_map(|installation| {
            let hosts = fs::read_dir(installation.join("lib/rustlib"))
                .into_iter()
                .flatten()
                .flatten()
                .map(|host| host.path().join("bin/rust-lld"));
            hosts.chain([installation.join("bin/rust-lld")])
        })
        .find(|linker| linker.is_file())
        .or_else(|| which::which("rust-lld").ok())
}

/// A subcommand of cargo that comes with one of these installations, such as `cargo-clippy`: the
/// one in the path may be rustup's placeholder for a component that is not installed.
pub fn subcommand(installations: &[PathBuf], name: &str) -> Option<PathBuf> {
    installations
        .iter()
        .map(|installation| installation.join("bin").join(name))
        .find(|program| program.is_file())
}

fn ask(rustc: &Path, arguments: &[&str]) -> Option<String> {
    let output = child::command(rustc)
        .args(arguments)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_local_configuration_reads_back() {
        let mut config = LocalConfig::for_compiler(Path::new("/usr/bin/rustc"));
        config.add_target(
            "aarch64-unknown-none",
            Path::new("/a \"quoted\" folder"),
            Path::new("/usr/bin/rust-lld"),
        );
        let text = config.to_text().expect("Unicode");
        assert_eq!(toml::from_str(&text), Ok(config));
    }

    #[test]
    fn versions_compare_as_numbers() {
        let new_enough = |text| is_new_enough(&Version::parse(text).expect("a version"));
        assert!(new_enough("1.95.0"));
        assert!(new_enough("1.100.0"));
        assert!(new_enough("2.0.0"));
        assert!(!new_enough("1.94.9"));
        assert!(!new_enough("1.9.0"));
    }

    #[test]
    fn an_empty_sysroot_is_an_obstacle_and_so_is_a_lost_linker() {
        let host = "[target.x86_64-unknown-linux-gnu]";
        let obstacle = |text: &str| {
            let config: LocalConfig = toml::from_str(text).expect("it is well-formed");
            obstacle(Some(&config), "x86_64-unknown-linux-gnu")
        };
        assert_eq!(obstacle(host), None);
        let empty = obstacle(&format!("{host}\nrustflags = ['--sysroot', '/nowhere']"));
        assert!(empty.is_some_and(|text| text.starts_with("error")));
        let lost = obstacle(&format!("{host}\nlinker = '/nowhere/lld'"));
        assert_eq!(lost.as_deref(), Some("there is no linker /nowhere/lld"));
        let gone = obstacle("build.rustc = '/nowhere/rustc'");
        assert!(gone.is_some_and(|text| text.contains("/nowhere/rustc does not run")));
    }
}
