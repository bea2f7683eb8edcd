//! Why an answer could not be computed.

use kat::iccs::IccsError;
use miette::Diagnostic;

/// Why an answer could not be computed.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum AnswerError {
    /// The model of the generator refused a request, or a model of a hash a length.
    #[error("a model of the NGCC interface refused a request")]
    #[diagnostic(help(
        "the lengths that a scheme asks for are wrong: compare them with its C code"
    ))]
    Model(#[from] IccsError),
    /// An independent implementation did not accept what it had produced itself.
    #[error("record {record} of {file}: {what}")]
    #[diagnostic(help(
        "the model of the scheme contradicts itself: compare each step with the package's C code"
    ))]
    Contradiction {
        /// The file that was to be written.
        file: String,
        /// Number of the record, from 0.
        record: u32,
        /// What did not fit.
        what: &'static str,
    },
    /// An independent implementation refused a value.
    #[error("{0}")]
    #[diagnostic(help("look at the crate's own error conditions for this value"))]
    Refused(&'static str),
    /// There is no such package.
    #[error("there is no package {name:?} with answers of its own")]
    #[diagnostic(help("packages are: {known}"))]
    UnknownPackage {
        /// The name that was given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A package has no such file.
    #[error("{package} has no known-answer file {path:?}")]
    #[diagnostic(help("name it as the manifest does, for example {example}"))]
    UnknownFile {
        /// The package.
        package: String,
        /// The path that was given.
        path: String,
        /// A path that the package has.
        example: String,
    },
}
