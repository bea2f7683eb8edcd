//! Sources to objects, with the cc crate and with flags that are all ours.

use std::any::Any;
use std::collections::HashMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use catalogue::{FlagSet, Instance, Toolchain};
use cc::{BuildMessage, BuildMessageKind, BuildMessageLogger, CompileCommand};

use super::error::file;
use super::{BuildError, Settings};

/// The variables that reach the compiler. Others, such as CFLAGS or CPATH, could change what is
/// measured without a trace in the record.
const PASSED_ON: &[&str] = &[
    "PATH",
    "HOME",
    "TMPDIR",
    "NUM_JOBS",
    "CARGO_MAKEFLAGS",
    "MAKEFLAGS",
    "MFLAGS",
];

/// Lines of the compiler's output that an error shows.
const SHOWN_LINES: usize = 40;

/// A source and the object made of it.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The source.
    pub source: PathBuf,
    /// The object.
    pub object: PathBuf,
    /// The complete command line.
    pub command: Vec<String>,
    /// Warnings that the compiler gave.
    pub warnings: u32,
}

/// Compiles every source of the instance.
pub fn compile(
    instance: &Instance,
    toolchain: &Toolchain,
    flags: &[String],
    settings: &Settings,
) -> Result<Vec<Compiled>, BuildError> {
    let sources = &instance.sources;
    let objects = settings.out.join("objects");
    // Another instance's objects, of which none may end up in this archive.
    if objects.exists() {
        fs::remove_dir_all(&objects).map_err(file("remove", &objects))?;
    }
    fs::create_dir_all(&objects).map_err(file("create", &objects))?;

    let log = Arc::new(Log::default());
    let mut build = cc::Build::new();
    build
        .set_envs_snapshot(environment())
        .compiler(&toolchain.compiler)
        .target(&settings.target)
        .host(&settings.host)
        .out_dir(&objects)
        // Names of objects then do not depend on where the tree lies.
        .source_root(&instance.root)
        // cc asks for a level even when it adds no flag for it: the level is in the flag set.
        .opt_level(2)
        .no_default_flags(true)
        .inherit_rustflags(false)
        .inherit_trim_paths(false)
        .cargo_metadata(false)
        .cargo_warnings(false)
        .message_logger(Some(log.clone()))
        .files(sources);
    for flag in flags {
        build.flag(flag);
    }
    let result = build.try_compile_intermediates();
    let record = log.take();
    match result {
        Ok(objects) => sources
            .iter()
            .cloned()
            .zip(objects)
            .map(|(source, object)| record.compiled(source, object))
            .collect(),
        Err(error) => Err(record.failure(instance, settings, &error)),
    }
}

/// What the compiler sees of the environment. The empty CFLAGS keep cc from adding warnings.
fn environment() -> Vec<(String, std::ffi::OsString)> {
    PASSED_ON
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), env::var_os(name)?)))
        .chain([("CFLAGS".to_owned(), "".into())])
        .collect()
}

/// Collects what cc reports while it compiles.
#[derive(Default)]
struct Log(Mutex<Record>);

/// Command lines and the compiler's words, by source.
#[derive(Default)]
struct Record {
    commands: HashMap<PathBuf, Vec<String>>,
    output: HashMap<PathBuf, Vec<String>>,
    failed: Option<PathBuf>,
}

