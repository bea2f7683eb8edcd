//! What can be wrong with the catalogue or with the tools that a build needs.

use std::path::PathBuf;
use std::sync::Arc;

use miette::Diagnostic;
use thiserror::Error;

use crate::Architecture;

/// What is wrong, where, and how to put it right.
#[derive(Clone, Debug, Error, Diagnostic)]
pub enum CatalogueError {
    /// cargo could not describe the workspace.
    #[error("cargo cannot say where the C sources are: {output}")]
    #[diagnostic(help(
        "run `cargo fetch --locked` in {root}; it brings the packages that Cargo.lock names",
        root = root.display()
    ))]
    Metadata {
        /// The workspace.
        root: PathBuf,
        /// What cargo said.
        output: String,
    },

    /// The package with the C sources is not among the dependencies.
    #[error("the package {package} is not in {lock}", lock = root.join("Cargo.lock").display())]
    #[diagnostic(help("restore Cargo.lock and catalogue/Cargo.toml from the repository"))]
    NoPackage {
        /// The workspace.
        root: PathBuf,
        /// The package's name.
        package: &'static str,
    },

    /// A description of an instance is not what it must be.
    #[error("{file}: {problem}", file = file.display())]
    #[diagnostic(help(
        "the package's files must be as they were published: delete the package's folder and run `cargo fetch --locked`"
    ))]
    Meta {
        /// The META.yml.
        file: PathBuf,
        /// The key and what is wrong with it.
        problem: String,
    },

    /// A `candidate.toml` is not what it must be.
    #[error("{file}: {problem}", file = file.display())]
    #[diagnostic(help(
        "correct the file; submissions/x25519/candidate.toml is a short example, and `cargo host import` writes the file of a package anew"
    ))]
    Candidate {
        /// The file.
        file: PathBuf,
        /// Line, key and what is wrong with it.
        problem: String,
    },

    /// A manifest of known answers is not what it must be.
    #[error("{file}: {problem}", file = file.display())]
    #[diagnostic(help(
        "correct the line, or restore the manifest as it was published; a line is `<sha256> <mode> <label>/<file name>`"
    ))]
    Manifest {
        /// The file.
        file: PathBuf,
        /// The line and what is wrong with it.
        problem: String,
    },

    /// Two instances have the same name.
    #[error("{file}: two instances are called {name}", file = file.display())]
    #[diagnostic(help("give one of them another label: names are used for files and commands"))]
    DuplicateLabel {
        /// The file, or the tree, that describes both.
        file: PathBuf,
        /// `<candidate>/<label>`.
        name: String,
    },

    /// Two packages have the same identity.
    #[error(
        "{file}: id = {id:?} is taken by {other}",
        file = file.display(),
        other = other.display()
    )]
    #[diagnostic(help("give one of them another id: names are used for files and commands"))]
    DuplicateId {
        /// The identity.
        id: String,
        /// The later file.
        file: PathBuf,
        /// The file, or PQClean's tree, that has it already.
        other: PathBuf,
    },

    /// There is no such instance.
    #[error("there is no instance {name}")]
    #[diagnostic(help("{hint}"))]
    UnknownInstance {
        /// What was asked for.
        name: String,
        /// Near names, or how to list all.
        hint: String,
    },

    /// There is no such board.
    #[error("there is no board {name}")]
    #[diagnostic(help("boards are: {known}"))]
    UnknownBoard {
        /// What was asked for.
        name: String,
        /// All names.
        known: String,
    },

    /// No board runs images of this target.
    #[error("nothing can be built for the target {target}")]
    #[diagnostic(help("build for one of: {known}"))]
    UnknownTarget {
        /// cargo's target triple.
        target: String,
        /// The targets of all boards.
        known: String,
    },

    /// The board is not a machine of cargo's target.
    #[error("the board {board} needs the target {needed}, and cargo builds for {target}")]
    #[diagnostic(help("pass `--target {needed}` to cargo, or set NGCC_BOARD to another board"))]
    WrongTarget {
        /// The board.
        board: &'static str,
        /// Its target.
        needed: &'static str,
        /// cargo's.
        target: String,
    },

    /// There is no such flag set.
    #[error("there is no flag set {name}")]
    #[diagnostic(help("flag sets are: {known}"))]
    UnknownFlagSet {
        /// What was asked for.
        name: String,
        /// All names.
        known: String,
    },

    /// There is no such kind of image.
    #[error("there is no kind of image {name}")]
    #[diagnostic(help("kinds are: {known}"))]
    UnknownKind {
        /// What was asked for.
        name: String,
        /// All names.
        known: String,
    },

    /// A file or folder could not be read or written.
    #[error("cannot {action} {path}", path = path.display())]
    #[diagnostic(help("check that it exists and that you may access it"))]
    File {
        /// `read`, `list`, `write`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        #[source]
        source: Arc<std::io::Error>,
    },

    /// No C compiler for a board.
    #[error("no C compiler for {board}: none of {tried} could be started")]
    #[diagnostic(help(
        "run `cargo host setup`, or name a compiler in the environment variable {variable}"
    ))]
    NoCompiler {
        /// The board.
        board: &'static str,
        /// The programs that were tried.
        tried: String,
        /// The variable that overrides the search.
        variable: &'static str,
    },

    /// The compiler builds for another architecture than the board's.
    #[error(
        "{compiler} builds for {machine}, and {board} is {architecture}",
        compiler = compiler.display()
    )]
    #[diagnostic(help(
        "unset the environment variable {variable}, or name a cross compiler in it"
    ))]
    WrongCompiler {
        /// The compiler.
        compiler: PathBuf,
        /// What it builds for.
        machine: String,
        /// The board.
        board: &'static str,
        /// The board's architecture.
        architecture: Architecture,
        /// The variable that overrides the search.
        variable: &'static str,
    },

    /// The compiler did not answer a question about itself.
    #[error("{program} {arguments} failed: {output}", program = program.display())]
    #[diagnostic(help("run `cargo host setup` to install a working compiler"))]
    Compiler {
        /// The compiler.
        program: PathBuf,
        /// The question.
        arguments: String,
        /// What it said.
        output: String,
    },

    /// No picolibc.
    #[error("no picolibc for {board}: no {file} in {searched}")]
    #[diagnostic(help(
        "run `cargo host setup`, or name its folder in the environment variable {variable}"
    ))]
    NoCLibrary {
        /// The board.
        board: &'static str,
        /// The file that must be there.
        file: &'static str,
        /// The folders that were searched.
        searched: String,
        /// The variable that overrides the search.
        variable: &'static str,
    },

    /// A build report is not one.
    #[error("{file} is not a build report: {problem}", file = file.display())]
    #[diagnostic(help("build the image again"))]
    Report {
        /// The file.
        file: PathBuf,
        /// Where and why.
        problem: String,
    },

    /// A file that should be a linker map is none.
    #[error("{file} is not a linker map that LLD wrote", file = file.display())]
    #[diagnostic(help("build the image again, with rust-lld as its linker"))]
    Map {
        /// The file.
        file: PathBuf,
    },

    /// A memory function comes from elsewhere than the C library that the record names.
    #[error("{function} comes from {provider} and not from libc.a ({file})", file = file.display())]
    #[diagnostic(help(
        "the C library must be the first archive that defines it: check the order of the link arguments"
    ))]
    MemoryFunction {
        /// The function.
        function: &'static str,
        /// The object or archive member that defines it.
        provider: String,
        /// The linker map.
        file: PathBuf,
    },
}

impl CatalogueError {
    /// A file error with its path.
    pub(crate) fn file(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File {
            action,
            path,
            source: Arc::new(source),
        }
    }
}
