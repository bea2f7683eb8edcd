//! The libraries of a target, built with Debian's compiler.
//!
//! A new folder is filled first, then the local configuration that names it is replaced in one
//! step: whoever builds meanwhile sees the old state or the new one, and a build that breaks off
//! leaves nothing that is used.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::child;
use super::compiler::{self, LOCAL_CONFIG, LocalConfig, OLDEST, SYSTEM_RUSTC};
use super::error::StepError;

/// The folder of the libraries, relative to the workspace's.
const SYSROOT: &str = ".cargo/sysroot";

/// What a program for this target links, in cargo's words: without an operating system it has no
/// `std`.
fn libraries_of(target: &str) -> (&'static str, &'static [&'static str]) {
    match compiler::has_std(target) {
        false => (
            "core,alloc,compiler_builtins",
            &["-Zbuild-std-features=compiler-builtins-mem"],
        ),
        true => ("std,panic_abort,panic_unwind", &[]),
    }
}

/// Driver of the linker for Linux on an Arm machine.
const LINUX_LINKER: &str = "aarch64-linux-gnu-gcc";

/// Builds the libraries of these targets and has cargo use them and their compiler.
///
/// # Errors
///
/// When Debian's compiler is missing or too old, when the build fails, or when a file cannot be
/// written.
pub fn build(root: &Path, targets: &[&str]) -> Result<(), StepError> {
    let rustc = Path::new(SYSTEM_RUSTC);
    let version = compiler::version(rustc)
        .ok_or_else(|| StepError::new(format!("there is no compiler {SYSTEM_RUSTC}")))?;
    if !compiler::is_new_enough(&version) {
        return Err(StepError::new(format!(
            "{SYSTEM_RUSTC} is version {version}; {OLDEST} or newer is needed (Debian's security \
             updates have it as rustc-web)"
        )));
    }
    let installations: Vec<_> = [compiler::rustc(None), rustc.into()]
        .iter()
        .filter_map(|rustc| compiler::installation(rustc))
        .collect();
    let linker = compiler::linker(&installations)
        .ok_or_else(|| StepError::new("there is no rust-lld (Debian's package rust-web-llvm)"))?;

    let parent = root.join(SYSROOT);
    make_folder(&parent)?;
    let _lock = lock(&parent.join("lock"))?;
    if let Some(config) = LocalConfig::load(root)
        && targets
            .iter()
            .all(|target| compiler::obstacle(Some(&config), target).is_none())
    {
        // Somebody else built them while we waited.
        return Ok(());
    }
    let folder = tempfile::Builder::new()
        .prefix(&format!("{version}-"))
        .permissions(permissions(0o755))
        .tempdir_in(&parent)
        .map_err(|error| StepError::writing(&parent, &error))?;
    // What is configured already is of this folder as well from now on.
    let mut all = LocalConfig::load(root).map_or_else(Vec::new, |config| config.targets());
    all.extend(targets.iter().map(|target| (*target).to_owned()));
    all.sort_unstable();
    all.dedup();
    let mut config = LocalConfig::for_compiler(rustc);
    for target in &all {
        let libraries = folder.path().join("lib/rustlib").join(target).join("lib");
        make_folder(&libraries)?;
        compile_libraries(rustc, target, &libraries)?;
        let linker = match compiler::has_std(target) {
            false => linker.clone(),
            true => which::which(LINUX_LINKER)
                .map_err(|error| StepError::new(format!("{LINUX_LINKER}: {error}")))?,
        };
        config.add_target(target, folder.path(), &linker);
        if let Some(obstacle) = compiler::obstacle(Some(&config), target) {
            return Err(StepError::new(format!(
                "the new libraries for {target} are no good: {obstacle}"
            )));
        }
    }
    write_config(root, &config)?;
    remove_others(&parent, &folder.keep());
    Ok(())
}

/// Compiles the libraries of one target and puts them into a folder.
fn compile_libraries(rustc: &Path, target: &str, libraries: &Path) -> Result<(), StepError> {
    let work =
        tempfile::tempdir().map_err(|error| StepError::writing(&std::env::temp_dir(), &error))?;
    let write = |name: &str, text: &str| {
        let path = work.path().join(name);
        fs::write(&path, text).map_err(|error| StepError::writing(&path, &error))
    };
    write(
        "Cargo.toml",
        "[package]\nname = \"nothing\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n",
    )?;
    write("lib.rs", "#![no_std]\n")?;
    let output = work.path().join("target");
    let (wanted, features) = libraries_of(target);
    let mut command = child::command(child::cargo());
    command
        .current_dir(work.path())
        .args(["build", "--release", "--target", target])
        .arg(format!("-Zbuild-std={wanted}"))
        .args(features)
        .env("RUSTC", rustc)
        // The libraries use unstable features, whoever compiles them.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", &output)
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    child::run(&mut command)?;

    let built = output.join(target).join("release/deps");
    let files: Vec<PathBuf> = fs::read_dir(&built)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .map_err(|error| StepError::new(format!("cannot read {}: {error}", built.display())))?;
    for name in wanted.split(',') {
        if !files.iter().any(|file| is_library_of(file, name)) {
            return Err(StepError::new(format!("cargo built no library `{name}`")));
        }
    }
    // With those that they link themselves, but without the package that had them built.
    let is_library = |file: &&PathBuf| {
        let is_rlib = file
            .extension()
            .is_some_and(|extension| extension == "rlib");
        is_rlib && !is_library_of(file, "nothing")
    };
    for library in files.iter().filter(is_library) {
        let copy = libraries.join(library.file_name().unwrap_or_default());
        fs::copy(library, &copy).map_err(|error| StepError::writing(&copy, &error))?;
    }
    Ok(())
}

/// Whether a file is `lib<name>-<hash>.rlib`.
fn is_library_of(file: &Path, name: &str) -> bool {
    file.file_name()
        .and_then(|file| file.to_str())
        .and_then(|file| file.strip_prefix("lib")?.strip_suffix(".rlib"))
        .and_then(|file| file.rsplit_once('-'))
        .is_some_and(|(stem, _)| stem == name)
}

/// Replaces the local configuration in one step.
fn write_config(root: &Path, config: &LocalConfig) -> Result<(), StepError> {
    let path = root.join(LOCAL_CONFIG);
    let parent = root.join(".cargo");
    let text = config
        .to_text()
        .map_err(|error| StepError::new(format!("cannot write {}: {error}", path.display())))?;
    let write = || -> io::Result<()> {
        let mut file = tempfile::Builder::new()
            .permissions(permissions(0o644))
            .tempfile_in(&parent)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&path)?;
        Ok(())
    };
    write().map_err(|error| StepError::writing(&path, &error))
}