impl Log {
    fn take(&self) -> Record {
        // A panic while logging cannot leave a half-written entry that matters here.
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl BuildMessageLogger for Log {
    fn log(&self, kind: BuildMessageKind, message: BuildMessage<'_>, extra: &dyn Any) {
        let mut record = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kind {
            BuildMessageKind::CompileCommand => {
                if let Some(command) = extra.downcast_ref::<CompileCommand>() {
                    let arguments = command.arguments().map(text).collect();
                    record.commands.insert(command.file().to_owned(), arguments);
                }
            }
            BuildMessageKind::StderrForwarding => {
                if let Some(source) = source_of(extra) {
                    let line = message.to_string();
                    record.output.entry(source).or_default().push(line);
                }
            }
            BuildMessageKind::CommandFailed {
                is_detection_cmd: false,
                ..
            } => record.failed = source_of(extra),
            _ => {}
        }
    }
}

/// The source that a command compiles: cc puts it last.
fn source_of(command: &dyn Any) -> Option<PathBuf> {
    let command = command.downcast_ref::<Command>()?;
    command.get_args().last().map(PathBuf::from)
}

fn text(argument: &OsStr) -> String {
    argument.to_string_lossy().into_owned()
}

impl Record {
    fn compiled(&self, source: PathBuf, object: PathBuf) -> Result<Compiled, BuildError> {
        let command = self
            .commands
            .get(&source)
            .cloned()
            .ok_or_else(|| BuildError::Compiler {
                reason: format!("no command was reported for {}", source.display()),
            })?;
        let warnings = self.lines(&source).filter(|line| is_warning(line)).count();
        Ok(Compiled {
            warnings: warnings.try_into().unwrap_or(u32::MAX),
            source,
            object,
            command,
        })
    }

    fn lines(&self, source: &Path) -> impl Iterator<Item = &String> {
        self.output.get(source).into_iter().flatten()
    }

    fn failure(&self, instance: &Instance, settings: &Settings, error: &cc::Error) -> BuildError {
        let Some(source) = &self.failed else {
            return BuildError::Compiler {
                reason: error.to_string(),
            };
        };
        // Errors first: hundreds of warnings may surround them.
        let mut shown: Vec<&str> = self
            .lines(source)
            .map(String::as_str)
            .filter(|line| is_error(line))
            .collect();
        if shown.is_empty() {
            shown = self.lines(source).map(String::as_str).collect();
        }
        shown.truncate(SHOWN_LINES);
        let output = shown.join("\n");
        BuildError::Compile {
            instance: instance.name(),
            source_name: instance.source_name(source),
            remedy: remedy(&output, settings.flag_set),
            output,
            command: self
                .commands
                .get(source)
                .map_or_else(String::new, |command| command.join(" ")),
        }
    }
}

fn is_warning(line: &str) -> bool {
    line.contains(": warning: ")
}

/// The compiler's and the assembler's.
fn is_error(line: &str) -> bool {
    line.contains("error: ") || line.contains(": Error: ")
}

/// What to do about a source that does not compile.
fn remedy(output: &str, flags: FlagSet) -> String {
    if output.contains("implicit-function-declaration")
        || output.contains("implicit declaration of function")
    {
        return "declare the function: include its header, or define what its C library asks for before it shows it; without a declaration it is taken to return int, which cuts pointers to 32 bits".to_owned();
    }
    match flags {
        FlagSet::Guide => format!(
            "try the other flags, NGCC_FLAGS={}; the record will name them",
            FlagSet::HarnessDefault.name()
        ),
        FlagSet::HarnessDefault => {
            "correct the source: both flag sets are the same for every candidate".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_implicit_declaration_is_explained() {
        let gcc_12 = "a.c:3:5: error: implicit declaration of function 'f' [-Werror=implicit-function-declaration]";
        for flags in FlagSet::ALL {
            assert!(remedy(gcc_12, flags).contains("32 bits"));
        }
        let other = "a.c:3:5: error: expected ';'";
        assert!(remedy(other, FlagSet::Guide).contains("harness-default"));
        assert!(!remedy(other, FlagSet::HarnessDefault).contains("harness-default"));
    }

    #[test]
    fn flags_of_the_environment_do_not_reach_the_compiler() {
        let names: Vec<_> = environment().into_iter().map(|(name, _)| name).collect();
        assert!(names.contains(&"PATH".to_owned()));
        assert!(!names.contains(&"CPATH".to_owned()));
        let flags = environment().into_iter().find(|(name, _)| name == "CFLAGS");
        assert_eq!(flags.unwrap().1, "");
    }
}
