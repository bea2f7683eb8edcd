//! What can go wrong in a build, where, and how to put it right.

use std::path::{Path, PathBuf};

use catalogue::CatalogueError;
use miette::Diagnostic;
use thiserror::Error;

/// A build that cannot go on.
#[derive(Debug, Error, Diagnostic)]
pub enum BuildError {
    /// The catalogue or the tools.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Catalogue(#[from] CatalogueError),

    /// cargo did not say something that it says to every build script.
    #[error("the environment variable {variable} is missing or not text")]
    #[diagnostic(help("this program is run by cargo, not by hand"))]
    Environment {
        /// The variable.
        variable: &'static str,
    },

    /// There is no such drill.
    #[error("NGCC_DRILL: there is no drill {name}")]
    #[diagnostic(help("drills are: {known}; without any, leave NGCC_DRILL unset"))]
    UnknownDrill {
        /// What was asked for.
        name: String,
        /// All names.
        known: String,
    },

    /// There is no such layout.
    #[error("NGCC_LAYOUT: the code cannot be shifted by `{shift}` bytes")]
    #[diagnostic(help(
        "name a multiple of 16 below 4096; without a shift, leave NGCC_LAYOUT unset"
    ))]
    UnknownLayout {
        /// What was asked for.
        shift: String,
    },

    /// The instance cannot be measured on the board.
    #[error("{instance} cannot be built for {board}: {reason}")]
    #[diagnostic(help("`cargo host list` shows what each board can measure"))]
    Unavailable {
        /// The instance.
        instance: String,
        /// The board.
        board: &'static str,
        /// What is missing.
        reason: String,
    },

    /// A file could not be read or written.
    #[error("cannot {action} {path}", path = path.display())]
    #[diagnostic(help("check that it exists and that you may access it"))]
    File {
        /// `read`, `write`, `create`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },

    /// The compiler rejected a source.
    #[error("{instance} does not compile: {source_name}\n{output}\n{command}")]
    #[diagnostic(help("{remedy}"))]
    Compile {
        /// The instance.
        instance: String,
        /// The source.
        source_name: String,
        /// What the compiler said.
        output: String,
        /// The command line.
        command: String,
        /// What to do about it.
        remedy: String,
    },

    /// The compiler could not be run at all.
    #[error("the compiler could not be run: {reason}")]
    #[diagnostic(help("run `cargo host setup`"))]
    Compiler {
        /// What cc says.
        reason: String,
    },

    /// An object is for another machine.
    #[error("{source_name}: the object is for {found}, and the board is {expected}")]
    #[diagnostic(help(
        "the compiler {compiler} builds for another machine: run `cargo host setup`, or unset NGCC_CC_AARCH64, NGCC_CC_LINUX and NGCC_CC_LINUX_AARCH64"
    ))]
    WrongMachine {
        /// The source.
        source_name: String,
        /// The object's architecture.
        found: String,
        /// The board's.
        expected: &'static str,
        /// The compiler.
        compiler: String,
    },

    /// An object is not one.
    #[error("{source_name}: the object {object} cannot be read: {reason}", object = object.display())]
    #[diagnostic(help("the compiler must write ELF objects, without link-time optimisation"))]
    Object {
        /// The source.
        source_name: String,
        /// The object.
        object: PathBuf,
        /// Why not.
        reason: String,
    },

    /// More functions to count than a report holds.
    #[error("{found} symmetric functions are called, and {most} can be counted")]
    #[diagnostic(help("the shares of this instance cannot be measured; its other figures can"))]
    TooManyCounted {
        /// How many are called.
        found: usize,
        /// How many a report holds.
        most: usize,
    },

    /// Two sources define the same global name.
    #[error("{symbol} is defined twice, in {first} and in {second}")]
    #[diagnostic(help(
        "an image holds one definition of a name: leave out one of the sources, or make the function static"
    ))]
    DefinedTwice {
        /// The symbol.
        symbol: String,
        /// A source.
        first: String,
        /// The other.
        second: String,
    },

    /// A source defines a name that must not be the submission's.
    #[error("{source_name} defines {symbol}, which belongs to {owner}")]
    #[diagnostic(help("rename it or leave it out: {remedy}"))]
    Reserved {
        /// The source.
        source_name: String,
        /// The symbol.
        symbol: String,
        /// Whose it is.
        owner: &'static str,
        /// What would happen.
        remedy: &'static str,
    },

    /// A source takes memory from a heap that the meter does not see.
    #[error("{source_name} calls {symbol}, which takes memory from the C library's own heap")]
    #[diagnostic(help(
        "the submission's heap is the meter's, and free() would get a block that is not: call malloc instead"
    ))]
    ForeignHeap {
        /// The source.
        source_name: String,
        /// The symbol.
        symbol: String,
    },

    /// The submission lacks functions of its interface.
    #[error("{instance} does not define {missing}")]
    #[diagnostic(help(
        "its sources must define these functions: check the list of sources and the prefix of their names"
    ))]
    Missing {
        /// The instance.
        instance: String,
        /// The functions.
        missing: String,
    },

    /// Functions that are to run before the program.
    #[error("{source_name} has constructors, which firmware does not run")]
    #[diagnostic(help(
        "call them from the functions of the interface; on Linux they run when the process starts"
    ))]
    Constructors {
        /// The source.
        source_name: String,
    },

    /// The compiler's list of frames is not what it should be.
    #[error("{list} has a line that is no frame: {line}", list = list.display())]
    #[diagnostic(help("use gcc: its option -fstack-usage writes the list"))]
    Frames {
        /// The list.
        list: PathBuf,
        /// The line.
        line: String,
    },

    /// objcopy or ar failed.
    #[error("{command} failed: {output}")]
    #[diagnostic(help("run `cargo host setup` to install the compiler's binutils"))]
    Tool {
        /// The command line.
        command: String,
        /// What it said.
        output: String,
    },

    /// Renaming changed more than names.
    #[error("{source_name}: objcopy changed the section {section}")]
    #[diagnostic(help(
        "the measured code must be the compiler's: use another version of binutils"
    ))]
    Changed {
        /// The source.
        source_name: String,
        /// The section.
        section: String,
    },
}

/// A file error with its path.
pub fn file(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> BuildError {
    let path = path.to_owned();
    move |source| BuildError::File {
        action,
        path,
        source,
    }
}