/// Removes what earlier or broken builds left. What cannot be removed only takes room.
fn remove_others(parent: &Path, current: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let path = entry.path();
        if path != current && path.is_dir() {
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// Waits until no other build is under way.
fn lock(path: &Path) -> Result<File, StepError> {
    let open = || -> io::Result<File> {
        let file = File::create(path)?;
        file.lock()?;
        Ok(file)
    };
    open().map_err(|error| StepError::writing(path, &error))
}

fn make_folder(path: &Path) -> Result<(), StepError> {
    fs::create_dir_all(path).map_err(|error| StepError::writing(path, &error))
}

fn permissions(mode: u32) -> fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_recognised_by_its_whole_name() {
        let is_core = |file| is_library_of(Path::new(file), "core");
        assert!(is_core("/x/libcore-4b02b5377d8ba5b8.rlib"));
        assert!(!is_core("/x/libcore-4b02b5377d8ba5b8.rmeta"));
        assert!(!is_core("/x/libcore_more-4b02b5377d8ba5b8.rlib"));
        assert!(!is_core("/x/core-4b02b5377d8ba5b8.d"));
    }

    #[test]
    fn a_configuration_replaces_another_and_reads_back() {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir(root.path().join(".cargo")).expect("a folder");
        let mut config = LocalConfig::for_compiler(Path::new("/usr/bin/rustc"));
        write_config(root.path(), &config).expect("writable");
        config.add_target("t", Path::new("/a \"quoted\" folder"), Path::new("/lld"));
        write_config(root.path(), &config).expect("writable");
        assert_eq!(LocalConfig::load(root.path()), Some(config));
        let names: Vec<_> = fs::read_dir(root.path().join(".cargo"))
            .expect("readable")
            .map(|entry| entry.expect("readable").file_name())
            .collect();
        assert_eq!(names, ["local.toml"]);
    }

    #[test]
    fn only_the_current_libraries_and_the_lock_stay() {
        let parent = tempfile::tempdir().expect("a folder");
        for name in ["lib", "1.90.0-broken", "1.96.0-now"] {
            make_folder(&parent.path().join(name).join("inside")).expect("writable");
        }
        let _lock = lock(&parent.path().join("lock")).expect("free");
        remove_others(parent.path(), &parent.path().join("1.96.0-now"));
        let mut names: Vec<_> = fs::read_dir(parent.path())
            .expect("readable")
            .map(|entry| entry.expect("readable").file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["1.96.0-now", "lock"]);
    }
}
