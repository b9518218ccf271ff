//! Errors, and their place in the model's text.

use std::fmt;
use std::ops::Range;

use codespan_reporting::diagnostic::{Diagnostic, Label};
use codespan_reporting::files::{Error as FilesError, Files};
use codespan_reporting::term;

/// Everything that this crate reports.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A mistake in a model.
    Mjcf {
        /// File of the mistake.
        file: String,
        /// Line, from 1.
        line: u32,
        /// Column, from 1.
        col: u32,
        /// Element and its name.
        element: String,
        /// The mistake, and its remedy.
        msg: String,
        /// The lines around the mistake.
        excerpt: Option<Box<Excerpt>>,
    },
    /// A model that compiles, but whose dynamics need features that this version does not have.
    Missing(Vec<String>),
    /// Several mistakes of one model, at least two.
    Several(Vec<Error>),
    /// The device refused, was lost or does not exist.
    Device(String),
    /// A shader did not compile.
    Shader {
        /// Stage of the shader.
        stage: String,
        /// Message of the compiler.
        msg: String,
    },
    /// A size that exceeds its limit.
    Size {
        /// The quantity.
        what: String,
        /// Size that is needed.
        need: u64,
        /// Size that is available.
        have: u64,
    },
    /// Worlds asked for more contacts or constraint rows than they have room for.
    Overflow {
        /// Number of these worlds.
        worlds: usize,
        /// Index of the first of these worlds.
        world: usize,
        /// Contacts: the largest number asked for, and the room (`nconmax`).
        contacts: (usize, usize),
        /// Constraint rows: the largest number asked for, and the room (`njmax`).
        rows: (usize, usize),
    },
    /// Bad input that is not a model: states, controls, names.
    Input(String),
    /// A file that cannot be read or written.
    Io {
        /// The file.
        path: String,
        /// The system's error.
        source: std::io::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Mjcf {
                file,
                line,
                col,
                element,
                msg,
                ..
            } => write!(f, "{file}:{line}:{col} <{element}>: {msg}"),
            Error::Missing(list) => {
                let needs = needs(list);
                write!(
                    f,
                    "the model needs features that this version does not have: {needs}"
                )
            }
            Error::Several(errors) => f.write_str(&lines(errors)),
            Error::Device(msg) => write!(f, "device: {msg}"),
            Error::Shader { stage, msg } => write!(f, "shader {stage}: {msg}"),
            Error::Size { what, need, have } => {
                write!(f, "{what}: {need} needed, {have} available")
            }
            Error::Overflow {
                worlds,
                world,
                contacts,
                rows,
            } => f.write_str(&overflow(*worlds, *world, *contacts, *rows)),
            Error::Input(msg) => f.write_str(msg),
            Error::Io { path, source } => write!(f, "{path}: {source}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The lines of a file around a place.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Excerpt {
    /// Whole lines.
    pub text: String,
    /// Number of the first of them, from 1.
    pub first_line: u32,
    /// Range of bytes of `text` that the error is about.
    pub range: Range<usize>,
}

impl Error {
    /// Combines errors into one; a single error stays unchanged. `None` if there is none.
    pub fn several(mut errors: Vec<Error>) -> Option<Error> {
        match errors.len() {
            0 => None,
            1 => errors.pop(),
            _ => Some(Error::Several(errors)),
        }
    }

    /// The errors one by one.
    pub fn each(&self) -> impl Iterator<Item = &Error> {
        match self {
            Error::Several(errors) => errors.as_slice(),
            one => std::slice::from_ref(one),
        }
        .iter()
    }

    /// The error as it is shown to people: with the lines of the model it is about, the place underlined.
    ///
    /// `Display` gives the plain form, one line for each error.
    pub fn render(&self) -> String {
        let mut out = String::new();
        for error in self.each() {
            let (file, msg, label, excerpt) = match error {
                Error::Mjcf {
                    file,
                    element,
                    msg,
                    excerpt: Some(e),
                    ..
                } => (file, format!("<{element}>: {msg}"), msg, e),
                other => {
                    out.push_str(&format!("error: {other}\n"));
                    continue;
                }
            };
            let place = Place { file, excerpt };
            let label = Label::primary((), excerpt.range.clone()).with_message(label);
            let diagnostic = Diagnostic::error()
                .with_message(msg)
                .with_labels(vec![label]);
            if term::emit_to_string(&mut out, &term::Config::default(), &place, &diagnostic)
                .is_err()
            {
                out.push_str(&format!("error: {error}\n"));
            }
        }
        out
    }
}

fn overflow(worlds: usize, world: usize, contacts: (usize, usize), rows: (usize, usize)) -> String {
    let mut full = Vec::new();
    for (what, limit, (need, have)) in [
        ("contacts", "nconmax", contacts),
        ("constraint rows", "njmax", rows),
    ] {
        if need > have {
            full.push(format!("{need} {what} needed, {limit} is {have}"));
        }
    }
    let who = match worlds {
        1 => format!("world {world} overflowed"),
        _ => format!("{worlds} worlds overflowed, the first is {world}"),
    };
    format!(
        "{who}: {}; raise that limit, or let it grow (overflow \"grow\")",
        full.join(", ")
    )
}

// one missing feature on the same line, several on a line each
fn needs(list: &[String]) -> String {
    match list {
        [one] => one.clone(),
        several => several.iter().map(|need| format!("\n  {need}")).collect(),
    }
}

fn lines(errors: &[Error]) -> String {
    let lines: Vec<_> = errors.iter().map(Error::to_string).collect();
    lines.join("\n")
}

/// A file of which only an excerpt is known.
struct Place<'a> {
    file: &'a str,
    excerpt: &'a Excerpt,
}

impl<'a> Files<'a> for Place<'a> {
    type FileId = ();
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, (): ()) -> std::result::Result<&'a str, FilesError> {
        Ok(self.file)
    }

    fn source(&'a self, (): ()) -> std::result::Result<&'a str, FilesError> {
        Ok(&self.excerpt.text)
    }

    fn line_index(&'a self, (): (), byte: usize) -> std::result::Result<usize, FilesError> {
        let before = self.excerpt.text.get(..byte).unwrap_or(&self.excerpt.text);
        Ok(before.bytes().filter(|b| *b == b'\n').count())
    }

    fn line_number(&'a self, (): (), line: usize) -> std::result::Result<usize, FilesError> {
        Ok(self.excerpt.first_line as usize + line)
    }

    fn line_range(&'a self, (): (), line: usize) -> std::result::Result<Range<usize>, FilesError> {
        let mut start = 0;
        for (i, text) in self.excerpt.text.split_inclusive('\n').enumerate() {
            if i == line {
                return Ok(start..start + text.len());
            }
            start += text.len();
        }
        Ok(start..start)
    }
}
