//! What can go wrong, and where.

/// Everything that this crate reports.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A mistake in a model.
    #[error("{file}:{line}:{col} <{element}>: {msg}")]
    Mjcf {
        /// File of the mistake.
        file: String,
        /// Line, from 1.
        line: u32,
        /// Column, from 1.
        col: u32,
        /// Element and its name.
        element: String,
        /// What is wrong and what to do.
        msg: String,
    },
    /// Something that MuJoCo has and this version does not.
    #[error("{file}:{line}:{col}: {feature} is not supported")]
    Unsupported {
        /// File of the feature.
        file: String,
        /// Line, from 1.
        line: u32,
        /// Column, from 1.
        col: u32,
        /// The feature.
        feature: String,
    },
    /// The device refused, was lost or does not exist.
    #[error("device: {0}")]
    Device(String),
    /// A shader did not compile.
    #[error("shader {stage}: {msg}")]
    Shader {
        /// Stage of the shader.
        stage: String,
        /// What the compiler says.
        msg: String,
    },
    /// A size that does not fit.
    #[error("{what}: {need} needed, {have} there")]
    Size {
        /// What it is the size of.
        what: String,
        /// What is needed.
        need: u64,
        /// What is there.
        have: u64,
    },
    /// Bad input that is not a model: states, controls, names.
    #[error("{0}")]
    Input(String),
    /// A file that cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
